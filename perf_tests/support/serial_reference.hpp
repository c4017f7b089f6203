// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "random_system.hpp"

#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace hyperplane::perf {

/// BILU(0) of a RandomSystem in the simplest way: points one after the other in their natural order, only the inverse
/// pivots stored. It shares no code with the library but the grid, and is what benchmarks are verified against.
/// Vectors are indexed by row, point*n + c.
template <int n>
class SerialReference {
 public:
  explicit SerialReference(const RandomSystem& system)
      : m_system(system), m_inverse(static_cast<std::size_t>(system.grid().size())) {
    for_each_point([&](const Point& p) {
      Block d = coefficients(p, Direction::center);
      for (auto const lower : lower_directions) {
        auto const q = neighbour(p, lower);
        if (!m_system.grid().contains(q)) continue;
        subtract_product(d, product(coefficients(p, lower), inverse_at(q)), coefficients(q, opposite(lower)));
      }
      inverse_at(p) = inverse(d);
    });
  }

  /// M^-1 rhs.
  std::vector<double> solve(const std::vector<double>& rhs) const {
    std::vector<double> x = rhs;
    for_each_point([&](const Point& p) {
      for (auto const lower : lower_directions) subtract_neighbour(x, p, lower, coefficients(p, lower));
      multiply_by_inverse(x, p);
    });
    for (auto index = m_system.grid().size(); index-- > 0;) {
      auto const p = m_system.grid().point(index);
      for (auto const lower : lower_directions) {
        auto const upper = opposite(lower);
        subtract_neighbour(x, p, upper, product(inverse_at(p), coefficients(p, upper)));
      }
    }
    return x;
  }

  /// A x.
  std::vector<double> apply(const std::vector<double>& x) const {
    std::vector<double> minus_y(x.size(), 0.0);
    for_each_point([&](const Point& p) {
      for (auto const direction : stencil7_directions) {
        auto const q = neighbour(p, direction);
        if (m_system.grid().contains(q)) subtract(minus_y, p, coefficients(p, direction), x, q);
      }
    });
    for (auto& value : minus_y) value = -value;
    return minus_y;
  }

  std::vector<double> rhs() const {
    std::vector<double> b(static_cast<std::size_t>(m_system.grid().size() * n));
    for_each_point([&](const Point& p) {
      for (int c = 0; c < n; ++c) b[row(p) + c] = m_system.rhs(p.i, p.j, p.k, c);
    });
    return b;
  }

 private:
  using Block = std::array<double, n * n>;
  static constexpr std::array<Direction, 3> lower_directions = {Direction::west, Direction::south, Direction::bottom};

  template <class F>
  void for_each_point(F&& f) const {
    for (std::int64_t index = 0; index < m_system.grid().size(); ++index) f(m_system.grid().point(index));
  }

  Block coefficients(const Point& p, Direction direction) const {
    Block block;
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) block[r * n + c] = m_system.coefficient(p.i, p.j, p.k, direction, r, c);
    }
    return block;
  }

  std::size_t row(const Point& p) const { return static_cast<std::size_t>(m_system.grid().index(p)) * n; }
  Block& inverse_at(const Point& p) { return m_inverse[static_cast<std::size_t>(m_system.grid().index(p))]; }
  const Block& inverse_at(const Point& p) const {
    return m_inverse[static_cast<std::size_t>(m_system.grid().index(p))];
  }

  static Block product(const Block& a, const Block& b) {
    Block minus_c{};
    subtract_product(minus_c, a, b);
    for (auto& value : minus_c) value = -value;
    return minus_c;
  }

  static void subtract_product(Block& c, const Block& a, const Block& b) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) c[i * n + j] -= a[i * n + k] * b[k * n + j];
      }
    }
  }

  /// Gauss-Jordan with row exchanges on [a | identity].
  static Block inverse(Block a) {
    Block b{};
    for (int i = 0; i < n; ++i) b[i * n + i] = 1.0;
    for (int step = 0; step < n; ++step) {
      int pivot = step;
      for (int i = step + 1; i < n; ++i) {
        if (std::abs(a[i * n + step]) > std::abs(a[pivot * n + step])) pivot = i;
      }
      for (int j = 0; j < n; ++j) {
        std::swap(a[step * n + j], a[pivot * n + j]);
        std::swap(b[step * n + j], b[pivot * n + j]);
      }
      double const scale = 1.0 / a[step * n + step];
      for (int j = 0; j < n; ++j) {
        a[step * n + j] *= scale;
        b[step * n + j] *= scale;
      }
      for (int i = 0; i < n; ++i) {
        if (i == step) continue;
        double const factor = a[i * n + step];
        for (int j = 0; j < n; ++j) {
          a[i * n + j] -= factor * a[step * n + j];
          b[i * n + j] -= factor * b[step * n + j];
        }
      }
    }
    return b;
  }

  /// y[p] -= block x[q]
  void subtract(std::vector<double>& y, const Point& p, const Block& block, const std::vector<double>& x,
                const Point& q) const {
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) y[row(p) + r] -= block[r * n + c] * x[row(q) + c];
    }
  }

  void subtract_neighbour(std::vector<double>& x, const Point& p, Direction direction, const Block& block) const {
    auto const q = neighbour(p, direction);
    if (m_system.grid().contains(q)) subtract(x, p, block, x, q);
  }

  void multiply_by_inverse(std::vector<double>& x, const Point& p) const {
    std::array<double, n> y{};
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) y[r] += inverse_at(p)[r * n + c] * x[row(p) + c];
    }
    std::copy(y.begin(), y.end(), x.begin() + static_cast<std::ptrdiff_t>(row(p)));
  }

  RandomSystem m_system;
  std::vector<Block> m_inverse;
};

/// Largest |a - b| over the largest |b|; infinite where the sizes differ or a value is not finite.
inline double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double difference = 0.0;
  double scale = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) return INFINITY;
    difference = std::max(difference, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return difference / scale;
}

}  // namespace hyperplane::perf
