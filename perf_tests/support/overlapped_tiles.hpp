// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cuda_support.hpp"

#include <hyperplane/swept/swept_rule.hpp>

#if defined(KOKKOS_ENABLE_CUDA)

namespace hyperplane::perf {

/// What the swept rule is compared with: overlapped tiles in shared memory. A block of threads reads its points and
/// those around them, computes 64 steps, of which the points around are lost, and writes its own points. Short
/// lines have smaller tiles, so that all multiprocessors have some.
template <class Problem, int tile>
struct OverlappedTiles {
  using Scalar = typename Problem::scalar_type;
  using Levels = detail::SweptLevels<Problem>;
  static constexpr int steps = 64;
  static constexpr int width = Problem::half_width;
  static constexpr int reach = steps * Problem::sub_steps * width;
  static constexpr int tile_points = tile;
  static constexpr int threads = tile < 1024 ? tile : 512;
  static constexpr int own_points = tile_points - 2 * reach;
  static constexpr int stride = tile_points + 2 * width;
  static constexpr int shared_bytes = Levels::rows * Problem::components * stride * static_cast<int>(sizeof(Scalar));
};

template <class Problem, int tile>
__global__ void __launch_bounds__(OverlappedTiles<Problem, tile>::threads)
    overlapped_tiles(Problem problem, std::int64_t points, detail::SweptRow<Problem> from, detail::SweptRow<Problem> to,
                     int steps) {
  using Tiles = OverlappedTiles<Problem, tile>;
  constexpr bool periodic = Problem::boundary == SweptBoundary::periodic;
  extern __shared__ __align__(16) unsigned char overlapped_memory[];
  detail::SweptRows<Problem> rows;
  for (int r = 0; r < Tiles::Levels::rows; ++r) {
    rows.m_rows[r] = {reinterpret_cast<typename Tiles::Scalar*>(overlapped_memory) +
                          r * Problem::components * Tiles::stride + Tiles::width,
                      Tiles::stride};
  }
  std::int64_t const own = std::int64_t{blockIdx.x} * Tiles::own_points;
  std::int64_t const begin = own - Tiles::reach;
  // The part of the tile that is on the line.
  int const first = !periodic && begin < 0 ? static_cast<int>(-begin) : 0;
  int const last =
      !periodic && begin + Tiles::tile_points > points ? static_cast<int>(points - begin) : Tiles::tile_points;
  bool const left = first > 0 || (!periodic && begin == 0);
  bool const right = !periodic && begin + last == points;
  for (int i = first + static_cast<int>(threadIdx.x); i < last; i += Tiles::threads) {
    auto const at = (begin + i + 2 * points) % points;
    rows.m_rows[0].store(i, from.load(at));
  }
  __syncthreads();
  auto const fill = [&](const detail::SweptRow<Problem>& row) {
    if (!left && !right) return;
    detail::SweptRow<Problem> const line{row.m_data + first, row.m_stride};
    int const j = static_cast<int>(threadIdx.x);
    if (left && j < Tiles::width) line.store(-1 - j, detail::swept_state_at(problem, line, last - first, -1 - j));
    if (right && j < Tiles::width) {
      line.store(last - first + j, detail::swept_state_at(problem, line, last - first, last - first + j));
    }
    __syncthreads();
  };
  fill(rows.m_rows[0]);
  for (int level = 1; level <= steps * Problem::sub_steps; ++level) {
    int const lo = left ? first : level * Tiles::width;
    int const hi = right ? last : Tiles::tile_points - level * Tiles::width;
    detail::with_sub_step<Problem::sub_steps>((level - 1) % Problem::sub_steps, [&](auto sub_step) {
      auto const update = detail::swept_update<sub_step.value>(problem, rows, level);
      for (int i = lo + static_cast<int>(threadIdx.x); i < hi; i += Tiles::threads) update(i);
    });
    __syncthreads();
    fill(rows.of_level(level));
  }
  auto const& result = rows.of_level(std::int64_t{steps} * Problem::sub_steps);
  for (int i = Tiles::reach + static_cast<int>(threadIdx.x); i < Tiles::reach + Tiles::own_points;
       i += Tiles::threads) {
    if (begin + i < points) to.store(begin + i, result.load(i));
  }
}

/// From u into spare and back. Returns whether the result is in spare.
template <class Problem, int tile>
bool overlapped_advance(cudaStream_t stream, const Problem& problem, std::int64_t points, detail::SweptRow<Problem> u,
                        detail::SweptRow<Problem> spare, std::int64_t steps) {
  using Tiles = OverlappedTiles<Problem, tile>;
  auto* const kernel = &overlapped_tiles<Problem, tile>;
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tiles::shared_bytes));
  auto const blocks = static_cast<unsigned int>((points + Tiles::own_points - 1) / Tiles::own_points);
  bool in_spare = false;
  for (; steps > 0; steps -= Tiles::steps) {
    int const now = static_cast<int>(steps < Tiles::steps ? steps : Tiles::steps);
    kernel<<<blocks, Tiles::threads, Tiles::shared_bytes, stream>>>(problem, points, in_spare ? spare : u,
                                                                    in_spare ? u : spare, now);
    check_cuda(cudaGetLastError());
    in_spare = !in_spare;
  }
  return in_spare;
}

/// With the smallest tiles that a multiprocessor has one of, or the largest.
template <class Problem>
bool overlapped_advance(cudaStream_t stream, const Problem& problem, std::int64_t points, detail::SweptRow<Problem> u,
                        detail::SweptRow<Problem> spare, std::int64_t steps) {
  constexpr int multiprocessors = 132;
  if constexpr (OverlappedTiles<Problem, 512>::own_points > 0) {
    if (points <= OverlappedTiles<Problem, 512>::own_points * multiprocessors) {
      return overlapped_advance<Problem, 512>(stream, problem, points, u, spare, steps);
    }
  }
  if (points <= OverlappedTiles<Problem, 1024>::own_points * multiprocessors) {
    return overlapped_advance<Problem, 1024>(stream, problem, points, u, spare, steps);
  }
  constexpr int largest = Problem::components == 1 ? 4096 : 2048;
  return overlapped_advance<Problem, largest>(stream, problem, points, u, spare, steps);
}

}  // namespace hyperplane::perf

#endif
