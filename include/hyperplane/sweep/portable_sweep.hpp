// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/hyperplane_map.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/sweep_sums.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// The portable path of the sweeps: one launch for each hyperplane, one thread for each point of it.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The unknowns of a sweep at the points of a hyperplane, in `count` vectors. Factors: TriangularFactors, or others
/// that also say in which order the sweep takes the points. A sweep with M^T takes the blocks that neighbours have for
/// the point.
template <Sweep sweep, bool transposed, class Scalar, int n, class Factors, int count>
struct SweepPlane {
  using Storage = typename Factors::Storage;
  using StoredBlock = block::LaneMatrix<Scalar, Storage, n, Factors::vector_length>;
  using InverseBlock = block::LaneMatrix<Scalar, typename Factors::Inverse, n, Factors::vector_length>;
  using Vectors = VectorRefs<BlockVectorRef<Scalar, n, Factors::vector_length>, count>;
  /// Whether it takes L and d^-1, not d^-1 U.
  static constexpr bool takes_lower = (sweep == Sweep::forward) != transposed;

  HyperplaneMap m_planes;
  Factors m_factors;
  Vectors m_rhs;
  Vectors m_x;
  int m_plane;

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    Point const p = m_factors.point(m_planes.point(m_plane, q));
    auto const& map = m_factors.m_map;
    SweepUnits<takes_lower, transposed, Scalar, Factors> const units{m_factors};
    SweepSums<transposed, Scalar, n, count> sums;
    sums.load(m_rhs, p, units);
    HYPERPLANE_UNROLL
    for (int d = 0; d < 3; ++d) {
      Point const other = neighbour(p, m_factors.direction(sweep_direction<sweep>(d)));
      if (!map.grid().contains(other)) continue;
      sums.subtract(stored(transposed ? other : p, d), m_x, other, units);
    }
    if constexpr (takes_lower) sums.multiply(InverseBlock{m_factors.inverse(p)});
    sums.store(m_x, p, units);
  }

 private:
  KOKKOS_FUNCTION auto stored(const Point& p, int d) const {
    auto const& map = m_factors.m_map;
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);
    const Storage* const block = takes_lower ? m_factors.lower(pack, static_cast<LowerBlock>(d))
                                             : m_factors.upper(pack, static_cast<UpperBlock>(d));
    if constexpr (Factors::has_block_scales) {
      return block::QuarterLaneMatrix<Scalar, n, Factors::vector_length>{
          block + lane, m_factors.template row_scales<takes_lower>(pack) + lane,
          m_factors.template column_scales<takes_lower>(pack) + lane};
    } else {
      return StoredBlock{block + lane};
    }
  }
};

/// One launch for each hyperplane.
template <Sweep sweep, bool transposed = false, ExecutionSpace Exec, class Factors, class Scalar, int n,
          int vector_length, int count>
void portable_sweep(const Exec& exec, const char* label, const Factors& factors,
                    const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& rhs,
                    const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& x) {
  HyperplaneMap const planes(factors.m_map.grid());
  int const last = planes.plane_count() - 1;
  for (int p = 0; p <= last; ++p) {
    int const plane = sweep == Sweep::forward ? p : last - p;
    launch(label, IndexRange<Exec>(exec, 0, planes.plane_size(plane)), (4.0 * n * n + 5.0 * n * count) * sizeof(Scalar),
           SweepPlane<sweep, transposed, Scalar, n, Factors, count>{planes, factors, rhs, x, plane});
  }
}

/// With M, or M^T. On hosts, where there is a faster path for most that this one can do, several vectors follow one
/// another, so that kernels for several are not compiled.
template <class Scalar, int n, bool transposed = false, ExecutionSpace Exec, class Factors, int vector_length,
          int count>
void portable_sweeps(const Exec& exec, Sweeps sweeps, const Factors& factors,
                     const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& rhs,
                     const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& x) {
  if constexpr (HostExecutionSpace<Exec> && count > 1) {
    using One = VectorRefs<BlockVectorRef<Scalar, n, vector_length>, 1>;
    for (int v = 0; v < count; ++v) {
      portable_sweeps<Scalar, n, transposed>(exec, sweeps, factors, One{{rhs[v]}}, One{{x[v]}});
    }
  } else {
    auto const label = [](Sweeps which) { return transposed ? transposed_label(which) : solve_label(which); };
    if (sweeps != Sweeps::backward) {
      portable_sweep<Sweep::forward, transposed>(exec, label(Sweeps::forward), factors, rhs, x);
    }
    if (sweeps != Sweeps::forward) {
      auto const& from = sweeps == Sweeps::both ? x : rhs;
      portable_sweep<Sweep::backward, transposed>(exec, label(Sweeps::backward), factors, from, x);
    }
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
