// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/awaited_value.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/ilu/detail/csr_sweep_cuda_terms.hpp>
#include <hyperplane/ilu/detail/csr_sweep_units.hpp>

#include <cstdint>

/// A sweep over the rows of a BlockCsr on CUDA, in one launch whose rows wait for values of one another.
///
/// Warps draw tickets, and a ticket is for a few rows, which do not wait for one another; n threads of the warp have
/// one row. Rows wait for those of tickets that were drawn before theirs. A warp takes its tickets in the order in
/// which it drew them, so that whoever has the first ticket that is not finished waits for nobody: no schedule of the
/// blocks of threads is a deadlock, whether all of them are resident or not.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

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

/// The working memory of all sweeps of a plan with as many vectors at a time. Two arrays have n awaited values for each
/// row and vector, those of a vector side by side. A sweep stores into one of them, which is vacant when it begins, and
/// makes the other one vacant.
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

/// The sweep of CsrFactorSweep or CsrRelaxationSweep. The threads of a row have a value of each y; sums are in the
/// order of the portable kernels, for each of the vectors. In memory vectors are side by side, with `stride` of them in
/// all. Values that others wait for are in the units of the blocks, where they have some.
template <class Sweep, class Scalar, int n, int vectors, class Blocks>
__global__ void __launch_bounds__(csr_sweep_threads)
    csr_sweep_kernel(CsrSweepTickets tickets, Blocks blocks, CsrSweepMemory<Scalar> memory, const Scalar* rhs,
                     Scalar* y, int stride) {
  using Value = cuda::AwaitedValue<Scalar>;
  using Terms = CsrSweepTerms<Sweep, Scalar, n, vectors, Blocks, Value>;
  using Places = typename Terms::Places;
  constexpr bool with_diagonal = Sweep::diagonal == CsrSweepDiagonal::of_rest;
  CsrSweepUnits<Sweep::transposed, with_diagonal, Scalar, n, typename Blocks::Scales> const units{blocks.m_scales};
  int const lane = static_cast<int>(threadIdx.x) % 32;
  int const group = lane / n, r = lane % n, first = group * n;
  unsigned int const turn = *static_cast<volatile unsigned int*>(&memory.m_words->m_turn) & 1;
  Value* const own = memory.m_values + (turn != 0 ? memory.m_size : 0);
  Value* const other = memory.m_values + (turn != 0 ? 0 : memory.m_size);

  // Of the next ticket the places are loaded, and of the one after it the row, while the values of this one are
  // awaited.
  std::int64_t ticket = __shfl_sync(whole_warp, draw_csr_ticket(memory.m_words, lane), 0);
  std::int64_t next_ticket = __shfl_sync(whole_warp, draw_csr_ticket(memory.m_words, lane), 0);
  auto row = CsrSweepRow::load(tickets, blocks, ticket, group);
  auto next = CsrSweepRow::load(tickets, blocks, next_ticket, group);
  Places places(blocks, row.m_begin, row.m_end, r);
  while (ticket < tickets.m_count) {
    auto const drawn = draw_csr_ticket(memory.m_words, lane);
    bool const active = row.m_row >= 0;
    auto const place = row.m_row * n + r;
    Scalar right[vectors], sums[vectors];
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      right[v] = active ? units.given(row.m_row, r, rhs[place * stride + v]) : Scalar(0);
      sums[v] = Sweep::sums_products ? Scalar(0) : blocks.scaled(right[v]);
    }
    CsrSweepResult<Sweep, Scalar, n> const result_of(blocks, row.m_row, r);
    Terms terms(blocks, places, own + r, n * vectors, r, first);
    Places const next_places(blocks, next.m_begin, next.m_end, r);
    ticket = next_ticket;
    next_ticket = __shfl_sync(whole_warp, drawn, 0);
    auto const next_but_one = CsrSweepRow::load(tickets, blocks, next_ticket, group);
    for (auto at = row.m_begin; __any_sync(whole_warp, at < row.m_end);) {
      at += Terms::count;
      Places const others(blocks, at, row.m_end, r);
      terms.wait();
      terms.add_to(sums, first);
      if (__any_sync(whole_warp, at < row.m_end)) terms = Terms(blocks, others, own + r, n * vectors, r, first);
    }
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      Scalar const result = result_of.of(blocks, right[v], sums[v], first);
      if (!active) continue;
      auto const at = row.m_row * (n * vectors) + v * n + r;
      Value::store(own + at, result);
      y[place * stride + v] = units.result(row.m_row, r, result);
      other[at].m_word = Value::vacant;
    }
    row = next;
    next = next_but_one;
    places = next_places;
  }
  finish_csr_tickets(memory.m_words, lane, 1);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
