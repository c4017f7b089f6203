// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/swept/detail/swept_cuda_lane.hpp>
#include <hyperplane/swept/detail/swept_tiling.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

/// Triangles and diamonds in registers: a warp for each tile, a launch for each phase.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

inline constexpr int swept_register_warps = 4;  // of a block

template <class Problem, int lane_points>
class SweptRegisterDiamond {
  using Levels = SweptLevels<Problem>;
  using State = SweptPointState<Problem>;
  using Scalar = typename Problem::scalar_type;
  /// Levels after which rows and sub-steps repeat.
  static constexpr int period = Problem::sub_steps == 1 ? 2 : Problem::sub_steps;

 public:
  static constexpr int tile_points = warp_lanes * lane_points;

  __device__ SweptRegisterDiamond(const Problem& problem, const SweptTiling& tiling, std::int64_t points,
                                  const SweptTile& tile)
      : m_problem(problem), m_tiling(tiling), m_points(points), m_tile(tile) {
    // The last point of the line is the last of a lane.
    m_begin = tile.m_right_wall ? tile.m_points.m_end - tile_points : tile.m_points.m_begin;
    m_lane_begin = m_begin + static_cast<std::int64_t>(threadIdx.x % warp_lanes) * lane_points;
    m_ends = {tile.m_left_wall && m_lane_begin == 0, tile.m_right_wall && m_lane_begin + lane_points == points};
  }

  __device__ void run(const SweptRows<Problem>& rows, std::int64_t phase, std::int64_t levels, Scalar* staging) {
    auto const position = [&](int i) {
      auto const at = m_begin + i;
      if (at < m_tile.m_points.m_begin || at >= m_tile.m_points.m_end) return std::int64_t{-1};
      return at < 0 ? at + m_points : at;
    };
#pragma unroll
    for (int r = 0; r < Levels::rows; ++r) read_states<Problem>(staging, rows.m_rows[r], position, m_rows[r]);
    auto const base = (phase - 1) * m_tiling.half_levels();
    auto const last = base + 2 * m_tiling.half_levels() < levels ? base + 2 * m_tiling.half_levels() : levels;
    for (auto level = base < 0 ? 1 : base + 1; level <= last; ++level) {
      with_sub_step<period>(static_cast<int>((level - 1) % period),
                            [&](auto turn) { advance<turn.value>(m_tiling.range(m_tile, level - base)); });
    }
    // A tile's points are its own: what it has not computed is as it was.
#pragma unroll
    for (int r = 0; r < Levels::rows; ++r) write_states<Problem>(staging, m_rows[r], position, rows.m_rows[r]);
  }

 private:
  template <int turn>
  __device__ void advance(const SweptRange& range) {
    constexpr int sub_step = turn % Problem::sub_steps;
    auto const& before = m_rows[Levels::row(turn)];
    auto& after = m_rows[Levels::row(turn + 1)];
    auto halo = halo_of_warp<Problem>(before);
    apply_ends(m_problem, before, m_ends, halo);
    SweptWindow<Problem, lane_points> const window(before, halo);
#pragma unroll
    for (int k = 0; k < lane_points; ++k) {
      auto const at = m_lane_begin + k;
      const State* const u = window.at(k);
      State const state = m_problem.template step<sub_step>(u, sub_step == 0 ? *u : m_rows[0][k]);
      if (at >= range.m_begin && at < range.m_end) after[k] = state;
    }
  }

  Problem m_problem;
  SweptTiling m_tiling;
  std::int64_t m_points;
  SweptTile m_tile;
  std::int64_t m_begin, m_lane_begin;
  SweptLaneEnds m_ends;
  State m_rows[Levels::rows][lane_points];
};

template <class Problem, int lane_points>
__global__ void __launch_bounds__(warp_lanes* swept_register_warps)
    swept_registers(Problem problem, SweptRows<Problem> rows, SweptTiling tiling, std::int64_t points,
                    std::int64_t phase, std::int64_t tiles, std::int64_t levels) {
  __shared__ typename Problem::scalar_type staging[swept_register_warps][SweptStaging<lane_points>::size];
  int const warp = threadIdx.x / warp_lanes;
  auto const number = static_cast<std::int64_t>(blockIdx.x) * swept_register_warps + warp;
  if (number >= tiles) return;
  SweptRegisterDiamond<Problem, lane_points> diamond(problem, tiling, points, tiling.tile(phase, number));
  diamond.run(rows, phase, levels, staging[warp]);
}

/// The variant `registers`.
template <class Problem, int lane_points>
void swept_registers_advance(cudaStream_t stream, const Problem& problem, const SweptRows<Problem>& rows,
                             const SweptTiling& tiling, std::int64_t points, std::int64_t levels) {
  for (std::int64_t phase = 0; phase < tiling.phases(levels); ++phase) {
    auto const tiles = tiling.tiles(phase);
    auto const blocks = static_cast<int>((tiles + swept_register_warps - 1) / swept_register_warps);
    cuda::launch(stream, swept_registers<Problem, lane_points>, blocks, warp_lanes * swept_register_warps, 0,
                 cuda::Dependency::complete, problem, rows, tiling, points, phase, tiles, levels);
  }
}

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
