// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <hyperplane/core/storage_real.hpp>
#include <string>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// Preconditioners whose factors are stored in 16 or 8 bits.
namespace hyperplane::test {

/// The paths that there are for the factors of a plan: for 8 bits not all that devices have.
template <class Plan>
std::vector<SweepPath> paths_of_factors() {
  using Exec = typename Plan::execution_space;
  if constexpr (StorageReal<typename Plan::storage_type> || HostExecutionSpace<Exec>) {
    return paths_of<Exec>();
  } else {
    return {SweepPath::portable};
  }
}

/// With each path, and with folded directions, where plans have them.
template <class Plan>
std::vector<typename Plan::Options> short_options_of() {
  std::vector<typename Plan::Options> result(1);
  if constexpr (requires { result.back().path; }) {
    result.clear();
    for (SweepPath const path : paths_of_factors<Plan>()) {
      result.emplace_back();
      result.back().path = path;
    }
  }
  if constexpr (requires { result.back().folded; } && StorageReal<typename Plan::storage_type>) {
    result.emplace_back();
    result.back().folded = {true, true, true};
  }
  return result;
}
template <class Options>
std::string described(const Options& options) {
  std::string result;
  if constexpr (requires { options.path; }) result += std::string(", path ") + name(options.path);
  if constexpr (requires { options.folded; }) result += options.folded.any() ? ", folded" : "";
  return result;
}

/// Half of the distance from 1 to the next number; with 8 bits nearly half of 1/127.
template <class Storage>
inline constexpr double unit_roundoff = std::same_as<Storage, float>  ? 0x1p-24
                                        : std::same_as<Storage, Half> ? 0x1p-11
                                                                      : 0x1p-8;

/// A reference as the matrix that a plan factors.
template <class Plan>
auto matrix_of(const typename Plan::execution_space& exec, const ReferenceStencil& reference) {
  using Scalar = typename Plan::scalar_type;
  return to_device<Scalar, Plan::block_size, Scalar>(exec, reference);
}

/// A plan of a grid or of lines with the factors of a matrix.
template <class Plan, class Domain, class Matrix>
Plan factored(const typename Plan::execution_space& exec, const Domain& domain, const Matrix& a,
              const typename Plan::Options& options) {
  Plan plan(exec, domain, options);
  plan.factor(exec, a);
  EXPECT_TRUE(plan.status(exec).ok()) << plan.status(exec).message();
  return plan;
}

/// x = M^-1 rhs, or M^-T rhs.
template <class Plan>
std::vector<double> solve_short(const typename Plan::execution_space& exec, const Plan& plan, const Grid& grid,
                                const std::vector<double>& rhs, bool transposed) {
  auto const x = to_device<typename Plan::scalar_type, Plan::block_size>(exec, grid, rhs);
  if (transposed) {
    plan.solve_transposed(exec, x, x);
  } else {
    plan.solve(exec, x, x);
  }
  return to_host(exec, x);
}

/// The same by a plan of a grid or of lines that is made for it.
template <class Plan, class Domain>
std::vector<double> factor_and_solve_on(const typename Plan::execution_space& exec, const Domain& domain,
                                        const ReferenceStencil& reference, const std::vector<double>& rhs,
                                        const typename Plan::Options& options, bool transposed) {
  return solve_short(exec, factored<Plan>(exec, domain, matrix_of<Plan>(exec, reference), options), reference.grid, rhs,
                     transposed);
}

/// The same of a plan of the reference's grid.
template <class Plan>
std::vector<double> factor_and_solve_short(const typename Plan::execution_space& exec,
                                           const ReferenceStencil& reference, const std::vector<double>& rhs,
                                           const typename Plan::Options& options, bool transposed = false) {
  return factor_and_solve_on<Plan>(exec, reference.grid, reference, rhs, options, transposed);
}

template <class Plan, class PlanOfDouble>
void compare_with_double(const typename Plan::execution_space& exec) {
  constexpr int n = Plan::block_size;
  for (auto const& grid : {Grid(1, 1, 1), Grid(1, 7, 1), Grid(5, 4, 3), Grid(9, 17, 5), Grid(1, 1, 12)}) {
    auto const reference = random_stencil(grid, n);
    auto const rhs = random_vector(grid.size() * n);
    auto const a = matrix_of<Plan>(exec, reference);
    auto const a_of_double = matrix_of<PlanOfDouble>(exec, reference);
    for (auto const& options : short_options_of<Plan>()) {
      auto const plan = factored<Plan>(exec, grid, a, options);
      auto const plan_of_double = factored<PlanOfDouble>(exec, grid, a_of_double, options);
      for (bool const transposed : {false, true}) {
        EXPECT_TRUE(near(solve_short(exec, plan, grid, rhs, transposed),
                         solve_short(exec, plan_of_double, grid, rhs, transposed),
                         10 * n * unit_roundoff<typename Plan::storage_type>))
            << to_string(grid) << described(options) << ", transposed " << transposed;
      }
    }
  }
}

/// What unknowns have, and what equations at a point are multiplied by, say by other units and by areas of cells.
inline double of_unknown(std::size_t row, int n) { return std::pow(10.0, 5 - 5 * static_cast<double>(row % n % 3)); }
inline double of_equation(std::size_t row, int n) {
  return std::pow(10.0, static_cast<double>(row / n * 7 % 13) - 12 + 4 * static_cast<double>(row % n % 4));
}

/// The blocks of a system with such units: rows times those of equations, columns divided by those of unknowns.
inline ReferenceStencil in_other_units(const ReferenceStencil& a) {
  auto result = a;
  auto const n = static_cast<std::size_t>(a.n);
  for (std::size_t p = 0; p < result.blocks.size(); ++p) {
    for (auto& block : result.blocks[p]) {
      for (std::size_t e = 0; e < n * n; ++e) {
        auto const r = e / n, c = e % n;
        block(static_cast<int>(r), static_cast<int>(c)) *= of_equation(p * n + r, a.n) / of_unknown(c, a.n);
      }
    }
  }
  return result;
}
inline ReferenceCsr in_other_units(const ReferenceCsr& a) {
  auto result = a;
  for (int row = 0; row < a.rows(); ++row) {
    for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
      for (int r = 0; r < a.n; ++r) {
        auto const equation = of_equation(static_cast<std::size_t>(row * a.n + r), a.n);
        for (int c = 0; c < a.n; ++c) {
          result.blocks[e](r, c) *= equation / of_unknown(static_cast<std::size_t>(c), a.n);
        }
      }
    }
  }
  return result;
}
inline std::vector<double> times_equations(std::vector<double> values, int n) {
  for (std::size_t row = 0; row < values.size(); ++row) values[row] *= of_equation(row, n);
  return values;
}
inline std::vector<double> over_unknowns(std::vector<double> values, int n) {
  for (std::size_t row = 0; row < values.size(); ++row) values[row] /= of_unknown(row, n);
  return values;
}

template <class Plan, class PlanOfDouble>
void compare_in_other_units(const typename Plan::execution_space& exec) {
  constexpr int n = Plan::block_size;
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(9, 17, 5), Grid(40, 20, 3)}) {
    auto const reference = random_stencil(grid, n);
    auto const scaled = matrix_of<Plan>(exec, in_other_units(reference));
    auto const a_of_double = matrix_of<PlanOfDouble>(exec, reference);
    auto const rhs = random_vector(grid.size() * n);
    constexpr double tolerance = 10 * n * unit_roundoff<typename Plan::storage_type>;
    for (auto const& options : short_options_of<Plan>()) {
      SCOPED_TRACE(to_string(grid) + described(options));
      auto const plan = factored<Plan>(exec, grid, scaled, options);
      auto const plan_of_double = factored<PlanOfDouble>(exec, grid, a_of_double, options);
      EXPECT_TRUE(near(over_unknowns(solve_short(exec, plan, grid, times_equations(rhs, n), false), n),
                       solve_short(exec, plan_of_double, grid, rhs, false), tolerance));
      // With M^T the right-hand side has the units of unknowns, and the solution has those of equations.
      EXPECT_TRUE(near(times_equations(solve_short(exec, plan, grid, over_unknowns(rhs, n), true), n),
                       solve_short(exec, plan_of_double, grid, rhs, true), tolerance));
    }
  }
}

/// Both.
template <class Plan, class PlanOfDouble>
void compare_in_any_units(const typename Plan::execution_space& exec) {
  compare_with_double<Plan, PlanOfDouble>(exec);
  compare_in_other_units<Plan, PlanOfDouble>(exec);
}

}  // namespace hyperplane::test
