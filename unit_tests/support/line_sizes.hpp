// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <cstdint>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <string>
#include <vector>

#include "line_options.hpp"
#include "line_transfer.hpp"
#include "matchers.hpp"
#include "transposed_reference.hpp"

namespace hyperplane::test {

/// Factors and solves lists of 1 to 18 points by every path.
template <int n, class Exec>
void check_line_block_size(const Exec& exec) {
  auto const lines = LineSet::lists(36, {0, 1, 13, 18, 36}, [] {
    std::vector<std::int64_t> points;
    for (std::int64_t p = 0; p < 36; ++p) points.push_back((p * 7 + 3) % 36);
    return points;
  }());
  auto const line_of = [&](std::int64_t line) { return random_line(n, lines.length(line), 7 + unsigned(line)); };
  auto const rhs = random_vector(lines.point_count() * n);
  auto const expected = solve_lines(lines, n, rhs, line_of);
  auto const expected_transposed =
      solve_lines(lines, n, rhs, [&](std::int64_t line) { return transposed_line(line_of(line)); });
  for (auto options : line_options_of<Exec>(n)) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", " + describe(options));
    options.partitions = 1;
    BlockTridiagonal<double, n, Exec> solver(exec, lines, options);
    solver.factor(exec, to_lines<double, n, double>(exec, solver.layout(), line_of));
    EXPECT_TRUE(solver.status(exec).ok()) << solver.status(exec).message();
    auto const x = to_view<double>(exec, rhs);
    solver.solve(exec, x, x);
    EXPECT_TRUE(near(to_host(x), expected, rounding<double>(20, n)));
    auto const y = to_view<double>(exec, rhs);
    solver.solve_transposed(exec, y, y);
    EXPECT_TRUE(near(to_host(y), expected_transposed, rounding<double>(20, n)));
  }
}

/// The same for four block sizes: a file of tests has no more, because each is long to compile.
template <int first, class Exec>
void check_four_line_block_sizes(const Exec& exec) {
  check_line_block_size<first>(exec);
  check_line_block_size<first + 1>(exec);
  check_line_block_size<first + 2>(exec);
  check_line_block_size<first + 3>(exec);
}

}  // namespace hyperplane::test
