// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/narrow_values.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/detail/narrow_to_units.hpp>
#include <hyperplane/stencil/scaled_stencil7.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Which of the values of a point the value with this index is, in the order of BlockStencil7Ref.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
int entry_of_value(const BlockStencil7<Scalar, n, Exec, Storage>&, std::int64_t index) {
  constexpr int W = BlockStencil7<Scalar, n, Exec, Storage>::vector_length;
  return static_cast<int>(index / W % (stencil7_size * n * n));
}

/// The block that it is of: "block west of point (0, 3, 1)".
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
std::string describe_block_of_value(const BlockStencil7<Scalar, n, Exec, Storage>& a, std::int64_t index) {
  constexpr int W = BlockStencil7<Scalar, n, Exec, Storage>::vector_length;
  BlockPlace block{{}, static_cast<Direction>(entry_of_value(a, index) / (n * n))};
  a.map().find_point(index / W / (stencil7_size * n * n), static_cast<int>(index % W), block.point);
  return describe_block(block, !a.grid().contains(neighbour(block.point, block.direction)));
}

template <class Scalar, int n, ExecutionSpace Exec, class Storage>
std::string describe_other_value(const BlockStencil7<Scalar, n, Exec, Storage>& a,
                                 const std::optional<std::int64_t>& found) {
  return found ? describe_other_block(describe_block_of_value(a, *found)) : std::string();
}

/// Where a value of a matrix overflows, and which, in words; empty where none does.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
std::string describe_overflow(const BlockStencil7<Scalar, n, Exec, Storage>& a,
                              const std::optional<NarrowOverflow>& found) {
  if (!found) return {};
  auto const entry = entry_of_value(a, found->index);
  return describe_block_of_value(a, found->index) + ": " + describe_overflow(entry % n, entry / n % n, *found);
}

/// copy = a, and what overflows, in words; empty where nothing does. Of 16 bits also what points outside of the grid
/// where `outside` has a neighbour, else all of it. Waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Narrow, class Outside = NoOutside>
std::string narrow_blocks(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                          const BlockStencil7<Scalar, n, Exec, Narrow>& copy, const Outside& = {}) {
  return describe_overflow(a, narrow_values(exec, "Hyperplane::BlockStencil7::narrow", a.flat(), copy.flat()));
}
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Short, class Outside = NoOutside>
std::string narrow_blocks(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                          const ScaledStencil7<Scalar, n, Exec, Short>& copy, const Outside& outside = {}) {
  return describe_overflow(a, narrow_to_units(exec, "Hyperplane::BlockStencil7::narrow", a, copy, outside));
}

/// The first block of the copy that is not what narrow_blocks() makes of that of A, in words; empty where all are.
/// Waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Narrow, class Outside = NoOutside>
std::string describe_other_blocks(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                                  const BlockStencil7<Scalar, n, Exec, Narrow>& copy, const Outside& = {}) {
  return describe_other_value(a,
                              find_other_value(exec, "Hyperplane::BlockStencil7::other_copy", a.flat(), copy.flat()));
}
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Short, class Outside = NoOutside>
std::string describe_other_blocks(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                                  const ScaledStencil7<Scalar, n, Exec, Short>& copy, const Outside& outside = {}) {
  return describe_other_value(a, find_other_value(exec, "Hyperplane::BlockStencil7::other_copy", a, copy, outside));
}

}  // namespace detail

/// copy = A, rounded to a narrower storage type: for NarrowedMatrix, and for factorizations that are to read less.
/// What is not finite in A is not in the copy. Throws Error where a value that is finite overflows, also in blocks that
/// point out of the grid, and names the first one; and where the copy is on another grid. Values that are too small
/// become zero. Where one overflows, the copy is not to be used until a later narrow() succeeds.
///
/// One launch, which reads A once and writes the copy once; waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Narrow>
void narrow(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
            const BlockStencil7<Scalar, n, Exec, Narrow>& copy) {
  detail::check_grid("narrow", "the copy", copy.grid(), a.grid());
  auto const overflow = detail::narrow_blocks(exec, a, copy);
  if (!overflow.empty()) fail("narrow: " + overflow);
}

/// The same of a copy in 16 bits, for whose rows units are chosen: values that are too small for it are so beside the
/// others of their row (ScaledStencil7). Blocks that point out of the grid are zero in it, whatever they are in A. So a
/// grid block of a MultiBlockStencil7 that is narrowed by itself has no couplings any more: narrow all of them
/// together.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Short>
void narrow(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
            const ScaledStencil7<Scalar, n, Exec, Short>& copy) {
  detail::check_grid("narrow", "the copy", copy.grid(), a.grid());
  auto const overflow = detail::narrow_blocks(exec, a, copy);
  if (!overflow.empty()) fail("narrow: " + overflow);
}

/// A copy of A, rounded to `Narrow`; see narrow(). Allocates it.
template <class Narrow, class Scalar, int n, ExecutionSpace Exec, class Storage>
NarrowedStencil7<Scalar, n, Exec, Narrow> narrowed(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a) {
  NarrowedStencil7<Scalar, n, Exec, Narrow> const copy(exec, a.grid(), "Hyperplane::BlockStencil7::narrowed");
  narrow(exec, a, copy);
  return copy;
}

/// The first block of the copy that is not that of A, rounded, in words; empty where all are. For solves with a
/// NarrowedMatrix that fail. Reads A and the copy once, and waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Narrow>
std::string describe_other_copy(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                                const BlockStencil7<Scalar, n, Exec, Narrow>& copy) {
  return detail::describe_other_blocks(exec, a, copy);
}
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Short>
std::string describe_other_copy(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                                const ScaledStencil7<Scalar, n, Exec, Short>& copy) {
  return detail::describe_other_blocks(exec, a, copy);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
