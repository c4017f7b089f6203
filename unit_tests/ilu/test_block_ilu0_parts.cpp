// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

// The sweeps by themselves: the bits of a solve. Of several right-hand sides: on CUDA too, on the host the same to
// rounding, because the compiler chooses which products it fuses with sums.
namespace hyperplane::test::ilu0_parts {
namespace {

template <class Exec>
class BlockIlu0Parts : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0Parts, ExecutionSpaces, SpaceNames);

std::vector<Grid> grids() {
  return {Grid(1, 1, 1), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5), Grid(12, 20, 1), Grid(6, 11, 37)};
}

/// A plan that has factors, right-hand sides, and what a solve makes of each.
template <int n, class Storage, class Exec>
struct Solved {
  using Vector = BlockVector<double, n, Exec>;
  BlockIlu0<double, n, Exec, Storage> plan;
  std::vector<Vector> rhs;
  std::vector<std::vector<double>> expected;

  Solved(const Exec& exec, const Grid& grid, const SolverPath& path, const BlockIlu0Options& options, int count)
      : plan(path.make<BlockIlu0<double, n, Exec, Storage>>(exec, grid, options)) {
    plan.factor(exec, to_device<double, n, Storage>(exec, random_stencil(grid, n)));
    auto const values = random_vector(grid.size() * n * count);
    auto const length = grid.size() * n;
    for (int v = 0; v < count; ++v) {
      std::vector<double> const part(values.begin() + v * length, values.begin() + (v + 1) * length);
      rhs.push_back(to_device<double, n>(exec, grid, part));
      Vector const x(exec, grid);
      plan.solve(exec, rhs.back(), x);
      expected.push_back(to_host(exec, x));
    }
  }
};

template <int n, class Storage, class Exec>
void compare_forward_and_backward(const Exec& exec) {
  for (auto const& grid : grids()) {
    for (SolverPath const path : solver_paths_of<Exec>()) {
      auto const what = to_string(grid) + ", n = " + std::to_string(n) + ", path " + name(path);
      Solved<n, Storage, Exec> const solved(exec, grid, path, {}, 1);
      BlockVector<double, n, Exec> const y(exec, grid), x(exec, grid);
      solved.plan.forward(exec, solved.rhs[0], y);
      auto const between = to_host(exec, y);
      solved.plan.backward(exec, y, x);
      EXPECT_TRUE(bitwise_equal(to_host(exec, x), solved.expected[0])) << what;
      EXPECT_TRUE(bitwise_equal(to_host(exec, y), between)) << what << ": backward keeps y";
      solved.plan.forward(exec, solved.rhs[0], solved.rhs[0]);
      EXPECT_TRUE(bitwise_equal(to_host(exec, solved.rhs[0]), between)) << what << ": forward in place";
      solved.plan.backward(exec, y, y);
      EXPECT_TRUE(bitwise_equal(to_host(exec, y), solved.expected[0])) << what << ": backward in place";
    }
  }
}

TYPED_TEST(BlockIlu0Parts, forward_then_backward_is_solve) {
  TypeParam const exec;
  compare_forward_and_backward<1, double>(exec);
  compare_forward_and_backward<1, float>(exec);
  compare_forward_and_backward<3, double>(exec);
}

TYPED_TEST(BlockIlu0Parts, forward_solves_a_lower_triangular_matrix) {
  TypeParam const exec;
  auto a = random_stencil(Grid(7, 9, 4), 2);
  for (auto& blocks : a.blocks) {
    for (auto const d : {Direction::east, Direction::north, Direction::top}) {
      for (double& entry : blocks[static_cast<int>(d)].entries) entry = 0.0;
    }
  }
  auto const solution = random_vector(a.rows());
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto plan = path.make<BlockIlu0<double, 2, TypeParam>>(exec, a.grid);
    plan.factor(exec, to_device<double, 2, double>(exec, a));
    auto const y = to_device<double, 2>(exec, a.grid, a.apply(solution));
    plan.forward(exec, y, y);
    EXPECT_TRUE(near(to_host(exec, y), solution, rounding<double>(400, 2))) << name(path);
    auto const before = to_host(exec, y);
    plan.backward(exec, y, y);
    EXPECT_TRUE(bitwise_equal(to_host(exec, y), before)) << "nothing to do without upper blocks, path " << name(path);
  }
}

template <class Exec>
auto same_solve(const Exec&, const std::vector<double>& actual, const std::vector<double>& expected) {
  if constexpr (HostExecutionSpace<Exec>) {
    return near(actual, expected, rounding<double>(100, 1));
  } else {
    return bitwise_equal(actual, expected);
  }
}

template <int n, class Storage, class Exec>
void compare_several(const Exec& exec, const std::vector<Grid>& on) {
  constexpr int count = 5;
  using Vector = BlockVector<double, n, Exec>;
  for (auto const& grid : on) {
    for (SolverPath const path : solver_paths_of<Exec>()) {
      for (int const together : {1, 2, 3}) {
        Solved<n, Storage, Exec> const solved(exec, grid, path, {.right_hand_sides = together}, count);
        auto const check = [&](const std::vector<Vector>& x, const char* how) {
          for (int v = 0; v < count; ++v) {
            EXPECT_TRUE(same_solve(exec, to_host(exec, x[v]), solved.expected[v]))
                << to_string(grid) << ", n = " << n << ", path " << name(path) << ", " << together << " together, "
                << how;
          }
        };
        std::vector<Vector> x;
        for (int v = 0; v < count; ++v) x.emplace_back(exec, grid);
        solved.plan.solve(exec, solved.rhs, x);
        check(x, "other vectors");
        solved.plan.solve(exec, solved.rhs, solved.rhs);
        check(solved.rhs, "in place");
      }
    }
  }
}

TYPED_TEST(BlockIlu0Parts, several_right_hand_sides_are_single_solves) {
  TypeParam const exec;
  compare_several<1, double>(exec, grids());
  compare_several<1, float>(exec, {Grid(9, 17, 5)});
  compare_several<3, double>(exec, {Grid(9, 17, 5)});
}

TYPED_TEST(BlockIlu0Parts, allocate_nothing_and_fence_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  Grid const grid(9, 10, 4);
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    Solved<1, double, TypeParam> const solved(exec, grid, path, {.right_hand_sides = 3}, 3);
    auto const& rhs = solved.rhs;
    exec.fence();
    KokkosEvents const events;
    solved.plan.forward(exec, rhs[0], rhs[0]);
    auto const forward = events.kernels().size();
    solved.plan.backward(exec, rhs[0], rhs[0]);
    auto const backward = events.kernels().size();
    solved.plan.solve(exec, rhs, rhs);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.fences(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.copies(), ::testing::IsEmpty()) << name(path);
    auto const instance = Kokkos::Tools::Experimental::device_id(exec);
    for (std::size_t l = 0; l < events.kernels().size(); ++l) {
      auto const& kernel = events.kernels()[l];
      EXPECT_EQ(kernel.device_and_instance, instance) << kernel.label;
      if (l < backward) {
        EXPECT_EQ(kernel.label, std::string("Hyperplane::BlockIlu0::solve::") + (l < forward ? "forward" : "backward"));
      }
    }
  }
}

TYPED_TEST(BlockIlu0Parts, refuse_misuse) {
  TypeParam const exec;
  Grid const grid(3, 4, 5);
  using Plan = BlockIlu0<double, 2, TypeParam>;
  Plan plan(exec, grid, {.right_hand_sides = 2});
  using Vector = BlockVector<double, 2, TypeParam>;
  Vector const right(exec, grid), wrong(exec, Grid(4, 3, 5));
  std::array<Vector, 2> const both{right, wrong};
  std::array<Vector, 1> const one{right};
  auto const message = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message([&] { plan.forward(exec, right, right); }), HasSubstr("forward: called before factor"));
  EXPECT_THAT(message([&] { plan.backward(exec, right, right); }), HasSubstr("backward: called before factor"));
  EXPECT_THAT(message([&] { plan.solve(exec, one, one); }), HasSubstr("called before factor"));
  EXPECT_THAT(message([&] { plan.forward(exec, wrong, right); }), HasSubstr("4x3x5"));
  EXPECT_THAT(message([&] { plan.backward(exec, right, wrong); }), HasSubstr("4x3x5"));
  plan.factor(exec, to_device<double, 2, double>(exec, random_stencil(grid, 2)));
  EXPECT_THAT(message([&] { plan.solve(exec, both, both); }), HasSubstr("4x3x5"));
  EXPECT_THAT(message([&] { plan.solve(exec, both, one); }), HasSubstr("2 right-hand sides and 1 solutions"));
  for (int const together : {0, 4}) {
    EXPECT_THAT(message([&] { Plan(exec, grid, {.right_hand_sides = together}); }), HasSubstr("expected 1 to 3"));
  }
}

}  // namespace
}  // namespace hyperplane::test::ilu0_parts
