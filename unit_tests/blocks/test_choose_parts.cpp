// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <hyperplane/blocks/choose_parts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/stencil/coupling_strengths.hpp>
#include <limits>

#include "support/execution_spaces.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ChooseParts, cuts_as_few_couplings_as_can_be) {
  EXPECT_THAT(choose_parts(Grid(5, 6, 7), 1), ElementsAre(1, 1, 1));
  EXPECT_THAT(choose_parts(Grid(8, 8, 8), 8), ElementsAre(2, 2, 2));
  EXPECT_THAT(choose_parts(Grid(600, 400, 4), 64), ElementsAre(8, 8, 1));
  EXPECT_THAT(choose_parts(Grid(64, 48, 32), 4), ElementsAre(2, 2, 1));
  EXPECT_THAT(choose_parts(Grid(1, 1, 9), 9), ElementsAre(1, 1, 9));
  EXPECT_THAT(choose_parts(Grid(8, 8, 8), 2), ElementsAre(1, 1, 2)) << "k of equal ones";
  EXPECT_THAT(choose_parts(Grid(30, 2, 2), 12), ElementsAre(12, 1, 1));
}

TEST(ChooseParts, does_not_cut_across_the_strong_direction) {
  EXPECT_THAT(choose_parts(Grid(64, 64, 1), 8, {0.001, 0.5, 0}), ElementsAre(8, 1, 1));
  EXPECT_THAT(choose_parts(Grid(64, 64, 1), 8, {0.5, 0.001, 0}), ElementsAre(1, 8, 1));
  EXPECT_THAT(choose_parts(Grid(4, 64, 2), 8, {0.001, 0.5, 0.001}), ElementsAre(4, 1, 2)) << "what fits";
  EXPECT_THAT(choose_parts(Grid(8, 8, 8), 8, {0, 0, 0}), ElementsAre(2, 2, 2)) << "a diagonal matrix";
}

TEST(ChooseParts, refuses_what_does_not_fit) {
  EXPECT_THAT([] { choose_parts(Grid(2, 3, 1), 0); }, ThrowsMessage<Error>(HasSubstr("0 parts, expected at least 1")));
  EXPECT_THAT([] { choose_parts(Grid(2, 3, 1), 5); },
              ThrowsMessage<Error>(HasSubstr("a grid of 2x3x1 points cannot be cut into 5 parts")));
  EXPECT_THAT(choose_parts(Grid(2, 3, 1), 6), ElementsAre(2, 3, 1));
  EXPECT_THAT([] { choose_parts(Grid(4, 4, 4), 2, {1, std::nan(""), 1}); },
              ThrowsMessage<Error>(HasSubstr("the strength along j is nan, expected a finite number of at least 0")));
  EXPECT_THAT([] { choose_parts(Grid(4, 4, 4), 2, {1, 1, -2}); }, ThrowsMessage<Error>(HasSubstr("along k is -2")));
}

/// The mean quotient of norms along an axis, point by point.
double reference_strength(const ReferenceStencil& a, Direction lower) {
  auto const norm = [](const DenseMatrix& block) {
    double squares = 0;
    for (int r = 0; r < block.n; ++r) {
      for (int c = 0; c < block.n; ++c) squares += block(r, c) * block(r, c);
    }
    return std::sqrt(squares);
  };
  double sum = 0;
  std::int64_t couplings = 0;
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    for (auto const d : {lower, opposite(lower)}) {
      if (!a.grid.contains(neighbour(a.grid.point(p), d))) continue;
      double const quotient = norm(a.block(p, d)) / norm(a.block(p, Direction::center));
      if (std::isfinite(quotient)) sum += quotient;
      ++couplings;
    }
  }
  return couplings == 0 ? 0 : sum / static_cast<double>(couplings);
}

template <class Exec>
class CouplingStrengths : public ::testing::Test {
 protected:
  template <int n, class Storage = double>
  void expect_reference(const Grid& grid, double tolerance) {
    auto a = random_stencil(grid, n);
    for (auto& blocks : a.blocks) {
      for (int r = 0; r < n; ++r) blocks[static_cast<int>(Direction::south)](r, 0) *= 100;
    }
    auto const strengths = coupling_strengths(exec, to_device<double, n, Storage>(exec, a));
    std::array<Direction, 3> const lower{Direction::west, Direction::south, Direction::bottom};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const expected = reference_strength(a, lower[axis]);
      EXPECT_NEAR(strengths[axis], expected, tolerance * (1 + expected)) << to_string(grid) << ", axis " << axis;
    }
  }
  Exec exec{};
};
TYPED_TEST_SUITE(CouplingStrengths, ExecutionSpaces, SpaceNames);

TYPED_TEST(CouplingStrengths, are_means_of_quotients_of_norms) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(7, 1, 1), Grid(1, 9, 1), Grid(1, 1, 4), Grid(5, 19, 3)}) {
    this->template expect_reference<1>(grid, 1e-6);
    this->template expect_reference<3>(grid, 1e-6);
    this->template expect_reference<3, float>(grid, 1e-5);
  }
}

// No division by a diagonal block of zeros, and no sum with what is no number: parts are for a matrix of which little
// is known.
TYPED_TEST(CouplingStrengths, of_points_of_which_nothing_is_known_are_left_out) {
  constexpr int n = 2;
  Grid const grid(4, 3, 2);
  ReferenceStencil a(grid, n);
  EXPECT_THAT(coupling_strengths(this->exec, to_device<double, n, double>(this->exec, a)), ElementsAre(0, 0, 0));
  a = random_stencil(grid, n);
  a.block(5, Direction::east)(0, 1) = std::numeric_limits<double>::quiet_NaN();
  a.block(7, Direction::south)(1, 1) = std::numeric_limits<double>::infinity();
  a.block(9, Direction::top)(0, 0) = 1e200;
  a.block(11, Direction::center) = DenseMatrix(n);
  auto const strengths = coupling_strengths(this->exec, to_device<double, n, double>(this->exec, a));
  std::array<Direction, 3> const lower{Direction::west, Direction::south, Direction::bottom};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(strengths[axis], reference_strength(a, lower[axis]), 1e-5) << axis;
  }
}

}  // namespace
}  // namespace hyperplane::test
