// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/ssor/ssor.hpp>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// The sweeps of SSOR: halves of a solve, and several right-hand sides.
namespace hyperplane::test {
namespace {

template <class Exec>
class SsorSweeps : public ::testing::Test {};
TYPED_TEST_SUITE(SsorSweeps, ExecutionSpaces, SpaceNames);

TYPED_TEST(SsorSweeps, is_made_of_its_parts_and_takes_several_right_hand_sides) {
  TypeParam const exec;
  constexpr int n = 2, count = 5;
  using Vector = BlockVector<double, n, TypeParam>;
  for (auto const& grid : {Grid(13, 18, 6), Grid(21, 9, 1)}) {
    auto const a = random_stencil(grid, n);
    for (SweepPath const path : paths_of<TypeParam>()) {
      for (int const together : {1, 2, 3}) {
        auto const what = to_string(grid) + ", path " + name(path) + ", " + std::to_string(together) + " together";
        Ssor<double, n, TypeParam> ssor(exec, grid, {.relaxation = 1.3, .path = path, .right_hand_sides = together});
        ssor.factor(exec, to_device<double, n, double>(exec, a));
        std::vector<Vector> b, x;
        for (int v = 0; v < count; ++v) {
          b.push_back(to_device<double, n>(exec, grid, random_vector(a.rows(), v + 1)));
          x.emplace_back(exec, grid);
        }
        ssor.solve(exec, b, x);
        Vector const y(exec, grid);
        for (int v = 0; v < count; ++v) {
          ssor.solve(exec, b[v], y);
          auto const single = to_host(exec, y);
          auto const several = to_host(exec, x[v]);
          // On hosts compilers fuse other products with sums for each number of vectors.
          EXPECT_TRUE(HostExecutionSpace<TypeParam> ? near(several, single, rounding<double>(100, n))
                                                    : bitwise_equal(several, single))
              << what;
          ssor.forward(exec, b[v], y);
          ssor.backward(exec, y, y);
          EXPECT_TRUE(bitwise_equal(to_host(exec, y), single)) << what;
        }
      }
    }
  }
}

TYPED_TEST(SsorSweeps, forward_solves_with_the_lower_part) {
  // (D + w L) y = w (2 - w) r.
  TypeParam const exec;
  constexpr int n = 2;
  double const w = 1.3;
  auto const a = random_stencil(Grid(7, 9, 4), n);
  auto lower = a;
  for (auto& blocks : lower.blocks) {
    for (auto const d : stencil7_directions) {
      bool const is_lower = d == Direction::west || d == Direction::south || d == Direction::bottom;
      for (double& entry : blocks[static_cast<int>(d)].entries) {
        entry *= d == Direction::center ? 1.0 : is_lower ? w : 0.0;
      }
    }
  }
  auto const solution = random_vector(a.rows());
  auto rhs = lower.apply(solution);
  for (auto& value : rhs) value /= w * (2 - w);
  for (SweepPath const path : paths_of<TypeParam>()) {
    Ssor<double, n, TypeParam> ssor(exec, a.grid, {.relaxation = w, .path = path});
    ssor.factor(exec, to_device<double, n, double>(exec, a));
    auto const y = to_device<double, n>(exec, a.grid, rhs);
    ssor.forward(exec, y, y);
    EXPECT_TRUE(near(to_host(exec, y), solution, rounding<double>(400, n))) << name(path);
  }
}

}  // namespace
}  // namespace hyperplane::test
