// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/ssor/ssor.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/folded_order.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"
#include "support/transposed_reference.hpp"

// SSOR from the corners of the grid to its middle.
namespace hyperplane::test::ssor_folded {
namespace {

template <class Exec>
class SsorFolded : public ::testing::Test {};
TYPED_TEST_SUITE(SsorFolded, ExecutionSpaces, SpaceNames);

constexpr int n = 2;
constexpr double relaxation = 1.3;

/// M = w / (2 - w) (D/w + L) D^-1 (D/w + U), where L has the blocks for points that come before.
DenseMatrix definition(const ReferenceStencil& a, const FoldedDirections& folded) {
  auto const order = folded_order(a.grid, folded);
  std::vector<int> place(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) place[static_cast<std::size_t>(order[p])] = static_cast<int>(p);
  auto const dense = a.dense();
  DenseMatrix lower(dense.n), diagonal(dense.n), upper(dense.n);
  for (int r = 0; r < dense.n; ++r) {
    for (int c = 0; c < dense.n; ++c) {
      bool const before = place[static_cast<std::size_t>(c / n)] < place[static_cast<std::size_t>(r / n)];
      auto& part = r / n == c / n ? diagonal : before ? lower : upper;
      part(r, c) = dense(r, c);
      if (r / n == c / n) lower(r, c) = upper(r, c) = dense(r, c) / relaxation;
    }
  }
  auto product = lower * inverse(diagonal) * upper;
  for (auto& entry : product.entries) entry *= relaxation / (2 - relaxation);
  return product;
}

TYPED_TEST(SsorFolded, is_its_definition_and_so_is_its_transpose) {
  TypeParam const exec;
  for (auto const& grid : {Grid(1, 1, 1), Grid(2, 5, 3), Grid(4, 3, 4), Grid(9, 1, 1), Grid(1, 5, 6)}) {
    auto a = random_stencil(grid, n);
    auto const x = random_vector(a.rows());
    for (auto const& folded : foldings()) {
      SCOPED_TRACE(to_string(grid) + ", folded " + letters(folded));
      auto const m = definition(a, folded);
      std::vector<std::vector<double>> found;
      for (auto const path : folded.any() ? folded_paths_of<TypeParam>() : paths_of<TypeParam>()) {
        Ssor<double, n, TypeParam> ssor(exec, grid, {.relaxation = relaxation, .path = path, .folded = folded});
        ssor.factor(exec, to_device<double, n, double>(exec, a));
        EXPECT_TRUE(ssor.status(exec).ok());
        auto const y = to_device<double, n>(exec, grid, m * x),
                   z = to_device<double, n>(exec, grid, transposed_dense(m) * x);
        ssor.solve(exec, y, y);
        ssor.solve_transposed(exec, z, z);
        EXPECT_TRUE(near(to_host(exec, y), x, rounding<double>(100, n))) << name(path);
        EXPECT_TRUE(near(to_host(exec, z), x, rounding<double>(100, n))) << name(path);
        found.push_back(to_host(exec, y));
        // On hosts compilers choose which products they fuse with sums, for each path.
        if (!folded.any() || HostExecutionSpace<TypeParam>) continue;
        EXPECT_TRUE(bitwise_equal(found.back(), found.front())) << name(path);
      }
    }
  }
}

TYPED_TEST(SsorFolded, names_the_first_singular_block_in_its_order) {
  TypeParam const exec;
  Grid const grid(5, 11, 3);
  auto a = random_stencil(grid, n);
  for (auto const& p : {Point{4, 10, 2}, Point{3, 9, 1}}) {
    for (int c = 0; c < n; ++c) a.block(grid.index(p), Direction::center)(1, c) = 0.0;
  }
  Ssor<double, n, TypeParam> ssor(exec, grid, {.folded = {true, true, true}});
  ssor.factor(exec, to_device<double, n, double>(exec, a));
  auto const status = ssor.status(exec);
  EXPECT_EQ(status.point, (Point{4, 10, 2})) << status.message();
  EXPECT_EQ(status.equation, 1) << status.message();
  auto const refused = HostExecutionSpace<TypeParam> ? SweepPath::cuda_graph : SweepPath::slab;
  EXPECT_THAT(message_of([&] { Ssor<double, n, TypeParam>(exec, grid, {.path = refused, .folded = {.i = true}}); }),
              ::testing::StartsWith(std::string("Ssor: folded directions have no path ") + name(refused)));
}

TYPED_TEST(SsorFolded, ignores_what_points_out_of_the_grid) {
  TypeParam const exec;
  auto a = random_stencil(Grid(5, 4, 3), n);
  auto const x = random_vector(a.rows());
  FoldedDirections const folded{.i = true, .k = true};
  auto const rhs = definition(a, folded) * x;
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      if (a.grid.contains(neighbour(a.grid.point(p), d))) continue;
      for (auto& entry : a.block(p, d).entries) entry = std::numeric_limits<double>::quiet_NaN();
    }
  }
  Ssor<double, n, TypeParam> ssor(exec, a.grid, {.relaxation = relaxation, .folded = folded});
  ssor.factor(exec, to_device<double, n, double>(exec, a));
  EXPECT_TRUE(ssor.status(exec).ok()) << ssor.status(exec).message();
  auto const y = to_device<double, n>(exec, a.grid, rhs);
  ssor.solve(exec, y, y);
  EXPECT_TRUE(near(to_host(exec, y), x, rounding<double>(100, n)));
}

}  // namespace
}  // namespace hyperplane::test::ssor_folded
