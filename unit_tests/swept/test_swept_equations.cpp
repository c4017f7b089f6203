// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <hyperplane/swept/euler.hpp>
#include <hyperplane/swept/heat.hpp>
#include <hyperplane/swept/kuramoto_sivashinsky.hpp>
#include <hyperplane/swept/swept_rule.hpp>
#include <numbers>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/riemann.hpp"
#include "support/spectral_kuramoto_sivashinsky.hpp"
#include "support/swept_reference.hpp"

// The equations against what is known of their solutions.
namespace hyperplane::test {
namespace {

template <class Exec>
class SweptEquations : public ::testing::Test {
 protected:
  /// The values after `steps`, component by component.
  template <class Problem>
  std::vector<double> advanced(const Problem& problem, const std::vector<SweptPointState<Problem>>& initial,
                               std::int64_t steps) {
    Exec const exec;
    SweptRule<Problem, Exec> rule(exec, problem, std::ssize(initial));
    auto const u = swept_line<Problem>(exec, initial);
    rule.advance(exec, u, steps);
    return values_of(exec, u);
  }
};
TYPED_TEST_SUITE(SweptEquations, ExecutionSpaces, SpaceNames);

TYPED_TEST(SweptEquations, heat_converges_with_second_order) {
  // cos(3 pi x) on [0, 1] decays with exp(-9 pi^2 t).
  double const time = 0.01;
  double const k = 3 * std::numbers::pi;
  std::vector<double> errors;
  for (int const points : {51, 101, 201, 401}) {
    double const dx = 1.0 / (points - 1);
    auto const steps = std::lround(time / (0.4 * dx * dx));
    std::vector<PointState<double, 1>> u(points);
    for (int i = 0; i < points; ++i) u[i][0] = std::cos(k * i * dx);
    auto const result = this->advanced(HeatEquation<>{time / steps / (dx * dx)}, u, steps);
    double error = 0.0;
    for (int i = 0; i < points; ++i) {
      error = std::max(error, std::abs(result[i] - std::exp(-k * k * time) * std::cos(k * i * dx)));
    }
    errors.push_back(error);
  }
  EXPECT_LT(errors.front(), 0.02);
  for (std::size_t e = 1; e < errors.size(); ++e) EXPECT_NEAR(std::log2(errors[e - 1] / errors[e]), 2.0, 0.1);
}

TYPED_TEST(SweptEquations, heat_is_conserved_between_insulated_ends) {
  auto const u = random_line<HeatEquation<>>(777);
  auto const heat = [](const std::vector<double>& values) {
    double sum = -(values.front() + values.back()) / 2;
    for (double const value : values) sum += value;
    return sum;
  };
  auto const before = heat(values_of<HeatEquation<>>(u));
  EXPECT_NEAR(heat(this->advanced(HeatEquation<>{0.3}, u, 500)), before, rounding<double>(10, 777));
}

TYPED_TEST(SweptEquations, kuramoto_sivashinsky_converges_to_the_spectral_solution) {
  double const length = 32.0;
  double const time = 1.0;
  auto const initial = [&](double x) {
    double const angle = 2 * std::numbers::pi * x / length;
    return std::cos(angle) * (1.0 + std::sin(2 * angle)) + 0.5;
  };
  int const modes = 64;
  std::vector<double> coarse(modes);
  for (int i = 0; i < modes; ++i) coarse[i] = initial(i * length / modes);
  SpectralKuramotoSivashinsky spectral(length, coarse);
  spectral.advance(time, 1000);

  std::vector<double> errors;
  for (int const points : {64, 128, 256}) {
    double const dx = length / points;
    auto const steps = std::lround(time / (dx * dx * dx * dx / 16));
    std::vector<PointState<double, 1>> u(points);
    for (int i = 0; i < points; ++i) u[i][0] = initial(i * dx);
    auto const result = this->advanced(KuramotoSivashinsky<>(time / steps, dx), u, steps);
    double error = 0.0;
    for (int i = 0; i < modes; ++i)
      error = std::max(error, std::abs(result[i * points / modes] - spectral.values()[i]));
    errors.push_back(error);
  }
  EXPECT_LT(errors.front(), 0.05);
  for (std::size_t e = 1; e < errors.size(); ++e) EXPECT_NEAR(std::log2(errors[e - 1] / errors[e]), 2.0, 0.2);
}

TYPED_TEST(SweptEquations, kuramoto_sivashinsky_conserves_the_sum) {
  auto const u = random_line<KuramotoSivashinsky<>>(500);
  auto const sum = [](const std::vector<double>& values) {
    double result = 0.0;
    for (double const value : values) result += value;
    return result;
  };
  auto const before = sum(values_of<KuramotoSivashinsky<>>(u));
  EXPECT_NEAR(sum(this->advanced(SweptExample<KuramotoSivashinsky<>>::problem(), u, 300)), before,
              rounding<double>(100, 500));
}

TYPED_TEST(SweptEquations, euler_converges_to_the_exact_shock_tube) {
  double const time = 0.2;
  ExactRiemann const exact({1.0, 0.0, 1.0}, {0.125, 0.0, 0.1}, 1.4);
  // Toro, table 4.2: test 1.
  EXPECT_NEAR(exact.at(0.5).pressure, 0.30313, 1e-5);
  EXPECT_NEAR(exact.at(0.5).velocity, 0.92745, 1e-5);
  EXPECT_NEAR(exact.at(0.5).density, 0.42632, 1e-5);
  EXPECT_NEAR(exact.at(1.2).density, 0.26557, 1e-5);

  std::vector<double> errors;
  for (int const cells : {100, 200, 400, 800}) {
    double const dx = 1.0 / cells;
    auto const steps = std::lround(time / (0.2 * dx));
    auto const problem = EulerEquations<>::sod(time / steps / dx);
    std::vector<PointState<double, 3>> u(cells);
    for (int i = 0; i < cells; ++i) u[i] = 2 * i < cells ? problem.left : problem.right;
    auto const result = this->advanced(problem, u, steps);
    double error = 0.0;
    double mass = 0.0, energy = 0.0;
    for (int i = 0; i < cells; ++i) {
      error += dx * std::abs(result[i] - exact.at(((i + 0.5) * dx - 0.5) / time).density);
      mass += dx * result[i];
      energy += dx * result[2 * cells + i];
    }
    errors.push_back(error);
    EXPECT_NEAR(mass, 0.5625, rounding<double>(10, cells));
    EXPECT_NEAR(energy, 1.375, rounding<double>(10, cells));
  }
  EXPECT_LT(errors.front(), 0.012);
  for (std::size_t e = 1; e < errors.size(); ++e) EXPECT_LT(errors[e], 0.65 * errors[e - 1]);
}

}  // namespace
}  // namespace hyperplane::test
