// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/stencil/slab_neighbours.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// y = A x, or y = b - A x, at points on interfaces: all seven products once more, those across interfaces at their
/// place among them. So sums have the order, and the bits, that they have where there is no interface. Host only; an
/// index is a SIMD group with such points, whose other points stay as they are.
template <bool subtract, class Scalar, int n, class Storage, int vector_length>
struct MultiplyFaceRows {
  using PackType = Pack<Scalar, vector_length>;
  using Values = block::Vector<PackType, n>;
  using Packs = InterleavedRef<Scalar, vector_length, n>;

  FacePart m_part;
  const int* m_groups;  ///< the first point of each group, and the end
  const SlotNumbers<vector_length>* m_numbers;
  InterleavedRef<Storage, vector_length, stencil7_size * n * n> m_a;
  DonorValues<Scalar, n, vector_length> m_x;
  const Scalar* m_b;     ///< as a vector, or null
  const Scalar* m_kept;  ///< b of one point after the other, where it is no vector any more
  Packs m_y;

  void operator()(std::int64_t index) const {
    int const first = m_groups[index], last = m_groups[index + 1];
    auto const& [slot, block, pack, begin, end] = m_part.points[first];
    auto const& map = m_numbers[block].m_map;
    auto const step = pack % map.steps();
    BlockVectorRef<Scalar, n, vector_length> const x(map, Packs(m_x.m_own.pack_data(slot.pack - pack)));
    auto const neighbours = vector_neighbours(x, static_cast<int>(pack / map.steps()));
    Values sum = beginning(slot.pack, first, last), before, here, after, other;
    neighbours.load(step - 1, before.m_entries);
    neighbours.load(step, here.m_entries);
    neighbours.load(step + 1, after.m_entries);
    // Couplings of a point are in the order of the directions.
    std::array<int, std::size_t{vector_length}> next{};
    for (int p = first; p < last; ++p) next[as_size(p - first)] = m_part.points[p].begin;
    auto const accumulate = [&](Direction direction, Values& values) {
      for (int p = first; p < last; ++p) {
        int& number = next[as_size(p - first)];
        if (number == m_part.points[p].end || m_part.couplings[number].direction != direction) continue;
        for (int c = 0; c < n; ++c) {
          values[c].set(m_part.points[p].slot.lane, m_x(m_part.couplings[number].donor, c));
        }
        ++number;
      }
      block::PackMatrix<PackType, Storage, n> const a{m_a.pack_data(slot.pack, static_cast<int>(direction) * n * n)};
      if constexpr (subtract) {
        block::gemv_subtract<n>(a, values, sum);
      } else {
        block::gemv_add<n>(a, values, sum);
      }
    };
    neighbours.load(step - map.pitch(), other.m_entries);
    accumulate(Direction::bottom, other);
    neighbours.south(step, before.m_entries, other.m_entries);
    accumulate(Direction::south, other);
    accumulate(Direction::west, before);
    accumulate(Direction::center, here);
    // North takes what is in the group after, without what comes across an interface to the east.
    other = after;
    accumulate(Direction::east, other);
    neighbours.north(step, after.m_entries, other.m_entries);
    accumulate(Direction::north, other);
    neighbours.load(step + map.pitch(), other.m_entries);
    accumulate(Direction::top, other);
    for (int p = first; p < last; ++p) {
      int const lane = m_part.points[p].slot.lane;
      for (int c = 0; c < n; ++c) m_y(slot.pack, c, lane) = sum[c][lane];
    }
  }

 private:
  Values beginning(std::int64_t pack, int first, int last) const {
    Values sum;
    for (int c = 0; c < n; ++c) {
      sum[c] = m_b == nullptr ? PackType(0) : PackType::load(m_b + (pack * n + c) * vector_length);
    }
    if (m_kept == nullptr) return sum;
    for (int p = first; p < last; ++p) {
      for (int c = 0; c < n; ++c) sum[c].set(m_part.points[p].slot.lane, m_kept[std::int64_t{p} * n + c]);
    }
    return sum;
  }
};

/// Values of points, one point after the other; an index is a point.
template <class Scalar, int n, int vector_length>
struct KeepFaceValues {
  const FacePoint* m_points;
  InterleavedRef<const Scalar, vector_length, n> m_vector;
  Scalar* m_kept;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    auto const [pack, lane] = m_points[p].slot;
    for (int c = 0; c < n; ++c) m_kept[p * n + c] = m_vector(pack, c, lane);
  }
};

/// Points on interfaces and their couplings, for products: after apply() or residual() of the grid blocks, multiply()
/// puts the couplings in. On hosts it computes the rows of these points anew, in the order of the seven blocks.
/// Elsewhere it adds the couplings to what is there: kernels read them alone, a seventh of the matrix.
template <class Scalar, int n, ExecutionSpace Exec, int vector_length>
class FaceRows {
 public:
  FaceRows() = default;
  /// Waits for the instance.
  FaceRows(const Exec& exec, const FaceCouplingList& list) : m_list(to_space(exec, list)) {
    if constexpr (again) {
      std::vector<int> groups;
      for (std::size_t p = 0; p < list.points.size(); ++p) {
        if (p == 0 || list.points[p].slot.pack != list.points[p - 1].slot.pack) groups.push_back(static_cast<int>(p));
      }
      groups.push_back(static_cast<int>(list.points.size()));
      m_groups = to_space(exec, "Hyperplane::MultiBlockGrid::face_groups", groups);
      m_kept = Values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::MultiBlockGrid::face_values"),
                      list.points.size() * n);
    }
  }

  FacePart all() const { return m_list.all(); }

  /// To be called before b becomes b - A x of the grid blocks in the same memory; multiply() is told so.
  void keep(const Exec& exec, const Scalar* b) const {
    if constexpr (again) {
      auto const part = all();
      if (part.size == 0) return;
      launch("Hyperplane::MultiBlockStencil7::keep", LongIndexRange<Exec>(exec, 0, part.size), 2.0 * n * sizeof(Scalar),
             KeepFaceValues<Scalar, n, vector_length>{part.points, InterleavedRef<const Scalar, vector_length, n>(b),
                                                      m_kept.data()});
    }
  }

  /// `numbers` are those of the grid blocks, b is null where the product is not subtracted from anything, and y where
  /// keep() has been called.
  template <bool subtract, class Storage>
  void multiply(const std::string& label, const Exec& exec, const SlotNumbers<vector_length>* numbers, Storage* a,
                const DonorValues<Scalar, n, vector_length>& x, const Scalar* b, Scalar* y) const {
    using Matrix = InterleavedRef<Storage, vector_length, stencil7_size * n * n>;
    auto const part = all();
    if (part.size == 0) return;
    if constexpr (again) {
      launch(label, LongIndexRange<Exec>(exec, 0, static_cast<std::int64_t>(m_groups.size()) - 1),
             vector_length * (7.0 * n * n * sizeof(Storage) + 3.0 * n * sizeof(Scalar)),
             MultiplyFaceRows<subtract, Scalar, n, Storage, vector_length>{
                 part, m_groups.data(), numbers, Matrix(a), x, b, b == y ? m_kept.data() : nullptr,
                 InterleavedRef<Scalar, vector_length, n>(y)});
    } else {
      couple<subtract, Scalar, n, vector_length>(label, exec, part,
                                                 MatrixCoefficients<Storage, n, vector_length>{Matrix(a)}, x, y);
    }
  }

 private:
  static constexpr bool again = HostExecutionSpace<Exec>;
  using Values = Kokkos::View<Scalar*, typename Exec::memory_space>;

  FaceCouplings<Exec> m_list;
  Kokkos::View<int*, typename Exec::memory_space> m_groups;
  Values m_kept;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
