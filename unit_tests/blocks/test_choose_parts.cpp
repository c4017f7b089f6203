// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <hyperplane/blocks/choose_parts.hpp>
#include <hyperplane/core/concurrency.hpp>
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

/// As many as pay, with the numbers of docs/blocks.md: an AVX-512 machine with 16 threads, and an H200.
using Parts = std::array<int, 3>;
constexpr Parts one{1, 1, 1};
Parts on_host(const Grid& grid, int n, const std::array<double, 3>& strengths = {1, 1, 1}, int threads = 16) {
  return detail::PartsThatPay(grid, n, strengths, {true, threads, 8}).choose();
}
Parts on_device(const Grid& grid, int n, const std::array<double, 3>& strengths = {1, 1, 1}) {
  return detail::PartsThatPay(grid, n, strengths, {false, 132 * 2048, 8}).choose();
}

TEST(PartsThatPay, on_a_host_give_all_threads_slabs) {
  EXPECT_EQ(on_host(Grid(64, 64, 64), 5), (Parts{2, 1, 2})) << "8 slabs for 16 threads";
  EXPECT_EQ(on_host(Grid(64, 64, 64), 5, {1, 1, 1}, 8), one) << "a slab for each";
  EXPECT_EQ(on_host(Grid(64, 64, 64), 5, {1, 1, 1}, 2), one);
  EXPECT_EQ(on_host(Grid(64, 64, 64), 5, {1, 1, 1}, 1), one);
  EXPECT_EQ(on_host(Grid(64, 64, 64), 5, {1, 1, 1}, 11), one) << "1.4 times as fast at best";
  EXPECT_EQ(on_host(Grid(300, 200, 4), 5), one) << "flat, with enough slabs";
  EXPECT_EQ(on_host(Grid(128, 64, 1), 5), (Parts{4, 1, 1}));
  EXPECT_EQ(on_host(Grid(128, 1, 128), 5), (Parts{4, 1, 8})) << "a slab for each part";
  EXPECT_EQ(on_host(Grid(64, 64, 64), 2), (Parts{2, 1, 2}));
  EXPECT_EQ(on_host(Grid(64, 64, 64), 1), one) << "scalars: copies take longer than a solve";
}

TEST(PartsThatPay, on_a_device_are_those_of_a_flat_grid) {
  auto const [i, j, k] = on_device(Grid(600, 400, 4), 5);
  EXPECT_THAT(i * j, ::testing::AllOf(::testing::Ge(64), ::testing::Le(96)));
  EXPECT_EQ(k, 1);
  EXPECT_EQ(on_device(Grid(128, 128, 128), 5), one);
  EXPECT_EQ(on_device(Grid(55, 55, 55), 5), one) << "parts would be narrow";
  EXPECT_EQ(on_device(Grid(600, 400, 4), 1), one) << "scalars: not measured";
}

TEST(PartsThatPay, are_not_cut_across_the_strong_direction_unless_nothing_else_is_left) {
  EXPECT_EQ(on_host(Grid(64, 64, 64), 5, {0.001, 0.5, 0.5}), (Parts{4, 1, 1}));
  EXPECT_EQ(on_host(Grid(64, 64, 64), 5, {0.5, 0.5, 0.001}), (Parts{1, 1, 4}));
  EXPECT_EQ(on_host(Grid(64, 64, 64), 5, {0.5, 0.001, 0.5}), one) << "slabs are along j: twice as fast is too little";
  EXPECT_EQ(on_host(Grid(64, 64, 64), 5, {0.5, 0.001, 0.5}, 64)[1], 1) << "8 slabs for 64 threads";
  EXPECT_NE(on_host(Grid(64, 64, 64), 5, {0.5, 0.001, 0.5}, 64), one);
  auto const parts = on_device(Grid(2000, 48, 8), 5, {0.001, 0.5, 0.001});
  EXPECT_GE(parts[0], 16);
  EXPECT_EQ(parts[1], 1);
  EXPECT_EQ(on_device(Grid(600, 400, 4), 5, {0.001, 0.5, 0.001}), one) << "twice as fast at best, with cuts along j";
}

TEST(PartsThatPay, is_one_of_small_grids_and_lines) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(3, 2, 1), Grid(15, 15, 15), Grid(31, 31, 31), Grid(100000, 1, 1),
                           Grid(1, 1, 100000), Grid(1, 100000, 1)}) {
    for (int const n : {1, 5}) {
      EXPECT_EQ(on_host(grid, n), one) << to_string(grid);
      EXPECT_EQ(on_device(grid, n), one) << to_string(grid);
    }
  }
  EXPECT_EQ(on_host(Grid(40, 40, 1), 2), one) << "what one thread does";
  EXPECT_EQ(on_device(Grid(200, 200, 1), 5), one) << "not measured";
}

TEST(PartsThatPay, are_enough_and_not_narrow_whatever_the_grid) {
  for (auto const& grid : {Grid(40, 40, 40), Grid(33, 17, 100), Grid(1000, 5, 31), Grid(7, 600, 90)}) {
    for (int const threads : {2, 3, 16, 64, 200}) {
      auto const parts = on_host(grid, 5, {1, 1, 1}, threads);
      Parts const extents{grid.ni(), grid.nj(), grid.nk()};
      for (std::size_t d = 0; d < 3; ++d) EXPECT_TRUE(parts[d] == 1 || extents[d] / parts[d] >= 16);
      EXPECT_LE(parts[0] * parts[1] * parts[2], 4 * threads);
    }
  }
}

template <class Exec>
class ChoosePartsOn : public ::testing::Test {};
TYPED_TEST_SUITE(ChoosePartsOn, ExecutionSpaces, SpaceNames);

TYPED_TEST(ChoosePartsOn, of_an_instance_are_those_that_pay_on_it) {
  TypeParam const exec{};
  detail::PartsMachine const machine{HostExecutionSpace<TypeParam>, detail::concurrency_of(exec),
                                     vector_length_v<double, TypeParam>};
  for (auto const& grid : {Grid(1, 1, 1), Grid(64, 7, 64), Grid(600, 400, 4)}) {
    std::array<double, 3> const strengths{0.5, 0.001, 0.2};
    EXPECT_EQ(choose_parts(exec, grid, 5, strengths), detail::PartsThatPay(grid, 5, strengths, machine).choose());
    if (detail::concurrency_of(exec) == 1) {
      EXPECT_EQ(choose_parts(exec, grid, 5), one);
    }
  }
  EXPECT_THAT([&] { choose_parts(exec, Grid(2, 3, 1), 0); },
              ThrowsMessage<Error>(HasSubstr("blocks of 0 unknowns, expected at least 1")));
  EXPECT_THAT([&] { choose_parts(exec, Grid(2, 3, 1), 5, {1, 1, -2}); },
              ThrowsMessage<Error>(HasSubstr("along k is -2")));
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
