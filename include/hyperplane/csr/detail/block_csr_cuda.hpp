// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/csr/detail/block_csr_cuda_kernel.hpp>
#include <hyperplane/cuda/labelled.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// y = A x, or y = b - A x.
template <bool subtract, CudaExecutionSpace Exec, class Matrix, class Scalar>
void multiply_block_csr_on_cuda(const char* label, const Exec& exec, const Matrix& a, const Scalar* b, const Scalar* x,
                                Scalar* y) {
  CsrProductBlocks<typename Matrix::storage_type, typename Matrix::offset_type> const blocks{
      a.rows(), a.offsets().data(), a.columns().data(), nullptr, a.values().data()};
  cuda::labelled(exec, label,
                 [&] { csr_product_cuda<false, subtract, Matrix::block_size>(exec.cuda_stream(), blocks, b, x, y); });
}

/// The same with A^T.
template <bool subtract, CudaExecutionSpace Exec, class Transposed, class Scalar>
void multiply_transposed_block_csr_on_cuda(const char* label, const Exec& exec, const Transposed& a, const Scalar* b,
                                           const Scalar* x, Scalar* y) {
  using Matrix = typename Transposed::Matrix;
  CsrProductBlocks<typename Matrix::storage_type, std::int64_t> const blocks{
      a.rows(), a.begin().data(), a.entry_rows().data(), a.blocks().data(), a.matrix().values().data()};
  cuda::labelled(exec, label,
                 [&] { csr_product_cuda<true, subtract, Matrix::block_size>(exec.cuda_stream(), blocks, b, x, y); });
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
