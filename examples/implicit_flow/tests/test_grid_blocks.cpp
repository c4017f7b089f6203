// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"
#include "mesh/blocks.hpp"

#include <hyperplane/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <utility>

namespace implicit_flow::grid_blocks {
namespace {

TEST(GridBlocks, HaveNoBoundaryConditionWhereTheyMeet) {
  CaseOptions const options{.parts = {2, 1, 1}, .cells = hyperplane::Grid(8, 4, 1), .boundaries = {"0:imax=slip_wall"}};
  try {
    make_case(options);
    FAIL() << "no error";
  } catch (const hyperplane::Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("0:imax=slip_wall: all of imax of grid block 0 is an interface"));
  }
  // Without a grid block it is about the boundaries alone.
  auto const flow =
      make_case({.parts = {2, 1, 1}, .cells = hyperplane::Grid(8, 4, 1), .boundaries = {"imax=slip_wall"}});
  EXPECT_EQ(flow.boundary[1][Side::imax].at(0), Boundary::slip_wall);
}

TEST(GridBlocks, MeetWhereCellsAreThinAndWhereCoordinatesAreOfSinglePrecision) {
  // A first row at the wall that is 1e-10 high, while the grid reaches 1 away.
  auto thin = make_wavy_box({4, 3, 2}, 0);
  for (int i = 0; i <= 4; ++i) {
    for (int k = 0; k <= 2; ++k) {
      thin.at(i, 1, k).y = 1e-10;
      thin.at(i, 2, k).y = 2.5e-9;
    }
  }
  auto const blocks = cut(thin, {2, 1, 1});
  ASSERT_EQ(blocks.cells.interfaces().size(), 2U);
  EXPECT_EQ(blocks.cells.interfaces()[0].points.size(), 6);

  // One grid block has rounded down what the other has rounded up.
  auto meshes = cut(make_wavy_box({4, 3, 2}, 0.04), {2, 1, 1}).meshes;
  for (auto const component : {&Vec3::x, &Vec3::y, &Vec3::z}) {
    for (std::size_t b = 0; b < 2; ++b) {
      for (auto& p : meshes[b].position) {
        auto const value = static_cast<float>(p.*component);
        p.*component = std::nextafter(value, b == 0 ? 2.0F : -2.0F);
      }
    }
  }
  auto const rounded = joined(std::move(meshes));
  EXPECT_EQ(rounded.cells.interfaces().size(), 2U);
}

}  // namespace
}  // namespace implicit_flow::grid_blocks
