// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inviscid.hpp"

#include <hyperplane/core/macros.hpp>

#include <Kokkos_Core.hpp>

namespace implicit_flow {

/// smooth_abs() with its derivatives by x and by the width.
template <class S>
struct SmoothAbs {
  S value;
  S slope;
  S by_width;

  KOKKOS_FUNCTION SmoothAbs(const S& x, const S& width) : value(smooth_abs(x, width)) {
    auto const is_small = abs(x) < width;
    slope = select(is_small, x / width, select(x < S(0), S(-1), S(1)));
    by_width = select(is_small, S(0.5 * (1.0 - slope * slope)), S(0));
  }
};

/// The exact derivatives of roe_flux(left, right, n), of numbers, by the state on the left: what automatic
/// differentiation gives, with fewer operations and registers. The strengths of the waves depend on the
/// state through few scalars, by which they are differentiated once; the derivatives of these scalars by a variable are
/// known, and many of them zero.
template <class S>
class RoeDerivative {
 public:
  KOKKOS_FUNCTION RoeDerivative(const Gas& gas, const Quintet<S>& left, const Quintet<S>& right, const Vector3<S>& n)
      : m_gamma(gas.gamma), m_left(left), m_n{n.x, n.y, n.z} {
    S const root_left = sqrt(left[0]), root_right = sqrt(right[0]);
    S const inverse = 1.0 / (root_left + root_right);
    m_weight = root_left * inverse;
    m_weight_by_density = 0.5 * root_right * inverse * inverse / root_left;
    m_density = root_left * root_right;
    m_density_by_density = 0.5 * root_right / root_left;
    m_enthalpy_left = gas.enthalpy(left);
    S const enthalpy_right = gas.enthalpy(right);
    m_d_enthalpy = enthalpy_right - m_enthalpy_left;
    m_enthalpy = enthalpy_right - m_weight * m_d_enthalpy;
    m_normal = m_d_normal = m_normal_left = m_along = m_kinetic = m_d_square = S(0);
    for (int i = 0; i < 3; ++i) {
      m_d[i] = right[1 + i] - left[1 + i];
      m_v[i] = right[1 + i] - m_weight * m_d[i];
      m_normal += m_v[i] * m_n[i];
      m_normal_left += left[1 + i] * m_n[i];
      m_d_normal += m_d[i] * m_n[i];
      m_along += m_v[i] * m_d[i];
      m_kinetic += 0.5 * m_v[i] * m_v[i];
      m_d_square += m_d[i] * m_d[i];
    }
    find_strengths(right[0] - left[0], right[4] - left[4]);
  }

  /// Calls set(c, derivatives of the five fluxes by conserved variable c) for each of them.
  template <class Set>
  KOKKOS_FUNCTION void by_conserved(const Set& set) const {
    S const inverse = 1.0 / m_left[0];
    auto const last = scaled(m_gamma - 1.0, by_pressure(inverse));
    set(4, last);
    auto first = by_density(inverse);
    S kinetic = 0;
    HYPERPLANE_UNROLL
    for (int j = 0; j < 3; ++j) {
      S const velocity = m_left[1 + j];
      kinetic += 0.5 * velocity * velocity;
      auto column = scaled(inverse, by_velocity(j));
      for (int e = 0; e < equations; ++e) {
        first[e] -= velocity * column[e];
        column[e] -= velocity * last[e];
      }
      set(1 + j, column);
    }
    for (int e = 0; e < equations; ++e) first[e] += kinetic * last[e];
    set(0, first);
  }

 private:
  /// The dissipation of roe_flux(): the strengths of its waves, and their derivatives by the normal velocity, the
  /// square of the speed of sound and, of the acoustic ones, the pressure.
  KOKKOS_FUNCTION void find_strengths(const S& d_density, const S& d_pressure) {
    m_c2 = (m_gamma - 1.0) * (m_enthalpy - m_kinetic);
    m_c = sqrt(m_c2);
    S const inverse_c = 1.0 / m_c, half_c2 = 0.5 * inverse_c * inverse_c;
    S const share = entropy_fix;
    S const width = share * m_c;
    SmoothAbs<S> const slow(m_normal - m_c, width), fast(m_normal + m_c, width);
    S const acoustic = m_density * m_c * m_d_normal;
    S const minus = (d_pressure - acoustic) * half_c2, plus = (d_pressure + acoustic) * half_c2;
    m_minus = slow.value * minus;
    m_plus = fast.value * plus;
    m_minus_by_pressure = slow.value * half_c2;
    m_plus_by_pressure = fast.value * half_c2;
    m_minus_by_normal = slow.slope * minus;
    m_plus_by_normal = fast.slope * plus;
    S const by_c = m_density * m_d_normal, half_c = 0.5 * inverse_c;
    m_minus_by_c2 = half_c * ((share * slow.by_width - slow.slope) * minus - m_minus_by_pressure * by_c -
                              2.0 * inverse_c * m_minus);
    m_plus_by_c2 =
        half_c * ((share * fast.by_width + fast.slope) * plus + m_plus_by_pressure * by_c - 2.0 * inverse_c * m_plus);
    m_difference_by_c2 = (m_plus - m_minus) * half_c;
    S const sign = select(m_normal < S(0), S(-1), S(1));
    m_speed = sign * m_normal;
    S const jump = d_density - 2.0 * half_c2 * d_pressure;
    m_entropy = m_speed * jump;
    m_entropy_by_normal = sign * jump;
    m_entropy_by_pressure = -2.0 * half_c2 * m_speed;
    m_entropy_by_c2 = -2.0 * half_c2 * m_entropy_by_pressure * d_pressure;
    m_shear = m_speed * m_density;
    m_shear_by_normal = sign * m_density;
  }

  static KOKKOS_FUNCTION Quintet<S> scaled(const S& factor, Quintet<S> a) {
    for (int e = 0; e < equations; ++e) a[e] = factor * a[e];
    return a;
  }

  /// What changes of the strengths of the acoustic waves, of the entropy wave and of the speed of sound change of the
  /// dissipation.
  KOKKOS_FUNCTION Quintet<S> by_waves(const S& minus, const S& plus, const S& entropy, const S& c2) const {
    S const acoustic = minus + plus, sum = acoustic + entropy;
    S const difference = (plus - minus) * m_c + m_difference_by_c2 * c2;
    Quintet<S> d;
    d[0] = sum;
    for (int i = 0; i < 3; ++i) d[1 + i] = sum * m_v[i] + difference * m_n[i];
    d[4] = acoustic * m_enthalpy + difference * m_normal + entropy * m_kinetic;
    return d;
  }
  KOKKOS_FUNCTION void add_shear(const S& shear, Quintet<S>& d) const {
    for (int i = 0; i < 3; ++i) d[1 + i] += shear * (m_d[i] - m_d_normal * m_n[i]);
    d[4] += shear * (m_along - m_normal * m_d_normal);
  }

  KOKKOS_FUNCTION Quintet<S> by_pressure(const S& inverse_density) const {
    double const ratio = m_gamma / (m_gamma - 1.0);
    S const enthalpy = m_weight * ratio * inverse_density;
    S const c2 = (m_gamma - 1.0) * enthalpy;
    auto d = by_waves(m_minus_by_c2 * c2 - m_minus_by_pressure, m_plus_by_c2 * c2 - m_plus_by_pressure,
                      m_entropy_by_c2 * c2 - m_entropy_by_pressure, c2);
    d[4] += (m_minus + m_plus) * enthalpy;
    d[0] = -0.5 * d[0];
    for (int i = 0; i < 3; ++i) d[1 + i] = 0.5 * (m_n[i] - d[1 + i]);
    d[4] = 0.5 * (ratio * m_normal_left - d[4]);
    return d;
  }

  KOKKOS_FUNCTION Quintet<S> by_velocity(int j) const {
    S const along = m_n[j], own = m_left[1 + j];
    S const normal = m_weight * along;
    S const c2 = (m_gamma - 1.0) * m_weight * (own - m_v[j]);
    S const acoustic = -m_density * m_c * along;
    auto d = by_waves(m_minus_by_normal * normal + m_minus_by_c2 * c2 - m_minus_by_pressure * acoustic,
                      m_plus_by_normal * normal + m_plus_by_c2 * c2 + m_plus_by_pressure * acoustic,
                      m_entropy_by_normal * normal + m_entropy_by_c2 * c2, c2);
    add_shear(m_shear_by_normal * normal, d);
    for (int i = 0; i < 3; ++i) d[1 + i] += m_shear * along * m_n[i];
    S const sum = m_minus + m_plus + m_entropy, difference = (m_plus - m_minus) * m_c;
    d[1 + j] += sum * m_weight - m_shear;
    d[4] += m_weight * ((m_minus + m_plus) * own + m_entropy * m_v[j]) + difference * normal +
            m_shear * (m_weight * m_d[j] - m_v[j] - normal * m_d_normal + m_normal * along);
    // The flux on the left.
    S const mass = m_left[0] * along, flow = m_left[0] * m_normal_left;
    d[0] = 0.5 * (mass - d[0]);
    for (int i = 0; i < 3; ++i) d[1 + i] = 0.5 * (mass * m_left[1 + i] - d[1 + i]);
    d[1 + j] += 0.5 * flow;
    d[4] = 0.5 * (mass * m_enthalpy_left + flow * own - d[4]);
    return d;
  }

  KOKKOS_FUNCTION Quintet<S> by_density(const S& inverse_density) const {
    double const ratio = m_gamma / (m_gamma - 1.0);
    S const share = m_weight_by_density;
    S const normal = -share * m_d_normal, kinetic = -share * m_along;
    S const own = -ratio * m_left[4] * inverse_density * inverse_density;
    S const enthalpy = m_weight * own - share * m_d_enthalpy;
    S const c2 = (m_gamma - 1.0) * (enthalpy - kinetic);
    S const acoustic = m_c * m_d_normal * m_density_by_density;
    auto d = by_waves(m_minus_by_normal * normal + m_minus_by_c2 * c2 - m_minus_by_pressure * acoustic,
                      m_plus_by_normal * normal + m_plus_by_c2 * c2 + m_plus_by_pressure * acoustic,
                      m_entropy_by_normal * normal + m_entropy_by_c2 * c2 - m_speed, c2);
    add_shear(m_shear_by_normal * normal + m_speed * m_density_by_density, d);
    S const sum = m_minus + m_plus + m_entropy, difference = (m_plus - m_minus) * m_c;
    for (int i = 0; i < 3; ++i) d[1 + i] -= sum * share * m_d[i];
    d[4] += (m_minus + m_plus) * enthalpy + difference * normal + m_entropy * kinetic -
            m_shear * (share * m_d_square + normal * m_d_normal);
    d[0] = 0.5 * (m_normal_left - d[0]);
    for (int i = 0; i < 3; ++i) d[1 + i] = 0.5 * (m_normal_left * m_left[1 + i] - d[1 + i]);
    d[4] = 0.5 * (m_normal_left * (m_enthalpy_left + m_left[0] * own) - d[4]);
    return d;
  }

  double m_gamma;
  Quintet<S> m_left;
  S m_n[3], m_v[3], m_d[3];
  S m_weight, m_weight_by_density, m_density, m_density_by_density;
  S m_enthalpy_left, m_d_enthalpy, m_enthalpy, m_kinetic, m_c2, m_c;
  S m_normal, m_normal_left, m_d_normal, m_along, m_d_square;
  S m_minus, m_plus, m_minus_by_pressure, m_plus_by_pressure, m_minus_by_normal, m_plus_by_normal;
  S m_minus_by_c2, m_plus_by_c2, m_difference_by_c2;
  S m_speed, m_entropy, m_entropy_by_normal, m_entropy_by_pressure, m_entropy_by_c2, m_shear, m_shear_by_normal;
};

}  // namespace implicit_flow
