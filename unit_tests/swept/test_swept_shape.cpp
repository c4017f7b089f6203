// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/swept/detail/swept_cuda_shape.hpp>
#include <hyperplane/swept/detail/swept_tiling.hpp>
#include <map>
#include <vector>

// The cuts of space-time are pure functions.
namespace hyperplane::test {
namespace {

using namespace hyperplane::detail;

/// Runs a tiling on levels instead of values: a point may only go from the level before, with all of its stencil there.
void check_tiling(std::int64_t points, std::int64_t tile_points, int width, bool periodic, std::int64_t levels) {
  SweptTiling const tiling(points, tile_points, width, periodic);
  // The highest level of a point in each parity.
  std::vector<std::map<int, std::int64_t>> level_of(points, {{0, 0}, {1, -1}});
  auto const wrapped = [&](std::int64_t i) { return periodic ? (i % points + points) % points : i; };
  for (std::int64_t phase = 0; phase < tiling.phases(levels); ++phase) {
    std::vector<int> owner(points, -1);
    auto const base = (phase - 1) * tiling.half_levels();
    for (std::int64_t number = 0; number < tiling.tiles(phase); ++number) {
      auto const tile = tiling.tile(phase, number);
      ASSERT_LE(tile.m_points.m_end - tile.m_points.m_begin, tiling.largest());
      for (auto i = tile.m_points.m_begin; i < tile.m_points.m_end; ++i) {
        ASSERT_EQ(owner[wrapped(i)], -1) << "two tiles have a point";
        owner[wrapped(i)] = static_cast<int>(number);
      }
      auto const last = std::min(levels, base + 2 * tiling.half_levels());
      for (auto level = std::max<std::int64_t>(1, base + 1); level <= last; ++level) {
        auto const range = tiling.range(tile, level - base);
        for (auto i = range.m_begin; i < range.m_end; ++i) {
          ASSERT_GE(i, tile.m_points.m_begin);
          ASSERT_LT(i, tile.m_points.m_end);
          for (auto n = i - width; n <= i + width; ++n) {
            if (!periodic && (n < 0 || n >= points)) continue;
            ASSERT_EQ(level_of[wrapped(n)][(level - 1) % 2], level - 1) << "level " << level << " of " << i;
            if (tiling.is_whole()) continue;
            ASSERT_TRUE(n >= tile.m_points.m_begin && n < tile.m_points.m_end) << "reads another tile's point";
          }
          level_of[wrapped(i)][level % 2] = level;
        }
      }
    }
  }
  for (auto const& reached : level_of) ASSERT_EQ(reached.at(levels % 2), levels);
}

TEST(SweptTiling, computes_every_level_of_every_point_from_what_is_there) {
  for (bool const periodic : {false, true}) {
    for (int const width : {1, 2, 3}) {
      for (std::int64_t const points : {1, 7, 40, 64, 101, 200}) {
        for (std::int64_t const tile : {8, 16, 31, 64}) {
          for (std::int64_t const levels : {0, 1, 5, 16, 47}) {
            check_tiling(points, tile, width, periodic, levels);
            if (HasFatalFailure()) FAIL() << points << " points, tiles of " << tile << ", width " << width;
          }
        }
      }
    }
  }
}

TEST(SweptTiling, needs_a_phase_for_each_half_diamond) {
  SweptTiling const tiling(1 << 20, 1024, 1, true);
  EXPECT_EQ(tiling.half_levels(), 510);
  EXPECT_EQ(tiling.phases(510), 2);
  EXPECT_EQ(tiling.phases(5100), 11);
  EXPECT_EQ(tiling.tiles(0), 1024);
  EXPECT_EQ(tiling.tiles(1), 1024);
  EXPECT_EQ(SweptTiling(1 << 20, 1024, 1, false).tiles(1), 1025);
}

std::vector<SweptTileKernel> const kernels = {{4, 1, 32}, {8, 1, 28}, {16, 1, 16}, {8, 4, 8},
                                              {8, 8, 4},  {16, 8, 4}, {16, 16, 2}};
SweptCosts const heat{1, 1, 1, 3, 132};
SweptCosts const euler{2, 2, 3, 290, 132};

TEST(SweptTileShape, fits_points_steps_and_device) {
  for (auto const& costs : {heat, euler}) {
    for (std::int64_t points = 128; points < (std::int64_t{1} << 25); points = points * 5 / 3) {
      auto const at_once = choose_resident_shape(points, costs, kernels);
      auto const in_turn = choose_tiles_shape(points, costs, kernels);
      for (auto const& shape : {at_once, in_turn}) {
        if (!shape.possible()) continue;
        auto const own = (points + shape.m_tiles - 1) / shape.m_tiles;
        EXPECT_GE(shape.m_steps, 1);
        EXPECT_GE(own, 1);
        EXPECT_LE(own + 2 * shape.m_steps * costs.lost(), kernels[shape.m_kernel].tile_points()) << points;
        EXPECT_LE(kernels[shape.m_kernel].tile_points(), points);
      }
      if (at_once.possible()) {
        EXPECT_LE(at_once.m_tiles, std::int64_t{kernels[at_once.m_kernel].m_resident_blocks} * costs.m_multiprocessors);
      }
    }
  }
}

TEST(SweptTileShape, takes_the_kernel_that_an_h200_is_fastest_with) {
  // As measured for the heat equation: docs/measurements/h200, swept_cuda and swept_few.
  auto const tile = [](int power) {
    return kernels[choose_tiles_shape(std::int64_t{1} << power, heat, kernels).m_kernel].tile_points();
  };
  EXPECT_EQ(tile(11), 256);
  EXPECT_EQ(tile(15), 256);
  EXPECT_EQ(tile(17), 512);
  EXPECT_EQ(tile(18), 4096);
  EXPECT_EQ(tile(20), 8192);
  EXPECT_EQ(tile(24), 4096);
}

TEST(SweptTileShape, takes_the_steps_that_are_asked_for_or_as_many_as_fit) {
  for (auto const& costs : {heat, euler}) {
    for (std::int64_t const points : {8192, 100003, 1 << 22}) {
      EXPECT_EQ(choose_tiles_shape(points, costs, {{16, 8, 4}}, 33).m_steps, 33);
      auto const most = choose_tiles_shape(points, costs, {{16, 8, 4}}, 1 << 20);
      EXPECT_EQ(most.m_steps, 4095 / (2 * costs.lost()));
      EXPECT_EQ(most.m_tiles, (points - 1) / (4096 - 2 * costs.lost() * most.m_steps) + 1);
      EXPECT_LE(choose_resident_shape(points, costs, {{16, 8, 32}}, 33).m_steps, 33);
    }
  }
}

TEST(SweptTileShape, gives_all_multiprocessors_the_same) {
  // 1, 2 tiles each: the figures are those of 132 multiprocessors.
  EXPECT_LE(choose_tiles_shape(1 << 16, {2, 2, 1, 16, 132}, {{8, 4, 8}}).m_tiles, 132);
  auto const shape = choose_tiles_shape(std::int64_t{1} << 24, heat, {{16, 8, 4}});
  EXPECT_GT(shape.m_tiles % 132 == 0 ? 132 : shape.m_tiles % 132, 126);
}

TEST(SweptTileShape, is_possible_where_it_should_be) {
  EXPECT_FALSE(choose_resident_shape(127, heat, kernels).possible());
  EXPECT_FALSE(choose_tiles_shape(127, heat, kernels).possible());
  EXPECT_TRUE(choose_resident_shape(128, heat, kernels).possible());
  EXPECT_TRUE(choose_resident_shape(1 << 20, heat, kernels).possible());
  EXPECT_FALSE(choose_resident_shape(1 << 24, heat, kernels).possible());
  EXPECT_TRUE(choose_tiles_shape(1 << 24, heat, kernels).possible());
  // Kernels that no multiprocessor can hold are none.
  EXPECT_FALSE(choose_tiles_shape(1 << 24, heat, {{16, 16, 0}}).possible());
  EXPECT_FALSE(choose_resident_shape(1 << 12, heat, {{16, 1, 0}}).possible());
}

}  // namespace
}  // namespace hyperplane::test
