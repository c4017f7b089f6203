// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <limits>
#include <string>

#include "support/execution_spaces.hpp"
#include "support/line_options.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// Factors of lines in fewer bits than they are computed in: what cannot be stored.
namespace hyperplane::test::lines_short_failures {
namespace {

template <class Exec>
class LinesShortFailures : public ::testing::Test {};
TYPED_TEST_SUITE(LinesShortFailures, ExecutionSpaces, SpaceNames);

template <class Storage, class Exec>
LineStatus status_of(const Exec& exec, const LineSet& lines, const ReferenceStencil& a,
                     const BlockTridiagonalOptions& options) {
  BlockTridiagonal<double, 5, Exec, Storage> solver(exec, lines, options);
  solver.factor(exec, to_device<double, 5, double>(exec, a));
  return solver.status(exec);
}

TYPED_TEST(LinesShortFailures, of_what_is_too_large_are_a_status) {
  TypeParam const exec;
  constexpr int n = 5;
  Grid const grid(3, 19, 2);
  Point const bad{2, 10, 1};
  auto const lines = LineSet::along(grid, LineDirection::j);
  for (auto const direction : {Direction::south, Direction::north}) {
    for (auto const& options : line_options_of<TypeParam>()) {
      SCOPED_TRACE(std::string(name(direction)) + ", " + describe(options));
      auto a = random_stencil(grid, n);
      // What the neighbour has for the point is nothing, so that no pivot block is large.
      auto const other = grid.index(neighbour(bad, direction));
      for (auto& entry : a.block(other, opposite(direction)).entries) entry = 0;
      a.block(grid.index(bad), direction)(1, 0) = 1e7;
      auto const status = status_of<Half>(exec, lines, a, options);
      EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
      EXPECT_EQ(status.grid_point, bad);
      auto const of_range = status_of<BFloat16>(exec, lines, a, options);
      EXPECT_TRUE(of_range.ok()) << of_range.message();
      a.block(grid.index(bad), direction)(1, 0) = 1e40;
      auto const larger = status_of<BFloat16>(exec, lines, a, options);
      EXPECT_EQ(larger.failure, FactorFailure::overflow) << larger.message();
      EXPECT_EQ(larger.grid_point, bad);
      auto const in_float = status_of<float>(exec, lines, a, options);
      EXPECT_EQ(in_float.failure, FactorFailure::overflow) << in_float.message();
      EXPECT_EQ(in_float.grid_point, bad) << in_float.message();
    }
  }
}

/// A block of the matrix at the point that the status names.
void expect_not_finite(const LineStatus& status, const Point& point, LineBlock block) {
  EXPECT_EQ(status.failure, FactorFailure::not_finite) << status.message();
  EXPECT_EQ(status.grid_point, point) << status.message();
  ASSERT_TRUE(status.block.has_value()) << status.message();
  EXPECT_EQ(*status.block, block) << status.message();
  EXPECT_EQ(status.block_position, status.position) << status.message();
}

constexpr double not_finite[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};

TYPED_TEST(LinesShortFailures, of_what_is_not_finite_are_no_overflow) {
  TypeParam const exec;
  Grid const grid(3, 19, 2);
  Point const bad{2, 10, 1};
  auto const lines = LineSet::along(grid, LineDirection::j);
  for (double const value : not_finite) {
    for (auto const& options : line_options_of<TypeParam>()) {
      SCOPED_TRACE(std::to_string(value) + ", " + describe(options));
      auto a = random_stencil(grid, 5);
      a.block(grid.index(bad), Direction::north)(1, 0) = value;
      expect_not_finite(status_of<Half>(exec, lines, a, options), bad, LineBlock::upper);
      expect_not_finite(status_of<float>(exec, lines, a, options), bad, LineBlock::upper);
    }
  }
}

TYPED_TEST(LinesShortFailures, have_spikes_whose_overflow_is_a_status) {
  TypeParam const exec;
  constexpr int n = 5;
  Grid const grid(21, 9, 1);
  // The first point of the second of three parts, 7 points and a separator behind the end of the line: what couples it
  // to the separator is in no factor, but in the spikes.
  Point const bad{8, 4, 0};
  auto const lines = LineSet::along(grid, LineDirection::i);
  auto a = random_stencil(grid, n);
  a.block(grid.index(bad), Direction::west)(1, 0) = 1e8;
  for (auto options : line_options_of<TypeParam>()) {
    options.partitions = 3;
    auto const status = status_of<Half>(exec, lines, a, options);
    EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
    EXPECT_EQ(status.grid_point, bad) << status.message();
    auto const of_range = status_of<BFloat16>(exec, lines, a, options);
    EXPECT_TRUE(of_range.ok()) << of_range.message();
    auto larger = a;
    larger.block(grid.index(bad), Direction::west)(1, 0) = 1e40;
    auto const in_float = status_of<float>(exec, lines, larger, options);
    EXPECT_EQ(in_float.failure, FactorFailure::overflow) << in_float.message();
    EXPECT_EQ(in_float.grid_point, bad) << in_float.message();
    for (double const value : not_finite) {
      auto wrong = random_stencil(grid, n);
      // The last point of the part, then the first one.
      Point const last{13, 4, 0};
      wrong.block(grid.index(last), Direction::east)(1, 0) = value;
      expect_not_finite(status_of<Half>(exec, lines, wrong, options), last, LineBlock::upper);
      expect_not_finite(status_of<float>(exec, lines, wrong, options), last, LineBlock::upper);
      wrong.block(grid.index(bad), Direction::west)(1, 0) = value;
      expect_not_finite(status_of<float>(exec, lines, wrong, options), bad, LineBlock::lower);
    }
    // A pivot that is singular counts before the spikes that follow from it.
    auto singular = a;
    for (auto& block : singular.blocks[static_cast<std::size_t>(grid.index(2, 4, 0))]) {
      for (int c = 0; c < n; ++c) block(3, c) = 0;
    }
    EXPECT_EQ(status_of<Half>(exec, lines, singular, options).grid_point, (Point{2, 4, 0}));
  }
}

// Separators keep in the storage of the factors what couples them to parts, where that is not of 16 bits.
TYPED_TEST(LinesShortFailures, have_couplings_of_separators_whose_overflow_is_a_status) {
  TypeParam const exec;
  constexpr int n = 5;
  Grid const grid(21, 9, 1);
  Point const bad{14, 4, 0};  // the second of two separators, or of three on periodic lines
  BlockTridiagonalOptions const options{.partitions = 3};
  for (auto const ends : {LineEnds::open, LineEnds::periodic}) {
    auto const lines = LineSet::along(grid, LineDirection::i, ends);
    for (auto const direction : {Direction::west, Direction::east}) {
      SCOPED_TRACE(std::string(name(direction)) + (ends == LineEnds::open ? ", open" : ", periodic"));
      auto a = random_stencil(grid, n);
      // What the neighbour has for the separator is nothing, so that no spike there is, and the reduced matrix has
      // nothing large.
      for (auto const at : {13, 14, 15}) {
        for (auto& entry : a.block(grid.index(at, 4, 0), Direction::west).entries) entry = 0;
        for (auto& entry : a.block(grid.index(at, 4, 0), Direction::east).entries) entry = 0;
      }
      a.block(grid.index(bad), direction)(1, 0) = 1e40;
      auto const in_float = status_of<float>(exec, lines, a, options);
      EXPECT_EQ(in_float.failure, FactorFailure::overflow) << in_float.message();
      EXPECT_EQ(in_float.grid_point, bad) << in_float.message();
      auto const in_double = status_of<double>(exec, lines, a, options);
      EXPECT_TRUE(in_double.ok()) << in_double.message();
      for (double const value : not_finite) {
        a.block(grid.index(bad), direction)(1, 0) = value;
        expect_not_finite(status_of<float>(exec, lines, a, options), bad,
                          direction == Direction::west ? LineBlock::lower : LineBlock::upper);
      }
    }
  }
  // A periodic line of one point couples to itself alone, and that is not kept.
  auto a = random_stencil(Grid(1, 9, 1), n);
  a.block(4, Direction::west)(1, 1) = 1e40;
  a.block(4, Direction::east)(1, 1) = -1e40;
  auto const lines = LineSet::along(a.grid, LineDirection::i, LineEnds::periodic);
  auto const status = status_of<float>(exec, lines, a, options);
  EXPECT_TRUE(status.ok()) << status.message();
}

}  // namespace
}  // namespace hyperplane::test::lines_short_failures
