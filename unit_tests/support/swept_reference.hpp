// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hyperplane/swept/euler.hpp>
#include <hyperplane/swept/heat.hpp>
#include <hyperplane/swept/kuramoto_sivashinsky.hpp>
#include <hyperplane/swept/swept_rule.hpp>
#include <random>
#include <utility>
#include <vector>

#include "execution_spaces.hpp"

namespace hyperplane::test {

/// Every level of every step over the whole line, from one array into another.
template <class Problem>
class SweptReference {
 public:
  using State = SweptPointState<Problem>;

  SweptReference(const Problem& problem, std::vector<State> u) : m_problem(problem), m_u(std::move(u)) {}

  void advance(std::int64_t steps) {
    for (std::int64_t s = 0; s < steps; ++s) {
      auto const start = m_u;
      sub_steps<0>(start);
    }
  }
  const std::vector<State>& states() const { return m_u; }

 private:
  template <int sub_step>
  void sub_steps(const std::vector<State>& start) {
    constexpr int width = Problem::half_width;
    auto const before = m_u;
    for (std::int64_t i = 0; i < std::ssize(m_u); ++i) {
      State window[2 * width + 1];
      for (int k = -width; k <= width; ++k) window[width + k] = at(before, i + k);
      m_u[i] = m_problem.template step<sub_step>(window + width, start[i]);
    }
    if constexpr (sub_step + 1 < Problem::sub_steps) sub_steps<sub_step + 1>(start);
  }

  State at(const std::vector<State>& u, std::int64_t i) const {
    auto const n = std::ssize(u);
    if constexpr (Problem::boundary == SweptBoundary::fixed) {
      if (i < 0) return m_problem.outside(SweptEnd::left);
      if (i >= n) return m_problem.outside(SweptEnd::right);
    } else if constexpr (Problem::boundary == SweptBoundary::periodic) {
      while (i < 0) i += n;
      while (i >= n) i -= n;
    } else {
      while (n > 1 && (i < 0 || i >= n)) i = i < 0 ? -i : 2 * (n - 1) - i;
      if (n == 1) i = 0;
    }
    return u[i];
  }

  Problem m_problem;
  std::vector<State> m_u;
};

/// Three sub-steps (strong stability preserving Runge-Kutta of third order) of advection with diffusion, on seven
/// points.
template <SweptBoundary kind>
struct WideProblem {
  using scalar_type = double;
  using State = PointState<double, 2>;
  static constexpr int components = 2;
  static constexpr int half_width = 3;
  static constexpr int sub_steps = 3;
  static constexpr SweptBoundary boundary = kind;

  HYPERPLANE_FUNCTION State outside(SweptEnd end) const {
    return end == SweptEnd::left ? State{0.25, -0.5} : State{-0.75, 1.0};
  }

  template <int sub_step>
  HYPERPLANE_FUNCTION State step(const State* u, const State& start) const {
    State result;
    for (int c = 0; c < 2; ++c) {
      double const other = u[0][1 - c];
      double change = multiply_add(0.01, other, -0.04 * u[0][c]);
      change = multiply_add(0.02, u[-3][c], change);
      change = multiply_add(0.05, u[-1][c], change);
      change = multiply_add(-0.03, u[2][c], change);
      change = multiply_add(0.01, u[3][c], change);
      double const euler = u[0][c] + change;
      if (sub_step == 0) {
        result[c] = euler;
      } else {
        double const weight = sub_step == 1 ? 0.25 : 2.0 / 3.0;
        result[c] = multiply_add(weight, euler, (1.0 - weight) * start[c]);
      }
    }
    return result;
  }
};

/// Ready-made problems with stable parameters, and random but physical states.
template <class Problem>
struct SweptExample;

template <class Scalar>
struct SweptExample<HeatEquation<Scalar>> {
  static HeatEquation<Scalar> problem() { return {Scalar(0.3)}; }
  static constexpr double lowest = -1.0, highest = 1.0;
};
template <>
struct SweptExample<KuramotoSivashinsky<double>> {
  static KuramotoSivashinsky<double> problem() { return {0.01, 0.6}; }
  static constexpr double lowest = -1.0, highest = 1.0;
};
template <class Scalar>
struct SweptExample<EulerEquations<Scalar>> {
  static EulerEquations<Scalar> problem() { return EulerEquations<Scalar>::sod(Scalar(0.1)); }
};
template <SweptBoundary kind>
struct SweptExample<WideProblem<kind>> {
  static WideProblem<kind> problem() { return {}; }
  static constexpr double lowest = -1.0, highest = 1.0;
};

template <class Problem>
std::vector<SweptPointState<Problem>> random_line(std::int64_t points) {
  std::mt19937 engine(static_cast<unsigned int>(points));
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<SweptPointState<Problem>> u(static_cast<std::size_t>(points));
  for (auto& state : u) {
    if constexpr (Problem::components == 3) {
      using Scalar = typename Problem::scalar_type;
      auto const density = static_cast<Scalar>(0.5 + unit(engine));
      auto const velocity = static_cast<Scalar>(0.4 * unit(engine));
      state = Problem::state(density, velocity, static_cast<Scalar>(0.5 + unit(engine)));
    } else {
      using Example = SweptExample<Problem>;
      for (auto& value : state.m_values) {
        value = static_cast<typename Problem::scalar_type>(Example::lowest +
                                                           (Example::highest - Example::lowest) * unit(engine));
      }
    }
  }
  return u;
}

template <class Problem>
std::vector<double> values_of(const std::vector<SweptPointState<Problem>>& u) {
  std::vector<double> values;
  for (int c = 0; c < Problem::components; ++c) {
    for (auto const& state : u) values.push_back(state[c]);
  }
  return values;
}

/// A comparison of bits would take NaN for NaN.
inline bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

template <class Problem, class Exec>
SweptLine<Problem, Exec> swept_line(const Exec& exec, const std::vector<SweptPointState<Problem>>& u) {
  SweptLine<Problem, Exec> const line(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "line"), u.size(),
                                      Problem::components);
  auto const host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, line);
  for (std::size_t i = 0; i < u.size(); ++i) {
    for (int c = 0; c < Problem::components; ++c) host(i, c) = u[i][c];
  }
  Kokkos::deep_copy(exec, line, host);
  exec.fence();
  return line;
}

/// Component by component.
template <class Line, class Exec>
std::vector<double> values_of(const Exec& exec, const Line& line) {
  auto const host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, line);
  Kokkos::deep_copy(exec, host, line);
  exec.fence();
  std::vector<double> values;
  for (std::size_t c = 0; c < host.extent(1); ++c) {
    for (std::size_t i = 0; i < host.extent(0); ++i) values.push_back(host(i, c));
  }
  return values;
}

/// The variants that the execution space has beside `classic`.
template <class Exec>
std::vector<SweptVariant> swept_variants() {
  if constexpr (CudaExecutionSpace<Exec>) {
    std::vector<SweptVariant> variants = {SweptVariant::shared, SweptVariant::hybrid, SweptVariant::cuda_graph,
                                          SweptVariant::registers, SweptVariant::tiles};
    if (has_capability_90<Exec>()) variants.push_back(SweptVariant::resident);
    return variants;
  } else {
    return {SweptVariant::shared, SweptVariant::hybrid, SweptVariant::tiles};
  }
}

}  // namespace hyperplane::test
