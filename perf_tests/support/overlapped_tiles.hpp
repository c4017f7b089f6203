// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cuda_support.hpp"

#include <hyperplane/swept/swept_rule.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(KOKKOS_ENABLE_CUDA)

namespace hyperplane::perf {

/// What the swept rule is compared with: overlapped tiles, 64 steps a launch. A block of threads reads its points and
/// those around them, computes all of them 64 steps long, of which the points around are lost, and writes its own. A
/// thread has neighbouring points in registers; those beside them are in shared memory, with one barrier a level.
template <class Problem, int lane_points, int threads>
struct OverlappedTiles {
  using Scalar = typename Problem::scalar_type;
  using State = SweptPointState<Problem>;
  static constexpr int steps = 64;
  static constexpr int width = Problem::half_width;
  static constexpr int reach = steps * Problem::sub_steps * width;
  static constexpr int tile_points = lane_points * threads;
  static constexpr int own_points = tile_points - 2 * reach;

  union Shared {
    Scalar m_staging[threads * (lane_points + 1)];
    struct {
      State m_left[2][threads][width];
      State m_right[2][threads][width];
    } m_edges;
  };
};

template <class Problem, int lane_points, int threads>
__global__ void __launch_bounds__(threads)
    overlapped_tiles(Problem problem, std::int64_t points, detail::SweptRow<Problem> from, detail::SweptRow<Problem> to,
                     int steps) {
  using Tiles = OverlappedTiles<Problem, lane_points, threads>;
  using State = typename Tiles::State;
  using Scalar = typename Tiles::Scalar;
  constexpr int width = Tiles::width;
  constexpr bool periodic = Problem::boundary == SweptBoundary::periodic;
  __shared__ typename Tiles::Shared shared;
  int const thread = static_cast<int>(threadIdx.x);
  std::int64_t const own_begin = std::int64_t{blockIdx.x} * Tiles::own_points;
  std::int64_t const own_end = own_begin + Tiles::own_points < points ? own_begin + Tiles::own_points : points;
  std::int64_t begin = own_begin - Tiles::reach;
  // Tiles at the ends of the line begin or end with it.
  if (!periodic && begin + Tiles::tile_points > points) begin = points - Tiles::tile_points;
  if (!periodic && begin < 0) begin = 0;

  State u[lane_points], start[lane_points];
  for (int c = 0; c < Problem::components; ++c) {
    __syncthreads();
    for (int i = thread; i < Tiles::tile_points; i += threads) {
      auto const at = begin + i;
      auto const on_line = at < 0 ? at + points : at >= points ? at - points : at;
      shared.m_staging[i + i / lane_points] = from.m_data[c * from.m_stride + on_line];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < lane_points; ++k) {
      Scalar const value = shared.m_staging[thread * (lane_points + 1) + k];
#pragma unroll
      for (int d = 0; d < Problem::components; ++d) u[k][d] = d == c ? value : u[k][d];
    }
  }
  __syncthreads();

  auto const lane_begin = begin + thread * lane_points;
  detail::SweptLaneEnds const ends{!periodic && lane_begin == 0, !periodic && lane_begin + lane_points == points};
  int parity = 0;
  auto const level = [&](auto sub_step) {
    if constexpr (sub_step.value == 0) {
#pragma unroll
      for (int k = 0; k < lane_points; ++k) start[k] = u[k];
    }
#pragma unroll
    for (int j = 0; j < width; ++j) {
      shared.m_edges.m_left[parity][thread][j] = u[j];
      shared.m_edges.m_right[parity][thread][j] = u[lane_points - width + j];
    }
    __syncthreads();
    detail::SweptHalo<Problem> halo;
#pragma unroll
    for (int j = 0; j < width; ++j) {
      halo.m_left[j] = shared.m_edges.m_right[parity][thread > 0 ? thread - 1 : 0][j];
      halo.m_right[j] = shared.m_edges.m_left[parity][thread + 1 < threads ? thread + 1 : thread][j];
    }
    parity ^= 1;
    detail::apply_ends(problem, u, ends, halo);
    detail::SweptWindow<Problem, lane_points> const window(u, halo);
#pragma unroll
    for (int k = 0; k < lane_points; ++k) u[k] = problem.template step<sub_step.value>(window.at(k), start[k]);
  };
  for (int s = 0; s < steps; ++s) {
    [&]<int... sub_steps>(std::integer_sequence<int, sub_steps...>) {
      (level(std::integral_constant<int, sub_steps>{}), ...);
    }(std::make_integer_sequence<int, Problem::sub_steps>{});
  }

  for (int c = 0; c < Problem::components; ++c) {
    __syncthreads();
#pragma unroll
    for (int k = 0; k < lane_points; ++k) {
      Scalar value = u[k][0];
#pragma unroll
      for (int d = 1; d < Problem::components; ++d) value = d == c ? u[k][d] : value;
      shared.m_staging[thread * (lane_points + 1) + k] = value;
    }
    __syncthreads();
    for (int i = thread; i < Tiles::tile_points; i += threads) {
      auto const at = begin + i;
      if (at >= own_begin && at < own_end) to.m_data[c * to.m_stride + at] = shared.m_staging[i + i / lane_points];
    }
  }
}

/// From u into spare and back. Returns whether the result is in spare. The line has a tile's points at least.
template <class Problem, int lane_points, int threads>
bool overlapped_advance(cudaStream_t stream, const Problem& problem, std::int64_t points, detail::SweptRow<Problem> u,
                        detail::SweptRow<Problem> spare, std::int64_t steps) {
  using Tiles = OverlappedTiles<Problem, lane_points, threads>;
  auto const blocks = static_cast<unsigned int>((points + Tiles::own_points - 1) / Tiles::own_points);
  bool in_spare = false;
  for (; steps > 0; steps -= Tiles::steps) {
    int const now = static_cast<int>(steps < Tiles::steps ? steps : Tiles::steps);
    overlapped_tiles<Problem, lane_points, threads>
        <<<blocks, threads, 0, stream>>>(problem, points, in_spare ? spare : u, in_spare ? u : spare, now);
    check_cuda(cudaGetLastError());
    in_spare = !in_spare;
  }
  return in_spare;
}

}  // namespace hyperplane::perf

#endif
