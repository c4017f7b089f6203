// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/awaited_value.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>
#include <hyperplane/ilu/detail/csr_sweep_units.hpp>

#include <cstdint>

/// A sweep over the rows of a BlockCsr on CUDA, in one launch whose rows wait for values of one another.
///
/// Warps draw tickets, and a ticket is for a few rows, which do not wait for one another; n threads of the warp have
/// one row. Rows wait for those of tickets that were drawn before theirs. A warp takes its tickets in the order in
/// which it drew them, so that whoever has the first ticket that is not finished waits for nobody: no schedule of the
/// blocks of threads is a deadlock, whether all of them are resident or not.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Rows that one warp takes at a time.
template <int n>
inline constexpr int csr_sweep_rows = 32 / n;

/// The rows of each ticket, csr_sweep_rows<n> of them or fewer.
struct CsrSweepTickets {
  static constexpr std::int64_t no_row = -1;

  const int* m_begin;  ///< of the rows of each ticket, and the end
  const int* m_rows;
  std::int64_t m_count;

  /// Of the threads of a warp that are the group of this number.
  __device__ std::int64_t row(std::int64_t ticket, int group) const {
    if (ticket >= m_count) return no_row;
    auto const at = m_begin[ticket] + group;
    return at < m_begin[ticket + 1] ? std::int64_t{m_rows[at]} : no_row;
  }
};

/// Zero where no kernel runs, but for the turn.
struct CsrSweepWords {
  unsigned int m_ticket;    ///< the next one
  unsigned int m_finished;  ///< warps
  unsigned int m_turn;      ///< whose last bit is the array of the next sweep
};

/// The working memory of all sweeps of a plan. Two arrays have n awaited values for each row. A sweep stores into one
/// of them, which is vacant when it begins, and makes the other one vacant.
template <class Scalar>
struct CsrSweepMemory {
  cuda::AwaitedValue<Scalar>* m_values;
  std::int64_t m_size;  ///< of an array
  CsrSweepWords* m_words;
};

/// What a kernel finds where it is to store values for others.
template <class Scalar>
struct CsrVacantValues {
  cuda::AwaitedValue<Scalar>* m_values;

  __device__ void operator()(std::int64_t at) const { m_values[at].m_word = cuda::AwaitedValue<Scalar>::vacant; }
};

inline constexpr unsigned int whole_warp = 0xffffffff;

/// By all threads of a warp, of which the first one has the result.
__device__ inline std::int64_t draw_csr_ticket(CsrSweepWords* words, int lane) {
  return lane == 0 ? std::int64_t{atomicAdd(&words->m_ticket, 1U)} : std::int64_t{0};
}

/// By each warp, when it has drawn its last ticket: the last of them leaves the words to the next kernel.
__device__ inline void finish_csr_tickets(CsrSweepWords* words, int lane, unsigned int turns) {
  if (lane != 0) return;
  auto const warps = gridDim.x * blockDim.x / 32;
  if (cuda::count(&words->m_finished) != warps - 1) return;
  words->m_ticket = 0;
  words->m_finished = 0;
  words->m_turn += turns;
}

inline constexpr int csr_sweep_threads = 128;

/// What a thread knows of the row that it has, or has not.
struct CsrSweepRow {
  std::int64_t m_row = CsrSweepTickets::no_row;
  std::int64_t m_begin = 0;
  std::int64_t m_end = 0;

  template <class Blocks>
  __device__ static CsrSweepRow load(const CsrSweepTickets& tickets, const Blocks& blocks, std::int64_t ticket,
                                     int group) {
    CsrSweepRow result;
    result.m_row = tickets.row(ticket, group);
    if (result.m_row < 0) return result;
    result.m_begin = blocks.m_begin[result.m_row];
    result.m_end = blocks.m_end[result.m_row];
    return result;
  }
};

/// Some entries of a row, for all threads of a warp together: blocks are loaded first, then values are awaited.
template <class Sweep, class Scalar, int n, class Blocks>
class CsrSweepTerms {
  using Value = cuda::AwaitedValue<Scalar>;

 public:
  static constexpr int count = n <= 2 ? 6 : n <= 5 ? 4 : n <= 7 ? 3 : n <= 10 ? 2 : 1;

  /// Entries at, at + 1, ..., before end, of a thread that has value r of each.
  __device__ CsrSweepTerms(const Blocks& blocks, const Value* values, std::int64_t at, std::int64_t end, int r) {
#pragma unroll
    for (int e = 0; e < count; ++e) {
      bool const has = at + e < end;
      m_from[e] = has ? values + std::int64_t{blocks.m_columns[at + e]} * n + r : nullptr;
      m_values[e].m_word = Value::vacant;
      auto const* const block = blocks.m_values + (has ? blocks.number(at + e) : 0) * (n * n);
#pragma unroll
      for (int c = 0; c < n; ++c) m_blocks[e][c] = has ? entry<Sweep::by_rows>(block, r, c) : Scalar(0);
    }
  }

  /// Entry (r, c) of a block.
  template <bool by_rows, class Storage>
  __device__ static Scalar entry(const Storage* block, int r, int c) {
    return static_cast<Scalar>(block[by_rows ? r * n + c : c * n + r]);
  }

  __device__ void wait() {
    bool missing;
    do {
#pragma unroll
      for (int e = 0; e < count; ++e) {
        if (is_missing(e)) m_values[e] = Value::load(m_from[e]);
      }
      missing = false;
#pragma unroll
      for (int e = 0; e < count; ++e) missing = missing || is_missing(e);
    } while (__any_sync(whole_warp, missing));
  }

  /// `first` is the lane that has the first value.
  __device__ void add_to(Scalar& sum, int first) const {
#pragma unroll
    for (int e = 0; e < count; ++e) {
#pragma unroll
      for (int c = 0; c < n; ++c) {
        auto const x_c = __shfl_sync(whole_warp, m_values[e].value(), first + c);
        if (m_from[e] == nullptr) continue;
        if constexpr (Sweep::sums_products) {
          sum += m_blocks[e][c] * x_c;
        } else {
          sum -= m_blocks[e][c] * x_c;
        }
      }
    }
  }

 private:
  __device__ bool is_missing(int e) const { return m_from[e] != nullptr && m_values[e].is_vacant(); }

  Scalar m_blocks[count][n];
  const Value* m_from[count];
  Value m_values[count];
};

/// What a sweep makes of the sum of its products: with a row of the diagonal block D, of the thread that has the row.
template <class Sweep, class Scalar, int n>
class CsrSweepResult {
  static constexpr bool with_diagonal = Sweep::diagonal != CsrSweepDiagonal::none;

 public:
  template <class Blocks>
  __device__ CsrSweepResult(const Blocks& blocks, std::int64_t row, int r) {
    if constexpr (with_diagonal) {
      auto const* const block = blocks.diagonal(row >= 0 ? row : 0);
#pragma unroll
      for (int c = 0; c < n; ++c) {
        m_row[c] = row >= 0 ? static_cast<Scalar>(block[Sweep::transposed ? r * n + c : c * n + r]) : Scalar(0);
      }
    }
  }

  /// Rounds as the portable kernels do. `first` is the lane that has the first value.
  template <class Blocks>
  __device__ Scalar of(const Blocks& blocks, Scalar right, Scalar sum, int first) const {
    if constexpr (Sweep::diagonal == CsrSweepDiagonal::of_product) {
      if constexpr (Sweep::transposed) {
        return right - product(sum, first);
      } else {
#pragma unroll
        for (int c = 0; c < n; ++c) right -= m_row[c] * __shfl_sync(whole_warp, sum, first + c);
        return right;
      }
    } else {
      Scalar const rest = Sweep::sums_products ? blocks.scaled(right) - sum : sum;
      if constexpr (with_diagonal) {
        return product(rest, first);
      } else {
        return rest;
      }
    }
  }

 private:
  __device__ Scalar product(Scalar value, int first) const {
    Scalar sum(0);
#pragma unroll
    for (int c = 0; c < n; ++c) sum += m_row[c] * __shfl_sync(whole_warp, value, first + c);
    return sum;
  }

  Scalar m_row[with_diagonal ? n : 1];
};

/// The sweep of CsrFactorSweep or CsrRelaxationSweep. The threads of a row have a value of y each; sums are in the
/// order of the portable kernels. Values of a vector are `stride` apart. Values that others wait for are in the units
/// of the blocks, where they have some.
template <class Sweep, class Scalar, int n, class Blocks>
__global__ void __launch_bounds__(csr_sweep_threads)
    csr_sweep_kernel(CsrSweepTickets tickets, Blocks blocks, CsrSweepMemory<Scalar> memory, const Scalar* rhs,
                     Scalar* y, int stride) {
  using Value = cuda::AwaitedValue<Scalar>;
  using Terms = CsrSweepTerms<Sweep, Scalar, n, Blocks>;
  constexpr bool with_diagonal = Sweep::diagonal == CsrSweepDiagonal::of_rest;
  CsrSweepUnits<Sweep::transposed, with_diagonal, Scalar, n, typename Blocks::Scales> const units{blocks.m_scales};
  int const lane = static_cast<int>(threadIdx.x) % 32;
  int const group = lane / n, r = lane % n, first = group * n;
  unsigned int const turn = *static_cast<volatile unsigned int*>(&memory.m_words->m_turn) & 1;
  Value* const own = memory.m_values + (turn != 0 ? memory.m_size : 0);
  Value* const other = memory.m_values + (turn != 0 ? 0 : memory.m_size);

  std::int64_t ticket = __shfl_sync(whole_warp, draw_csr_ticket(memory.m_words, lane), 0);
  auto row = CsrSweepRow::load(tickets, blocks, ticket, group);
  while (ticket < tickets.m_count) {
    auto const drawn = draw_csr_ticket(memory.m_words, lane);
    bool const active = row.m_row >= 0;
    auto const place = row.m_row * n + r;
    Scalar const right = active ? units.given(row.m_row, r, rhs[place * stride]) : Scalar(0);
    CsrSweepResult<Sweep, Scalar, n> const result_of(blocks, row.m_row, r);
    Scalar sum = Sweep::sums_products ? Scalar(0) : blocks.scaled(right);
    Terms terms(blocks, own, row.m_begin, row.m_end, r);
    // While the first values are awaited.
    ticket = __shfl_sync(whole_warp, drawn, 0);
    auto const next = CsrSweepRow::load(tickets, blocks, ticket, group);
    for (auto at = row.m_begin; __any_sync(whole_warp, at < row.m_end);) {
      terms.wait();
      terms.add_to(sum, first);
      at += Terms::count;
      if (__any_sync(whole_warp, at < row.m_end)) terms = Terms(blocks, own, at, row.m_end, r);
    }
    Scalar const result = result_of.of(blocks, right, sum, first);
    if (active) {
      Value::store(own + place, result);
      y[place * stride] = units.result(row.m_row, r, result);
      other[place].m_word = Value::vacant;
    }
    row = next;
  }
  finish_csr_tickets(memory.m_words, lane, 1);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
