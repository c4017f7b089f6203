// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_short.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The warps that compute.
template <class Layout>
class CudaSlabFactorComputer {
  using Scalar = typename Layout::Scalar;
  using Storage = typename Layout::Storage;
  using MatrixStorage = typename Layout::MatrixStorage;
  using Inverse = typename Layout::Inverse;
  using Threads = typename Layout::Threads;
  using StoredLanes = typename Layout::StoredLanes;
  using GivenLanes = typename Layout::GivenLanes;
  using Shared = typename Layout::Shared;
  using Row = typename Layout::Row;
  static constexpr int W = Layout::W;
  static constexpr int n = Layout::n;
  static constexpr int warps = Layout::warps;
  static constexpr int warp = Layout::warp;
  static constexpr int lanes = Layout::lanes;
  static constexpr int rows_per_thread = Layout::rows_per_thread;
  static constexpr int block = Layout::block;
  static constexpr int stages = Layout::stages;
  static constexpr int neighbour_stages = Layout::neighbour_stages;
  static constexpr int window = Layout::window;
  static constexpr bool keeps_lower_as_given = Layout::keeps_lower_as_given;
  using Rows = typename Inverse::Rows;
  using Short = CudaSlabFactorShort<Layout>;

 public:
  __device__ explicit CudaSlabFactorComputer(const Layout& layout) : m_layout(layout) {}

  __device__ void run(const Shared& s, const Row& row) const {
    Threads const thread;
    Short const kept_short(m_layout, thread);
    int const all_steps = m_layout.steps();
    m_layout.wait_for_room_above(row);
    unsigned points[lanes];
#pragma unroll
    for (int e = 0; e < lanes; ++e) {
      points[e] = row.slab * W + thread.first_lane + e < m_layout.map().grid().nj() ? m_layout.map().grid().ni() : 0;
    }
    for (int v = 0; v < all_steps; ++v) {
      unsigned const count = row.count + v;
      std::int64_t const pack = row.first_pack + v;
      bool exists[lanes];
      bool all = true;
#pragma unroll
      for (int e = 0; e < lanes; ++e) {
        exists[e] = static_cast<unsigned>(v - thread.first_lane - e) < points[e];
        all = all && exists[e];
      }
      Layout::wait(s.given_there, stages, count);
      const MatrixStorage* const given = Layout::given_blocks(s, count) + thread.first_lane;
      Layout::wait(s.neighbours_there, neighbour_stages, count);
      const Storage* const neighbours = s.neighbours + count % neighbour_stages * (2 * block);

      Rows d;
#pragma unroll
      for (int c = 0; c < n; ++c) {
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
          for (int e = 0; e < lanes; ++e) d[c][r][e] = 0;
        }
      }
      auto const given_entry = [&](Direction direction, int r, int c) {
        return *reinterpret_cast<const GivenLanes*>(given + ((static_cast<int>(direction) * n + c) * n + r) * W);
      };
      auto const left = [&](Direction direction) {
        return [&, direction](int r, int m, Scalar(&l)[lanes]) {
          auto const values = given_entry(direction, thread.rows[r], m);
#pragma unroll
          for (int e = 0; e < lanes; ++e) l[e] = static_cast<Scalar>(values.m_values[e]);
          if constexpr (Short::exists) kept_short.take_lower_into_units(direction, row, v, m, l);
        };
      };
      const Storage* u[lanes];
      if (m_layout.has_below(row.k)) {
#pragma unroll
        for (int e = 0; e < lanes; ++e) u[e] = neighbours + thread.first_lane + e;
        eliminate(d, left(Direction::bottom), u);
      } else if constexpr (!Short::exists) {
        // Not used, but kept as it is, and solves multiply it by zero: what is not finite there has to be noticed.
        auto const bottom = left(Direction::bottom);
#pragma unroll
        for (int c = 0; c < n; ++c) {
#pragma unroll
          for (int r = 0; r < rows_per_thread; ++r) {
            Scalar l[lanes];
            bottom(r, c, l);
#pragma unroll
            for (int e = 0; e < lanes; ++e) d[c][r][e] += l[e] * Scalar(0);
          }
        }
      }
#pragma unroll
      for (int e = 0; e < lanes; ++e) u[e] = s.north + thread.first_lane + e - 1;
      if (thread.first_lane == 0) u[0] = neighbours + block + W - 1;
      if (kept_short.multiplies(Direction::south, row, v)) eliminate(d, left(Direction::south), u);
#pragma unroll
      for (int e = 0; e < lanes; ++e) u[e] = s.east + thread.first_lane + e;
      if (kept_short.multiplies(Direction::west, row, v)) eliminate(d, left(Direction::west), u);
      // The other warp's lanes have read what this step replaces.
      synchronize_computing();
#pragma unroll
      for (int c = 0; c < n; ++c) {
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) {
          auto const center = given_entry(Direction::center, thread.rows[r], c);
#pragma unroll
          for (int e = 0; e < lanes; ++e) {
            // What was subtracted are products with blocks in units.
            if constexpr (Short::has_units) d[c][r][e] *= m_layout.unknown_inverse(c);
            d[c][r][e] += static_cast<Scalar>(center.m_values[e]);
          }
        }
      }
      auto const report = [&](int e, int code) {
        if (exists[e]) m_layout.record({v - thread.first_lane - e, row.slab * W + thread.first_lane + e, row.k}, code);
      };
      Inverse::invert({s.pivot_rows, s.exchanged_rows}, thread, d, report);

      auto const store = [&](Storage* to, const StoredLanes& stored) {
        if (lanes > 1 && all) {
          *reinterpret_cast<StoredLanes*>(to) = stored;
        } else {
          // Other lanes belong to other rows, or are padding.
#pragma unroll
          for (int e = 0; e < lanes; ++e) {
            if (exists[e]) to[e] = stored.m_values[e];
          }
        }
      };
      [[maybe_unused]] bool fit[lanes];
      if constexpr (Short::exists) {
#pragma unroll
        for (int e = 0; e < lanes; ++e) fit[e] = true;
        kept_short.keep_inverse(s, count, pack, d, exists, store, fit);
      } else {
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) {
          if (!thread.has_row[r]) continue;
          Storage* const to =
              m_layout.m_factors.lower(pack, LowerBlock::inverse) + thread.rows[r] * W + thread.first_lane;
          Storage excess[lanes] = {};
#pragma unroll
          for (int c = 0; c < n; ++c) {
            store(to + c * n * W, Layout::rounded(d[c][r]));
#pragma unroll
            for (int e = 0; e < lanes; ++e) excess[e] += static_cast<Storage>(d[c][r][e]) * Storage(0);
          }
#pragma unroll
          for (int e = 0; e < lanes; ++e) {
            if (!(excess[e] == Storage(0))) report(e, unstorable_code);
          }
        }
      }
      [[maybe_unused]] Storage excess_above[lanes] = {};
      Storage* const upper_to = m_layout.m_factors.upper(pack, UpperBlock::top);
#pragma unroll
      for (int block_number = 0; block_number < upper_blocks; ++block_number) {
        if (block_number == 0 && row.to_block) Layout::wait(s.above_free, neighbour_stages, row.above + v);
        auto const upper = static_cast<UpperBlock>(block_number);
        Direction const direction = upper == UpperBlock::top     ? Direction::top
                                    : upper == UpperBlock::north ? Direction::north
                                                                 : Direction::east;
        // What points out of the grid is kept as zero, whatever it is. (A lower block of more than 16 bits that does,
        // and is not finite, makes the pivot block not finite, which is recorded.)
        bool inside[lanes];
#pragma unroll
        for (int e = 0; e < lanes; ++e) {
          inside[e] = upper == UpperBlock::top ? m_layout.has_above(row.k)
                      : upper == UpperBlock::north
                          ? row.slab * W + thread.first_lane + e + 1 < m_layout.map().grid().nj()
                          : v - thread.first_lane - e + 1 < m_layout.map().grid().ni();
        }
        // Several columns at once, so that their products overlap.
        constexpr int columns = n <= 8 ? n : 4;
#pragma unroll 1
        for (int first = 0; first < n; first += columns) {
          Scalar sum[columns][rows_per_thread][lanes] = {};
#pragma unroll
          for (int m = 0; m < n; ++m) {
#pragma unroll
            for (int c = 0; c < columns; ++c) {
              auto const values = given_entry(direction, m, min(first + c, n - 1));
#pragma unroll
              for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
                for (int e = 0; e < lanes; ++e) sum[c][r][e] += d[m][r][e] * static_cast<Scalar>(values.m_values[e]);
              }
            }
          }
#pragma unroll
          for (int c = 0; c < columns; ++c) {
            if (first + c >= n) continue;
#pragma unroll
            for (int r = 0; r < rows_per_thread; ++r) {
              // Of 16 bits, threads without a row help to send those of others.
              if (!Short::exists && !thread.has_row[r]) continue;
              int const entry = ((first + c) * n + thread.rows[r]) * W + thread.first_lane;
              StoredLanes stored;
              if constexpr (Short::exists) {
                stored = kept_short.kept_upper(r, first + c, sum[c][r], inside, fit);
                if (upper == UpperBlock::top && row.to_block) {
                  Layout::send_above(s, row.above + v, entry, thread.has_row[r], stored);
                }
                if (!thread.has_row[r]) continue;
              } else {
#pragma unroll
                for (int e = 0; e < lanes; ++e) {
                  if (!inside[e]) sum[c][r][e] = 0;
                }
                stored = Layout::rounded(sum[c][r]);
              }
              store(upper_to + block_number * block + entry, stored);
              if (upper == UpperBlock::top) {
                if constexpr (Layout::is_part) m_layout.send_to_part_above(row, v, entry, stored, excess_above);
                if (!Short::exists && row.to_block) Layout::send_above(s, row.above + v, entry, true, stored);
                continue;
              }
              // For the step after: zero where there is no point.
#pragma unroll
              for (int e = 0; e < lanes; ++e) {
                if (!exists[e]) stored.m_values[e] = Storage(0.0F);
              }
              *reinterpret_cast<StoredLanes*>((upper == UpperBlock::east ? s.east : s.north) + entry) = stored;
            }
          }
        }
      }
      if constexpr (Layout::is_part && !Short::exists) {
#pragma unroll
        for (int e = 0; e < lanes; ++e) {
          if (exists[e] && !(excess_above[e] == Storage(0))) m_layout.record_above(row, v, thread.first_lane + e);
        }
      }
      if constexpr (Short::exists) {
#pragma unroll
        for (int e = 0; e < lanes; ++e) {
          if (!fit[e]) report(e, unstorable_code);
        }
      } else if constexpr (!keeps_lower_as_given) {
        Storage* const to = m_layout.m_factors.lower(pack, LowerBlock::bottom);
        const MatrixStorage* const from = Layout::given_blocks(s, count);
        for (int e = threadIdx.x; e < 3 * block; e += warps * warp) {
          auto const value = static_cast<Storage>(from[e]);
          to[e] = value;
          if constexpr (sizeof(Storage) < sizeof(MatrixStorage)) {
            if (!(value * Storage(0) == Storage(0))) m_layout.report_lower(row, v, e);
          }
        }
      }
      synchronize_computing();
      s.done[count % window].arrive();
    }
  }

 private:
  /// rows -= L U; `left` tells the value of L in a lane of the thread's row, `u` where U is in a lane.
  template <class Left>
  __device__ __forceinline__ static void eliminate(Rows& rows, const Left& left, const Storage* const (&u)[lanes]) {
#pragma unroll(n <= 8 ? n : 1)
    for (int m = 0; m < n; ++m) {
      Scalar l[rows_per_thread][lanes];
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) left(r, m, l[r]);
#pragma unroll
      for (int c = 0; c < n; ++c) {
#pragma unroll
        for (int e = 0; e < lanes; ++e) {
          Scalar const value = static_cast<Scalar>(u[e][(c * n + m) * W]);
#pragma unroll
          for (int r = 0; r < rows_per_thread; ++r) rows[c][r][e] -= l[r][e] * value;
        }
      }
    }
  }

  /// A barrier of the warps that compute.
  __device__ static void synchronize_computing() { asm volatile("bar.sync 1, %0;" ::"n"(warps * warp) : "memory"); }

  const Layout& m_layout;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
