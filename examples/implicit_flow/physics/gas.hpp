// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "numbers.hpp"

#include <Kokkos_Core.hpp>

namespace implicit_flow {

/// Unknowns per cell: density, momentum in x, y and z, total energy, each per volume.
inline constexpr int equations = 5;

/// n values of one cell or face: conserved, primitive (density, velocity, pressure) or fluxes.
template <class T>
struct Quintet {
  T m[equations];
  KOKKOS_FUNCTION T& operator[](int c) { return m[c]; }
  KOKKOS_FUNCTION const T& operator[](int c) const { return m[c]; }
};

/// A vector in space: face areas, unit normals; of one face, or of one in each lane of a number.
template <class S>
struct Vector3 {
  S x = 0;
  S y = 0;
  S z = 0;

  friend KOKKOS_FUNCTION Vector3 operator+(const Vector3& a, const Vector3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend KOKKOS_FUNCTION Vector3 operator-(const Vector3& a, const Vector3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend KOKKOS_FUNCTION Vector3 operator*(const S& s, const Vector3& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend KOKKOS_FUNCTION S dot(const Vector3& a, const Vector3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend KOKKOS_FUNCTION Vector3 cross(const Vector3& a, const Vector3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  friend KOKKOS_FUNCTION S norm(const Vector3& a) { return sqrt(dot(a, a)); }
  /// Of length 1, but zero stays zero: the area of a face on an axis.
  friend KOKKOS_FUNCTION Vector3 unit(const Vector3& a) {
    S const size = norm(a);
    return select(size > S(0), 1.0 / size, S(0)) * a;
  }
};
using Vec3 = Vector3<double>;

/// How viscosity depends on the temperature T (in units of the free stream's temperature).
enum class ViscosityLaw {
  constant,
  linear,      ///< mu ~ T: with it the compressible flat plate has Blasius' skin friction exactly
  sutherland,  ///< mu ~ T^1.5 (1 + S) / (T + S), S = 110.4 K / 288.15 K
};

/// Ideal gas. Everything is made dimensionless with the free stream's density and speed of sound and with the unit of
/// length of the grid: there density and temperature are 1, pressure 1/gamma, and the velocity is the Mach number.
struct Gas {
  double gamma = 1.4;
  double viscosity = 0;  ///< of the free stream, Mach / Reynolds number per unit of length; 0: Euler equations
  double prandtl = 0.72;
  ViscosityLaw law = ViscosityLaw::sutherland;

  template <class T>
  KOKKOS_FUNCTION Quintet<T> primitive(const Quintet<T>& u) const {
    T const r = 1.0 / u[0];
    Quintet<T> w;
    w[0] = u[0];
    w[1] = u[1] * r;
    w[2] = u[2] * r;
    w[3] = u[3] * r;
    w[4] = (gamma - 1) * (u[4] - 0.5 * (u[1] * w[1] + u[2] * w[2] + u[3] * w[3]));
    return w;
  }

  KOKKOS_FUNCTION Quintet<double> conserved(const Quintet<double>& w) const {
    double const kinetic = 0.5 * w[0] * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
    return {{w[0], w[0] * w[1], w[0] * w[2], w[0] * w[3], w[4] / (gamma - 1) + kinetic}};
  }

  /// Square of the speed of sound, which is also the temperature.
  template <class T>
  KOKKOS_FUNCTION T sound_speed_squared(const Quintet<T>& w) const {
    return gamma * w[4] / w[0];
  }

  /// Total enthalpy per mass.
  template <class T>
  KOKKOS_FUNCTION T enthalpy(const Quintet<T>& w) const {
    return gamma / (gamma - 1) * w[4] / w[0] + 0.5 * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
  }

  template <class T>
  KOKKOS_FUNCTION T viscosity_at(const T& temperature) const {
    constexpr double s = 110.4 / 288.15;
    switch (law) {
      case ViscosityLaw::constant: return T(viscosity);
      case ViscosityLaw::linear: return viscosity * temperature;
      case ViscosityLaw::sutherland: break;
    }
    return viscosity * (1 + s) * temperature * sqrt(temperature) / (temperature + s);
  }

  KOKKOS_FUNCTION double mach(const Quintet<double>& w) const {
    return Kokkos::sqrt((w[1] * w[1] + w[2] * w[2] + w[3] * w[3]) / sound_speed_squared(w));
  }

  /// Primitive state of the free stream; angle of attack in the x-y plane, radians.
  Quintet<double> free_stream(double mach_number, double angle = 0) const {
    return {{1.0, mach_number * Kokkos::cos(angle), mach_number * Kokkos::sin(angle), 0.0, 1 / gamma}};
  }
};

}  // namespace implicit_flow
