// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/line_options.hpp"
#include "support/line_reference.hpp"
#include "support/line_transfer.hpp"
#include "support/matchers.hpp"
#include "support/transfer.hpp"

// Lines of scalars, n = 1, where LinePath::staged has many threads per line: lines of all lengths around what a thread
// and a block of threads have, and pivots that tell what comes into a thread's steps from what it should be.
namespace hyperplane::test {
namespace {

template <class Exec>
class ScalarLines : public ::testing::Test {};
TYPED_TEST_SUITE(ScalarLines, ExecutionSpaces, SpaceNames);

/// Lists of these lengths, one after the other.
LineSet lines_of(const std::vector<int>& lengths) {
  std::vector<std::int64_t> offsets{0};
  for (int const length : lengths) offsets.push_back(offsets.back() + length);
  std::vector<std::int64_t> points(offsets.back());
  std::iota(points.begin(), points.end(), std::int64_t{0});
  return LineSet::lists(offsets.back(), offsets, points);
}

const std::vector<int> lengths{1,   2,   7,   8,   9,   15,  16,  17,  63,  64,  65,
                               127, 128, 129, 130, 255, 256, 257, 511, 700, 1025};

TYPED_TEST(ScalarLines, of_any_length_are_solved) {
  TypeParam const exec;
  auto const lines = lines_of(lengths);
  auto const line_of = [&](std::int64_t line) { return random_line(1, lines.length(line), 7 + unsigned(line)); };
  auto const rhs = random_vector(lines.point_count());
  auto const expected = solve_lines(lines, 1, rhs, line_of);
  for (auto options : line_options_of<TypeParam>(1)) {
    options.partitions = 1;
    SCOPED_TRACE(describe(options));
    BlockTridiagonal<double, 1, TypeParam> solver(exec, lines, options);
    solver.factor(exec, to_lines<double, 1, double>(exec, solver.layout(), line_of));
    EXPECT_TRUE(solver.status(exec).ok()) << solver.status(exec).message();
    auto const x = to_view<double>(exec, rhs);
    solver.solve(exec, x, x);
    EXPECT_TRUE(near(to_host(x), expected, rounding<double>(20, 1)));
  }
}

/// A line whose pivots are given: some so small that what follows them is large, in places anywhere.
ReferenceLine line_with_pivots(int length, unsigned seed, double smallest) {
  auto line = random_line(1, length, seed);
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(0.5, 2.0);
  double before = 1.0;
  for (int p = 0; p < length; ++p) {
    double const pivot = generator() % 8 == 0 ? smallest * uniform(generator) : uniform(generator);
    line.diagonal[p](0, 0) = pivot + (p > 0 ? line.lower[p](0, 0) * line.upper[p - 1](0, 0) / before : 0.0);
    before = pivot;
  }
  return line;
}

/// The residual of each equation by what rounding may make of it: |b - A x| / (|L| |U| |x|) with the factors L and U of
/// A, in which pivots are followed by what they make large (N. J. Higham, "Accuracy and Stability of Numerical
/// Algorithms", section 9.6).
template <class X>
double largest_residual(const ReferenceLine& a, const std::vector<double>& rhs, const X& x, std::int64_t first) {
  double largest = 0.0;
  double scaled = 0.0;  // U / d of the point before
  for (int p = 0; p < a.length(); ++p) {
    auto const o = first + p;
    double const lower = p > 0 ? a.lower[p](0, 0) : 0.0;
    double const upper = p + 1 < a.length() ? a.upper[p](0, 0) : 0.0;
    double const before = p > 0 ? x(o - 1) : 0.0;
    double const after = p + 1 < a.length() ? x(o + 1) : 0.0;
    double const pivot = a.diagonal[p](0, 0) - lower * scaled;
    double const residual = rhs[o] - lower * before - a.diagonal[p](0, 0) * x(o) - upper * after;
    double const rounding =
        std::abs(lower * before) + std::abs(lower * scaled * x(o)) + std::abs(pivot * x(o)) + std::abs(upper * after);
    double const ratio = std::abs(residual) / rounding;
    if (!(std::isfinite(rounding) && ratio <= largest)) largest = std::isfinite(ratio) ? ratio : 1.0;
    scaled = upper / pivot;
  }
  return largest;
}

TYPED_TEST(ScalarLines, have_small_residuals_with_small_pivots) {
  TypeParam const exec;
  for (double const smallest : {1e-3, 1e-6}) {
    auto const lines = lines_of({700, 130, 128, 64, 33});
    std::vector<ReferenceLine> systems;
    for (std::int64_t line = 0; line < lines.count(); ++line) {
      systems.push_back(line_with_pivots(lines.length(line), 3 + unsigned(line), smallest));
    }
    auto const rhs = random_vector(lines.point_count());
    for (auto options : line_options_of<TypeParam>(1)) {
      options.partitions = 1;
      SCOPED_TRACE(describe(options) + ", smallest pivot " + std::to_string(smallest));
      BlockTridiagonal<double, 1, TypeParam> solver(exec, lines, options);
      solver.factor(exec, to_lines<double, 1, double>(exec, solver.layout(), [&](auto line) { return systems[line]; }));
      EXPECT_TRUE(solver.status(exec).ok()) << solver.status(exec).message();
      auto const view = to_view<double>(exec, rhs);
      solver.solve(exec, view, view);
      auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
      for (std::int64_t line = 0; line < lines.count(); ++line) {
        EXPECT_LE(largest_residual(systems[line], rhs, x, lines.point(line, 0)),
                  20 * std::numeric_limits<double>::epsilon())
            << "line " << line;
      }
    }
  }
}

TYPED_TEST(ScalarLines, name_a_singular_pivot_anywhere) {
  TypeParam const exec;
  auto const lines = LineSet::uniform(3, 300);
  for (auto options : line_options_of<TypeParam>(1)) {
    options.partitions = 1;
    BlockTridiagonal<double, 1, TypeParam> solver(exec, lines, options);
    for (int const position : {0, 7, 8, 127, 128, 200, 299}) {
      SCOPED_TRACE(describe(options) + ", position " + std::to_string(position));
      solver.factor(exec, to_lines<double, 1, double>(exec, solver.layout(), [&](std::int64_t line) {
                      auto system = random_line(1, lines.length(line), 1);
                      if (line == 1) system.diagonal[position](0, 0) = system.lower[position](0, 0) = 0.0;
                      return system;
                    }));
      auto const status = solver.status(exec);
      EXPECT_EQ(status.line, 1);
      EXPECT_EQ(status.position, position);
      EXPECT_EQ(status.equation, 0);
    }
  }
}

/// The same system in other units: rows and unknowns far from one neither overflow nor vanish, also where squares do.
TYPED_TEST(ScalarLines, may_have_any_unit) {
  TypeParam const exec;
  auto const lines = LineSet::uniform(3, 300);
  auto const rhs = random_vector(lines.point_count());
  for (auto options : line_options_of<TypeParam>(1)) {
    options.partitions = 1;
    SCOPED_TRACE(describe(options));
    BlockTridiagonal<double, 1, TypeParam> solver(exec, lines, options);
    std::vector<double> first;
    for (int const exponent : {0, 400, -400, 512, -512, 600, -600}) {
      solver.factor(exec, to_lines<double, 1, double>(exec, solver.layout(), [&](std::int64_t line) {
                      auto system = random_line(1, lines.length(line), 1 + unsigned(line));
                      for (auto* blocks : {&system.lower, &system.diagonal, &system.upper}) {
                        for (auto& block : *blocks) block(0, 0) = std::ldexp(block(0, 0), exponent);
                      }
                      return system;
                    }));
      EXPECT_TRUE(solver.status(exec).ok()) << solver.status(exec).message();
      auto const x = to_lines<double, 1>(exec, solver.layout(), 1, rhs);
      solver.solve(exec, x, x);
      auto values = to_host(exec, x);
      for (auto& value : values) value = std::ldexp(value, exponent);
      if (first.empty()) first = values;
      // Without squares LinePath::staged begins a step with what was computed before it, else with what agrees with
      // that.
      bool const same =
          solver.path() != LinePath::staged || 2 * std::abs(exponent) < std::numeric_limits<double>::max_exponent;
      EXPECT_TRUE(same ? bitwise_equal(values, first) : near(values, first, rounding<double>(20, 1)))
          << "times 2^" << exponent;
    }
  }
}

}  // namespace
}  // namespace hyperplane::test
