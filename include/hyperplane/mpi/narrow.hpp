// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/narrow.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/apply.hpp>
#include <hyperplane/mpi/distributed_stencil7.hpp>
#include <hyperplane/stencil/narrow.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// copy = A, rounded to a narrower storage type, with the values of narrow() of a MultiBlockStencil7. Collective: what
/// overflows on a rank is an error on all, which names the grid block and its rank; after it the copy is not to be
/// used, on any rank, until a later narrow() succeeds. Waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Narrow>
void narrow(const Exec& exec, const DistributedStencil7<Scalar, n, Exec, Storage>& a,
            const DistributedStencil7<Scalar, n, Exec, Narrow>& copy) {
  detail::check_distributed_grid("narrow", "the copy", copy.grid(), a.grid());
  auto const overflow = detail::describe_first_grid_block(a.grid(), [&](int b) {
    return detail::narrow_blocks(exec, a.block(b), copy.block(b),
                                 a.ghosts().outside().neighbours_outside(a.grid().local_number(b)));
  });
  if (!overflow.empty()) fail("narrow: " + overflow);
}

/// A copy of A, rounded to `Narrow`; see narrow(). Allocates it, with messages of its own. Collective.
template <class Narrow, class Scalar, int n, ExecutionSpace Exec, class Storage>
DistributedStencil7<Scalar, n, Exec, Narrow> narrowed(const Exec& exec,
                                                      const DistributedStencil7<Scalar, n, Exec, Storage>& a) {
  DistributedStencil7<Scalar, n, Exec, Narrow> const copy(exec, a.grid(), "Hyperplane::DistributedStencil7::narrowed");
  narrow(exec, a, copy);
  return copy;
}

/// As that of a MultiBlockStencil7, the same on all ranks. Collective.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Narrow>
std::string describe_other_copy(const Exec& exec, const DistributedStencil7<Scalar, n, Exec, Storage>& a,
                                const DistributedStencil7<Scalar, n, Exec, Narrow>& copy) {
  return detail::describe_first_grid_block(a.grid(), [&](int b) {
    return detail::describe_other_blocks(exec, a.block(b), copy.block(b),
                                         a.ghosts().outside().neighbours_outside(a.grid().local_number(b)));
  });
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
