// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/detail/apply_portable.hpp>
#include <hyperplane/stencil/detail/apply_slab.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>
#include <hyperplane/stencil/not_finite.hpp>
#include <hyperplane/stencil/scaled_stencil7.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/stencil/detail/apply_cuda.hpp>
#endif

#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Throws Error, which names the function and the argument, where one is on another grid than A, or x is the result.
template <class Matrix, class Vector>
void check_product(const char* function, const Matrix& a, const Vector* b, const Vector& x, const Vector& y) {
  check_grid(function, "x", x.grid(), a.grid());
  check_grid(function, "the result", y.grid(), a.grid());
  if (b != nullptr) check_grid(function, "b", b->grid(), a.grid());
  if (x.flat().data() == y.flat().data()) fail(std::string(function) + ": the result must not be x");
}

/// What a product moves, or one that is taken from b.
template <class Scalar, int n, class Storage>
void count_product(const char* label, const Grid& grid, bool from_b) {
  count_bytes(label, product_bytes<Scalar, Storage, n>(from_b) * static_cast<double>(grid.size()));
}

/// Of a BlockStencil7, or of a ScaledStencil7, which has products alone. Of `outside`, a SlabOutside, points have
/// neighbours outside of the grid. On CUDA, GroupedApply has them.
template <bool subtract, class Matrix, class Scalar, int n, ExecutionSpace Exec, class Terms = AllTerms,
          class Outside = NoOutside>
void apply_or_residual(const char* function, const char* label, const Exec& exec, const Matrix& a,
                       const BlockVector<Scalar, n, Exec>* b, const BlockVector<Scalar, n, Exec>& x,
                       const BlockVector<Scalar, n, Exec>& y, const Terms& terms = {},
                       [[maybe_unused]] const Outside& outside = {}) {
  check_product(function, a, b, x, y);
  if constexpr (std::is_same_v<Terms, AllTerms>) {
    count_product<Scalar, n, typename Matrix::storage_type>(label, a.grid(), b != nullptr);
  }
  auto const b_ref = b != nullptr ? b->ref() : y.ref();
  if constexpr (HostExecutionSpace<Exec>) {
    apply_slab<subtract, Scalar, n>(label, exec, a.ref(), b_ref, x.ref(), y.ref(), terms, outside);
#ifdef KOKKOS_ENABLE_CUDA
  } else if constexpr (CudaExecutionSpace<Exec>) {
    static_assert(!Outside::exists, "on CUDA, GroupedApply takes neighbours outside of a grid");
    apply_cuda<subtract, Scalar, n>(label, exec, a.ref(), b_ref, x.ref(), y.ref(), terms);
#endif
  } else {
    apply_portable<subtract, Scalar, n>(label, exec, a.ref(), b_ref, x.ref(), y.ref(), terms, outside);
  }
}

}  // namespace detail

/// y = A x. x and y are different vectors on the grid of A, or Error is thrown.
///
/// On CUDA a kernel of its own, a thread for each equation, with the bits of the portable one; on the host in full
/// vectors. 14 n^2 flops and 7 n^2 + 2 n values of memory traffic per point. One launch, no allocation, no fence;
/// asynchronous on the given instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a, const BlockVector<Scalar, n, Exec>& x,
           const BlockVector<Scalar, n, Exec>& y) {
  detail::apply_or_residual<false>("apply", "Hyperplane::BlockStencil7::apply", exec, a,
                                   static_cast<const BlockVector<Scalar, n, Exec>*>(nullptr), x, y);
}

/// y = A x with a copy in 16 bits: 7 n^2 + n values of 16 bits and 2 n of Scalar of memory traffic per point. The sums
/// are of floats. See apply() of a BlockStencil7.
template <class Scalar, int n, ExecutionSpace Exec, class Short>
void apply(const Exec& exec, const ScaledStencil7<Scalar, n, Exec, Short>& a, const BlockVector<Scalar, n, Exec>& x,
           const BlockVector<Scalar, n, Exec>& y) {
  detail::apply_or_residual<false>("apply", "Hyperplane::ScaledStencil7::apply", exec, a,
                                   static_cast<const BlockVector<Scalar, n, Exec>*>(nullptr), x, y);
}

/// r = b - A x. x and r are different vectors; r may be b. 7 n^2 + 3 n values of memory traffic per point; see apply().
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void residual(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a, const BlockVector<Scalar, n, Exec>& b,
              const BlockVector<Scalar, n, Exec>& x, const BlockVector<Scalar, n, Exec>& r) {
  detail::apply_or_residual<true>("residual", "Hyperplane::BlockStencil7::residual", exec, a, &b, x, r);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
