// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/stencil/parts_of_all.hpp>
#include <hyperplane/sweep/detail/typical_exponents.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/factor_units.hpp>
#include <hyperplane/sweep/stencil_sample.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What kernels are told of a grid whose units are chosen: where its values begin in matrices of all grids is a number
/// of SIMD groups.
template <int n, int vector_length, class Scales>
struct UnitsOfGrid {
  SlabMap<vector_length> m_map;
  Scales m_scales;
  std::int16_t* m_exponents;
  std::int64_t m_first_pack;

  KOKKOS_FUNCTION std::int64_t slots() const { return sampled_slots(m_map.pack_count(), vector_length); }
  KOKKOS_FUNCTION UpperQuartiles quartiles() const { return {slots(), m_exponents, m_exponents + slots() * n * n}; }
};

/// SampleExponents of all grids, with as many slots for each.
template <class Entry, class MatrixStorage, int n, int vector_length>
struct SampleGrids {
  const Entry* m_grids;
  MatrixStorage* m_a;
  std::int64_t m_slots;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const& grid = m_grids[index / m_slots];
    std::int64_t const slot = index % m_slots;
    if (slot >= grid.slots()) return;
    using Sample = StencilSample<MatrixStorage, n, vector_length>;
    Sample const sample(matrix_part<n>(grid.m_map, grid.m_first_pack, m_a));
    SampleExponents<n, vector_length, Sample>{sample, grid.slots(), grid.m_exponents}(slot);
  }
};

/// UpperQuartiles of all grids.
template <class Entry, int n>
struct QuartilesOfGrids {
  const Entry* m_grids;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const { m_grids[index / (n * n)].quartiles()(index % (n * n)); }
  template <class Member>
    requires(!std::integral<Member>)
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    std::int64_t const index = member.league_rank();
    m_grids[index / (n * n)].quartiles().find_with(member, index % (n * n));
  }
};

/// ChooseUnits of all grids.
template <class Entry, class Scalar, int n, class Scales>
struct ChooseUnitsOfGrids {
  const Entry* m_grids;

  KOKKOS_FUNCTION void operator()(int grid) const {
    ChooseUnits<Scalar, n, Scales>{m_grids[grid].quartiles().m_quartiles, m_grids[grid].m_scales}(0);
  }
};

/// FactorUnits::choose() of several grids: the launches that one grid has. Copies share the table.
template <class Storage, int n, int vector_length, ExecutionSpace Exec, bool exist = has_scales<Storage>>
class GroupedUnits {
 public:
  template <class Member>
  GroupedUnits(const Exec&, const std::vector<Member>&) {}
  template <class Scalar, class MatrixStorage>
  void choose(const Exec&, const MatrixStorage* /*all*/) const {}
};

template <class Storage, int n, int vector_length, ExecutionSpace Exec>
class GroupedUnits<Storage, n, vector_length, Exec, true> {
 public:
  /// Waits for the instance. Units of the members' plans have to live as long as this.
  template <class Member>
  GroupedUnits(const Exec& exec, const std::vector<Member>& members) {
    std::vector<Entry> grids;
    for (auto const& member : members) {
      auto const& units = member.plan.units();
      grids.push_back({member.plan.map(), units.ref(), units.exponents(), member.first_pack});
      m_slots = std::max(m_slots, grids.back().slots());
    }
    m_grids = to_space(exec, "Hyperplane::GroupedUnits", grids);
  }

  /// Of matrices that have the values of all grids.
  template <class Scalar, class MatrixStorage>
  void choose(const Exec& exec, MatrixStorage* all) const {
    const Entry* const grids = m_grids.data();
    auto const count = static_cast<std::int64_t>(m_grids.extent(0));
    launch("Hyperplane::FactorUnits::sample", LongIndexRange<Exec>(exec, 0, count * m_slots),
           StencilSample<MatrixStorage, n, vector_length>::point_bytes,
           SampleGrids<Entry, MatrixStorage, n, vector_length>{grids, all, m_slots});
    launch_quartiles(exec, count * n * n, m_slots, QuartilesOfGrids<Entry, n>{grids});
    launch("Hyperplane::FactorUnits::choose", IndexRange<Exec>(exec, 0, count), sizeof(double),
           ChooseUnitsOfGrids<Entry, Scalar, n, Scales>{grids});
  }

 private:
  using Scales = FactorScales<Storage, n, vector_length>;
  using Entry = UnitsOfGrid<n, vector_length, Scales>;

  Kokkos::View<Entry*, typename Exec::memory_space> m_grids;
  std::int64_t m_slots = 0;  ///< of a grid, at most
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
