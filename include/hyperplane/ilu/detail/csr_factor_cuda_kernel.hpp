// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/ilu/detail/csr_factor_cuda_column.hpp>
#include <hyperplane/ilu/detail/csr_sweep_cuda_kernel.hpp>

#include <cstdint>

/// The factorization of a BlockCsr on CUDA, in one launch whose rows wait for blocks of one another, by tickets as
/// sweeps do. Blocks behind the diagonal are awaited values: they have to be vacant when the kernel begins.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

inline constexpr int no_failure = -1;

__device__ inline void prefetch_line(const void* address) { asm volatile("prefetch.global.L2 [%0];" ::"l"(address)); }
/// Of so many values that follow one another.
template <int count, class T>
__device__ void prefetch_values(const T* values) {
  constexpr int line = 128 / sizeof(T);
#pragma unroll
  for (int at = 0; at < count; at += line) prefetch_line(values + at);
  prefetch_line(values + count - 1);
}

/// Where elimination stopped in a column of the pivot of a row, and whether a value cannot be stored.
template <class Blocks>
__device__ void report_csr_pivot(const Blocks& blocks, std::int64_t row, int failed, bool unstorable) {
  auto const position = blocks.m_positions != nullptr ? std::int64_t{blocks.m_positions[row]} : row;
  if (failed != no_failure) atomicMin(blocks.m_singular, singular_pivot_word(position, failed));
  if (unstorable) atomicMin(blocks.m_singular, singular_pivot_word(position, unstorable_code));
}

/// What a thread knows of the row that it has, or has not.
struct CsrFactorRow {
  std::int64_t m_row = CsrSweepTickets::no_row;
  std::int64_t m_lower_begin = 0;
  std::int64_t m_diagonal = 0;
  std::int64_t m_upper_begin = 0;
  std::int64_t m_upper_end = 0;

  template <class Blocks>
  __device__ static CsrFactorRow load(const CsrSweepTickets& tickets, const Blocks& blocks, std::int64_t ticket,
                                      int group) {
    CsrFactorRow result;
    result.m_row = tickets.row(ticket, group);
    if (result.m_row < 0) return result;
    result.m_lower_begin = blocks.m_lower_begin[result.m_row];
    result.m_diagonal = blocks.m_diagonal[result.m_row];
    result.m_upper_begin = blocks.m_upper_begin[result.m_row];
    result.m_upper_end = blocks.m_upper_end[result.m_row];
    return result;
  }

  /// Asks for the blocks of A and the lists of products of the whole row, which are otherwise loaded one after the
  /// other.
  template <int n, class Blocks>
  __device__ void prefetch(const Blocks& blocks, int c) const {
    if (m_row < 0) return;
    auto const lower = m_diagonal + 1 - m_lower_begin;
    auto const count = lower + m_upper_end - m_upper_begin;
    for (std::int64_t k = c; k < count; k += n) {
      auto const number = k < lower ? m_lower_begin + k : m_upper_begin + (k - lower);
      auto const source = blocks.m_sources[number];
      auto const product = blocks.m_product_begin[number];
      if (source >= 0) prefetch_values<n * n>(blocks.m_a + source * (n * n));
      if (product < blocks.m_product_begin[number + 1]) {
        prefetch_line(blocks.m_lower + product);
        prefetch_line(blocks.m_upper + product);
      }
    }
  }
};

template <class Scalar, int n, class Blocks>
__global__ void __launch_bounds__(csr_sweep_threads)
    csr_factor_kernel(CsrSweepTickets tickets, Blocks blocks, CsrSweepWords* words) {
  using Storage = typename Blocks::StorageType;
  using Column = CsrFactorColumn<Scalar, n>;
  __shared__ CsrFactorTiles<Scalar, n> tiles[csr_sweep_threads / 32];
  int const lane = static_cast<int>(threadIdx.x) % 32;
  CsrFactorGroup<Scalar, n> const group(tiles[threadIdx.x / 32], lane);
  int const c = group.m_column;
  std::int64_t ticket = __shfl_sync(whole_warp, draw_csr_ticket(words, lane), 0);
  auto row = CsrFactorRow::load(tickets, blocks, ticket, lane / n);
  while (ticket < tickets.m_count) {
    auto const drawn = draw_csr_ticket(words, lane);
    bool const is_row = row.m_row >= 0;
    Scalar excess(0);
    // Blocks are loaded ahead of those whose products are awaited.
    Column column, upcoming;
    column.load(blocks, row.m_row, row.m_lower_begin, is_row, c);
    for (auto number = row.m_lower_begin; __any_sync(whole_warp, number < row.m_diagonal); ++number) {
      bool const active = number < row.m_diagonal;
      upcoming.load(blocks, row.m_row, number + 1, active, c);
      column.eliminate(blocks, active, group);
      column.share(group.m_upper, c);
      if (active) {
        excess += column.template excess<Storage>();
        store_csr_block<n>(group.m_upper, blocks.m_values, number, c);
        column = upcoming;
      }
    }
    upcoming.load(blocks, row.m_row, row.m_upper_begin, row.m_upper_begin < row.m_upper_end, c);
    column.eliminate(blocks, is_row, group);
    ticket = __shfl_sync(whole_warp, drawn, 0);
    auto const next = CsrFactorRow::load(tickets, blocks, ticket, lane / n);
    int const failed = column.invert(group.m_first, c);
    column.relax(blocks.m_relaxation);
    column.share(group.m_inverse, c);
    if (is_row) {
      excess += column.template excess<Storage>();
      store_csr_block<n>(group.m_inverse, blocks.m_values, row.m_diagonal, c);
    }
    for (auto number = row.m_upper_begin; __any_sync(whole_warp, number < row.m_upper_end); ++number) {
      bool const active = number < row.m_upper_end;
      column = upcoming;
      upcoming.load(blocks, row.m_row, number + 1, number + 1 < row.m_upper_end, c);
      column.eliminate(blocks, active, group);
      column.multiply(group.m_inverse);
      column.share(group.m_upper, c);
      if (!active) continue;
      excess += column.template excess<Storage>();
      publish_csr_block<n>(group.m_upper, blocks.m_values, number, c);
    }
    if (is_row) report_csr_pivot(blocks, row.m_row, failed < n && c == 0 ? failed : no_failure, excess != Scalar(0));
    row = next;
    row.template prefetch<n>(blocks, c);
    __syncwarp();
  }
  finish_csr_tickets(words, lane, 0);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
