// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/awaited_value.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>

#include <cstdint>

/// A sweep over the rows of a BlockCsr on CUDA, in one launch whose rows wait for values of one another.
///
/// Warps draw tickets, and a ticket is for a few rows, which do not wait for one another; n threads of the warp have
/// one row. Rows wait for those of tickets that were drawn before theirs. A warp takes its tickets in the order in which
/// it drew them, so that whoever has the first ticket that is not finished waits for nobody: no schedule of the blocks
/// of threads is a deadlock, whether all of them are resident or not.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Rows that one warp takes at a time.
template <int n>
inline constexpr int csr_sweep_rows = 32 / n;

/// The rows of each ticket, csr_sweep_rows<n> of them or fewer and then no_row.
struct CsrSweepTickets {
  static constexpr int no_row = -1;

  const int* m_rows;
  std::int64_t m_count;
};

/// The working memory of all sweeps of a plan. Two arrays have n awaited values for each row. A sweep stores into one of
/// them, which is vacant when it begins, and makes the other one vacant.
template <class Scalar>
struct CsrSweepMemory {
  struct Words {
    unsigned int m_ticket;    ///< the next one
    unsigned int m_finished;  ///< warps
    unsigned int m_turn;      ///< whose last bit is the array of the next sweep
  };

  cuda::AwaitedValue<Scalar>* m_values;
  std::int64_t m_size;  ///< of an array
  Words* m_words;
};

inline constexpr int csr_sweep_threads = 128;

/// What a thread knows of the row that it has, or has not.
struct CsrSweepRow {
  std::int64_t m_row = CsrSweepTickets::no_row;
  std::int64_t m_begin = 0;
  std::int64_t m_end = 0;

  template <int n, class Storage>
  __device__ static CsrSweepRow load(const CsrSweepTickets& tickets, const CsrSweepBlocks<Storage>& blocks,
                                     std::int64_t ticket, int group) {
    CsrSweepRow result;
    if (ticket >= tickets.m_count || group >= csr_sweep_rows<n>) return result;
    result.m_row = tickets.m_rows[ticket * csr_sweep_rows<n> + group];
    if (result.m_row < 0) return result;
    result.m_begin = blocks.m_begin[result.m_row];
    result.m_end = blocks.m_end[result.m_row];
    return result;
  }
};

/// y = b - F y, or with the diagonal blocks D (b - F y); transposed: with F^T and D^T. F are the blocks of each row's
/// entries. The threads of a row have a value of y each; sums are in the order of the portable kernels.
template <bool transposed, bool with_diagonal, class Scalar, int n, class Storage>
__global__ void __launch_bounds__(csr_sweep_threads)
    csr_sweep_kernel(CsrSweepTickets tickets, CsrSweepBlocks<Storage> blocks, CsrSweepMemory<Scalar> memory,
                     const Scalar* rhs, Scalar* y) {
  using Value = cuda::AwaitedValue<Scalar>;
  constexpr unsigned int all = 0xffffffff;
  // Entries whose blocks are loaded before the first of their values is awaited.
  constexpr int batch = n <= 2 ? 6 : n <= 5 ? 4 : n <= 7 ? 3 : n <= 10 ? 2 : 1;
  int const lane = static_cast<int>(threadIdx.x) % 32;
  int const group = lane / n, r = lane % n, first = group * n;
  unsigned int const turn = *static_cast<volatile unsigned int*>(&memory.m_words->m_turn) & 1;
  Value* const own = memory.m_values + (turn != 0 ? memory.m_size : 0);
  Value* const other = memory.m_values + (turn != 0 ? 0 : memory.m_size);

  auto const draw = [&] {
    return lane == 0 ? std::int64_t{atomicAdd(&memory.m_words->m_ticket, 1U)} : std::int64_t{0};
  };
  auto const entry = [&](std::int64_t block, int c) {
    return static_cast<Scalar>(blocks.m_values[block * (n * n) + (transposed ? r * n + c : c * n + r)]);
  };

  std::int64_t ticket = __shfl_sync(all, draw(), 0);
  auto row = CsrSweepRow::load<n>(tickets, blocks, ticket, group);
  while (ticket < tickets.m_count) {
    auto const drawn = draw();
    bool const active = row.m_row >= 0;
    auto const place = row.m_row * n + r;
    Scalar const right = active ? rhs[place] : Scalar(0);
    Scalar diagonal[n];
    if constexpr (with_diagonal) {
      auto const block = active ? blocks.m_diagonal[row.m_row] : 0;
#pragma unroll
      for (int c = 0; c < n; ++c) diagonal[c] = active ? entry(block, c) : Scalar(0);
    }
    CsrSweepRow next;
    bool next_is_known = false;
    Scalar sum = transposed ? Scalar(0) : right;
    for (auto at = row.m_begin; __any_sync(all, at < row.m_end); at += batch) {
      Scalar block[batch][n];
      const Value* from[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        bool const has = at + b < row.m_end;
        from[b] = has ? own + std::int64_t{blocks.m_columns[at + b]} * n + r : nullptr;
        auto const number = !has ? 0 : blocks.m_numbers != nullptr ? blocks.m_numbers[at + b] : at + b;
#pragma unroll
        for (int c = 0; c < n; ++c) block[b][c] = has ? entry(number, c) : Scalar(0);
      }
      if (!next_is_known) {
        ticket = __shfl_sync(all, drawn, 0);
        next = CsrSweepRow::load<n>(tickets, blocks, ticket, group);
        next_is_known = true;
      }
      Value x[batch];
      bool missing;
#pragma unroll
      for (int b = 0; b < batch; ++b) x[b].m_word = Value::vacant;
      do {
        missing = false;
#pragma unroll
        for (int b = 0; b < batch; ++b) {
          if (from[b] != nullptr && x[b].is_vacant()) x[b] = Value::load(from[b]);
        }
#pragma unroll
        for (int b = 0; b < batch; ++b) missing = missing || (from[b] != nullptr && x[b].is_vacant());
      } while (__any_sync(all, missing));
#pragma unroll
      for (int b = 0; b < batch; ++b) {
#pragma unroll
        for (int c = 0; c < n; ++c) {
          auto const x_c = __shfl_sync(all, x[b].value(), first + c);
          if (from[b] == nullptr) continue;
          if constexpr (transposed) {
            sum += block[b][c] * x_c;
          } else {
            sum -= block[b][c] * x_c;
          }
        }
      }
    }
    Scalar result = transposed ? right - sum : sum;
    if constexpr (with_diagonal) {
      Scalar product(0);
#pragma unroll
      for (int c = 0; c < n; ++c) product += diagonal[c] * __shfl_sync(all, result, first + c);
      result = product;
    }
    if (active) {
      Value::store(own + place, result);
      y[place] = result;
      other[place].m_word = Value::vacant;
    }
    if (!next_is_known) {
      ticket = __shfl_sync(all, drawn, 0);
      next = CsrSweepRow::load<n>(tickets, blocks, ticket, group);
    }
    row = next;
  }
  if (lane != 0) return;
  auto const warps = gridDim.x * (csr_sweep_threads / 32);
  if (cuda::count(&memory.m_words->m_finished) != warps - 1) return;
  *memory.m_words = {0, 0, turn + 1};
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
