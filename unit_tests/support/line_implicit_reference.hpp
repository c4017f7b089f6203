// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <functional>
#include <hyperplane/line/line_set.hpp>
#include <vector>

#include "line_reference.hpp"
#include "serial_reference.hpp"

/// The line-implicit iteration and what is inside it, serial and by the formulas.
namespace hyperplane::test {

/// Solves a line: the matrix and the right-hand side.
using ReferenceLineSolver = std::function<std::vector<double>(const ReferenceLine&, const std::vector<double>&)>;

inline std::vector<double> solve_exactly(const ReferenceLine& line, const std::vector<double>& rhs) {
  return line.solve(rhs);
}

/// Block Jacobi iterations on one line: from D^-1 b on, until the change, looked at after every `check_interval`
/// iterations beyond the first, is at most tolerance times D^-1 b. Lines that share a vector stop together, so that a
/// test of the criterion takes one line alone.
inline std::vector<double> solve_by_jacobi(const ReferenceLine& line, const std::vector<double>& rhs, double tolerance,
                                           int max_iterations, int check_interval = 1) {
  int const n = line.n, length = line.length();
  std::vector<double> x(rhs.size(), 0.0);
  double first = 0.0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    auto const old = x;
    double change = 0.0;
    auto const part = [&](const std::vector<double>& v, int p) {
      return std::vector<double>(v.begin() + p * n, v.begin() + (p + 1) * n);
    };
    for (int p = 0; p < length; ++p) {
      auto right = part(rhs, p);
      auto const subtract = [&](const DenseMatrix& block, int other) {
        auto const product = block * part(old, other);
        for (int c = 0; c < n; ++c) right[c] -= product[c];
      };
      if (p > 0) subtract(line.lower[p], p - 1);
      if (p + 1 < length) subtract(line.upper[p], p + 1);
      auto const solved = inverse(line.diagonal[p]) * right;
      for (int c = 0; c < n; ++c) {
        x[p * n + c] = solved[c];
        change += std::pow(solved[c] - old[p * n + c], 2);
      }
    }
    if (iteration == 0) first = change;
    if (iteration > 0 && iteration % check_interval == 0 && change <= tolerance * tolerance * first) break;
  }
  return x;
}

/// x <- (1 - w) x + w M^-1 (b + S x), M the part of A along one direction.
inline std::vector<double> line_implicit_sweep(const ReferenceStencil& a, LineDirection direction, double w,
                                               const std::vector<double>& b, const std::vector<double>& x,
                                               const ReferenceLineSolver& solve_line) {
  auto const lines = LineSet::along(a.grid, direction);
  int const n = a.n;
  auto right = b;
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      Point const other = neighbour(a.grid.point(p), d);
      bool const on_line = d == Direction::center || d == lower_neighbour(direction) || d == upper_neighbour(direction);
      if (on_line || !a.grid.contains(other)) continue;
      auto const q = a.grid.index(other);
      auto const product = a.block(p, d) * std::vector<double>(x.begin() + q * n, x.begin() + (q + 1) * n);
      for (int c = 0; c < n; ++c) right[p * n + c] -= product[c];
    }
  }
  auto result = x;
  for (std::int64_t line = 0; line < lines.count(); ++line) {
    auto const system = line_of_stencil(a, lines, line);
    std::vector<double> part;
    for (int p = 0; p < system.length(); ++p) {
      auto const first = right.begin() + lines.point(line, p) * n;
      part.insert(part.end(), first, first + n);
    }
    part = solve_line(system, part);
    for (int p = 0; p < system.length(); ++p) {
      for (int c = 0; c < n; ++c) {
        auto& value = result[lines.point(line, p) * n + c];
        value = (1 - w) * value + w * part[p * n + c];
      }
    }
  }
  return result;
}

}  // namespace hyperplane::test
