// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Sums of the norms of a point's blocks to its neighbours along an axis over that of its diagonal block, in units of
/// 1 / `one`: integers, so that the sum does not depend on its order. The block size is known at run time.
template <class Storage, int vector_length>
struct SumCouplings {
  static constexpr double one = 1 << 20;
  /// A larger quotient is as good as this one; with it, sums of 2^31 points fit.
  static constexpr double largest = 1 << 10;

  SlabMap<vector_length> m_map;
  const Storage* m_values;
  int m_block_size;
  Direction m_lower;

  KOKKOS_FUNCTION void operator()(std::int64_t number, std::int64_t& sum) const {
    Point const p = m_map.grid().point(number);
    double const diagonal = squares(p, Direction::center);
    for (auto const direction : {m_lower, opposite(m_lower)}) {
      if (!m_map.grid().contains(neighbour(p, direction))) continue;
      double const quotient = Kokkos::sqrt(squares(p, direction) / diagonal);
      // Where a norm is not finite, or the diagonal block is zero, nothing is known.
      if (Kokkos::isfinite(quotient)) sum += static_cast<std::int64_t>(one * (quotient < largest ? quotient : largest));
    }
  }

 private:
  KOKKOS_FUNCTION double squares(const Point& p, Direction direction) const {
    std::int64_t const size = std::int64_t{m_block_size} * m_block_size * vector_length;
    const Storage* const block =
        m_values + (m_map.pack(p.i, p.j, p.k) * stencil7_size + static_cast<int>(direction)) * size + m_map.lane(p.j);
    double sum = 0;
    for (std::int64_t e = 0; e < size; e += vector_length) {
      sum += static_cast<double>(block[e]) * static_cast<double>(block[e]);
    }
    return sum;
  }
};

/// On values in the layout of a BlockStencil7.
template <ExecutionSpace Exec, int vector_length, class Storage>
std::array<double, 3> coupling_strengths(const Exec& exec, const SlabMap<vector_length>& map, int n, Storage* values) {
  using Body = SumCouplings<Storage, vector_length>;
  auto const& grid = map.grid();
  std::array<int, 3> const extents{grid.ni(), grid.nj(), grid.nk()};
  std::array<double, 3> strengths{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (extents[axis] == 1) continue;
    std::int64_t sum = 0;
    constexpr std::array<Direction, 3> lower{Direction::west, Direction::south, Direction::bottom};
    Kokkos::parallel_reduce("Hyperplane::BlockStencil7::coupling_strengths",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, grid.size()),
                            Body{map, values, n, lower[axis]}, Kokkos::Sum<std::int64_t>(sum));
    std::int64_t const couplings = 2 * (grid.size() / extents[axis]) * (extents[axis] - 1);
    strengths[axis] = static_cast<double>(sum) / Body::one / static_cast<double>(couplings);
  }
  return strengths;
}

}  // namespace detail

/// How strong the couplings of A are along i, j and k: the mean of the Frobenius norm of a block to a neighbour over
/// that of the point's diagonal block. 0 along an axis with one point; to about 1e-6, and the same bits in every run.
/// Where cells are much thinner than long, the couplings across them are many times as strong as along them.
///
/// Three launches, each of which reads three of the seven blocks of A; waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
std::array<double, 3> coupling_strengths(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a) {
  return detail::coupling_strengths(exec, a.map(), n, a.flat().data());
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
