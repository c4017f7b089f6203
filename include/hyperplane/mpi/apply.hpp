// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/mpi/distributed_stencil7.hpp>
#include <hyperplane/mpi/distributed_vector.hpp>
#include <hyperplane/stencil/grouped_apply.hpp>
#include <hyperplane/stencil/not_finite.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Throws Error, which names the function and the argument, where the argument is on another grid than expected.
inline void check_distributed_grid(const char* function, const char* argument, const DistributedGrid& grid,
                                   const DistributedGrid& expected) {
  if (!(grid == expected)) {
    fail(std::string(function) + ": " + argument + " is on " + to_string(grid) + ", expected " + to_string(expected) +
         " with the same interfaces, owners and communicator");
  }
}

/// y = A x, or y = b - A x where there is b. Where grid blocks are multiplied together, what meets no other rank is
/// while messages travel. Elsewhere these come first: on hosts, which copy them themselves, a product in two pieces
/// takes as long or longer (measured: see docs/blocks.md).
template <bool subtract, class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply_over_ranks(const Exec& exec, const DistributedStencil7<Scalar, n, Exec, Storage>& a,
                      const DistributedVector<Scalar, n, Exec>& b, const DistributedVector<Scalar, n, Exec>& x,
                      const DistributedVector<Scalar, n, Exec>& y) {
  auto const& ghosts = a.ghosts();
  auto const donors = ghosts.donors(x.flat().data());
  ghosts.start(exec, x.flat().data());
  if constexpr (GroupedApply<Scalar, n, Exec>::exists) {
    if (multiplies_together<Exec, Scalar, n>(a.local().grid(), ghosts.outside())) {
      auto const run = [&](const char* label, GroupedPart part) {
        apply_together<subtract>(label, exec, a.local(), b.local(), x.local(), y.local(), ghosts.grouped_apply(), part,
                                 ghosts.outside(), donors);
      };
      try {
        run(ShortReal<Storage> ? "Hyperplane::ScaledStencil7::inner" : "Hyperplane::DistributedStencil7::inner",
            GroupedPart::early);
      } catch (...) {
        ghosts.abandon(exec);
        throw;
      }
      ghosts.finish(exec);
      run(ShortReal<Storage> ? "Hyperplane::ScaledStencil7::outer" : "Hyperplane::DistributedStencil7::outer",
          GroupedPart::late);
      return;
    }
  }
  ghosts.finish(exec);
  apply_one_by_one<subtract>(exec, a.local(), b.local(), x.local(), y.local(), ghosts.outside(), donors);
}

/// What `describe(b)` says of the first grid block b of all ranks for which it says something, with its number.
template <class Describe>
std::string describe_first_grid_block(const DistributedGrid& grid, const Describe& describe) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  auto const& communicator = grid.communicator();
  std::string text;
  auto const mine = communicator.agree([&] {
    for (int const b : grid.blocks()) {
      text = describe(b);
      if (!text.empty()) return std::int64_t{b};
    }
    return none;
  });
  auto const first = communicator.lowest(mine);
  if (first == none) return {};
  int const rank = grid.owner(static_cast<int>(first));
  return "grid block " + std::to_string(first) + " (rank " + std::to_string(rank) +
         "): " + communicator.from(rank, text);
}

}  // namespace detail

/// y = A x over the grid blocks of all ranks. x and y are different vectors on the grid of A, or Error is thrown.
///
/// Collective: every rank gives it its part of the same objects. The result has the bits of apply() of a
/// MultiBlockStencil7, and so those of a box whose parts the grid blocks are; where this rank meets others, one to pack
/// the values that they need, for which it waits. On hosts it waits for theirs, too, before it launches the product. On
/// CUDA it launches what needs no value of another rank while messages travel, and the rest behind them. What is
/// asynchronous is what comes after the messages, and what was launched before; with Transport::peer, which has a
/// launch more to take what has come, it is everything. No allocation. One product of a matrix and its copies at a
/// time; products on one communicator in the same order on all ranks.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply(const Exec& exec, const DistributedStencil7<Scalar, n, Exec, Storage>& a,
           const DistributedVector<Scalar, n, Exec>& x, const DistributedVector<Scalar, n, Exec>& y) {
  detail::check_distributed_grid("apply", "x", x.grid(), a.grid());
  detail::check_distributed_grid("apply", "the result", y.grid(), a.grid());
  require(x.flat().data() != y.flat().data(), "apply: the result must not be x");
  detail::apply_over_ranks<false>(exec, a, y, x, y);
}

/// r = b - A x over the grid blocks of all ranks. x and r are different vectors; r may be b. See apply().
template <class Scalar, int n, ExecutionSpace Exec, Real Storage>
void residual(const Exec& exec, const DistributedStencil7<Scalar, n, Exec, Storage>& a,
              const DistributedVector<Scalar, n, Exec>& b, const DistributedVector<Scalar, n, Exec>& x,
              const DistributedVector<Scalar, n, Exec>& r) {
  detail::check_distributed_grid("residual", "b", b.grid(), a.grid());
  detail::check_distributed_grid("residual", "x", x.grid(), a.grid());
  detail::check_distributed_grid("residual", "the result", r.grid(), a.grid());
  require(x.flat().data() != r.flat().data(), "residual: the result must not be x");
  detail::apply_over_ranks<true>(exec, a, b, x, r);
}

/// The first block of A that is not finite, in words, the same on all ranks: "grid block 2 (rank 1): block west of
/// point (0, 3, 1), which points out of the grid, is not finite"; empty where all are. Collective; waits for the
/// instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
std::string describe_not_finite(const Exec& exec, const DistributedStencil7<Scalar, n, Exec, Storage>& a) {
  return detail::describe_first_grid_block(a.grid(), [&](int b) { return describe_not_finite(exec, a.block(b)); });
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
