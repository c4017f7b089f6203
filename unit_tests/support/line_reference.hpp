// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <hyperplane/line/line_set.hpp>
#include <vector>

#include "random_lines.hpp"
#include "serial_reference.hpp"

/// Slow, obvious serial versions of what line solvers do.
namespace hyperplane::test {

/// A block tridiagonal matrix; row p is lower[p], diagonal[p], upper[p]. With periodic ends lower[0] multiplies the
/// last point and upper[m - 1] the first.
struct ReferenceLine {
  int n;
  bool periodic = false;
  std::vector<DenseMatrix> lower, diagonal, upper;

  ReferenceLine(int block_size, int length)
      : n(block_size),
        lower(length, DenseMatrix(block_size)),
        diagonal(length, DenseMatrix(block_size)),
        upper(length, DenseMatrix(block_size)) {}

  int length() const { return static_cast<int>(diagonal.size()); }

  /// The whole matrix, zeros included.
  DenseMatrix dense() const {
    int const m = length();
    DenseMatrix result(m * n);
    auto const add = [&](int row, int column, const DenseMatrix& block) {
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) result(row * n + r, column * n + c) += block(r, c);
      }
    };
    for (int p = 0; p < m; ++p) {
      add(p, p, diagonal[p]);
      if (p > 0 || periodic) add(p, (p + m - 1) % m, lower[p]);
      if (p < m - 1 || periodic) add(p, (p + 1) % m, upper[p]);
    }
    return result;
  }

  /// By the inverse of the whole matrix.
  std::vector<double> solve_dense(const std::vector<double>& rhs) const { return inverse(dense()) * rhs; }

  /// By the block Thomas algorithm; open ends.
  std::vector<double> solve(const std::vector<double>& rhs) const {
    int const m = length();
    auto const part = [this](const std::vector<double>& x, int p) {
      return std::vector<double>(x.begin() + p * n, x.begin() + (p + 1) * n);
    };
    std::vector<DenseMatrix> d;
    std::vector<double> x = rhs;
    auto const subtract = [&](int p, const DenseMatrix& block, const std::vector<double>& y) {
      auto const product = block * y;
      for (int r = 0; r < n; ++r) x[p * n + r] -= product[r];
    };
    for (int p = 0; p < m; ++p) {
      d.push_back(p == 0 ? diagonal[0] : diagonal[p] - lower[p] * (inverse(d[p - 1]) * upper[p - 1]));
      if (p > 0) subtract(p, lower[p], inverse(d[p - 1]) * part(x, p - 1));
    }
    for (int p = m - 1; p >= 0; --p) {
      if (p < m - 1) subtract(p, upper[p], part(x, p + 1));
      auto const solved = inverse(d[p]) * part(x, p);
      for (int r = 0; r < n; ++r) x[p * n + r] = solved[r];
    }
    return x;
  }
};

/// Random blocks with a dominant diagonal.
inline ReferenceLine random_line(int n, int length, unsigned seed) {
  RandomLines const lines{.n = n, .seed = seed};
  ReferenceLine result(n, length);
  for (int p = 0; p < length; ++p) {
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) {
        result.lower[p](r, c) = lines.coefficient(p, LineBlock::lower, r, c);
        result.diagonal[p](r, c) = lines.coefficient(p, LineBlock::diagonal, r, c);
        result.upper[p](r, c) = lines.coefficient(p, LineBlock::upper, r, c);
      }
    }
  }
  return result;
}

/// One line of the part of a seven-point matrix that is along its direction.
inline ReferenceLine line_of_stencil(const ReferenceStencil& a, const LineSet& lines, std::int64_t line) {
  ReferenceLine result(a.n, lines.length(line));
  result.periodic = lines.ends() == LineEnds::periodic;
  for (int p = 0; p < result.length(); ++p) {
    auto const point = lines.point(line, p);
    result.lower[p] = a.block(point, lower_neighbour(lines.direction()));
    result.diagonal[p] = a.block(point, Direction::center);
    result.upper[p] = a.block(point, upper_neighbour(lines.direction()));
  }
  return result;
}

/// Solves each line alone; values are point * n + c, points on no line stay as they are.
template <class LineOf>
std::vector<double> solve_lines(const LineSet& lines, int n, const std::vector<double>& rhs, const LineOf& line_of) {
  std::vector<double> x = rhs;
  for (std::int64_t line = 0; line < lines.count(); ++line) {
    ReferenceLine const system = line_of(line);
    std::vector<double> part;
    for (int p = 0; p < system.length(); ++p) {
      for (int c = 0; c < n; ++c) part.push_back(rhs[lines.point(line, p) * n + c]);
    }
    part = system.periodic ? system.solve_dense(part) : system.solve(part);
    for (int p = 0; p < system.length(); ++p) {
      for (int c = 0; c < n; ++c) x[lines.point(line, p) * n + c] = part[p * n + c];
    }
  }
  return x;
}

}  // namespace hyperplane::test
