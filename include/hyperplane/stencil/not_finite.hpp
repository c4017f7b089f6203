// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/scaled_stencil7.hpp>
#include <hyperplane/stencil/stencil_diagnosis.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// The number of the first block of a stencil that is not finite: that of its point times seven, and its direction.
template <class Scalar, int n, class Storage, int vector_length>
struct FirstNotFinite {
  BlockStencil7Ref<Storage, n, vector_length> m_a;

  KOKKOS_FUNCTION void operator()(std::int64_t point, std::int64_t& first) const {
    Point const p = m_a.grid().point(point);
    for (int d = 0; d < stencil7_size; ++d) {
      std::int64_t const number = point * stencil7_size + d;
      if (number < first && !block::is_finite<n>(stencil_block<Scalar, n>(m_a, p, static_cast<Direction>(d)))) {
        first = number;
      }
    }
  }
};

/// The first block of A that is not finite, if there is one. Reads A once, and waits for the instance.
template <ExecutionSpace Exec, class Matrix>
std::optional<BlockPlace> first_not_finite(const Exec& exec, const Matrix& a) {
  constexpr auto none = std::numeric_limits<std::int64_t>::max();
  auto const& grid = a.grid();
  std::int64_t first = none;
  using Body = FirstNotFinite<typename Matrix::scalar_type, Matrix::block_size, typename Matrix::storage_type,
                              Matrix::vector_length>;
  Kokkos::parallel_reduce("Hyperplane::BlockStencil7::describe_not_finite",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, grid.size()),
                          Body{a.ref()}, Kokkos::Min<std::int64_t>(first));
  if (first == none) return std::nullopt;
  return BlockPlace{grid.point(first / stencil7_size), static_cast<Direction>(first % stencil7_size)};
}

/// "block west of point (0, 3, 1), which points out of the grid, is not finite", of a matrix on a grid.
inline std::string describe_not_finite_block(const BlockPlace& block, const Grid& grid) {
  bool const outside = !grid.contains(neighbour(block.point, block.direction));
  return describe_block(block, outside) + (outside ? ", is not finite" : " is not finite");
}

}  // namespace detail

/// The first block of A that is not finite, in words: "block west of point (0, 3, 1), which points out of the grid, is
/// not finite"; empty where all are. Krylov methods ask for it when they break down. Reads A once, and waits for the
/// instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
std::string describe_not_finite(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a) {
  auto const block = detail::first_not_finite(exec, a);
  return block ? detail::describe_not_finite_block(*block, a.grid()) : std::string();
}

/// The same of a copy in 16 bits.
template <class Scalar, int n, ExecutionSpace Exec, class Short>
std::string describe_not_finite(const Exec& exec, const ScaledStencil7<Scalar, n, Exec, Short>& a) {
  auto const block = detail::first_not_finite(exec, a);
  return block ? detail::describe_not_finite_block(*block, a.grid()) : std::string();
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
