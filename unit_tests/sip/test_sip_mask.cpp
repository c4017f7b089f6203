// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/sip/sip.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/masks.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/sip_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class SipMaskTest : public ::testing::Test {};
TYPED_TEST_SUITE(SipMaskTest, ExecutionSpaces, SpaceNames);

template <class Scalar, class Storage, class Exec>
void compare_with_edited_matrix(const Exec& exec) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5), Grid(12, 20, 1),
                           Grid(6, 11, 37), Grid(40, 9, 6)}) {
    auto const mask = mask_of(grid);
    auto const a = random_stencil(grid, 1);
    auto const edited = without_masked(a, mask);
    auto const rhs = random_vector(a.rows());
    auto clean_rhs = rhs;
    for (std::int64_t p = 0; p < grid.size(); ++p) clean_rhs[p] *= mask[p] != 0;
    auto const expected = ReferenceSip(edited, 0.9).solve(clean_rhs);
    for (SolverPath const path : solver_paths_of<Exec>()) {
      auto const what = to_string(grid) + ", path " + name(path);
      auto sip = path.make<Sip<Scalar, Exec, Storage>>(exec, grid);
      auto const solve = [&](const std::vector<double>& b) {
        EXPECT_TRUE(sip.status(exec).ok()) << what << ", " << sip.status(exec).message();
        auto const x = to_device<Scalar, 1>(exec, grid, b);
        sip.solve(exec, x, x);
        return to_host(exec, x);
      };
      sip.factor(exec, to_device<Scalar, 1, Storage>(exec, with_nonsense(a, mask)), to_view<std::int8_t>(exec, mask));
      auto const x = solve(rhs);
      EXPECT_TRUE(near(x, expected, rounding<Storage>(200, 1))) << what;
      for (std::int64_t p = 0; p < grid.size(); ++p) {
        if (mask[p] == 0) {
          EXPECT_EQ(x[p], 0) << what;
        }
      }
      sip.factor(exec, to_device<Scalar, 1, Storage>(exec, edited));
      EXPECT_TRUE(bitwise_equal(solve(clean_rhs), x)) << what;
    }
  }
}

TYPED_TEST(SipMaskTest, is_a_matrix_without_the_masked_points) {
  TypeParam const exec;
  compare_with_edited_matrix<double, double>(exec);
  compare_with_edited_matrix<double, float>(exec);
  compare_with_edited_matrix<float, float>(exec);
}

// A matrix in float has the factors of the same values in double, with a mask and without.
TYPED_TEST(SipMaskTest, the_storage_of_the_matrix_does_not_change_bits) {
  TypeParam const exec;
  for (auto const& grid : {Grid(1, 1, 1), Grid(19, 17, 7), Grid(6, 11, 37)}) {
    auto const a = random_stencil(grid, 1);
    auto const narrow = to_device<double, 1, float>(exec, a);
    BlockStencil7<double, 1, TypeParam> const wide(exec, grid);
    Kokkos::deep_copy(exec, wide.flat(), narrow.flat());
    auto const mask = to_view<std::int8_t>(exec, mask_of(grid));
    auto const rhs = to_device<double, 1>(exec, grid, random_vector(grid.size()));
    for (SolverPath const path : solver_paths_of<TypeParam>()) {
      auto sip = path.make<Sip<double, TypeParam, float>>(exec, grid);
      auto const solve = [&](const auto& matrix, bool masked) {
        masked ? sip.factor(exec, matrix, mask) : sip.factor(exec, matrix);
        BlockVector<double, 1, TypeParam> const x(exec, grid);
        sip.solve(exec, rhs, x);
        return to_host(exec, x);
      };
      for (bool const masked : {false, true}) {
        EXPECT_TRUE(bitwise_equal(solve(narrow, masked), solve(wide, masked)))
            << to_string(grid) << ", path " << name(path) << (masked ? ", masked" : "");
      }
    }
  }
}

// What is no number in a point comes to the points behind it, first of all to masked ones.
TYPED_TEST(SipMaskTest, a_masked_point_is_never_named) {
  TypeParam const exec;
  Grid const grid(9, 10, 4);
  Point const before{3, 4, 1}, behind{3, 4, 2};
  Mask mask(grid.size(), 1);
  for (double const nonsense : {std::numeric_limits<double>::quiet_NaN(), 0.0}) {
    auto a = random_stencil(grid, 1);
    for (Point const masked : {Point{4, 4, 1}, Point{3, 5, 1}}) {
      mask[grid.index(masked)] = 0;
      for (auto const d : stencil7_directions) a.block(grid.index(masked), d)(0, 0) = nonsense;
    }
    auto const regular = to_device<double, 1, double>(exec, a);
    a.block(grid.index(before), Direction::top)(0, 0) = std::numeric_limits<double>::quiet_NaN();
    auto const irregular = to_device<double, 1, double>(exec, a);
    for (SolverPath const path : solver_paths_of<TypeParam>()) {
      auto sip = path.make<Sip<double, TypeParam>>(exec, grid);
      sip.factor(exec, regular, to_view<std::int8_t>(exec, mask));
      EXPECT_TRUE(sip.status(exec).ok()) << name(path) << ", " << sip.status(exec).message();
      sip.factor(exec, irregular, to_view<std::int8_t>(exec, mask));
      auto const status = sip.status(exec);
      EXPECT_EQ(status.failure, FactorFailure::not_finite) << name(path);
      EXPECT_EQ(status.point, behind) << name(path) << ", " << status.message();
      EXPECT_EQ(status.block, (BlockPlace{before, Direction::top})) << name(path) << ", " << status.message();
    }
  }
}

TYPED_TEST(SipMaskTest, all_points_and_none) {
  TypeParam const exec;
  Grid const grid(9, 10, 4);
  auto const a = to_device<double, 1, double>(exec, random_stencil(grid, 1));
  auto const b = to_device<double, 1>(exec, grid, random_vector(grid.size()));
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto sip = path.make<Sip<double, TypeParam>>(exec, grid);
    BlockVector<double, 1, TypeParam> const x(exec, grid), y(exec, grid);
    sip.factor(exec, a);
    sip.solve(exec, b, x);
    sip.factor(exec, a, to_view<std::int8_t>(exec, Mask(grid.size(), 1)));
    sip.solve(exec, b, y);
    EXPECT_TRUE(bitwise_equal(to_host(exec, y), to_host(exec, x))) << name(path);
    sip.factor(exec, a, to_view<std::int8_t>(exec, Mask(grid.size(), 0)));
    sip.solve(exec, b, y);
    EXPECT_TRUE(sip.status(exec).ok());
    EXPECT_EQ(to_host(exec, y), std::vector<double>(grid.size(), 0.0)) << name(path);
  }
}

TYPED_TEST(SipMaskTest, allocates_nothing_fences_nothing_and_refuses_another_size) {
  auto const exec = OtherInstance<TypeParam>::make();
  Grid const grid(9, 10, 4);
  auto const a = to_device<double, 1, double>(exec, random_stencil(grid, 1));
  auto const mask = to_view<std::int8_t>(exec, mask_of(grid));
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto sip = path.make<Sip<double, TypeParam>>(exec, grid);
    exec.fence();
    KokkosEvents const events;
    sip.factor(exec, a, mask);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.fences(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.copies(), ::testing::IsEmpty()) << name(path);
    for (auto const& kernel : events.kernels()) {
      EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
    }
  }
  try {
    Sip<double, TypeParam>(exec, Grid(9, 10, 5))
        .factor(exec, BlockStencil7<double, 1, TypeParam>(exec, Grid(9, 10, 5)), mask);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the mask has 360 values, expected 450"));
  }
}

}  // namespace
}  // namespace hyperplane::test
