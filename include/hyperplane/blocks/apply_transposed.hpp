// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <hyperplane/stencil/transposed_matrix.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// y = A^T x, or y = b - A^T x where there is b: one grid block after the other, and then what couplings across
/// interfaces add, of the coefficients that donors have for the points.
template <bool subtract, class Scalar, int n, ExecutionSpace Exec, class Storage, class Coefficients>
void apply_transposed_blocks(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
                             const MultiBlockVector<Scalar, n, Exec>& b, const MultiBlockVector<Scalar, n, Exec>& x,
                             const MultiBlockVector<Scalar, n, Exec>& y, const Coefficients& coefficients) {
  constexpr int W = MultiBlockVector<Scalar, n, Exec>::vector_length;
  for (int g = 0; g < a.grid().block_count(); ++g) {
    if constexpr (subtract) {
      residual_transposed(exec, a.block(g), b.block(g), x.block(g), y.block(g));
    } else {
      apply_transposed(exec, a.block(g), x.block(g), y.block(g));
    }
  }
  couple<subtract, Scalar, n, W>(
      "Hyperplane::MultiBlockStencil7::transposed_couplings", exec, a.couplings().all(),
      TransposedTerms<Scalar, n, W, Coefficients>{coefficients, DonorValues<Scalar, n, W>(x.flat().data())},
      y.flat().data());
}

/// Coefficients in the one matrix of all grid blocks.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
auto transposed_coefficients(const MultiBlockStencil7<Scalar, n, Exec, Storage>& a) {
  constexpr int W = MultiBlockStencil7<Scalar, n, Exec, Storage>::vector_length;
  using Coefficients = TransposedCoefficients<Storage, n, W>;
  return Coefficients{typename Coefficients::Packs(a.flat().data())};
}

}  // namespace detail

/// y = A^T x over all grid blocks and their interfaces, of the blocks of A where they are. x and y are different
/// vectors on the grid of A, or Error is thrown.
///
/// A launch for each grid block (see apply_transposed() of a BlockStencil7), and one for all points on interfaces,
/// which adds what their donors' couplings give: in another order than inside of a grid block, so that parts of a box
/// have the product of the box to rounding. No allocation, no fence; asynchronous on the given instance. The bits do
/// not depend on the number of threads.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply_transposed(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
                      const MultiBlockVector<Scalar, n, Exec>& x, const MultiBlockVector<Scalar, n, Exec>& y) {
  detail::check_multi_block_grid("apply_transposed", "x", x.grid(), a.grid());
  detail::check_multi_block_grid("apply_transposed", "the result", y.grid(), a.grid());
  detail::apply_transposed_blocks<false>(exec, a, y, x, y, detail::transposed_coefficients(a));
}

/// r = b - A^T x over all grid blocks and their interfaces. x and r are different vectors; r may be b. See
/// apply_transposed().
template <class Scalar, int n, ExecutionSpace Exec, Real Storage>
void residual_transposed(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
                         const MultiBlockVector<Scalar, n, Exec>& b, const MultiBlockVector<Scalar, n, Exec>& x,
                         const MultiBlockVector<Scalar, n, Exec>& r) {
  detail::check_multi_block_grid("residual_transposed", "b", b.grid(), a.grid());
  detail::check_multi_block_grid("residual_transposed", "x", x.grid(), a.grid());
  detail::check_multi_block_grid("residual_transposed", "the result", r.grid(), a.grid());
  detail::apply_transposed_blocks<true>(exec, a, b, x, r, detail::transposed_coefficients(a));
}

/// A^T, as TransposedMatrix has it.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
TransposedMatrix<MultiBlockStencil7<Scalar, n, Exec, Storage>> transposed(
    const MultiBlockStencil7<Scalar, n, Exec, Storage>& a) {
  return TransposedMatrix<MultiBlockStencil7<Scalar, n, Exec, Storage>>(a);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
