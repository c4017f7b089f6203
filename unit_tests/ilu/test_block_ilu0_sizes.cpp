// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/ilu/block_ilu0.hpp>
#include <type_traits>
#include <utility>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

// Every block size at compile time: a file of its own, because it is most of the compile time of the tests.
namespace hyperplane::test {
namespace {

template <class Exec>
class BlockIlu0Sizes : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0Sizes, ExecutionSpaces, SpaceNames);

template <int n, class Exec>
void check(const Exec& exec, const Grid& grid) {
  auto const reference = random_stencil(grid, n);
  auto const rhs = random_vector(grid.size() * n);
  auto const expected = ReferenceIlu0(reference).solve(rhs);
  auto const a = to_device<double, n, double>(exec, reference);
  auto const b = to_device<double, n>(exec, grid, rhs);
  for (SolverPath const path : solver_paths_of<Exec>()) {
    SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n) + ", path " + name(path));
    auto ilu = path.make<BlockIlu0<double, n, Exec>>(exec, grid);
    BlockVector<double, n, Exec> const x(exec, grid);
    ilu.factor(exec, a);
    ilu.solve(exec, b, x);
    EXPECT_TRUE(ilu.status(exec).ok());
    EXPECT_TRUE(near(to_host(exec, x), expected, rounding<double>(100, n)));
  }
}

TYPED_TEST(BlockIlu0Sizes, every_block_size_agrees_with_reference) {
  TypeParam const exec;
  // The second grid fills whole packs and has three slabs of eight rows.
  for (auto const& grid : {Grid(5, 4, 3), Grid(9, 19, 2)}) {
    [&]<int... n>(std::integer_sequence<int, n...>) {
      (check<n + 1>(exec, grid), ...);
    }(std::make_integer_sequence<int, max_block_size>{});
  }
}

}  // namespace
}  // namespace hyperplane::test
