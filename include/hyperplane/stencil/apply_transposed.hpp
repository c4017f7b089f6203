// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/detail/apply_transposed_portable.hpp>
#include <hyperplane/stencil/detail/apply_transposed_slab.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>
#include <hyperplane/stencil/scaled_stencil7.hpp>
#include <hyperplane/stencil/transposed_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

template <bool subtract, class Matrix, class Scalar, int n, ExecutionSpace Exec, class Terms = AllTerms>
void apply_or_residual_transposed(const char* function, const char* label, const Exec& exec, const Matrix& a,
                                  const BlockVector<Scalar, n, Exec>* b, const BlockVector<Scalar, n, Exec>& x,
                                  const BlockVector<Scalar, n, Exec>& y, const Terms& terms = {}) {
  check_product(function, a, b, x, y);
  if constexpr (std::is_same_v<Terms, AllTerms>) {
    count_product<Scalar, n, typename Matrix::storage_type>(label, a.grid(), b != nullptr);
  }
  auto const b_ref = b != nullptr ? b->ref() : y.ref();
  if constexpr (HostExecutionSpace<Exec>) {
    apply_transposed_slab<subtract, Scalar, n>(label, exec, a.ref(), b_ref, x.ref(), y.ref(), terms);
#ifdef KOKKOS_ENABLE_CUDA
  } else if constexpr (CudaExecutionSpace<Exec>) {
    apply_cuda<subtract, Scalar, n, true>(label, exec, a.ref(), b_ref, x.ref(), y.ref(), terms);
#endif
  } else {
    apply_transposed_portable<subtract, Scalar, n>(label, exec, a.ref(), b_ref, x.ref(), y.ref(), terms);
  }
}

}  // namespace detail

/// y = A^T x, of the blocks of A where they are. x and y are different vectors on the grid of A, or Error is thrown.
/// Blocks that point out of the grid are never read, or what they give is not used: they may be anything.
///
/// On CUDA a thread for each equation, on other devices one for each point, which read blocks of the neighbours; on the
/// host in full vectors, which add up in the same order, with the same bits whatever the number of threads. Flops,
/// memory traffic and launches are those of apply(); asynchronous on the given instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply_transposed(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                      const BlockVector<Scalar, n, Exec>& x, const BlockVector<Scalar, n, Exec>& y) {
  detail::apply_or_residual_transposed<false>("apply_transposed", "Hyperplane::BlockStencil7::apply_transposed", exec,
                                              a, static_cast<const BlockVector<Scalar, n, Exec>*>(nullptr), x, y);
}

/// y = A^T x with a copy in 16 bits; see apply() of it.
template <class Scalar, int n, ExecutionSpace Exec, class Short>
void apply_transposed(const Exec& exec, const ScaledStencil7<Scalar, n, Exec, Short>& a,
                      const BlockVector<Scalar, n, Exec>& x, const BlockVector<Scalar, n, Exec>& y) {
  detail::apply_or_residual_transposed<false>("apply_transposed", "Hyperplane::ScaledStencil7::apply_transposed", exec,
                                              a, static_cast<const BlockVector<Scalar, n, Exec>*>(nullptr), x, y);
}

/// r = b - A^T x. x and r are different vectors; r may be b. See apply_transposed().
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void residual_transposed(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                         const BlockVector<Scalar, n, Exec>& b, const BlockVector<Scalar, n, Exec>& x,
                         const BlockVector<Scalar, n, Exec>& r) {
  detail::apply_or_residual_transposed<true>("residual_transposed", "Hyperplane::BlockStencil7::residual_transposed",
                                             exec, a, &b, x, r);
}

/// A^T, as TransposedMatrix has it.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
TransposedMatrix<BlockStencil7<Scalar, n, Exec, Storage>> transposed(const BlockStencil7<Scalar, n, Exec, Storage>& a) {
  return TransposedMatrix<BlockStencil7<Scalar, n, Exec, Storage>>(a);
}
template <class Scalar, int n, ExecutionSpace Exec, class Short>
TransposedMatrix<ScaledStencil7<Scalar, n, Exec, Short>> transposed(const ScaledStencil7<Scalar, n, Exec, Short>& a) {
  return TransposedMatrix<ScaledStencil7<Scalar, n, Exec, Short>>(a);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
