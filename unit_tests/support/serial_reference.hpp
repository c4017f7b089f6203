// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <random>
#include <stdexcept>
#include <vector>

/// Slow, obvious serial versions of what the library does: plain loops over std::vector, natural ordering, no packs.
namespace hyperplane::test {

/// Dense row-major matrix.
struct DenseMatrix {
  int n = 0;
  std::vector<double> entries;

  explicit DenseMatrix(int size) : n(size), entries(static_cast<std::size_t>(size) * size, 0.0) {}
  double& operator()(int r, int c) { return entries[static_cast<std::size_t>(r) * n + c]; }
  double operator()(int r, int c) const { return entries[static_cast<std::size_t>(r) * n + c]; }
};

inline DenseMatrix identity(int n) {
  DenseMatrix result(n);
  for (int r = 0; r < n; ++r) result(r, r) = 1.0;
  return result;
}

inline DenseMatrix operator*(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix result(a.n);
  for (int r = 0; r < a.n; ++r) {
    for (int m = 0; m < a.n; ++m) {
      for (int c = 0; c < a.n; ++c) result(r, c) += a(r, m) * b(m, c);
    }
  }
  return result;
}

inline DenseMatrix operator-(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix result(a.n);
  for (std::size_t e = 0; e < a.entries.size(); ++e) result.entries[e] = a.entries[e] - b.entries[e];
  return result;
}

inline std::vector<double> operator*(const DenseMatrix& a, const std::vector<double>& x) {
  std::vector<double> result(x.size(), 0.0);
  for (int r = 0; r < a.n; ++r) {
    for (int c = 0; c < a.n; ++c) result[r] += a(r, c) * x[c];
  }
  return result;
}

/// Gauss elimination with partial pivoting on [A | I].
inline DenseMatrix inverse(DenseMatrix a) {
  int const n = a.n;
  DenseMatrix result = identity(n);
  for (int step = 0; step < n; ++step) {
    int pivot = step;
    for (int r = step + 1; r < n; ++r) {
      if (std::abs(a(r, step)) > std::abs(a(pivot, step))) pivot = r;
    }
    if (a(pivot, step) == 0.0) throw std::runtime_error("singular matrix");
    for (int c = 0; c < n; ++c) {
      std::swap(a(step, c), a(pivot, c));
      std::swap(result(step, c), result(pivot, c));
    }
    double const scale = 1.0 / a(step, step);
    for (int c = 0; c < n; ++c) {
      a(step, c) *= scale;
      result(step, c) *= scale;
    }
    for (int r = 0; r < n; ++r) {
      if (r == step) continue;
      double const factor = a(r, step);
      for (int c = 0; c < n; ++c) {
        a(r, c) -= factor * a(step, c);
        result(r, c) -= factor * result(step, c);
      }
    }
  }
  return result;
}

/// A block seven-point matrix, blocks[point][direction].
struct ReferenceStencil {
  Grid grid;
  int n;
  std::vector<std::vector<DenseMatrix>> blocks;

  ReferenceStencil(const Grid& g, int block_size)
      : grid(g), n(block_size), blocks(g.size(), std::vector<DenseMatrix>(stencil7_size, DenseMatrix(block_size))) {}

  DenseMatrix& block(std::int64_t point, Direction d) { return blocks[point][static_cast<int>(d)]; }
  const DenseMatrix& block(std::int64_t point, Direction d) const { return blocks[point][static_cast<int>(d)]; }

  std::int64_t rows() const { return grid.size() * n; }

  std::vector<double> apply(const std::vector<double>& x) const {
    std::vector<double> y(x.size(), 0.0);
    for (std::int64_t p = 0; p < grid.size(); ++p) {
      for (auto const d : stencil7_directions) {
        Point const other = neighbour(grid.point(p), d);
        if (!grid.contains(other)) continue;
        std::int64_t const q = grid.index(other);
        for (int r = 0; r < n; ++r) {
          for (int c = 0; c < n; ++c) y[p * n + r] += block(p, d)(r, c) * x[q * n + c];
        }
      }
    }
    return y;
  }

  DenseMatrix dense() const {
    DenseMatrix result(static_cast<int>(rows()));
    for (std::int64_t p = 0; p < grid.size(); ++p) {
      for (auto const d : stencil7_directions) {
        Point const other = neighbour(grid.point(p), d);
        if (!grid.contains(other)) continue;
        std::int64_t const q = grid.index(other);
        for (int r = 0; r < n; ++r) {
          for (int c = 0; c < n; ++c) {
            result(static_cast<int>(p * n + r), static_cast<int>(q * n + c)) = block(p, d)(r, c);
          }
        }
      }
    }
    return result;
  }
};

/// BILU(0) by its formulas, point after point in natural order.
class ReferenceIlu0 {
 public:
  explicit ReferenceIlu0(const ReferenceStencil& a) : m_a(a) {
    for (std::int64_t p = 0; p < a.grid.size(); ++p) {
      DenseMatrix d = a.block(p, Direction::center);
      for (auto const lower : {Direction::bottom, Direction::south, Direction::west}) {
        Point const other = neighbour(a.grid.point(p), lower);
        if (!a.grid.contains(other)) continue;
        std::int64_t const q = a.grid.index(other);
        d = d - a.block(p, lower) * m_inverse[q] * a.block(q, opposite(lower));
      }
      m_diagonal.push_back(d);
      m_inverse.push_back(inverse(d));
    }
  }

  std::vector<double> solve(const std::vector<double>& rhs) const {
    auto const& grid = m_a.grid;
    int const n = m_a.n;
    std::vector<double> x = rhs;
    for (std::int64_t p = 0; p < grid.size(); ++p) {
      auto r = block_of(x, p);
      for (auto const d : {Direction::bottom, Direction::south, Direction::west}) subtract(x, p, d, r);
      auto const y = m_inverse[p] * r;
      for (int c = 0; c < n; ++c) x[p * n + c] = y[c];
    }
    for (std::int64_t p = grid.size() - 1; p >= 0; --p) {
      std::vector<double> sum(n, 0.0);
      for (auto const d : {Direction::top, Direction::north, Direction::east}) subtract(x, p, d, sum);
      auto const correction = m_inverse[p] * sum;
      for (int c = 0; c < n; ++c) x[p * n + c] += correction[c];
    }
    return x;
  }

  /// M = (d + L)(I + d^-1 U) multiplied out.
  DenseMatrix product() const {
    auto const& grid = m_a.grid;
    int const n = m_a.n;
    int const size = static_cast<int>(m_a.rows());
    DenseMatrix lower(size), upper = identity(size);
    for (std::int64_t p = 0; p < grid.size(); ++p) {
      place(lower, p, p, m_diagonal[p], n);
      for (auto const d : {Direction::bottom, Direction::south, Direction::west}) {
        Point const other = neighbour(grid.point(p), d);
        if (grid.contains(other)) place(lower, p, grid.index(other), m_a.block(p, d), n);
      }
      for (auto const d : {Direction::top, Direction::north, Direction::east}) {
        Point const other = neighbour(grid.point(p), d);
        if (grid.contains(other)) place(upper, p, grid.index(other), m_inverse[p] * m_a.block(p, d), n);
      }
    }
    return lower * upper;
  }

 private:
  static void place(DenseMatrix& matrix, std::int64_t p, std::int64_t q, const DenseMatrix& block, int n) {
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) matrix(static_cast<int>(p * n + r), static_cast<int>(q * n + c)) = block(r, c);
    }
  }

  std::vector<double> block_of(const std::vector<double>& x, std::int64_t p) const {
    return {x.begin() + p * m_a.n, x.begin() + (p + 1) * m_a.n};
  }

  /// r -= A(p, d) x[neighbour]
  void subtract(const std::vector<double>& x, std::int64_t p, Direction d, std::vector<double>& r) const {
    Point const other = neighbour(m_a.grid.point(p), d);
    if (!m_a.grid.contains(other)) return;
    auto const product = m_a.block(p, d) * block_of(x, m_a.grid.index(other));
    for (int c = 0; c < m_a.n; ++c) r[c] -= product[c];
  }

  ReferenceStencil m_a;
  std::vector<DenseMatrix> m_diagonal;
  std::vector<DenseMatrix> m_inverse;
};

/// Random blocks in [-1, 1] with a diagonal that dominates its row.
inline ReferenceStencil random_stencil(const Grid& grid, int n, unsigned seed = 1) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  ReferenceStencil a(grid, n);
  for (auto& blocks : a.blocks) {
    for (auto& block : blocks) {
      for (auto& entry : block.entries) entry = uniform(engine);
    }
    auto& diagonal = blocks[static_cast<int>(Direction::center)];
    for (int r = 0; r < n; ++r) diagonal(r, r) += (diagonal(r, r) < 0 ? -1 : 1) * 4.0 * n;
  }
  return a;
}

inline std::vector<double> random_vector(std::int64_t size, unsigned seed = 2) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> x(size);
  for (auto& value : x) value = uniform(engine);
  return x;
}

}  // namespace hyperplane::test
