// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <string>

#include "support/execution_spaces.hpp"
#include "support/line_options.hpp"
#include "support/line_transfer.hpp"
#include "support/matchers.hpp"

// Every block size, chosen at run time: a file of its own, because it is most of the compile time of the tests.
namespace hyperplane::test {
namespace {

template <class Exec>
class BlockTridiagonalSizes : public ::testing::Test {};
TYPED_TEST_SUITE(BlockTridiagonalSizes, ExecutionSpaces, SpaceNames);

template <int n, class Exec>
void check(const Exec& exec) {
  auto const lines = LineSet::lists(36, {0, 1, 13, 18, 36}, [] {
    std::vector<std::int64_t> points;
    for (std::int64_t p = 0; p < 36; ++p) points.push_back((p * 7 + 3) % 36);
    return points;
  }());
  auto const line_of = [&](std::int64_t line) { return random_line(n, lines.length(line), 7 + unsigned(line)); };
  auto const rhs = random_vector(lines.point_count() * n);
  auto const expected = solve_lines(lines, n, rhs, line_of);
  for (auto options : line_options_of<Exec>()) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", " + describe(options));
    options.partitions = 1;
    BlockTridiagonal<double, n, Exec> solver(exec, lines, options);
    solver.factor(exec, to_lines<double, n, double>(exec, solver.layout(), line_of));
    EXPECT_TRUE(solver.status(exec).ok()) << solver.status(exec).message();
    auto const x = to_view<double>(exec, rhs);
    solver.solve(exec, x, x);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x);
    EXPECT_TRUE(near({host.data(), host.data() + host.size()}, expected, rounding<double>(20, n)));
  }
}

TYPED_TEST(BlockTridiagonalSizes, every_block_size_agrees_with_the_reference) {
  for (int n = 1; n <= max_block_size; ++n) {
    dispatch_block_size(n, [](auto size) { check<size()>(TypeParam()); });
  }
}

}  // namespace
}  // namespace hyperplane::test
