// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/storage_excess.hpp>
#include <hyperplane/cuda/awaited_value.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>
#include <hyperplane/ilu/detail/csr_sweep_cuda_kernel.hpp>
#include <hyperplane/ilu/detail/csr_sweep_units.hpp>

#include <cmath>
#include <cstdint>

/// What n threads of a warp do with a block of a factorization of a BlockCsr on CUDA: each has a column.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Blocks of more rows do not have the registers.
inline constexpr int most_products_ahead = 8;

/// A product of a block of the row with a block of another row, of which a thread has a column; or none.
template <int n, class Storage>
struct CsrFactorProduct {
  using Value = cuda::AwaitedValue<Storage>;

  const Storage* m_lower;
  const Value* m_upper;
  Value m_values[n];

  template <class Blocks>
  __device__ static CsrFactorProduct find(const Blocks& blocks, std::int64_t product, std::int64_t end) {
    CsrFactorProduct result;
    bool const has = product < end;
    result.m_lower = has ? blocks.m_values + blocks.m_lower[product] * (n * n) : nullptr;
    result.m_upper =
        has ? reinterpret_cast<const Value*>(blocks.m_values + blocks.m_upper[product] * (n * n)) : nullptr;
    return result;
  }
  __device__ bool exists() const { return m_upper != nullptr; }
  __device__ void ask(int c) {
    if (!exists()) return;
#pragma unroll
    for (int m = 0; m < n; ++m) m_values[m] = Value::load(m_upper + c * n + m);
  }
  /// By all threads of a warp. One value tells when it is worth to look at the others again.
  __device__ void wait(int c) {
    while (__any_sync(whole_warp, exists() && m_values[n - 1].is_vacant())) {
      if (exists() && m_values[n - 1].is_vacant()) m_values[n - 1] = Value::load(m_upper + c * n + n - 1);
    }
    while (true) {
      bool vacant = false;
#pragma unroll
      for (int m = 0; m + 1 < n; ++m) vacant = vacant || m_values[m].is_vacant();
      if (!__any_sync(whole_warp, exists() && vacant)) return;
#pragma unroll
      for (int m = 0; m + 1 < n; ++m) {
        if (exists() && m_values[m].is_vacant()) m_values[m] = Value::load(m_upper + c * n + m);
      }
    }
  }
};

/// A thread's column of a block, of the n threads that have the block. All threads of a warp call all of it together.
template <class Scalar, int n>
struct CsrFactorColumn {
  Scalar m_rows[n];

  /// The block of A, in the units of the factors.
  template <class Blocks>
  __device__ void load(const Blocks& blocks, std::int64_t row, std::int64_t number, bool active, int c) {
    auto const source = active ? blocks.m_sources[number] : -1;
#pragma unroll
    for (int r = 0; r < n; ++r) {
      m_rows[r] = source >= 0 ? csr_in_units<Scalar>(blocks.m_scales, row, r, c, blocks.m_a[(source * n + r) * n + c])
                              : Scalar(0);
    }
  }

  /// Subtracts the products of factors that belong to the block. Each product is asked for while the one before it is
  /// computed.
  template <class Blocks>
  __device__ void eliminate(const Blocks& blocks, std::int64_t number, bool active, int c) {
    using Product = CsrFactorProduct<n, typename Blocks::StorageType>;
    auto product = active ? blocks.m_product_begin[number] : 0;
    auto const end = active ? blocks.m_product_begin[number + 1] : 0;
    if (!__any_sync(whole_warp, product < end)) return;
    if constexpr (n <= most_products_ahead) {
      auto present = Product::find(blocks, product, end);
      auto next = Product::find(blocks, product + 1, end);
      present.ask(c);
      while (true) {
        auto const after_next = Product::find(blocks, product + 2, end);
        next.ask(c);
        subtract(present, c);
        ++product;
        if (!__any_sync(whole_warp, product < end)) return;
        present = next;
        next = after_next;
      }
    } else {
      for (; __any_sync(whole_warp, product < end); ++product) {
        auto present = Product::find(blocks, product, end);
        present.ask(c);
        subtract(present, c);
      }
    }
  }

  template <class Product>
  __device__ void subtract(Product& product, int c) {
    product.wait(c);
    if (!product.exists()) return;
#pragma unroll
    for (int m = 0; m < n; ++m) {
      auto const u_m = static_cast<Scalar>(product.m_values[m].value());
#pragma unroll
      for (int r = 0; r < n; ++r) m_rows[r] -= static_cast<Scalar>(product.m_lower[m * n + r]) * u_m;
    }
  }

  /// The inverse of the block, by Gauss-Jordan elimination with partial pivoting, as block::invert. Returns the column
  /// in which elimination stopped first, or n. `first` is the lane that has the first column.
  __device__ int invert(int first, int c) {
    int failed = n;
    int pivots[n];
#pragma unroll
    for (int step = 0; step < n; ++step) {
      Scalar column[n];
#pragma unroll
      for (int r = 0; r < n; ++r) column[r] = __shfl_sync(whole_warp, m_rows[r], first + step);
      Scalar largest = fabs(column[step]);
      int pivot = step;
#pragma unroll
      for (int r = step + 1; r < n; ++r) {
        bool const better = fabs(column[r]) > largest;
        if (better) largest = fabs(column[r]);
        if (better) pivot = r;
      }
      pivots[step] = pivot;
      if (!(largest > 0 && largest * 0 == 0) && failed == n) failed = step;
#pragma unroll
      for (int r = step + 1; r < n; ++r) {
        bool const here = pivot == r;
        auto const own = m_rows[step], other = m_rows[r], own_factor = column[step], other_factor = column[r];
        m_rows[step] = here ? other : own;
        m_rows[r] = here ? own : other;
        column[step] = here ? other_factor : own_factor;
        column[r] = here ? own_factor : other_factor;
      }
      Scalar const reciprocal = Scalar(1) / column[step];
      m_rows[step] = (c == step ? Scalar(1) : m_rows[step]) * reciprocal;
#pragma unroll
      for (int r = 0; r < n; ++r) {
        if (r == step) continue;
        m_rows[r] = (c == step ? Scalar(0) : m_rows[r]) - column[r] * m_rows[step];
      }
    }
    // The inverse of the block with exchanged rows has its columns exchanged.
    int from = c;
    bool exchanged = false;
#pragma unroll
    for (int step = 0; step < n; ++step) {
      exchanged = exchanged || pivots[step] != step;
      if (from == step) {
        from = pivots[step];
      } else if (from == pivots[step]) {
        from = step;
      }
    }
    if (!__any_sync(whole_warp, exchanged)) return failed;
#pragma unroll
    for (int r = 0; r < n; ++r) m_rows[r] = __shfl_sync(whole_warp, m_rows[r], first + from);
    return failed;
  }

  /// Multiplies by another block from the left.
  __device__ void multiply(const Scalar* left) {
    Scalar product[n] = {};
#pragma unroll
    for (int m = 0; m < n; ++m) {
#pragma unroll
      for (int r = 0; r < n; ++r) product[r] += left[m * n + r] * m_rows[m];
    }
#pragma unroll
    for (int r = 0; r < n; ++r) m_rows[r] = product[r];
  }

  /// As a block that this row alone reads again.
  template <class Blocks>
  __device__ void store(const Blocks& blocks, std::int64_t number, int c) const {
#pragma unroll
    for (int r = 0; r < n; ++r)
      blocks.m_values[(number * n + c) * n + r] = static_cast<typename Blocks::StorageType>(m_rows[r]);
  }
  /// As one for which others wait.
  template <class Blocks>
  __device__ void publish(const Blocks& blocks, std::int64_t number, int c) const {
    using Value = cuda::AwaitedValue<typename Blocks::StorageType>;
    auto* const to = reinterpret_cast<Value*>(blocks.m_values) + (number * n + c) * n;
#pragma unroll
    for (int r = 0; r < n; ++r) Value::store(to + r, static_cast<typename Blocks::StorageType>(m_rows[r]));
  }

  /// Not zero where a value cannot be stored.
  template <class Storage>
  __device__ Scalar excess() const {
    Scalar sum(0);
#pragma unroll
    for (int r = 0; r < n; ++r) sum += storage_excess<Storage, Scalar>(m_rows[r]);
    return sum;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
