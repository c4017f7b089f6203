// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/portable_sweep.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/sweep_sums.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

/// The portable path of sweeps in which directions are folded: one launch for each hyperplane of levels, one thread for
/// each of its points, in all pieces at once.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The path of folded directions, where `asked` is asked for. Throws Error where it is another one.
inline SweepPath folded_path(const std::string& owner, SweepPath asked, bool compares) {
  if (compares) fail(owner + ": folded directions beside a path for comparison");
  if (asked != SweepPath::automatic && asked != SweepPath::portable) {
    fail(owner + ": folded directions have no path " + name(asked) + ", but portable alone");
  }
  return SweepPath::portable;
}

/// Factors in an order of points. Up to six neighbours of a point come before it, and as many after it.
template <class Storage, int n, int vector_length>
struct FoldedFactors {
  TriangularFactors<Storage, n, vector_length> m_factors;
  FoldedOrder m_order;
};

/// Directions in the order in which neighbours are subtracted: those of natural order are that of its sweeps.
KOKKOS_FUNCTION constexpr Direction folded_direction(int number) {
  constexpr Direction directions[6] = {Direction::bottom, Direction::top,  Direction::south,
                                       Direction::north,  Direction::west, Direction::east};
  return directions[number];
}

/// As SweepPlane, of a hyperplane of levels.
template <Sweep sweep, bool transposed, class Scalar, int n, class Storage, int vector_length, int count>
struct FoldedSweepPlane {
  using StoredBlock = block::LaneMatrix<Scalar, Storage, n, vector_length>;
  using Vectors = VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>;
  static constexpr bool takes_lower = (sweep == Sweep::forward) != transposed;

  FoldedFactors<Storage, n, vector_length> m_folded;
  Vectors m_rhs;
  Vectors m_x;
  int m_plane;

  KOKKOS_FUNCTION void operator()(std::int64_t candidate) const {
    auto const& order = m_folded.m_order;
    auto const& factors = m_folded.m_factors;
    auto const& map = factors.m_map;
    Point p;
    if (!order.find(m_plane, candidate, p)) return;
    SweepUnits<takes_lower, transposed, Scalar, TriangularFactors<Storage, n, vector_length>> const units{factors};
    SweepSums<transposed, Scalar, n, count> sums;
    sums.load(m_rhs, p, units);
    for (int d = 0; d < stencil7_size - 1; ++d) {
      Direction const direction = folded_direction(d);
      Point const other = neighbour(p, direction);
      if (!map.grid().contains(other) || order.is_before(p, direction) != (sweep == Sweep::forward)) continue;
      Point const owner = transposed ? other : p;
      StoredBlock const factor{
          factors.coupling(map.pack(owner.i, owner.j, owner.k), transposed ? opposite(direction) : direction) +
          map.lane(owner.j)};
      sums.subtract(factor, m_x, other, units);
    }
    if constexpr (takes_lower) {
      sums.multiply(StoredBlock{factors.lower(map.pack(p.i, p.j, p.k), LowerBlock::inverse) + map.lane(p.j)});
    }
    sums.store(m_x, p, units);
  }
};

/// One launch for each hyperplane of levels.
template <Sweep sweep, bool transposed = false, ExecutionSpace Exec, class Storage, class Scalar, int n,
          int vector_length, int count>
void portable_sweep(const Exec& exec, const char* label, const FoldedFactors<Storage, n, vector_length>& factors,
                    const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& rhs,
                    const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& x) {
  auto const& order = factors.m_order;
  int const last = order.plane_count() - 1;
  for (int p = 0; p <= last; ++p) {
    int const plane = sweep == Sweep::forward ? p : last - p;
    launch(label, IndexRange<Exec>(exec, 0, order.candidates(plane)), (4.0 * n * n + 5.0 * n * count) * sizeof(Scalar),
           FoldedSweepPlane<sweep, transposed, Scalar, n, Storage, vector_length, count>{factors, rhs, x, plane});
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
