// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/portable_sweep.hpp>
#include <hyperplane/sweep/sweep_sums.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// Sweeps in which directions are folded, point by point; on the portable path with one launch for each hyperplane of
/// levels, one thread for each of its points, in all pieces at once.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Factors in an order of points. Up to six neighbours of a point come before it, and as many after it.
template <class Storage, int n, int vector_length>
struct FoldedFactors : TriangularFactors<Storage, n, vector_length> {
  using Natural = TriangularFactors<Storage, n, vector_length>;

  FoldedOrder m_order;

  /// The block that couples a point to its neighbour in a direction, and d^-1 of a point.
  KOKKOS_FUNCTION Storage* coupling(const Point& p, Direction direction) const {
    return Natural::coupling(m_order.stored(p), direction);
  }
  KOKKOS_FUNCTION Storage* inverse(const Point& p) const { return Natural::inverse(m_order.stored(p)); }
  /// By the pack that has them.
  KOKKOS_FUNCTION Storage* natural_coupling(std::int64_t pack, Direction direction) const {
    return Natural::coupling(pack, direction);
  }
};

/// Directions in the order in which neighbours are subtracted: those of natural order are that of its sweeps.
KOKKOS_FUNCTION constexpr Direction folded_direction(int number) {
  constexpr Direction directions[6] = {Direction::bottom, Direction::top,  Direction::south,
                                       Direction::north,  Direction::west, Direction::east};
  return directions[number];
}

/// Calls at(point) for the points of a hyperplane of levels.
template <class AtPoint>
struct FoldedPlane {
  FoldedOrder m_order;
  AtPoint m_at;
  int m_plane;

  KOKKOS_FUNCTION void operator()(std::int64_t candidate) const {
    Point p;
    if (m_order.find(m_plane, candidate, p)) m_at(p);
  }
};

/// The points of a folded order, one launch for each hyperplane of levels.
struct FoldedPlanes {
  FoldedOrder m_order;

  /// Calls at(point) for all of them in an order that keeps the dependencies of a sweep; a point moves so many bytes.
  template <ExecutionSpace Exec, class AtPoint>
  void run(const Exec& exec, const char* label, Sweep sweep, double bytes, const AtPoint& at) const {
    int const last = m_order.plane_count() - 1;
    for (int p = 0; p <= last; ++p) {
      int const plane = sweep == Sweep::forward ? p : last - p;
      launch(label, IndexRange<Exec>(exec, 0, m_order.candidates(plane)), bytes,
             FoldedPlane<AtPoint>{m_order, at, plane});
    }
  }
};

/// As SweepPlane, of one point of a folded order.
template <Sweep sweep, bool transposed, class Scalar, int n, class Storage, int vector_length, int count>
struct FoldedSweepPoint {
  using StoredBlock = block::LaneMatrix<Scalar, Storage, n, vector_length>;
  using Vectors = VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>;
  using Factors = FoldedFactors<Storage, n, vector_length>;
  static constexpr bool takes_lower = (sweep == Sweep::forward) != transposed;
  /// That a point moves.
  static constexpr double bytes = (4.0 * n * n + 5.0 * n * count) * sizeof(Scalar);

  Factors m_factors;
  Vectors m_rhs;
  Vectors m_x;

  KOKKOS_FUNCTION void operator()(const Point& p) const {
    auto const& order = m_factors.m_order;
    SweepUnits<takes_lower, transposed, Scalar, Factors> const units{m_factors};
    SweepSums<transposed, Scalar, n, count> sums;
    sums.load(m_rhs, p, units);
    for (int d = 0; d < stencil7_size - 1; ++d) {
      Direction const direction = folded_direction(d);
      Point const other = neighbour(p, direction);
      if (!order.grid().contains(other) || order.is_before(p, direction) != (sweep == Sweep::forward)) continue;
      StoredBlock const factor{transposed ? m_factors.coupling(other, opposite(direction))
                                          : m_factors.coupling(p, direction)};
      sums.subtract(factor, m_x, other, units);
    }
    if constexpr (takes_lower) sums.multiply(StoredBlock{m_factors.inverse(p)});
    sums.store(m_x, p, units);
  }
};

/// Factors in a folded order, and what takes its points: FoldedPlanes, or FoldedPieces of hosts.
template <class Storage, int n, int vector_length, class Points>
struct FoldedRecursion {
  FoldedFactors<Storage, n, vector_length> m_factors;
  const Points& m_points;
};

template <Sweep sweep, bool transposed = false, ExecutionSpace Exec, class Storage, class Scalar, int n,
          int vector_length, int count, class Points>
void portable_sweep(const Exec& exec, const char* label,
                    const FoldedRecursion<Storage, n, vector_length, Points>& recursion,
                    const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& rhs,
                    const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& x) {
  FoldedSweepPoint<sweep, transposed, Scalar, n, Storage, vector_length, count> const at{recursion.m_factors, rhs, x};
  recursion.m_points.run(exec, label, sweep, at.bytes, at);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
