// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/launch.hpp>

#include <cstdint>

/// The product of a BlockCsr with a vector on CUDA: n threads of a warp have a block row, an equation each.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A matrix whose blocks are stored by rows.
template <class Storage, class Offset>
struct CsrProductBlocks {
  std::int64_t m_rows;
  const Offset* m_begin;          ///< of the entries of each row, and the end
  const int* m_columns;           ///< of each entry
  const std::int64_t* m_numbers;  ///< of each entry, its block; or none, where they have the same numbers
  const Storage* m_values;
};

inline constexpr int csr_product_threads = 128;

/// A block in shared memory, which its n threads load row by row, next to one another, and read each its own row of.
/// Rows have an odd length, so that threads read from different banks. Measured on an H100, n = 16: where threads load
/// their own rows from global memory, a product has 0.33 of the speed of a copy.
template <class Scalar, int n>
struct CsrProductTile {
  Scalar m_values[n][n | 1];

  /// By all threads of a warp. `r` is what a thread is of the n that have the block; not all have one.
  template <class Storage>
  __device__ void exchange(const Storage* values, bool has, int r, Scalar (&row)[n]) {
    __syncwarp();
#pragma unroll
    for (int other = 0; other < n; ++other) {
      if (has) m_values[other][r] = static_cast<Scalar>(values[other * n + r]);
    }
    __syncwarp();
#pragma unroll
    for (int c = 0; c < n; ++c) row[c] = has ? m_values[r][c] : Scalar(0);
  }
};

/// y = A x, or y = b - A x. `transposed`: what is given as rows are the columns of A, so that it is A^T.
template <bool transposed, bool subtract, class Scalar, int n, class Storage, class Offset>
__global__ void __launch_bounds__(csr_product_threads)
    csr_product_kernel(CsrProductBlocks<Storage, Offset> a, const Scalar* b, const Scalar* x, Scalar* y) {
  constexpr unsigned int all = 0xffffffff;
  constexpr int rows = 32 / n;
  // Entries that are loaded together.
  constexpr int batch = n <= 2 ? 6 : n <= 5 ? 4 : n <= 10 ? 2 : 1;
  constexpr bool by_tiles = !transposed && batch == 1;
  __shared__ CsrProductTile<Scalar, n> tiles[by_tiles ? csr_product_threads / 32 : 1][by_tiles ? 31 / n + 1 : 1];
  cuda::wait_for_kernel_before();
  int const lane = static_cast<int>(threadIdx.x) % 32;
  int const group = lane / n, r = lane % n, first = group * n;
  auto const warp = (std::int64_t{blockIdx.x} * csr_product_threads + threadIdx.x) / 32;
  auto const row = warp * rows + group;
  bool const active = group < rows && row < a.m_rows;
  auto const end = active ? static_cast<std::int64_t>(a.m_begin[row + 1]) : 0;
  Scalar sum = subtract && active ? b[row * n + r] : Scalar(0);
  for (auto at = active ? static_cast<std::int64_t>(a.m_begin[row]) : 0; __any_sync(all, at < end); at += batch) {
    Scalar block[batch][n], x_r[batch];
#pragma unroll
    for (int e = 0; e < batch; ++e) {
      bool const has = at + e < end;
      x_r[e] = has ? x[std::int64_t{a.m_columns[at + e]} * n + r] : Scalar(0);
      auto const number = !has ? 0 : a.m_numbers != nullptr ? a.m_numbers[at + e] : at + e;
      auto const* const values = a.m_values + number * (n * n);
      if constexpr (by_tiles) {
        tiles[threadIdx.x / 32][group].exchange(values, has, r, block[e]);
      } else {
#pragma unroll
        for (int c = 0; c < n; ++c) {
          block[e][c] = has ? static_cast<Scalar>(values[transposed ? c * n + r : r * n + c]) : Scalar(0);
        }
      }
    }
#pragma unroll
    for (int e = 0; e < batch; ++e) {
#pragma unroll
      for (int c = 0; c < n; ++c) {
        auto const x_c = __shfl_sync(all, x_r[e], first + c);
        if (at + e >= end) continue;
        if constexpr (subtract) {
          sum -= block[e][c] * x_c;
        } else {
          sum += block[e][c] * x_c;
        }
      }
    }
  }
  if (active) y[row * n + r] = sum;
}

template <bool transposed, bool subtract, int n, class Scalar, class Storage, class Offset>
void csr_product_cuda(cudaStream_t stream, const CsrProductBlocks<Storage, Offset>& a, const Scalar* b, const Scalar* x,
                      Scalar* y) {
  constexpr int rows_of_a_block = csr_product_threads / 32 * (32 / n);
  if (a.m_rows == 0) return;
  cuda::launch(stream, csr_product_kernel<transposed, subtract, Scalar, n, Storage, Offset>,
               static_cast<int>((a.m_rows + rows_of_a_block - 1) / rows_of_a_block), csr_product_threads, 0,
               cuda::Dependency::programmatic, a, b, x, y);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
