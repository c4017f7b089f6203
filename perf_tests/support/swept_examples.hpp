// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/swept/euler.hpp>
#include <hyperplane/swept/heat.hpp>
#include <hyperplane/swept/kuramoto_sivashinsky.hpp>
#include <hyperplane/swept/swept_rule.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::perf {

/// The name of an equation, its coefficients, and what a point begins with: x in [0, 1) is its place.
template <class Problem>
struct Example;

template <>
struct Example<HeatEquation<double>> {
  static constexpr const char* name = "heat";
  static HeatEquation<double> problem() { return {0.3}; }
  static PointState<double, 1> state(double, double random) { return {1.0 + random}; }
};
template <>
struct Example<KuramotoSivashinsky<double>> {
  static constexpr const char* name = "ks";
  static KuramotoSivashinsky<double> problem() { return {0.01, 0.6}; }
  static PointState<double, 1> state(double, double random) { return {random}; }
};
template <>
struct Example<EulerEquations<double>> {
  static constexpr const char* name = "euler";
  static EulerEquations<double> problem() { return EulerEquations<double>::sod(0.1); }
  static PointState<double, 3> state(double x, double random) {
    bool const left = x < 0.5;
    return EulerEquations<double>::state((left ? 1.0 : 0.125) + 0.01 * random, 0.01 * random, left ? 1.0 : 0.1);
  }
};

/// Counts the values of a point that differ by more than the tolerance.
template <class Line>
struct Different {
  Line m_a, m_b;
  double m_tolerance;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum) const {
    for (std::size_t c = 0; c < m_a.extent(1); ++c) {
      sum += Kokkos::abs(m_a(i, c) - m_b(i, c)) <= m_tolerance ? 0 : 1;  // NaN is different
    }
  }
};

}  // namespace hyperplane::perf
