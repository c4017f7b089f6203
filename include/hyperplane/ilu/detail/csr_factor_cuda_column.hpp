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

/// Blocks of the rows of a warp, in shared memory. Threads compute by columns, which are n values apart; what comes
/// from other multiprocessors, or goes to them, passes through here, so that threads beside one another load and store
/// what is side by side in memory: value k n + c of a block is that of thread c.
template <class Scalar, int n>
struct CsrFactorTiles {
  static constexpr int groups = (32 + n - 1) / n;
  /// Larger blocks have no room for it.
  static constexpr bool has_lower = n <= 8;

  Scalar m_lower[has_lower ? groups : 1][has_lower ? n * n : 1];
  Scalar m_upper[groups][n * n];
  Scalar m_inverse[groups][n * n];
};

/// Of the n threads that have a row.
template <class Scalar, int n>
struct CsrFactorGroup {
  int m_first;  ///< lane that has the first column
  int m_column;
  Scalar* m_lower;
  Scalar* m_upper;
  Scalar* m_inverse;

  __device__ CsrFactorGroup(CsrFactorTiles<Scalar, n>& tiles, int lane)
      : m_first(lane / n * n),
        m_column(lane % n),
        m_lower(tiles.m_lower[CsrFactorTiles<Scalar, n>::has_lower ? lane / n : 0]),
        m_upper(tiles.m_upper[lane / n]),
        m_inverse(tiles.m_inverse[lane / n]) {}
};

/// Some products of blocks of the row with blocks of other rows, which belong to one block. All of them are loaded, and
/// awaited, together.
template <int n, class Storage>
class CsrFactorProducts {
  using Value = cuda::AwaitedValue<Storage>;

 public:
  static constexpr int count = n <= 2 ? 6 : n <= 4 ? 4 : n <= 5 ? 3 : n <= 8 ? 2 : 1;

  /// Products at, at + 1, ..., before end.
  template <class Blocks>
  __device__ CsrFactorProducts(const Blocks& blocks, std::int64_t at, std::int64_t end, int c) {
#pragma unroll
    for (int p = 0; p < count; ++p) {
      bool const has = at + p < end;
      m_lower[p] = blocks.m_values + (has ? blocks.m_lower[at + p] : 0) * (n * n);
      auto const* const upper = blocks.m_values + (has ? blocks.m_upper[at + p] : 0) * (n * n) + c;
      m_upper[p] = reinterpret_cast<const Value*>(upper);
      m_has[p] = has;
#pragma unroll
      for (int k = 0; k < n; ++k) {
        if constexpr (loads_ahead) m_own[p][k] = has ? m_lower[p][k * n + c] : Storage{};
        // What is not there subtracts zero.
        m_values[p][k].m_word = has ? Value::vacant : 0;
      }
    }
  }

  /// Of larger blocks the last value tells when it is worth to ask for the others again. Measured on an
  /// H100 with three products at a time, all of whose values were asked for again: with n = 5 that took less time than
  /// one product after the other, with n = 6 and 128^3 a quarter more.
  __device__ void wait() {
    if constexpr (n > 5) wait_from<n - 1>();
    wait_from<0>();
  }

  template <class Scalar>
  __device__ void subtract_from(Scalar (&rows)[n], const CsrFactorGroup<Scalar, n>& group) const {
    int const c = group.m_column;
#pragma unroll
    for (int p = 0; p < count; ++p) {
      if constexpr (n == 1) {
        rows[0] -= static_cast<Scalar>(m_own[p][0]) * static_cast<Scalar>(m_values[p][0].value());
      } else {
        __syncwarp();
#pragma unroll
        for (int k = 0; k < n; ++k) {
          group.m_upper[k * n + c] = static_cast<Scalar>(m_values[p][k].value());
          if constexpr (loads_ahead) group.m_lower[k * n + c] = static_cast<Scalar>(m_own[p][k]);
        }
        __syncwarp();
#pragma unroll
        for (int m = 0; m < n; ++m) {
          auto const u_m = group.m_upper[c * n + m];
#pragma unroll
          for (int r = 0; r < n; ++r) rows[r] -= lower(p, r, m, group) * u_m;
        }
      }
    }
  }

 private:
  /// For values `from` and later of each thread.
  template <int from>
  __device__ void wait_from() {
    bool missing;
    do {
#pragma unroll
      for (int p = 0; p < count; ++p) {
#pragma unroll
        for (int k = from; k < n; ++k) {
          if (m_values[p][k].is_vacant()) m_values[p][k] = Value::load(m_upper[p] + k * n);
        }
      }
      missing = false;
#pragma unroll
      for (int p = 0; p < count; ++p) {
#pragma unroll
        for (int k = from; k < n; ++k) missing = missing || m_values[p][k].is_vacant();
      }
    } while (__any_sync(whole_warp, missing));
  }

  /// Entry (r, m) of the first factor.
  template <class Scalar>
  __device__ Scalar lower(int p, int r, int m, const CsrFactorGroup<Scalar, n>& group) const {
    if constexpr (loads_ahead) {
      return group.m_lower[m * n + r];
    } else {
      return m_has[p] ? static_cast<Scalar>(m_lower[p][m * n + r]) : Scalar(0);
    }
  }

  // The threads load the first factor, too, so that nothing is loaded any more when what is awaited is there.
  static constexpr bool loads_ahead = CsrFactorTiles<double, n>::has_lower;

  bool m_has[count];
  const Storage* m_lower[count];
  const Value* m_upper[count];
  Storage m_own[loads_ahead ? count : 1][n];
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

  /// Subtracts the products that belong to the block.
  template <class Blocks>
  __device__ void eliminate(const Blocks& blocks, bool active, const CsrFactorGroup<Scalar, n>& group) {
    using Products = CsrFactorProducts<n, typename Blocks::StorageType>;
    auto const end = active ? m_end : m_product;
    for (auto product = m_product; __any_sync(whole_warp, product < end); product += Products::count) {
      Products products(blocks, product, end, group.m_column);
      products.wait();
      products.subtract_from(m_rows, group);
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

  /// Into a tile, from which the threads have what they store.
  __device__ void share(Scalar* tile, int c) const {
    __syncwarp();
#pragma unroll
    for (int r = 0; r < n; ++r) tile[c * n + r] = m_rows[r];
    __syncwarp();
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

/// A block of a tile, as one that this row alone reads again.
template <int n, class Scalar, class Storage>
__device__ void store_csr_block(const Scalar* tile, Storage* blocks, std::int64_t number, int c) {
#pragma unroll
  for (int k = 0; k < n; ++k) blocks[(number * n + k) * n + c] = static_cast<Storage>(tile[k * n + c]);
}
/// As one for which others wait.
template <int n, class Scalar, class Storage>
__device__ void publish_csr_block(const Scalar* tile, Storage* blocks, std::int64_t number, int c) {
  using Value = cuda::AwaitedValue<Storage>;
  auto* const to = reinterpret_cast<Value*>(blocks) + number * (n * n) + c;
#pragma unroll
  for (int k = 0; k < n; ++k) Value::store(to + k * n, static_cast<Storage>(tile[k * n + c]));
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
