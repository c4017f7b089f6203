// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/core/storage_excess.hpp>
#include <hyperplane/cuda/awaited_value.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/ilu/detail/csr_sweep_cuda_kernel.hpp>

#include <cstdint>

/// The factorization of a BlockCsr on CUDA, in one launch whose rows wait for blocks of one another, by tickets as
/// sweeps do. Blocks behind the diagonal are awaited values: they have to be vacant when the kernel begins.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Which blocks factors have, and what they are made of; see CsrIluFactors and CsrIluElimination.
template <class Storage, class MatrixStorage>
struct CsrFactorBlocks {
  const std::int64_t* m_lower_begin;
  const std::int64_t* m_diagonal;
  const std::int64_t* m_upper_begin;
  const std::int64_t* m_upper_end;
  const std::int64_t* m_sources;  ///< the block of A, or a negative number
  const std::int64_t* m_product_begin;
  const std::int64_t* m_lower;
  const std::int64_t* m_upper;
  const int* m_positions;  ///< of rows in the order of the factorization; or none, where that is by their numbers
  const MatrixStorage* m_a;  ///< blocks by rows
  Storage* m_values;         ///< blocks by columns
  unsigned long long* m_singular;
};

inline constexpr unsigned int warp_of_all = 0xffffffff;
/// Blocks of more rows do not have the registers.
inline constexpr int most_products_ahead = 8;

/// A product of a block of the row with a block of another row, of which a thread has a column; or none.
template <int n, class Storage>
struct CsrFactorProduct {
  using Value = cuda::AwaitedValue<Storage>;

  const Storage* m_lower;
  const Value* m_upper;
  Value m_values[n];

  template <class MatrixStorage>
  __device__ static CsrFactorProduct find(const CsrFactorBlocks<Storage, MatrixStorage>& blocks, std::int64_t product,
                                          std::int64_t end) {
    CsrFactorProduct result;
    bool const has = product < end;
    result.m_lower = has ? blocks.m_values + blocks.m_lower[product] * (n * n) : nullptr;
    result.m_upper = has ? reinterpret_cast<const Value*>(blocks.m_values + blocks.m_upper[product] * (n * n)) : nullptr;
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
    while (__any_sync(warp_of_all, exists() && m_values[n - 1].is_vacant())) {
      if (exists() && m_values[n - 1].is_vacant()) m_values[n - 1] = Value::load(m_upper + c * n + n - 1);
    }
    while (true) {
      bool vacant = false;
#pragma unroll
      for (int m = 0; m + 1 < n; ++m) vacant = vacant || m_values[m].is_vacant();
      if (!__any_sync(warp_of_all, exists() && vacant)) return;
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

  /// The block of A.
  template <class Storage, class MatrixStorage>
  __device__ void load(const CsrFactorBlocks<Storage, MatrixStorage>& blocks, std::int64_t number, bool active, int c) {
    auto const source = active ? blocks.m_sources[number] : -1;
#pragma unroll
    for (int r = 0; r < n; ++r) {
      m_rows[r] = source >= 0 ? static_cast<Scalar>(blocks.m_a[(source * n + r) * n + c]) : Scalar(0);
    }
  }

  /// Subtracts the products of factors that belong to the block. Each product is asked for while the one before it is
  /// computed.
  template <class Storage, class MatrixStorage>
  __device__ void eliminate(const CsrFactorBlocks<Storage, MatrixStorage>& blocks, std::int64_t number, bool active,
                            int c) {
    using Product = CsrFactorProduct<n, Storage>;
    auto product = active ? blocks.m_product_begin[number] : 0;
    auto const end = active ? blocks.m_product_begin[number + 1] : 0;
    if (!__any_sync(warp_of_all, product < end)) return;
    if constexpr (n <= most_products_ahead) {
      auto present = Product::find(blocks, product, end);
      auto next = Product::find(blocks, product + 1, end);
      present.ask(c);
      while (true) {
        auto const after_next = Product::find(blocks, product + 2, end);
        next.ask(c);
        subtract(present, c);
        ++product;
        if (!__any_sync(warp_of_all, product < end)) return;
        present = next;
        next = after_next;
      }
    } else {
      for (; __any_sync(warp_of_all, product < end); ++product) {
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
    constexpr unsigned int all = warp_of_all;
    int failed = n;
    int pivots[n];
#pragma unroll
    for (int step = 0; step < n; ++step) {
      Scalar column[n];
#pragma unroll
      for (int r = 0; r < n; ++r) column[r] = __shfl_sync(all, m_rows[r], first + step);
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
    if (!__any_sync(all, exchanged)) return failed;
#pragma unroll
    for (int r = 0; r < n; ++r) m_rows[r] = __shfl_sync(all, m_rows[r], first + from);
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
  template <class Storage, class MatrixStorage>
  __device__ void store(const CsrFactorBlocks<Storage, MatrixStorage>& blocks, std::int64_t number, int c) const {
#pragma unroll
    for (int r = 0; r < n; ++r) blocks.m_values[(number * n + c) * n + r] = static_cast<Storage>(m_rows[r]);
  }
  /// As one for which others wait.
  template <class Storage, class MatrixStorage>
  __device__ void publish(const CsrFactorBlocks<Storage, MatrixStorage>& blocks, std::int64_t number, int c) const {
    using Value = cuda::AwaitedValue<Storage>;
    auto* const to = reinterpret_cast<Value*>(blocks.m_values) + (number * n + c) * n;
#pragma unroll
    for (int r = 0; r < n; ++r) Value::store(to + r, static_cast<Storage>(m_rows[r]));
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

/// What a thread knows of the row that it has, or has not.
struct CsrFactorRow {
  std::int64_t m_row = CsrSweepTickets::no_row;
  std::int64_t m_lower_begin = 0;
  std::int64_t m_diagonal = 0;
  std::int64_t m_upper_begin = 0;
  std::int64_t m_upper_end = 0;

  template <int n, class Storage, class MatrixStorage>
  __device__ static CsrFactorRow load(const CsrSweepTickets& tickets,
                                      const CsrFactorBlocks<Storage, MatrixStorage>& blocks, std::int64_t ticket,
                                      int group) {
    CsrFactorRow result;
    if (ticket >= tickets.m_count || group >= csr_sweep_rows<n>) return result;
    result.m_row = tickets.m_rows[ticket * csr_sweep_rows<n> + group];
    if (result.m_row < 0) return result;
    result.m_lower_begin = blocks.m_lower_begin[result.m_row];
    result.m_diagonal = blocks.m_diagonal[result.m_row];
    result.m_upper_begin = blocks.m_upper_begin[result.m_row];
    result.m_upper_end = blocks.m_upper_end[result.m_row];
    return result;
  }

  /// Asks for the blocks of A and the lists of products of the whole row, which are otherwise loaded one after the
  /// other.
  template <int n, class Storage, class MatrixStorage>
  __device__ void prefetch(const CsrFactorBlocks<Storage, MatrixStorage>& blocks, int c) const {
    if (m_row < 0) return;
    auto const lower = m_diagonal + 1 - m_lower_begin;
    auto const count = lower + m_upper_end - m_upper_begin;
    for (std::int64_t k = c; k < count; k += n) {
      auto const number = k < lower ? m_lower_begin + k : m_upper_begin + (k - lower);
      auto const source = blocks.m_sources[number];
      auto const product = blocks.m_product_begin[number];
      if (source >= 0) {
        auto const* const block = blocks.m_a + source * (n * n);
        constexpr int line = 128 / sizeof(MatrixStorage);
#pragma unroll
        for (int at = 0; at < n * n; at += line) prefetch_line(block + at);
        prefetch_line(block + n * n - 1);
      }
      prefetch_line(blocks.m_lower + product);
      prefetch_line(blocks.m_upper + product);
    }
  }

 private:
  __device__ static void prefetch_line(const void* address) { asm volatile("prefetch.global.L2 [%0];" ::"l"(address)); }
};

template <class Scalar, int n, class Storage, class MatrixStorage>
__global__ void __launch_bounds__(csr_sweep_threads)
    csr_factor_kernel(CsrSweepTickets tickets, CsrFactorBlocks<Storage, MatrixStorage> blocks, CsrSweepWords* words) {
  using Column = CsrFactorColumn<Scalar, n>;
  constexpr unsigned int all = warp_of_all;
  constexpr int rows = csr_sweep_rows<n>, warps = csr_sweep_threads / 32;
  __shared__ Scalar inverses[warps][rows + 1][n * n];
  int const lane = static_cast<int>(threadIdx.x) % 32;
  int const group = lane / n, c = lane % n, first = group * n;
  Scalar* const inverse = inverses[threadIdx.x / 32][group];
  auto const draw = [&] { return lane == 0 ? std::int64_t{atomicAdd(&words->m_ticket, 1U)} : std::int64_t{0}; };
  std::int64_t ticket = __shfl_sync(all, draw(), 0);
  auto row = CsrFactorRow::load<n>(tickets, blocks, ticket, group);
  while (ticket < tickets.m_count) {
    auto const drawn = draw();
    bool const is_row = row.m_row >= 0;
    Scalar excess(0);
    Column column;
    for (auto number = row.m_lower_begin; __any_sync(all, number < row.m_diagonal); ++number) {
      bool const active = number < row.m_diagonal;
      column.load(blocks, number, active, c);
      column.eliminate(blocks, number, active, c);
      if (active) {
        excess += column.template excess<Storage>();
        column.store(blocks, number, c);
      }
      __syncwarp();
    }
    column.load(blocks, row.m_diagonal, is_row, c);
    column.eliminate(blocks, row.m_diagonal, is_row, c);
    ticket = __shfl_sync(all, drawn, 0);
    auto const next = CsrFactorRow::load<n>(tickets, blocks, ticket, group);
    int const failed = column.invert(first, c);
    if (is_row) {
      excess += column.template excess<Storage>();
      column.store(blocks, row.m_diagonal, c);
#pragma unroll
      for (int r = 0; r < n; ++r) inverse[c * n + r] = column.m_rows[r];
    }
    __syncwarp();
    for (auto number = row.m_upper_begin; __any_sync(all, number < row.m_upper_end); ++number) {
      bool const active = number < row.m_upper_end;
      column.load(blocks, number, active, c);
      column.eliminate(blocks, number, active, c);
      column.multiply(inverse);
      if (!active) continue;
      excess += column.template excess<Storage>();
      column.publish(blocks, number, c);
    }
    if (is_row) {
      auto const position = blocks.m_positions != nullptr ? std::int64_t{blocks.m_positions[row.m_row]} : row.m_row;
      if (failed < n && c == 0) atomicMin(blocks.m_singular, singular_pivot_word(position, failed));
      if (excess != Scalar(0)) atomicMin(blocks.m_singular, singular_pivot_word(position, unstorable_code));
    }
    row = next;
    row.template prefetch<n>(blocks, c);
    __syncwarp();
  }
  finish_csr_tickets(words, lane, 0);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
