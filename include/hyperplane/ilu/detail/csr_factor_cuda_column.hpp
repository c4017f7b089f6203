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
#include <type_traits>

/// What n threads of a warp do with a block of a factorization of a BlockCsr on CUDA: each has a column.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Some products of blocks of the row with blocks of other rows, which belong to one block. Of the second factor a
/// thread has a column. All of them are loaded, and awaited, together.
template <int n, class Storage>
class CsrFactorProducts {
  using Value = cuda::AwaitedValue<Storage>;
  /// What a warp shuffles.
  using Shuffled = std::conditional_t<sizeof(Storage) == 2, float, Storage>;

 public:
  static constexpr int count = n <= 2 ? 6 : n <= 4 ? 4 : n <= 5 ? 3 : n <= 8 ? 2 : 1;

  /// Products at, at + 1, ..., before end.
  template <class Blocks>
  __device__ CsrFactorProducts(const Blocks& blocks, std::int64_t at, std::int64_t end, int c) {
#pragma unroll
    for (int p = 0; p < count; ++p) {
      bool const has = at + p < end;
      m_lower[p] = has ? blocks.m_values + blocks.m_lower[at + p] * (n * n) : nullptr;
      auto const* const upper = has ? blocks.m_values + blocks.m_upper[at + p] * (n * n) + c * n : nullptr;
      m_upper[p] = reinterpret_cast<const Value*>(upper);
#pragma unroll
      for (int m = 0; m < n; ++m) {
        if constexpr (by_shuffles) m_column[p][m] = has ? static_cast<Shuffled>(m_lower[p][c * n + m]) : Shuffled(0);
        // What is not there subtracts zero.
        m_values[p][m].m_word = has ? Value::vacant : 0;
      }
    }
  }

  /// Of larger blocks the last value of a column tells when it is worth to ask for the others again. Measured on an
  /// H100 with three products at a time, all of whose values were asked for again: with n = 5 that took less time than
  /// one product after the other, with n = 6 and 128^3 a quarter more.
  __device__ void wait() {
    if constexpr (n > 5) wait_from<n - 1>();
    wait_from<0>();
  }

  /// `first` is the lane that has the first column.
  template <class Scalar>
  __device__ void subtract_from(Scalar (&rows)[n], int first) const {
#pragma unroll
    for (int p = 0; p < count; ++p) {
#pragma unroll
      for (int m = 0; m < n; ++m) {
        auto const u_m = static_cast<Scalar>(m_values[p][m].value());
#pragma unroll
        for (int r = 0; r < n; ++r) {
          rows[r] -= static_cast<Scalar>(lower(p, r, m, first)) * u_m;
        }
      }
    }
  }

 private:
  /// For rows `from` and later of each column.
  template <int from>
  __device__ void wait_from() {
    bool missing;
    do {
#pragma unroll
      for (int p = 0; p < count; ++p) {
#pragma unroll
        for (int m = from; m < n; ++m) {
          if (m_values[p][m].is_vacant()) m_values[p][m] = Value::load(m_upper[p] + m);
        }
      }
      missing = false;
#pragma unroll
      for (int p = 0; p < count; ++p) {
#pragma unroll
        for (int m = from; m < n; ++m) missing = missing || m_values[p][m].is_vacant();
      }
    } while (__any_sync(whole_warp, missing));
  }

  /// Entry (r, m) of the first factor.
  __device__ Shuffled lower(int p, int r, int m, int first) const {
    if constexpr (by_shuffles) {
      return __shfl_sync(whole_warp, m_column[p][r], first + m);
    } else {
      return m_lower[p] != nullptr ? static_cast<Shuffled>(m_lower[p][m * n + r]) : Shuffled(0);
    }
  }

  // Each thread loads a column of the first factor, too, and has the others from its neighbours: so nothing is loaded
  // any more when what is awaited is there. Larger blocks have too many entries for that.
  static constexpr bool by_shuffles = n <= 8;

  const Storage* m_lower[count];
  const Value* m_upper[count];
  Shuffled m_column[by_shuffles ? count : 1][n];
  Value m_values[count][n];
};

/// A thread's column of a block, of the n threads that have the block. All threads of a warp call all of it together.
template <class Scalar, int n>
struct CsrFactorColumn {
  Scalar m_rows[n];
  std::int64_t m_product = 0;  ///< the first of the products that belong to the block
  std::int64_t m_end = 0;

  /// The block of A, in the units of the factors, and which products belong to it.
  template <class Blocks>
  __device__ void load(const Blocks& blocks, std::int64_t row, std::int64_t number, bool active, int c) {
    auto const source = active ? blocks.m_sources[number] : -1;
#pragma unroll
    for (int r = 0; r < n; ++r) {
      m_rows[r] = source >= 0 ? blocks.m_relaxation.of_a(csr_in_units<Scalar>(blocks.m_scales, row, r, c,
                                                                              blocks.m_a[(source * n + r) * n + c]))
                              : Scalar(0);
    }
    m_product = active ? blocks.m_product_begin[number] : 0;
    m_end = active ? blocks.m_product_begin[number + 1] : 0;
  }

  /// Subtracts the products that belong to the block. `first` is the lane that has the first column.
  template <class Blocks>
  __device__ void eliminate(const Blocks& blocks, bool active, int first, int c) {
    using Products = CsrFactorProducts<n, typename Blocks::StorageType>;
    auto const end = active ? m_end : m_product;
    for (auto product = m_product; __any_sync(whole_warp, product < end); product += Products::count) {
      Products products(blocks, product, end, c);
      products.wait();
      products.subtract_from(m_rows, first);
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

  /// Of the inverse of a pivot.
  template <class Relaxation>
  __device__ void relax(const Relaxation& relaxation) {
#pragma unroll
    for (int r = 0; r < n; ++r) m_rows[r] = relaxation.of_inverse(m_rows[r]);
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
