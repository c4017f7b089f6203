// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a factorization knows of neighbours outside of a grid block: d_q^-1 C_qp of those before a point. For those
/// after it, it keeps d_p^-1 C_pq.
template <class Scalar, int n, class Storage>
struct NeighboursFactors {
  const int* m_reverses;  ///< of couplings to neighbours before
  int m_lower;            ///< how many there are
  Storage* m_upper;

  KOKKOS_FUNCTION Scalar operator()(int number, int e) const {
    return static_cast<Scalar>(m_upper[std::int64_t{m_reverses[number]} * (n * n) + e]);
  }
  KOKKOS_FUNCTION void keep(int number, int e, Scalar value) const {
    m_upper[std::int64_t{number - m_lower} * (n * n) + e] = static_cast<Storage>(value);
  }
};

/// What a sweep or a product knows of them: their values.
template <class Scalar, int n, int vector_length>
struct NeighboursValues {
  const Slot* m_donors;
  DonorValues<Scalar, n, vector_length> m_x;

  KOKKOS_FUNCTION Scalar operator()(int number, int c) const { return m_x(m_donors[number], c); }
  KOKKOS_FUNCTION const Scalar* first(int number) const { return m_x.first(m_donors[number]); }
};

/// What a copy in 16 bits knows of them: that they are there.
struct NeighboursThere {};

/// Of a grid block, the numbers of neighbours outside, by direction and face_place(); null where a face has none.
struct FaceNumbers {
  const int* of[std::size_t{stencil7_size}] = {};
};

/// What is outside of all grid blocks, for products on CUDA, whose kernels look up the one that they are in.
template <class Scalar, int n, int vector_length>
struct ValuesOutside {
  static constexpr bool exists = true;
  using Values = NeighboursValues<Scalar, n, vector_length>;

  struct OfGrid {
    static constexpr bool exists = true;

    const FaceNumbers* m_numbers;
    Grid m_grid;
    Values m_values;

    /// The first value of the neighbour of a point that is not in the grid block, or nullptr where it has none.
    KOKKOS_FUNCTION const Scalar* at(const Point& p, Direction direction) const {
      const int* const numbers = m_numbers->of[static_cast<int>(direction)];
      if (numbers == nullptr) return nullptr;
      int const number = numbers[face_place(m_grid, direction, p)];
      return number < 0 ? nullptr : m_values.first(number);
    }
  };

  const FaceNumbers* m_numbers;
  Values m_values;

  KOKKOS_FUNCTION OfGrid of(int block, const Grid& grid) const { return {m_numbers + block, grid, m_values}; }
};

/// The neighbours that points have outside of their grid blocks, for kernels that take all neighbours of a point in the
/// order of the stencil, whichever grid block they are in. Couplings of two lists: those of the first come
/// first in the numbers. For factorizations and sweeps of parts of a box these are the couplings to lower colours,
/// which are to the bottom, south and west, and those to higher ones.
template <ExecutionSpace Exec, int vector_length>
class OutsideFaces {
 public:
  /// Waits for the instance.
  OutsideFaces(const Exec& exec, const MultiBlockGrid& grid, const FaceCouplingList& lower,
               const FaceCouplingList& upper, bool with_reverses = false)
      : m_lower(static_cast<int>(lower.couplings.size())) {
    for (auto const& block : grid.blocks()) m_maps.emplace_back(block);
    m_begins.assign(m_maps.size(), {});
    for (auto& begins : m_begins) begins.fill(none);
    std::vector<int> numbers;
    std::vector<Slot> donors;
    for (auto const* const list : {&lower, &upper}) add(*list, numbers, donors);
    m_numbers = to_space(exec, "Hyperplane::MultiBlock::face_numbers", numbers);
    m_donors = to_space(exec, "Hyperplane::MultiBlock::donors", donors);
    if constexpr (!HostExecutionSpace<Exec>) m_faces = to_space(exec, "Hyperplane::MultiBlock::faces", faces());
    if (with_reverses) m_reverses = to_space(exec, "Hyperplane::MultiBlock::reverses", reverse_numbers(lower, upper));
  }

  /// Whether there are no couplings at all.
  bool empty() const { return m_donors.size() == 0; }

  /// Outside of a grid block, for a copy, for a factorization, and for sweeps and products.
  auto neighbours_outside(int block) const { return outside(block, NeighboursThere()); }
  template <class Scalar, int n, class Storage>
  auto factors_outside(int block, Storage* upper) const {
    return outside(block, NeighboursFactors<Scalar, n, Storage>{m_reverses.data(), m_lower, upper});
  }
  template <class Scalar, int n>
  auto values_outside(int block, const DonorValues<Scalar, n, vector_length>& x) const {
    return outside(block, NeighboursValues<Scalar, n, vector_length>{m_donors.data(), x});
  }
  /// The same of all grid blocks, on devices.
  template <class Scalar, int n>
  ValuesOutside<Scalar, n, vector_length> values_outside(const DonorValues<Scalar, n, vector_length>& x) const {
    return {m_faces.data(), {m_donors.data(), x}};
  }

 private:
  static constexpr std::int64_t none = -1;

  template <class Values>
  SlabOutside<Values, vector_length> outside(int block, const Values& values) const {
    SlabOutside<Values, vector_length> result(m_maps[as_size(block)], values);
    auto const numbers = numbers_of(block);
    for (auto const direction : stencil7_directions) result.set(direction, numbers.of[static_cast<int>(direction)]);
    return result;
  }

  FaceNumbers numbers_of(int block) const {
    FaceNumbers result;
    for (std::size_t d = 0; d < std::size_t{stencil7_size}; ++d) {
      auto const begin = m_begins[as_size(block)][d];
      if (begin != none) result.of[d] = m_numbers.data() + begin;
    }
    return result;
  }
  std::vector<FaceNumbers> faces() const {
    std::vector<FaceNumbers> result;
    for (std::size_t b = 0; b < m_maps.size(); ++b) result.push_back(numbers_of(static_cast<int>(b)));
    return result;
  }

  void add(const FaceCouplingList& list, std::vector<int>& numbers, std::vector<Slot>& donors) {
    auto const first = static_cast<int>(donors.size());
    for (auto const& coupling : list.couplings) donors.push_back(coupling.donor);
    for (auto const& point : list.points) {
      auto const& map = m_maps[as_size(point.block)];
      Point p{};
      map.find_point(point.pack, point.slot.lane, p);
      for (int c = point.begin; c < point.end; ++c) {
        auto const direction = list.couplings[as_size(c)].direction;
        auto& begin = m_begins[as_size(point.block)][as_size(static_cast<int>(direction))];
        if (begin == none) {
          begin = static_cast<std::int64_t>(numbers.size());
          numbers.resize(numbers.size() + as_size(face_size(map.grid(), direction)), -1);
        }
        numbers[as_size(begin + face_place(map.grid(), direction, p))] = first + c;
      }
    }
  }

  using Begins = std::array<std::int64_t, stencil7_size>;

  int m_lower;
  std::vector<SlabMap<vector_length>> m_maps;
  std::vector<Begins> m_begins;  ///< of each grid block, of the numbers of each face
  Kokkos::View<int*, typename Exec::memory_space> m_numbers, m_reverses;
  Kokkos::View<Slot*, typename Exec::memory_space> m_donors;
  Kokkos::View<FaceNumbers*, typename Exec::memory_space> m_faces;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
