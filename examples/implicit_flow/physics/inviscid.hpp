// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gas.hpp"

namespace implicit_flow {

/// Euler flux through the unit normal n of the primitive state w with the given total enthalpy.
template <class T>
KOKKOS_FUNCTION Quintet<T> euler_flux(const Quintet<T>& w, const T& enthalpy, const Vector3<Number<T>>& n) {
  T const normal = w[1] * n.x + w[2] * n.y + w[3] * n.z;
  T const mass = w[0] * normal;
  Quintet<T> f;
  f[0] = mass;
  f[1] = mass * w[1] + w[4] * n.x;
  f[2] = mass * w[2] + w[4] * n.y;
  f[3] = mass * w[3] + w[4] * n.z;
  f[4] = mass * enthalpy;
  return f;
}

/// |x|, rounded off to a parabola below `width`, with a continuous slope.
template <class T>
KOKKOS_FUNCTION T smooth_abs(const T& x, const T& width) {
  T const magnitude = abs(x);
  auto const is_small = magnitude < width;
  if (!any(is_small)) return magnitude;
  return select(is_small, T(0.5 * (x * x / width + width)), magnitude);
}

/// Fraction of the speed of sound below which the speeds of the acoustic waves are rounded off (Harten's entropy fix).
inline constexpr double entropy_fix = 0.1;

/// Upwind flux through the unit normal n from the primitive states on both sides, of which one may have derivatives and
/// the other none.
///
/// P. L. Roe, "Approximate Riemann solvers, parameter vectors, and difference schemes", 1981,
/// DOI 10.1016/0021-9991(81)90128-5; entropy fix of the acoustic waves: A. Harten, "High resolution schemes for
/// hyperbolic conservation laws", 1983, DOI 10.1016/0021-9991(83)90136-5.
template <class L, class R>
KOKKOS_FUNCTION Quintet<Either<L, R>> roe_flux(const Gas& gas, const Quintet<L>& left, const Quintet<R>& right,
                                               const Vector3<Number<L>>& n) {
  using T = Either<L, R>;
  L const root_left = sqrt(left[0]);
  R const root_right = sqrt(right[0]);
  T const weight = root_left / (root_left + root_right);
  auto const average = [&](const L& a, const R& b) { return b + weight * (a - b); };

  T const density = root_left * root_right;
  T const u = average(left[1], right[1]);
  T const v = average(left[2], right[2]);
  T const w = average(left[3], right[3]);
  L const enthalpy_left = gas.enthalpy(left);
  R const enthalpy_right = gas.enthalpy(right);
  T const enthalpy = average(enthalpy_left, enthalpy_right);
  T const kinetic = 0.5 * (u * u + v * v + w * w);
  T const c2 = (gas.gamma - 1) * (enthalpy - kinetic);
  T const c = sqrt(c2);
  T const normal = u * n.x + v * n.y + w * n.z;

  T const d_density = right[0] - left[0];
  T const du = right[1] - left[1];
  T const dv = right[2] - left[2];
  T const dw = right[3] - left[3];
  T const d_normal = du * n.x + dv * n.y + dw * n.z;
  T const d_pressure = right[4] - left[4];

  double const share = entropy_fix;  // a constant has no address on devices
  T const width = share * c;
  T const acoustic = density * c * d_normal;
  T const half_c2 = 0.5 / c2;
  T const minus = smooth_abs(normal - c, width) * (d_pressure - acoustic) * half_c2;
  T const plus = smooth_abs(normal + c, width) * (d_pressure + acoustic) * half_c2;
  T const speed = abs(normal);
  T const entropy = speed * (d_density - d_pressure / c2);
  T const shear = speed * density;

  T const sum = minus + plus + entropy;
  T const difference = (plus - minus) * c;
  Quintet<T> dissipation;
  dissipation[0] = sum;
  dissipation[1] = sum * u + difference * n.x + shear * (du - d_normal * n.x);
  dissipation[2] = sum * v + difference * n.y + shear * (dv - d_normal * n.y);
  dissipation[3] = sum * w + difference * n.z + shear * (dw - d_normal * n.z);
  dissipation[4] = (minus + plus) * enthalpy + difference * normal + entropy * kinetic +
                   shear * (u * du + v * dv + w * dw - normal * d_normal);

  Quintet<L> const f_left = euler_flux(left, enthalpy_left, n);
  Quintet<R> const f_right = euler_flux(right, enthalpy_right, n);
  Quintet<T> f;
  for (int e = 0; e < equations; ++e) f[e] = 0.5 * (f_left[e] + f_right[e] - dissipation[e]);
  return f;
}

/// Limited difference from a backward and a forward difference: smooth, so that the residual can fall to round-off.
///
/// G. D. van Albada, B. van Leer and W. W. Roberts, "A comparative study of computational methods in cosmic gas
/// dynamics", 1982. `floor` is the square of differences that are too small to be limited.
template <class T>
KOKKOS_FUNCTION T van_albada(const T& a, const T& b, double floor) {
  return ((a * a + floor) * b + (b * b + floor) * a) / (a * a + b * b + 2 * floor);
}

}  // namespace implicit_flow
