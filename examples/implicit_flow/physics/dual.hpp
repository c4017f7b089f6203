// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "numbers.hpp"

#include <Kokkos_Core.hpp>

namespace implicit_flow {

/// A value with its derivatives by m variables (forward-mode automatic differentiation; Griewank and Walther,
/// "Evaluating Derivatives", 2nd edition, 2008, DOI 10.1137/1.9780898717761).
///
/// Every flux of this solver is a function template of its scalar type: called with numbers it is the residual's flux,
/// called with Dual of them it gives the exact flux Jacobian as well, boundary conditions included.
template <int m, class S = double>
struct Dual {
  S value = 0;
  S derivative[m] = {};

  KOKKOS_FUNCTION Dual() {}
  KOKKOS_FUNCTION Dual(const S& v) : value(v) {}  // implicit: constants mix freely with duals

  /// Variable number `index`; a constant where there is no such variable.
  static KOKKOS_FUNCTION Dual variable(const S& v, int index) {
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
  KOKKOS_FUNCTION Dual& operator*=(const S& b) {
    value *= b;
    for (int s = 0; s < m; ++s) derivative[s] *= b;
    return *this;
  }

  friend KOKKOS_FUNCTION Dual operator-(Dual a) { return a *= -1.0; }
  friend KOKKOS_FUNCTION Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend KOKKOS_FUNCTION Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend KOKKOS_FUNCTION Dual operator*(Dual a, const Dual& b) { return a *= b; }
  friend KOKKOS_FUNCTION Dual operator+(Dual a, const S& b) {
    a.value += b;
    return a;
  }
  friend KOKKOS_FUNCTION Dual operator+(const S& a, Dual b) { return b + a; }
  friend KOKKOS_FUNCTION Dual operator-(Dual a, const S& b) { return a + (-b); }
  friend KOKKOS_FUNCTION Dual operator-(const S& a, Dual b) { return -b + a; }
  friend KOKKOS_FUNCTION Dual operator*(Dual a, const S& b) { return a *= b; }
  friend KOKKOS_FUNCTION Dual operator*(const S& a, Dual b) { return b *= a; }
  friend KOKKOS_FUNCTION Dual operator/(Dual a, const S& b) { return a *= 1.0 / b; }
  friend KOKKOS_FUNCTION Dual operator/(const S& a, const Dual& b) { return a * reciprocal(b); }
  friend KOKKOS_FUNCTION Dual operator/(Dual a, const Dual& b) { return a *= reciprocal(b); }

  friend KOKKOS_FUNCTION auto operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend KOKKOS_FUNCTION auto operator<(const Dual& a, const S& b) { return a.value < b; }

  /// f(a), given the value and the slope of f there.
  friend KOKKOS_FUNCTION Dual chain(const S& value, const S& slope, const Dual& a) {
    Dual result(value);
    for (int s = 0; s < m; ++s) result.derivative[s] = slope * a.derivative[s];
    return result;
  }
  friend KOKKOS_FUNCTION Dual reciprocal(const Dual& a) {
    S const r = 1.0 / a.value;
    return chain(r, -r * r, a);
  }
  friend KOKKOS_FUNCTION Dual sqrt(const Dual& a) {
    S const root = sqrt(a.value);
    return chain(root, 0.5 / root, a);
  }
  /// Lane by lane, as the mask says.
  template <class Mask>
  friend KOKKOS_FUNCTION Dual select(const Mask& mask, const Dual& a, const Dual& b) {
    Dual result(select(mask, a.value, b.value));
    for (int s = 0; s < m; ++s) result.derivative[s] = select(mask, a.derivative[s], b.derivative[s]);
    return result;
  }
  friend KOKKOS_FUNCTION Dual abs(const Dual& a) { return select(a < S(0), -a, a); }
};

template <int m, class S>
struct NumberOf<Dual<m, S>> {
  using type = S;
};

}  // namespace implicit_flow
