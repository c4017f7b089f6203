// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/awaited_value.hpp>
#include <hyperplane/ilu/detail/csr_factor_cuda_column.hpp>
#include <hyperplane/ilu/detail/csr_factor_cuda_kernel.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>
#include <hyperplane/ilu/detail/csr_sweep_cuda_kernel.hpp>

#include <cstdint>

/// The factorization of DILU of a BlockCsr on CUDA, in one launch by tickets, as that of BILU(0) is. The inverses are
/// awaited values: they have to be vacant when the kernel begins.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Some pairs of blocks (i, j) and (j, i) of a row i, for all threads of a warp together. Of the blocks of A a thread
/// loads a column of each; then values of d_j^-1 are awaited.
template <class Scalar, int n, class Blocks>
class CsrDiluPairs {
  using Storage = typename Blocks::StorageType;
  using Value = cuda::AwaitedValue<Storage>;

 public:
  static constexpr int count = n <= 2 ? 4 : n <= 3 ? 3 : n <= 6 ? 2 : 1;

  /// Those of blocks at, at + 1, ..., before end; blocks without one on the other side are left out.
  __device__ CsrDiluPairs(const Blocks& blocks, std::int64_t at, std::int64_t end, int c) {
#pragma unroll
    for (int p = 0; p < count; ++p) {
      auto const opposite = at + p < end ? blocks.m_opposites[at + p] : -1;
      m_has[p] = opposite >= 0;
      auto const* const lower = blocks.m_a + (m_has[p] ? blocks.m_sources[at + p] : 0) * (n * n) + c;
      auto const* const upper = blocks.m_a + (m_has[p] ? opposite : 0) * (n * n) + c;
      auto const column = m_has[p] ? std::int64_t{blocks.m_columns[at + p]} : 0;
      m_from[p] = reinterpret_cast<const Value*>(blocks.m_inverses) + column * (n * n) + c;
#pragma unroll
      for (int m = 0; m < n; ++m) {
        m_lower[p][m] = m_has[p] ? static_cast<Scalar>(lower[m * n]) : Scalar(0);
        m_upper[p][m] = m_has[p] ? static_cast<Scalar>(upper[m * n]) : Scalar(0);
        // What is not there subtracts zero.
        m_inverse[p][m].m_word = m_has[p] ? Value::vacant : 0;
      }
    }
  }

  __device__ void wait() {
    bool missing;
    do {
      missing = false;
#pragma unroll
      for (int p = 0; p < count; ++p) {
#pragma unroll
        for (int m = 0; m < n; ++m) {
          if (m_inverse[p][m].is_vacant()) m_inverse[p][m] = Value::load(m_from[p] + m * n);
        }
      }
#pragma unroll
      for (int p = 0; p < count; ++p) {
#pragma unroll
        for (int m = 0; m < n; ++m) missing = missing || m_inverse[p][m].is_vacant();
      }
    } while (__any_sync(whole_warp, missing));
  }

  /// A_ij d_j^-1 A_ji of each, of which the first two are in tiles.
  __device__ void subtract_from(Scalar (&rows)[n], const CsrFactorGroup<Scalar, n>& group) const {
    int const c = group.m_column;
#pragma unroll
    for (int p = 0; p < count; ++p) {
      __syncwarp();
#pragma unroll
      for (int m = 0; m < n; ++m) {
        group.m_upper[m * n + c] = static_cast<Scalar>(m_inverse[p][m].value());
        group.m_inverse[m * n + c] = m_lower[p][m];
      }
      __syncwarp();
      Scalar scaled[n] = {};
#pragma unroll
      for (int m = 0; m < n; ++m) {
#pragma unroll
        for (int r = 0; r < n; ++r) scaled[r] += group.m_upper[m * n + r] * m_upper[p][m];
      }
#pragma unroll
      for (int m = 0; m < n; ++m) {
#pragma unroll
        for (int r = 0; r < n; ++r) rows[r] -= group.m_inverse[r * n + m] * scaled[m];
      }
    }
  }

 private:
  bool m_has[count];
  const Value* m_from[count];
  Scalar m_lower[count][n];
  Scalar m_upper[count][n];
  Value m_inverse[count][n];
};

/// What a thread knows of the row that it has, or has not.
struct CsrDiluRow : CsrSweepRow {
  template <class Blocks>
  __device__ CsrDiluRow(const CsrSweepTickets& tickets, const Blocks& blocks, std::int64_t ticket, int group)
      : CsrSweepRow(load(tickets, blocks, ticket, group)) {}

  /// Asks for the blocks of A, which are otherwise loaded a few at a time.
  template <int n, class Blocks>
  __device__ void prefetch(const Blocks& blocks, int c) const {
    if (m_row < 0) return;
    if (c == 0) prefetch_block<n>(blocks, blocks.m_diagonal[m_row]);
    for (auto number = m_begin + c; number < m_end; number += n) {
      if (auto const opposite = blocks.m_opposites[number]; opposite >= 0) {
        prefetch_block<n>(blocks, opposite);
        prefetch_block<n>(blocks, blocks.m_sources[number]);
      }
    }
  }

 private:
  template <int n, class Blocks>
  __device__ static void prefetch_block(const Blocks& blocks, std::int64_t number) {
    prefetch_values<n * n>(blocks.m_a + number * (n * n));
  }
};

/// d_i^-1 of each row i, rounded as CsrPivotInversion does.
template <class Scalar, int n, class Blocks>
__global__ void __launch_bounds__(csr_sweep_threads)
    csr_dilu_kernel(CsrSweepTickets tickets, Blocks blocks, CsrSweepWords* words) {
  using Pairs = CsrDiluPairs<Scalar, n, Blocks>;
  __shared__ CsrFactorTiles<Scalar, n> tiles[csr_sweep_threads / 32];
  int const lane = static_cast<int>(threadIdx.x) % 32;
  CsrFactorGroup<Scalar, n> const group(tiles[threadIdx.x / 32], lane);
  int const c = group.m_column;
  std::int64_t ticket = __shfl_sync(whole_warp, draw_csr_ticket(words, lane), 0);
  CsrDiluRow row(tickets, blocks, ticket, lane / n);
  while (ticket < tickets.m_count) {
    auto const drawn = draw_csr_ticket(words, lane);
    bool const is_row = row.m_row >= 0;
    CsrFactorColumn<Scalar, n> column;
    auto const* const diagonal = blocks.m_a + (is_row ? blocks.m_diagonal[row.m_row] : 0) * (n * n) + c;
#pragma unroll
    for (int r = 0; r < n; ++r) column.m_rows[r] = is_row ? static_cast<Scalar>(diagonal[r * n]) : Scalar(0);
    Pairs pairs(blocks, row.m_begin, row.m_end, c);
    // While the first inverses are awaited.
    ticket = __shfl_sync(whole_warp, drawn, 0);
    CsrDiluRow const next(tickets, blocks, ticket, lane / n);
    next.template prefetch<n>(blocks, c);
    for (auto at = row.m_begin; __any_sync(whole_warp, at < row.m_end);) {
      pairs.wait();
      pairs.subtract_from(column.m_rows, group);
      at += Pairs::count;
      if (__any_sync(whole_warp, at < row.m_end)) pairs = Pairs(blocks, at, row.m_end, c);
    }
    int const failed = column.invert(group.m_first, c);
    column.share(group.m_inverse, c);
    if (is_row) {
      publish_csr_block<n>(group.m_inverse, blocks.m_inverses, row.m_row, c);
      bool const unstorable = column.template excess<typename Blocks::StorageType>() != Scalar(0);
      report_csr_pivot(blocks, row.m_row, failed < n && c == 0 ? failed : no_failure, unstorable);
    }
    row = next;
  }
  finish_csr_tickets(words, lane, 0);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
