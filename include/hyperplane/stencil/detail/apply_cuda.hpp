// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/stencil/detail/apply_cuda_kernel.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>

#include <Kokkos_Core.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <bool subtract, class Scalar, int n, bool transposed = false, CudaExecutionSpace Exec, class Storage,
          int vector_length, class Terms = AllTerms, class Outside = NoOutside>
void apply_cuda(const char* label, const Exec& exec, const BlockStencil7Ref<Storage, n, vector_length>& a,
                const BlockVectorRef<Scalar, n, vector_length>& b, const BlockVectorRef<Scalar, n, vector_length>& x,
                const BlockVectorRef<Scalar, n, vector_length>& y, const Terms& terms = {},
                const Outside& outside = {}) {
  ApplyCuda<subtract, Scalar, n, Storage, vector_length, Terms, transposed, Outside> const kernel{a, b,     x,
                                                                                                  y, terms, outside};
  cuda::labelled(exec, label, [&] { kernel.launch(exec.cuda_stream()); });
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
