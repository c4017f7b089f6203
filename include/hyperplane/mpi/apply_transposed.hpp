// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/apply.hpp>
#include <hyperplane/mpi/distributed_stencil7.hpp>
#include <hyperplane/mpi/distributed_vector.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <hyperplane/stencil/transposed_matrix.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// y = A^T x, or y = b - A^T x by multiply_one(), which multiplies a grid block by itself while messages travel.
template <bool subtract, class Scalar, int n, ExecutionSpace Exec, class Storage, class MultiplyOne>
void apply_transposed_over_ranks(const Exec& exec, const DistributedStencil7<Scalar, n, Exec, Storage>& a,
                                 const DistributedVector<Scalar, n, Exec>& x,
                                 const DistributedVector<Scalar, n, Exec>& y, const MultiplyOne& multiply_one) {
  constexpr int W = DistributedStencil7<Scalar, n, Exec, Storage>::vector_length;
  using Coefficients = TransposedCoefficients<Storage, n, W>;
  auto const& ghosts = a.ghosts();
  ghosts.start_transposed(exec, a.flat().data(), x.flat().data());
  try {
    for (int const b : a.grid().blocks()) multiply_one(b);
  } catch (...) {
    ghosts.abandon(exec);
    throw;
  }
  ghosts.finish(exec);
  TransposedTerms<Scalar, n, W, Coefficients> const terms{{typename Coefficients::Packs(a.flat().data())},
                                                          ghosts.donors(x.flat().data())};
  for (auto const& part : {ghosts.inner(), ghosts.outer()}) {
    couple<subtract, Scalar, n, W>("Hyperplane::DistributedStencil7::transposed_couplings", exec, part, terms,
                                   y.flat().data());
  }
}

}  // namespace detail

/// y = A^T x over the grid blocks of all ranks. x and y are different vectors on the grid of A, or Error is thrown.
///
/// Collective, as apply() is. Each rank sends what its points give to those of others by its blocks of A, n values for
/// each pair of points, so that A may have changed since the last product. The result has the bits of
/// apply_transposed() of a MultiBlockStencil7. Launches: where this rank meets others, one that packs what they need,
/// for which it waits, but with Transport::peer; one for each grid block, while messages travel; and behind these one
/// for points on interfaces, and one for those that meet other ranks. No allocation.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply_transposed(const Exec& exec, const DistributedStencil7<Scalar, n, Exec, Storage>& a,
                      const DistributedVector<Scalar, n, Exec>& x, const DistributedVector<Scalar, n, Exec>& y) {
  detail::check_distributed_grid("apply_transposed", "x", x.grid(), a.grid());
  detail::check_distributed_grid("apply_transposed", "the result", y.grid(), a.grid());
  require(x.flat().data() != y.flat().data(), "apply_transposed: the result must not be x");
  detail::apply_transposed_over_ranks<false>(
      exec, a, x, y, [&](int b) { apply_transposed(exec, a.block(b), x.block(b), y.block(b)); });
}

/// r = b - A^T x over the grid blocks of all ranks. x and r are different vectors; r may be b. See apply_transposed().
template <class Scalar, int n, ExecutionSpace Exec, Real Storage>
void residual_transposed(const Exec& exec, const DistributedStencil7<Scalar, n, Exec, Storage>& a,
                         const DistributedVector<Scalar, n, Exec>& b, const DistributedVector<Scalar, n, Exec>& x,
                         const DistributedVector<Scalar, n, Exec>& r) {
  detail::check_distributed_grid("residual_transposed", "b", b.grid(), a.grid());
  detail::check_distributed_grid("residual_transposed", "x", x.grid(), a.grid());
  detail::check_distributed_grid("residual_transposed", "the result", r.grid(), a.grid());
  require(x.flat().data() != r.flat().data(), "residual_transposed: the result must not be x");
  detail::apply_transposed_over_ranks<true>(
      exec, a, x, r, [&](int g) { residual_transposed(exec, a.block(g), b.block(g), x.block(g), r.block(g)); });
}

/// A^T, as TransposedMatrix has it.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
TransposedMatrix<DistributedStencil7<Scalar, n, Exec, Storage>> transposed(
    const DistributedStencil7<Scalar, n, Exec, Storage>& a) {
  return TransposedMatrix<DistributedStencil7<Scalar, n, Exec, Storage>>(a);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
