// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/swept/variant.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A kernel that holds tiles in registers.
struct SweptTileKernel {
  int m_lane_points;
  int m_warps;            ///< of a tile
  int m_resident_blocks;  ///< tiles that a multiprocessor holds at the same time

  std::int64_t tile_points() const { return std::int64_t{32} * m_warps * m_lane_points; }
};

/// What the choice depends on, of the problem and the device.
struct SweptCosts {
  int m_half_width;
  int m_sub_steps;
  int m_components;
  int m_operations;  ///< floating-point instructions of a point and step
  int m_multiprocessors;

  /// Points that a tile loses at each side with a step.
  std::int64_t lost() const { return std::int64_t{m_half_width} * m_sub_steps; }
};

/// How a line is cut: tiles own N / tiles points each and have others around them, which they lose in `m_steps` steps.
struct SweptTileShape {
  SweptVariant m_variant = SweptVariant::shared;
  int m_kernel = -1;  ///< index into the kernels; -1: none is possible
  std::int64_t m_tiles = 0;
  std::int64_t m_steps = 0;
  double m_cycles = std::numeric_limits<double>::infinity();  ///< estimate for a step

  bool possible() const { return m_kernel >= 0; }
};

/// Cycles of a step in which each multiprocessor has `blocks` tiles: its four schedulers issue a floating-point
/// instruction (double precision) every second cycle. A sub-step waits for a shuffle too, or in tiles of several warps
/// for a barrier, which warps hide best where there are two for each scheduler. The figures are those that fit an H200
/// best (docs/notes/swept.md).
inline double swept_step_cycles(const SweptTileKernel& kernel, const SweptCosts& costs, double blocks) {
  double const warps = std::max(1.0, std::ceil(blocks * kernel.m_warps / 4));
  double const arithmetic = warps * 2.0 * kernel.m_lane_points * costs.m_operations;
  double const exchange = kernel.m_warps == 1 ? 20.0 : kernel.m_warps == 8 ? 60.0 : 110.0;
  return std::max(arithmetic, 35.0 * costs.m_sub_steps) + exchange * costs.m_sub_steps;
}

/// All tiles at the same time, in one launch; neighbours exchange edges every m_steps steps, which takes about 1 us; no
/// more than `most_steps`, unless that is 0.
inline SweptTileShape choose_resident_shape(std::int64_t points, const SweptCosts& costs,
                                            const std::vector<SweptTileKernel>& kernels, std::int64_t most_steps = 0) {
  constexpr double exchange_cycles = 1800.0;
  SweptTileShape best{.m_variant = SweptVariant::resident};
  for (int number = 0; number < static_cast<int>(kernels.size()); ++number) {
    auto const& kernel = kernels[number];
    auto const width = kernel.tile_points();
    if (points < width) continue;
    // So many tiles for each multiprocessor, or for two, four, ... of them.
    for (int per = -6; per <= kernel.m_resident_blocks; ++per) {
      if (kernel.m_resident_blocks < 1) break;
      auto const wanted = per > 0 ? std::int64_t{per} * costs.m_multiprocessors : costs.m_multiprocessors >> (1 - per);
      auto const tiles = std::clamp<std::int64_t>(wanted, 1, points);
      auto const own = (points + tiles - 1) / tiles;
      // The edges of one neighbour at each side are enough.
      auto steps = std::min((width - own) / (2 * costs.lost()), std::max<std::int64_t>(1, own / costs.lost()));
      if (most_steps > 0) steps = std::min(steps, most_steps);
      if (steps < 1) continue;
      double const cycles =
          swept_step_cycles(kernel, costs, std::max(1, per)) + exchange_cycles / static_cast<double>(steps);
      if (cycles < best.m_cycles) best = {SweptVariant::resident, number, tiles, steps, cycles};
    }
  }
  return best;
}

/// Tiles in turn, read and written in each launch. More steps a launch share the cost of moving the points, and waste
/// more of the tile. With `wanted_steps` steps, or as many as a tile's points allow, unless that is 0.
inline SweptTileShape choose_tiles_shape(std::int64_t points, const SweptCosts& costs,
                                         const std::vector<SweptTileKernel>& kernels, std::int64_t wanted_steps = 0) {
  constexpr double launch_cycles = 5400.0;
  constexpr double move_cycles = 22.0;  // a value in and out, over all multiprocessors' bandwidth
  SweptTileShape best{.m_variant = SweptVariant::tiles};
  for (int number = 0; number < static_cast<int>(kernels.size()); ++number) {
    auto const& kernel = kernels[number];
    auto const width = kernel.tile_points();
    if (points < width || kernel.m_resident_blocks < 1) continue;
    auto const most = (width - 1) / (2 * costs.lost());
    auto const tiles_of = [&](std::int64_t steps) {
      auto const own = width - 2 * costs.lost() * steps;
      return (points + own - 1) / own;
    };
    auto const blocks_of = [&](std::int64_t steps) {
      return (tiles_of(steps) + costs.m_multiprocessors - 1) / costs.m_multiprocessors;
    };
    auto const consider = [&](std::int64_t steps) {
      auto const tiles = tiles_of(steps);
      // Full turns of the device, and what is left over.
      auto const blocks = blocks_of(steps);
      auto const at_once = static_cast<double>(std::min<std::int64_t>(blocks, kernel.m_resident_blocks));
      // A multiprocessor that holds one tile at a time has nothing else to do while that reads and writes.
      double const alone = kernel.m_resident_blocks < 2 && blocks > 1 ? 1.06 : 1.0;
      double const step = alone * static_cast<double>(blocks) / at_once * swept_step_cycles(kernel, costs, at_once);
      double const moved = move_cycles * costs.m_components * static_cast<double>(tiles * width) /
                           (static_cast<double>(costs.m_multiprocessors) * 32.0);
      double const cycles = step + (launch_cycles + moved) / static_cast<double>(steps);
      if (cycles < best.m_cycles) best = {SweptVariant::tiles, number, tiles, steps, cycles};
    };
    if (wanted_steps > 0) {
      if (most > 0) consider(std::min(wanted_steps, most));
      continue;
    }
    for (std::int64_t steps = 1; steps <= most; steps += std::max<std::int64_t>(1, steps / 8)) {
      consider(steps);
      // As many steps as in no more turns.
      auto const own = (points - 1) / (blocks_of(steps) * costs.m_multiprocessors) + 1;
      consider(std::max(steps, (width - own) / (2 * costs.lost())));
    }
  }
  return best;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
