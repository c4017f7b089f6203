// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "airfoil.hpp"

#include <hyperplane/core/error.hpp>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace implicit_flow {

namespace {

using Complex = std::complex<double>;

constexpr double pi = std::numbers::pi;

/// Where the equation of the thickness closes.
constexpr double closed_at = 1.008930411365;

/// Half the thickness of NACA 0012 where its chord is closed_at.
double half_thickness(double x) {
  return 0.6 * (0.2969 * std::sqrt(x) + x * (-0.1260 + x * (-0.3516 + x * (0.2843 - x * 0.1015))));
}

double slope_at_end() {
  double const x = closed_at;
  return 0.6 * (0.5 * 0.2969 / std::sqrt(x) - 0.1260 + x * (-2 * 0.3516 + x * (3 * 0.2843 - x * 4 * 0.1015)));
}

/// (z - a) / (z - b) = ((zeta - c) / (zeta - d))^power, with z and zeta the same far away but for a shift. The corner a
/// is the trailing edge, b is half the radius of the nose behind it.
class KarmanTrefftz {
 public:
  KarmanTrefftz() : m_power(2 - 2 * std::atan(-slope_at_end()) / pi) {
    double const nose_radius = 1.1019 * 0.12 * 0.12 / closed_at;
    m_inner = 0.5 * nose_radius;
    m_image = (1 - m_inner) / m_power;
  }

  /// From the plane of the airfoil; the trailing edge is at 0, b at -m_image.
  Complex to_circle(const Complex& z) const {
    // The cut of the root is between a and b, inside of the airfoil.
    Complex const ratio = std::pow((z - 1.0) / (z - m_inner), 1 / m_power);
    return m_image * ratio / (1.0 - ratio);
  }

  Complex to_airfoil(const Complex& zeta) const {
    Complex const ratio = std::pow(zeta / (zeta + m_image), m_power);
    return (1.0 - m_inner * ratio) / (1.0 - ratio);
  }

 private:
  double m_power;
  double m_inner;
  double m_image;
};

/// The upper side by an angle from 0 at the nose to pi at the trailing edge.
Complex upper_side(double angle) {
  double const x = 0.5 * (1 - std::cos(angle)) * closed_at;
  return Complex(x, angle < pi ? half_thickness(x) : 0.0) / closed_at;
}

/// The distance of the upper side from the middle of the near-circle, at an angle there from 0 at the trailing edge to
/// pi at the nose.
double radius_at(const KarmanTrefftz& map, const Complex& middle, double angle) {
  double low = 0, high = pi;
  for (int step = 0; step < 60; ++step) {
    double const place = 0.5 * (low + high);
    // Towards the trailing edge the angle falls.
    (std::arg(map.to_circle(upper_side(place)) - middle) > angle ? low : high) = place;
  }
  return std::abs(map.to_circle(upper_side(0.5 * (low + high))) - middle);
}

}  // namespace

Mesh make_airfoil(const hyperplane::Grid& cells) {
  int const ni = cells.ni(), nj = cells.nj();
  hyperplane::require(ni >= 8 && ni % 2 == 0, "the airfoil needs an even number of cells along i, 8 or more");
  hyperplane::require(nj <= 3 * ni,
                      "the airfoil's grid takes at most three times as many cells along j as along i: it "
                      "reaches exp(2 pi nj / ni) chords away");
  KarmanTrefftz const map;
  Complex const middle = 0.5 * map.to_circle(0.0);
  double const mean = std::abs(middle), outer = mean * std::exp(2 * pi * nj / ni);
  Mesh mesh({ni + 1, nj + 1, cells.nk() + 1});
  for (int i = 0; i <= ni / 2; ++i) {
    bool const at_end = i == 0 || i == ni / 2;
    double const angle = 2 * pi * i / ni;
    double const inner = at_end ? mean : radius_at(map, middle, angle);
    for (int j = 0; j <= nj; ++j) {
      double const s = static_cast<double>(j) / nj;
      double const radius = std::pow(inner, 1 - s) * std::pow(outer, s);
      Complex z = map.to_airfoil(middle + std::polar(radius, angle));
      if (j == 0 && at_end) z = i == 0 ? 1 : 0;
      if (at_end) z = z.real();
      for (int k = 0; k <= cells.nk(); ++k) {
        double const depth = static_cast<double>(k) / cells.nk();
        mesh.at(ni - i, j, k) = {z.real(), z.imag(), depth};
        mesh.at(i, j, k) = {z.real(), -z.imag(), depth};
      }
    }
  }
  return mesh;
}

}  // namespace implicit_flow
