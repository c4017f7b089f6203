// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace hyperplane::test {

/// u_t = -(u^2/2)_x - u_xx - u_xxxx on a ring by Fourier collocation, with dense matrices, and the classical
/// Runge-Kutta scheme.
class SpectralKuramotoSivashinsky {
 public:
  SpectralKuramotoSivashinsky(double length, std::vector<double> u)
      : m_u(std::move(u)), m_first(m_u.size() * m_u.size()), m_linear(m_first.size()) {
    auto const n = m_u.size();
    double const unit = 2 * std::numbers::pi / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double const angle = unit * (static_cast<double>(i) - static_cast<double>(j));
        for (std::size_t mode = 1; mode <= n / 2; ++mode) {
          double const k = 2 * std::numbers::pi / length * static_cast<double>(mode);
          // A mode and its conjugate; the highest has no conjugate, and its first derivative is not seen by the points.
          bool const highest = 2 * mode == n;
          double const weight = (highest ? 1.0 : 2.0) / static_cast<double>(n);
          double const phase = static_cast<double>(mode) * angle;
          if (!highest) m_first[i * n + j] -= weight * k * std::sin(phase);
          m_linear[i * n + j] += weight * (k * k - k * k * k * k) * std::cos(phase);
        }
      }
    }
  }

  void advance(double time, int steps) {
    double const dt = time / steps;
    for (int s = 0; s < steps; ++s) {
      auto const k1 = rate(m_u);
      auto const k2 = rate(sum(m_u, dt / 2, k1));
      auto const k3 = rate(sum(m_u, dt / 2, k2));
      auto const k4 = rate(sum(m_u, dt, k3));
      for (std::size_t i = 0; i < m_u.size(); ++i) m_u[i] += dt / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
  }
  const std::vector<double>& values() const { return m_u; }

 private:
  static std::vector<double> sum(std::vector<double> a, double factor, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
    return a;
  }
  std::vector<double> rate(const std::vector<double>& u) const {
    auto const n = u.size();
    std::vector<double> result(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        result[i] += m_linear[i * n + j] * u[j] - m_first[i * n + j] * u[j] * u[j] / 2;
      }
    }
    return result;
  }

  std::vector<double> m_u, m_first, m_linear;
};

}  // namespace hyperplane::test
