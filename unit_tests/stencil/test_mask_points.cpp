// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/stencil/mask_points.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/line_reference.hpp"
#include "support/masks.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// What mask_points() writes. What solvers then do is in test_masked_systems.cpp.
namespace hyperplane::test::mask_points_tests {
namespace {

constexpr double nonsense = std::numeric_limits<double>::quiet_NaN();

template <class Exec>
class MaskPoints : public ::testing::Test {};
TYPED_TEST_SUITE(MaskPoints, ExecutionSpaces, SpaceNames);

template <class Scalar, int n, class Storage, class Exec>
void check(const Exec& exec, const Grid& grid, const std::array<bool, 3>& periodic = {}) {
  auto const reference = random_stencil(grid, n);
  auto const values = random_vector(grid.size() * n);
  for (auto const& [what, mask] : masks_of(grid)) {
    SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n) + ", masked: " + what);
    auto const points = to_view<std::int8_t>(exec, mask);
    auto const a = to_device<Scalar, n, Storage>(exec, with_nonsense(reference, mask, periodic));
    mask_points(exec, points, a, periodic);
    // With the padding.
    auto const expected = to_device<Scalar, n, Storage>(exec, without_masked(reference, mask, periodic));
    EXPECT_TRUE(bitwise_equal(to_host(a.flat()), to_host(expected.flat())));
    auto const x = to_device<Scalar, n>(exec, grid, with_value(values, mask, nonsense));
    mask_points(exec, points, x);
    auto const zeroed = to_device<Scalar, n>(exec, grid, with_value(values, mask, 0.0));
    EXPECT_TRUE(bitwise_equal(to_host(x.flat()), to_host(zeroed.flat())));
  }
}

TYPED_TEST(MaskPoints, leaves_unit_rows_and_zeros_and_all_other_bits) {
  TypeParam const exec;
  for (auto const& grid :
       {Grid(1, 1, 1), Grid(1, 7, 1), Grid(5, 4, 3), Grid(17, 2, 5), Grid(9, 17, 2), Grid(33, 1, 1), Grid(8, 8, 4)}) {
    check<double, 1, double>(exec, grid);
    check<double, 3, float>(exec, grid);
    check<float, 4, float>(exec, grid);
  }
  check<double, 1, double>(exec, Grid(1030, 2, 1));
  check<double, 16, double>(exec, Grid(3, 10, 2));
}

// The matrix has some layers of a box, the mask is that of the box.
TYPED_TEST(MaskPoints, takes_the_layers_beyond_those_of_a_matrix) {
  TypeParam const exec;
  constexpr int n = 2;
  for (auto const& box : {Grid(5, 4, 3), Grid(9, 17, 7), Grid(1, 7, 6)}) {
    auto const reference = random_stencil(box, n);
    int const cut = box.nk() / 2;
    for (auto const& [what, mask] : masks_of(box)) {
      SCOPED_TRACE(to_string(box) + ", masked: " + what);
      auto const points = to_view<std::int8_t>(exec, mask);
      for (auto const& [begin, end] : {std::pair(0, cut), std::pair(cut, box.nk())}) {
        auto const given = layers_of(with_nonsense(reference, mask), begin, end);
        auto const a = to_device<double, n, double>(exec, given);
        detail::mask_layers(exec, points.data(), a.map(), begin, box.nk(), n, {}, a.flat().data());
        auto const expected = layers_of(without_masked(reference, mask), begin, end);
        EXPECT_TRUE(bitwise_equal(to_host(a.flat()), to_host((to_device<double, n, double>(exec, expected)).flat())));
      }
    }
  }
}

TYPED_TEST(MaskPoints, takes_the_point_at_the_other_end_where_lines_are_periodic) {
  TypeParam const exec;
  for (auto const& grid : {Grid(1, 1, 1), Grid(1, 7, 1), Grid(5, 4, 3), Grid(2, 19, 2)}) {
    check<double, 2, double>(exec, grid, {true, false, false});
    check<double, 2, double>(exec, grid, {false, true, false});
    check<double, 2, double>(exec, grid, {false, false, true});
    check<float, 1, float>(exec, grid, {true, true, true});
  }
}

TYPED_TEST(MaskPoints, periodic_lines_end_at_masked_points) {
  TypeParam const exec;
  constexpr int n = 2;
  Grid const grid(5, 9, 4);
  auto const reference = random_stencil(grid, n);
  auto const rhs = random_vector(grid.size() * n);
  for (auto const& [what, mask] : masks_of(grid)) {
    for (auto const direction : {LineDirection::i, LineDirection::j, LineDirection::k}) {
      std::array<bool, 3> periodic{};
      periodic[static_cast<std::size_t>(direction)] = true;
      auto const lines = LineSet::along(grid, direction, LineEnds::periodic);
      auto const a = to_device<double, n, double>(exec, with_nonsense(reference, mask, periodic));
      auto const x = to_device<double, n>(exec, grid, with_value(rhs, mask, nonsense));
      auto const points = to_view<std::int8_t>(exec, mask);
      mask_points(exec, points, a, periodic);
      mask_points(exec, points, x);
      BlockTridiagonal<double, n, TypeParam> solver(exec, lines);
      solver.factor(exec, a);
      EXPECT_TRUE(solver.status(exec).ok()) << what << ": " << solver.status(exec).message();
      solver.solve(exec, x, x);
      auto const edited = without_masked(reference, mask, periodic);
      auto const expected = solve_lines(lines, n, with_value(rhs, mask, 0.0),
                                        [&](std::int64_t line) { return line_of_stencil(edited, lines, line); });
      EXPECT_TRUE(near(to_host(exec, x), expected, rounding<double>(1000, n))) << what << ", " << name(direction);
    }
  }
}

TYPED_TEST(MaskPoints, is_one_launch_that_allocates_nothing_and_fences_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  Grid const grid(9, 10, 4);
  auto const a = to_device<double, 2, double>(exec, random_stencil(grid, 2));
  auto const x = to_device<double, 2>(exec, grid, random_vector(grid.size() * 2));
  auto const points = to_view<std::int8_t>(exec, mask_of(grid));
  exec.fence();
  KokkosEvents const events;
  mask_points(exec, points, a);
  mask_points(exec, points, x);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  EXPECT_THAT(events.copies(), ::testing::IsEmpty());
  ASSERT_EQ(events.kernels().size(), 2u);
  EXPECT_EQ(events.kernels()[0].label, "Hyperplane::BlockStencil7::mask_points");
  EXPECT_EQ(events.kernels()[1].label, "Hyperplane::BlockVector::mask_points");
  for (auto const& kernel : events.kernels()) {
    EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
  }
}

TYPED_TEST(MaskPoints, refuses_a_mask_of_another_size) {
  TypeParam const exec;
  Grid const grid(9, 10, 5);
  auto const points = to_view<std::int8_t>(exec, Mask(360, 1));
  auto const expect_refused = [&](const auto& given) {
    try {
      mask_points(exec, points, given);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("mask_points: the mask has 360 values, expected 450"));
    }
  };
  expect_refused(BlockStencil7<double, 2, TypeParam>(exec, grid));
  expect_refused(BlockVector<double, 2, TypeParam>(exec, grid));
}

}  // namespace
}  // namespace hyperplane::test::mask_points_tests
