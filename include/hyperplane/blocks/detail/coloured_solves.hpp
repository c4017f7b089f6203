// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/copy_values.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

/// Solves of grid blocks that are coupled by colours: `blocks` are RankedBlocks, whose ranks are the colours, and
/// `couplings` their ColouredCouplings.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// x = M^-1 rhs; x may be rhs.
template <ExecutionSpace Exec, class Blocks, class Couplings, class Vector>
void solve_coloured(const Exec& exec, const Blocks& blocks, const Couplings& couplings, const Vector& rhs,
                    const Vector& x) {
  bool const in_place = x.flat().data() == rhs.flat().data();
  int const last = blocks.ranks() - 1;
  auto* const values = x.flat().data();
  auto const* const remote = couplings.remote();
  auto const sweep = [&](int rank, Sweeps sweeps, const Vector& from) {
    if constexpr (Blocks::orders) {
      if (couplings.in_order()) {
        auto const outside_of = [&](int b) { return couplings.values_outside(b, values); };
        return blocks.sweep(exec, rank, sweeps, from, x, outside_of);
      }
    }
    blocks.sweep(exec, rank, sweeps, from, x);
  };
  // What lower colours subtract from is in x, unless sweeps do.
  bool const subtracts = !couplings.in_order() && last > 0;
  if (!in_place && subtracts) {
    copy_values("Hyperplane::MultiBlock::solve::copy", exec, rhs.flat().data(), values, x.flat().size());
  }
  for (int rank = 0; rank <= last; ++rank) {
    if (rank > 0 && subtracts) couplings.subtract_lower(exec, rank, values);
    // Nothing comes between the sweeps of the last colour.
    sweep(rank, rank == last ? Sweeps::both : Sweeps::forward, subtracts ? x : rhs);
    if (remote != nullptr && rank < last) remote->bring_forward(exec, rank, values);
  }
  for (int rank = last - 1; rank >= 0; --rank) {
    if (remote != nullptr) remote->bring_backward(exec, rank + 1, values);
    if (subtracts) couplings.subtract_upper(exec, rank, values);
    sweep(rank, Sweeps::backward, x);
  }
}

/// x = M^-T rhs, where there are no other processes; x may be rhs. M^T = (I + d^-1 U)^T (d + L)^T: the first of these
/// goes through the colours upwards, the other one downwards.
template <ExecutionSpace Exec, class Blocks, class Couplings, class Vector>
void solve_transposed_coloured(const Exec& exec, const Blocks& blocks, const Couplings& couplings, const Vector& rhs,
                               const Vector& x) {
  require(couplings.remote() == nullptr,
          "MultiBlock::solve_transposed: not with a coupling to grid blocks of other processes");
  int const last = blocks.ranks() - 1;
  auto* const values = x.flat().data();
  if (values != rhs.flat().data()) {
    copy_values("Hyperplane::MultiBlock::solve_transposed::copy", exec, rhs.flat().data(), values, x.flat().size());
  }
  for (int rank = 0; rank <= last; ++rank) {
    if (rank > 0) couplings.subtract_lower_transposed(exec, rank, values);
    blocks.sweep_transposed(exec, rank, rank == last ? Sweeps::both : Sweeps::forward, x, x);
  }
  for (int rank = last - 1; rank >= 0; --rank) {
    couplings.subtract_upper_transposed(exec, rank, values);
    blocks.sweep_transposed(exec, rank, Sweeps::backward, x, x);
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
