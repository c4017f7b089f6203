// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace implicit_flow {

/// A value with its derivatives by m variables (forward-mode automatic differentiation; Griewank and Walther,
/// "Evaluating Derivatives", 2nd edition, 2008, DOI 10.1137/1.9780898717761).
///
/// Every flux of this solver is a function template of its scalar type: called with double it is the residual's flux,
/// called with Dual it gives the exact flux Jacobian as well, boundary conditions included.
template <int m>
struct Dual {
  double value = 0;
  double derivative[m] = {};

  KOKKOS_FUNCTION Dual() {}
  KOKKOS_FUNCTION Dual(double v) : value(v) {}  // implicit: constants mix freely with duals

  /// Variable number `index`; a constant where there is no such variable.
  static KOKKOS_FUNCTION Dual variable(double v, int index) {
    Dual result(v);
    for (int s = 0; s < m; ++s) result.derivative[s] = s == index ? 1 : 0;
    return result;
  }

  KOKKOS_FUNCTION Dual& operator+=(const Dual& b) {
    value += b.value;
    for (int s = 0; s < m; ++s) derivative[s] += b.derivative[s];
    return *this;
  }
  KOKKOS_FUNCTION Dual& operator-=(const Dual& b) {
    value -= b.value;
    for (int s = 0; s < m; ++s) derivative[s] -= b.derivative[s];
    return *this;
  }
  KOKKOS_FUNCTION Dual& operator*=(const Dual& b) {
    for (int s = 0; s < m; ++s) derivative[s] = derivative[s] * b.value + value * b.derivative[s];
    value *= b.value;
    return *this;
  }
  KOKKOS_FUNCTION Dual& operator*=(double b) {
    value *= b;
    for (int s = 0; s < m; ++s) derivative[s] *= b;
    return *this;
  }

  friend KOKKOS_FUNCTION Dual operator-(Dual a) { return a *= -1.0; }
  friend KOKKOS_FUNCTION Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend KOKKOS_FUNCTION Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend KOKKOS_FUNCTION Dual operator*(Dual a, const Dual& b) { return a *= b; }
  friend KOKKOS_FUNCTION Dual operator+(Dual a, double b) {
    a.value += b;
    return a;
  }
  friend KOKKOS_FUNCTION Dual operator+(double a, Dual b) { return b + a; }
  friend KOKKOS_FUNCTION Dual operator-(Dual a, double b) { return a + (-b); }
  friend KOKKOS_FUNCTION Dual operator-(double a, Dual b) { return -b + a; }
  friend KOKKOS_FUNCTION Dual operator*(Dual a, double b) { return a *= b; }
  friend KOKKOS_FUNCTION Dual operator*(double a, Dual b) { return b *= a; }
  friend KOKKOS_FUNCTION Dual operator/(Dual a, double b) { return a *= 1 / b; }
  friend KOKKOS_FUNCTION Dual operator/(double a, const Dual& b) { return a * reciprocal(b); }
  friend KOKKOS_FUNCTION Dual operator/(Dual a, const Dual& b) { return a *= reciprocal(b); }

  friend KOKKOS_FUNCTION bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend KOKKOS_FUNCTION bool operator<(const Dual& a, double b) { return a.value < b; }

  /// f(a), given the value and the slope of f there.
  friend KOKKOS_FUNCTION Dual chain(double value, double slope, const Dual& a) {
    Dual result(value);
    for (int s = 0; s < m; ++s) result.derivative[s] = slope * a.derivative[s];
    return result;
  }
  friend KOKKOS_FUNCTION Dual reciprocal(const Dual& a) {
    double const r = 1 / a.value;
    return chain(r, -r * r, a);
  }
  friend KOKKOS_FUNCTION Dual sqrt(const Dual& a) {
    double const root = Kokkos::sqrt(a.value);
    return chain(root, 0.5 / root, a);
  }
  friend KOKKOS_FUNCTION Dual abs(const Dual& a) { return a.value < 0 ? -a : a; }
};

}  // namespace implicit_flow
