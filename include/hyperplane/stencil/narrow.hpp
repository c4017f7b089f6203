// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/narrow_values.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// copy = a, and what overflows, in words; empty where nothing does. Waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Narrow>
std::string narrow_blocks(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                          const BlockStencil7<Scalar, n, Exec, Narrow>& copy) {
  auto const found = narrow_values(exec, "Hyperplane::BlockStencil7::narrow", a.flat(), copy.flat());
  if (!found) return {};
  // The order of BlockStencil7Ref.
  constexpr int W = BlockStencil7<Scalar, n, Exec, Storage>::vector_length, entries = stencil7_size * n * n;
  auto const entry = static_cast<int>(found->index / W % entries);
  BlockPlace block{{}, static_cast<Direction>(entry / (n * n))};
  a.map().find_point(found->index / W / entries, static_cast<int>(found->index % W), block.point);
  bool const outside = !a.grid().contains(neighbour(block.point, block.direction));
  return describe_block(block, outside) + ": " + describe_overflow(entry % n, entry / n % n, *found);
}

}  // namespace detail

/// copy = A, rounded to a narrower storage type: for NarrowedMatrix, and for factorizations that are to read less.
/// What is not finite in A is not in the copy. Throws Error where a value that is finite overflows, also in blocks that
/// point out of the grid, and names the first one; and where the copy is on another grid. Values that are too small
/// become zero.
///
/// One launch, which reads A once and writes the copy once; waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Narrow>
void narrow(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
            const BlockStencil7<Scalar, n, Exec, Narrow>& copy) {
  detail::check_grid("narrow", "the copy", copy.grid(), a.grid());
  auto const overflow = detail::narrow_blocks(exec, a, copy);
  if (!overflow.empty()) fail("narrow: " + overflow);
}

/// A copy of A, rounded to `Narrow`; see narrow(). Allocates it.
template <class Narrow, class Scalar, int n, ExecutionSpace Exec, class Storage>
BlockStencil7<Scalar, n, Exec, Narrow> narrowed(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a) {
  BlockStencil7<Scalar, n, Exec, Narrow> const copy(exec, a.grid(), "Hyperplane::BlockStencil7::narrowed");
  narrow(exec, a, copy);
  return copy;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
