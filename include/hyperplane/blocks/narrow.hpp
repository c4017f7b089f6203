// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/stencil/narrow.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// copy = A, rounded to a narrower storage type, of all grid blocks and their couplings: a launch for each, and a wait.
/// Copies of 16 bits, too; see narrow() of a BlockStencil7. What overflows ends it: the grid blocks after that one
/// keep what they had, and the copy is not to be used until a later narrow() succeeds.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Narrow>
void narrow(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
            const MultiBlockStencil7<Scalar, n, Exec, Narrow>& copy) {
  detail::check_multi_block_grid("narrow", "the copy", copy.grid(), a.grid());
  auto const overflow = detail::describe_first_grid_block(a.grid(), [&](int b) {
    return detail::narrow_blocks(exec, a.block(b), copy.block(b), a.outside().neighbours_outside(b));
  });
  if (!overflow.empty()) fail("narrow: " + overflow);
}

/// A copy of A, rounded to `Narrow`; see narrow(). Allocates it.
template <class Narrow, class Scalar, int n, ExecutionSpace Exec, class Storage>
MultiBlockStencil7<Scalar, n, Exec, Narrow> narrowed(const Exec& exec,
                                                     const MultiBlockStencil7<Scalar, n, Exec, Storage>& a) {
  MultiBlockStencil7<Scalar, n, Exec, Narrow> const copy(exec, a.grid(), "Hyperplane::MultiBlockStencil7::narrowed");
  narrow(exec, a, copy);
  return copy;
}

/// As that of a BlockStencil7, of the first grid block that has one: "grid block 2: block west of point (0, 3, 1) ...".
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Narrow>
std::string describe_other_copy(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
                                const MultiBlockStencil7<Scalar, n, Exec, Narrow>& copy) {
  return detail::describe_first_grid_block(a.grid(), [&](int b) {
    return detail::describe_other_blocks(exec, a.block(b), copy.block(b), a.outside().neighbours_outside(b));
  });
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
