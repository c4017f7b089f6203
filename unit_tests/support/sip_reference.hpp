// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <vector>

#include "serial_reference.hpp"

namespace hyperplane::test {

/// SIP by its formulas, with the factors as sparse rows: a loop over points in natural order.
class ReferenceSip {
 public:
  ReferenceSip(const ReferenceStencil& a, double alpha)
      : m_grid(a.grid), m_lower(a.grid.size()), m_diagonal(a.grid.size()), m_upper(a.grid.size()) {
    for (std::int64_t p = 0; p < m_grid.size(); ++p) {
      auto const entry = [&](Direction d) {
        return m_grid.contains(neighbour(m_grid.point(p), d)) ? a.block(p, d)(0, 0) : 0.0;
      };
      auto const u_b = upper_at(p, Direction::bottom);
      auto const u_s = upper_at(p, Direction::south);
      auto const u_w = upper_at(p, Direction::west);
      auto& [l_b, l_s, l_w] = m_lower[p];
      l_b = entry(Direction::bottom) / (1 + alpha * (u_b[north] + u_b[east]));
      l_s = entry(Direction::south) / (1 + alpha * (u_s[east] + u_s[top]));
      l_w = entry(Direction::west) / (1 + alpha * (u_w[north] + u_w[top]));
      double const h_n = alpha * (l_b * u_b[north] + l_w * u_w[north]);
      double const h_e = alpha * (l_b * u_b[east] + l_s * u_s[east]);
      double const h_t = alpha * (l_w * u_w[top] + l_s * u_s[top]);
      m_diagonal[p] = entry(Direction::center) + h_n + h_e + h_t - l_b * u_b[top] - l_w * u_w[east] - l_s * u_s[north];
      m_upper[p][top] = (entry(Direction::top) - h_t) / m_diagonal[p];
      m_upper[p][north] = (entry(Direction::north) - h_n) / m_diagonal[p];
      m_upper[p][east] = (entry(Direction::east) - h_e) / m_diagonal[p];
    }
  }

  std::vector<double> forward(std::vector<double> x) const {
    for (std::int64_t p = 0; p < m_grid.size(); ++p) {
      subtract(x, p, m_lower[p], lower_directions);
      x[p] /= m_diagonal[p];
    }
    return x;
  }
  std::vector<double> backward(std::vector<double> x) const {
    for (std::int64_t p = m_grid.size() - 1; p >= 0; --p) subtract(x, p, m_upper[p], upper_directions);
    return x;
  }
  std::vector<double> solve(const std::vector<double>& x) const { return backward(forward(x)); }
  /// d of a point.
  double diagonal(std::int64_t p) const { return m_diagonal[p]; }

  /// M, multiplied out.
  DenseMatrix product() const {
    auto const size = static_cast<int>(m_grid.size());
    DenseMatrix l(size), u(identity(size));
    for (int p = 0; p < size; ++p) {
      l(p, p) = m_diagonal[p];
      for (int d = 0; d < 3; ++d) {
        Point const before = neighbour(m_grid.point(p), lower_directions[d]);
        Point const after = neighbour(m_grid.point(p), upper_directions[d]);
        if (m_grid.contains(before)) l(p, static_cast<int>(m_grid.index(before))) = m_lower[p][d];
        if (m_grid.contains(after)) u(p, static_cast<int>(m_grid.index(after))) = m_upper[p][d];
      }
    }
    return l * u;
  }

 private:
  using Row = std::array<double, 3>;
  enum { top, north, east };
  static constexpr std::array<Direction, 3> lower_directions{Direction::bottom, Direction::south, Direction::west};
  static constexpr std::array<Direction, 3> upper_directions{Direction::top, Direction::north, Direction::east};

  Row upper_at(std::int64_t p, Direction d) const {
    Point const other = neighbour(m_grid.point(p), d);
    return m_grid.contains(other) ? m_upper[m_grid.index(other)] : Row{};
  }
  void subtract(std::vector<double>& x, std::int64_t p, const Row& row,
                const std::array<Direction, 3>& directions) const {
    for (int d = 0; d < 3; ++d) {
      Point const other = neighbour(m_grid.point(p), directions[d]);
      if (m_grid.contains(other)) x[p] -= row[d] * x[m_grid.index(other)];
    }
  }

  Grid m_grid;
  std::vector<Row> m_lower;
  std::vector<double> m_diagonal;
  std::vector<Row> m_upper;
};

}  // namespace hyperplane::test
