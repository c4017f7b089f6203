// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/stencil/block_vectors.hpp>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/least_team.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/quarter_reference.hpp"
#include "support/serial_reference.hpp"
#include "support/short_factors.hpp"
#include "support/transfer.hpp"

// What holds of every preconditioner with factors of 8 bits.
namespace hyperplane::test {

/// Options of a plan, with another path.
template <class Options>
Options with_path(Options options, SweepPath path) {
  options.path = path;
  return options;
}

/// Scales are those of what Half has. Each entry is that of Half to half of its step, and one entry of each row that is
/// not zero is the same; where the row scale is not normal as a Half, to the step of such numbers.
template <int n, class Exec, class Plan, class PlanOfHalf>
void compare_quarter_factors(const Exec& exec, const Plan& plan, const PlanOfHalf& half) {
  StoredFactors<n, Plan> const found(exec, plan);
  StoredFactors<n, PlanOfHalf> const expected(exec, half);
  int failures = 0, other_scales = 0, not_normal = 0;
  double least_column = 1;
  for (std::int64_t p = 0; p < plan.grid().size(); ++p) {
    EXPECT_EQ(found.values.block(p, Direction::center).entries, expected.values.block(p, Direction::center).entries);
    for (auto const& directions : {lower_directions, upper_directions}) {
      auto const scales = block_scales(expected.values, p, directions);
      for (auto const d : directions) other_scales += found.scales.at({p, d}) != scales;
      for (int r = 0; r < n; ++r) {
        if (scales.rows[r] > 0) least_column = std::min(least_column, scales.columns[r]);
        bool const is_normal = scales.rows[r] >= 0x1p-14;
        if (!is_normal && scales.rows[r] > 0) ++not_normal;
        bool is_zero = true, has_same = false;
        for (int k = 0; k < 3; ++k) {
          for (int c = 0; c < n; ++c) {
            auto const entry = [&](const ReferenceStencil& a) { return a.block(p, directions[k])(r, c); };
            double const value = entry(expected.values), difference = std::abs(entry(found.values) - value);
            if (!(difference <= 0.5001 * entry(found.steps) + (is_normal ? 0 : 0x1p-24))) ++failures;
            is_zero = is_zero && value == 0;
            has_same = has_same || (value != 0 && difference <= 1e-15 * std::abs(value));
          }
        }
        if (is_normal && !is_zero && !has_same) ++failures;
      }
    }
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(other_scales, 0);
  if (n > 2 && plan.grid().size() > 2) {
    EXPECT_EQ(least_column, 0x1p-12);
    EXPECT_GT(not_normal, 0);
  }
}

/// With rows of L and of d^-1 U that are zero, and couplings of which two columns and a row are small.
inline ReferenceStencil uneven_stencil(const Grid& grid, int n) {
  auto a = random_stencil(grid, n);
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      auto& block = a.block(p, d);
      if (p % 3 == 0) {
        for (int c = 0; c < n; ++c) block(0, c) = d == Direction::center && c == 0 ? 5 : 0;
      } else if (d != Direction::center && n > 2) {
        for (int r = 0; r < n; ++r) {
          block(r, 0) *= 0x1p-5;
          block(r, n - 1) *= 0x1p-20;
        }
        for (int c = 0; c < n; ++c) block(1, c) *= 0x1p-16;
      }
    }
  }
  return a;
}

/// Factors, beside those of Half, and solves, beside a slow reference with the same factors, on each path.
template <class Plan>
void compare_quarter_with_reference(const typename Plan::execution_space& exec, const std::vector<Grid>& grids,
                                    const typename Plan::Options& options = {}) {
  constexpr int n = Plan::block_size;
  using PlanOfHalf = typename Plan::template WithStorage<Half>;
  for (auto const& grid : grids) {
    auto const a = uneven_stencil(grid, n);
    auto const rhs = random_vector(a.rows()), other = random_vector(a.rows(), 7);
    auto const on_device = matrix_of<Plan>(exec, a);
    for (SweepPath const path : paths_of_factors<Plan>()) {
      SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n) + ", path " + name(path));
      auto const plan = factored<Plan>(exec, grid, on_device, with_path(options, path));
      compare_quarter_factors<n>(exec, plan, factored<PlanOfHalf>(exec, grid, on_device, with_path(options, path)));
      QuarterReference<n> const reference(exec, plan);
      constexpr double tolerance = 1e-13;
      auto const x = solve_short(exec, plan, grid, rhs, false), y = solve_short(exec, plan, grid, other, true);
      EXPECT_TRUE(near(x, reference.solve(rhs), tolerance));
      EXPECT_TRUE(near(y, reference.solve_transposed(other), tolerance));
      // <M^-1 u, v> = <u, M^-T v>.
      auto const dot = [](const std::vector<double>& u, const std::vector<double>& v) {
        return std::inner_product(u.begin(), u.end(), v.begin(), 0.0);
      };
      EXPECT_NEAR(dot(x, other), dot(rhs, y), tolerance * std::sqrt(dot(x, x) * dot(other, other)));
    }
  }
}

/// The same bits with one thread and with all.
template <class Plan>
void expect_quarter_bits_of_one_thread(const typename Plan::execution_space& exec) {
  // Slabs are cut where there are more threads than slabs.
  for (auto const& grid : {Grid(9, 33, 5), Grid(40, 3, 4)}) {
    auto const reference = random_stencil(grid, Plan::block_size);
    auto const rhs = random_vector(reference.rows());
    for (SweepPath const path : paths_of_factors<Plan>()) {
      for (bool const transposed : {false, true}) {
        std::vector<double> of_one;
        {
          LeastTeam const team(never_teams);
          of_one = factor_and_solve_short<Plan>(exec, reference, rhs, {.path = path}, transposed);
        }
        LeastTeam const team(always_teams);
        auto const of_all = factor_and_solve_short<Plan>(exec, reference, rhs, {.path = path}, transposed);
        EXPECT_TRUE(bitwise_equal(of_all, of_one)) << to_string(grid) << ", path " << name(path);
      }
    }
  }
}

/// Without couplings, and with blocks that are a power of two, a solve is exact. What blocks out of the grid have is
/// ignored: they share scales with the others.
template <class Plan>
void expect_quarter_of_diagonal_blocks(const typename Plan::execution_space& exec) {
  constexpr int n = Plan::block_size;
  ReferenceStencil reference(Grid(4, 19, 3), n);
  for (auto& blocks : reference.blocks) {
    for (int r = 0; r < n; ++r) blocks[static_cast<int>(Direction::center)](r, r) = 0.5;
  }
  for (std::int64_t p = 0; p < reference.grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      if (reference.grid.contains(neighbour(reference.grid.point(p), d))) continue;
      for (auto& entry : reference.block(p, d).entries) entry = 100;
    }
  }
  auto const rhs = random_vector(reference.rows());
  auto expected = rhs;
  for (auto& value : expected) value *= 2.0;
  for (SweepPath const path : paths_of_factors<Plan>()) {
    auto const plan = factored<Plan>(exec, reference.grid, matrix_of<Plan>(exec, reference), {.path = path});
    EXPECT_TRUE(bitwise_equal(solve_short(exec, plan, reference.grid, rhs, false), expected)) << name(path);
    for (auto const& [at, scales] : StoredFactors<n, Plan>(exec, plan).scales) {
      EXPECT_EQ(scales.rows, std::vector<double>(n, 0.0)) << name(path) << ", point " << at.first;
    }
  }
}

template <class Plan>
void expect_quarter_overflow_to_be_a_status(const typename Plan::execution_space& exec) {
  constexpr int n = Plan::block_size;
  Grid const grid(5, 19, 4);
  Point const bad{2, 10, 1};
  auto const other = grid.index(neighbour(bad, Direction::north));
  for (SweepPath const path : paths_of_factors<Plan>()) {
    SCOPED_TRACE(name(path));
    auto const status_of = [&](double value) {
      auto a = random_stencil(grid, n);
      // What the neighbour has for the point is nothing, so that no pivot block is large.
      for (auto& entry : a.block(other, Direction::south).entries) entry = 0;
      a.block(grid.index(bad), Direction::north)(1, 0) = value;
      Plan plan(exec, grid, {.path = path});
      plan.factor(exec, matrix_of<Plan>(exec, a));
      return plan.status(exec);
    };
    EXPECT_TRUE(status_of(1e5).ok());
    auto const overflow = status_of(1e7);
    EXPECT_EQ(overflow.failure, FactorFailure::overflow) << overflow.message();
    EXPECT_EQ(overflow.point, bad);
    auto const not_finite = status_of(std::numeric_limits<double>::infinity());
    EXPECT_EQ(not_finite.failure, FactorFailure::not_finite) << not_finite.message();
    EXPECT_EQ(not_finite.block, (BlockPlace{bad, Direction::north})) << not_finite.message();
  }
}

/// Both halves have the bits of a solve, and several vectors are solved for together.
template <class Plan>
void expect_quarter_halves_and_several_vectors(const typename Plan::execution_space& exec) {
  constexpr int n = Plan::block_size;
  using Vectors = BlockVectors<double, n, 2, typename Plan::execution_space>;
  Grid const grid(9, 17, 5);
  auto const reference = random_stencil(grid, n);
  for (SweepPath const path : paths_of_factors<Plan>()) {
    SCOPED_TRACE(name(path));
    auto const plan =
        factored<Plan>(exec, grid, matrix_of<Plan>(exec, reference), {.path = path, .right_hand_sides = 2});
    Vectors const x(exec, grid);
    std::vector<std::vector<double>> expected, of_transpose;
    for (int v = 0; v < 2; ++v) {
      auto const rhs = random_vector(reference.rows(), static_cast<unsigned>(v + 1));
      expected.push_back(solve_short(exec, plan, grid, rhs, false));
      of_transpose.push_back(solve_short(exec, plan, grid, rhs, true));
      auto const y = to_device<double, n>(exec, grid, rhs);
      Kokkos::deep_copy(exec, x[v].flat(), y.flat());
      plan.forward(exec, y, y);
      plan.backward(exec, y, y);
      EXPECT_TRUE(bitwise_equal(to_host(exec, y), expected.back()));
    }
    Vectors const z(exec, grid);
    plan.solve(exec, x, z);
    for (int v = 0; v < 2; ++v) EXPECT_TRUE(near(to_host(exec, z[v]), expected[v], 1e-13));
    plan.solve(exec, x.all(), z.all());
    for (int v = 0; v < 2; ++v) EXPECT_TRUE(near(to_host(exec, z[v]), expected[v], 1e-13));
    plan.solve_transposed(exec, x, z);
    for (int v = 0; v < 2; ++v) EXPECT_TRUE(near(to_host(exec, z[v]), of_transpose[v], 1e-13));
  }
}

/// `owner` is what errors call the plan.
template <class Plan>
void expect_no_other_paths_of_quarter(const typename Plan::execution_space& exec, const std::string& owner) {
  Grid const grid(9, 17, 5);
  auto const error_of = [&](const typename Plan::Options& options) {
    return message_of([&] { Plan const plan(exec, grid, options); });
  };
  auto const paths = paths_of_factors<Plan>();
  EXPECT_EQ(Plan(exec, grid).path(), paths.back());
  for (SweepPath const path : {SweepPath::slab, SweepPath::cuda_graph}) {
    if (std::ranges::find(paths, path) != paths.end()) continue;
    EXPECT_THAT(error_of({.path = path}),
                ::testing::HasSubstr("has no path " + std::string(name(path)) + " with factors of 8 bits"));
  }
  EXPECT_THAT(error_of({.folded = {.i = true}}),
              ::testing::HasSubstr(owner + ": folded directions have no factors of 8 bits"));
}

}  // namespace hyperplane::test
