// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <numeric>
#include <ranges>
#include <vector>

#include "dense_matrix.hpp"
#include "random_system.hpp"

/// Slow, obvious serial versions of what the library does: plain loops over std::vector, natural ordering, no packs.
namespace hyperplane::test {

/// visit(p, q, block) for each block of a block seven-point matrix, a ReferenceStencil or a RandomSystem, that couples
/// a point p to a point q of the grid.
template <class Matrix, class Visit>
void for_each_block(const Matrix& a, const Visit& visit) {
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      Point const other = neighbour(a.grid.point(p), d);
      if (a.grid.contains(other)) visit(p, a.grid.index(other), a.block(p, d));
    }
  }
}

/// A x.
template <class Matrix>
std::vector<double> reference_product(const Matrix& a, const std::vector<double>& x) {
  int const n = a.n;
  std::vector<double> y(x.size(), 0.0);
  for_each_block(a, [&](std::int64_t p, std::int64_t q, const DenseMatrix& block) {
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) y[p * n + r] += block(r, c) * x[q * n + c];
    }
  });
  return y;
}

/// A^T x.
template <class Matrix>
std::vector<double> reference_transposed_product(const Matrix& a, const std::vector<double>& x) {
  int const n = a.n;
  std::vector<double> y(x.size(), 0.0);
  for_each_block(a, [&](std::int64_t p, std::int64_t q, const DenseMatrix& block) {
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) y[q * n + c] += block(r, c) * x[p * n + r];
    }
  });
  return y;
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

  std::vector<double> apply(const std::vector<double>& x) const { return reference_product(*this, x); }

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

/// What layers [begin, end) have of a system.
inline ReferenceStencil layers_of(const ReferenceStencil& whole, int begin, int end) {
  ReferenceStencil result(Grid(whole.grid.ni(), whole.grid.nj(), end - begin), whole.n);
  auto const layer = std::int64_t{whole.grid.ni()} * whole.grid.nj();
  std::copy(whole.blocks.begin() + begin * layer, whole.blocks.begin() + end * layer, result.blocks.begin());
  return result;
}

/// BILU(0) of a ReferenceStencil or a RandomSystem by its formulas, point after point in an order of the point
/// numbers, the natural one by itself. Only the inverse pivots are stored.
template <class Matrix>
class ReferenceIlu0 {
 public:
  explicit ReferenceIlu0(const Matrix& a) : ReferenceIlu0(a, natural_order(a.grid)) {}
  ReferenceIlu0(const Matrix& a, const std::vector<std::int64_t>& order)
      : m_a(a), m_order(order), m_place(order.size()), m_inverse(order.size(), DenseMatrix(a.n)) {
    for (std::size_t place = 0; place < order.size(); ++place) m_place[order[place]] = place;
    for (auto const p : order) m_inverse[p] = inverse(pivot(p));
  }

  static std::vector<std::int64_t> natural_order(const Grid& grid) {
    std::vector<std::int64_t> order(grid.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  std::vector<double> solve(const std::vector<double>& rhs) const {
    int const n = m_a.n;
    std::vector<double> x = rhs;
    for (auto const p : m_order) {
      auto r = block_of(x, p);
      for (auto const d : before(p)) subtract(x, p, d, r);
      auto const y = m_inverse[p] * r;
      for (int c = 0; c < n; ++c) x[p * n + c] = y[c];
    }
    for (auto const p : std::views::reverse(m_order)) {
      std::vector<double> sum(n, 0.0);
      for (auto const d : after(p)) subtract(x, p, d, sum);
      auto const correction = m_inverse[p] * sum;
      for (int c = 0; c < n; ++c) x[p * n + c] += correction[c];
    }
    return x;
  }

  /// x = M^-T rhs: a point whose value is known hands on to its neighbours what its blocks, transposed, make of it.
  std::vector<double> solve_transposed(const std::vector<double>& rhs) const {
    std::vector<double> x = rhs;
    for (auto const p : m_order) {
      auto const value = transposed_dense(m_inverse[p]) * block_of(x, p);
      for (auto const d : after(p)) hand_on(p, d, value, x);
    }
    for (auto const p : std::views::reverse(m_order)) {
      auto const value = transposed_dense(m_inverse[p]) * block_of(x, p);
      for (int c = 0; c < m_a.n; ++c) x[p * m_a.n + c] = value[c];
      for (auto const d : before(p)) hand_on(p, d, value, x);
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
      place(lower, p, p, pivot(p), n);
      for (auto const d : before(p)) place(lower, p, number(p, d), m_a.block(p, d), n);
      for (auto const d : after(p)) place(upper, p, number(p, d), m_inverse[p] * m_a.block(p, d), n);
    }
    return lower * upper;
  }

 private:
  std::int64_t number(std::int64_t p, Direction d) const { return m_a.grid.index(neighbour(m_a.grid.point(p), d)); }

  /// The directions of the neighbours of p that come before it, and of those that come after it.
  std::vector<Direction> before(std::int64_t p) const {
    return directions(p, [&](std::int64_t q) { return m_place[q] < m_place[p]; });
  }
  std::vector<Direction> after(std::int64_t p) const {
    return directions(p, [&](std::int64_t q) { return m_place[q] > m_place[p]; });
  }
  template <class Wanted>
  std::vector<Direction> directions(std::int64_t p, const Wanted& wanted) const {
    std::vector<Direction> result;
    for (auto const d : stencil7_directions) {
      if (m_a.grid.contains(neighbour(m_a.grid.point(p), d)) && wanted(number(p, d))) result.push_back(d);
    }
    return result;
  }

  DenseMatrix pivot(std::int64_t p) const {
    DenseMatrix d = m_a.block(p, Direction::center);
    for (auto const lower : before(p)) {
      std::int64_t const q = number(p, lower);
      d = d - m_a.block(p, lower) * m_inverse[q] * m_a.block(q, opposite(lower));
    }
    return d;
  }

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
    auto const product = m_a.block(p, d) * block_of(x, number(p, d));
    for (int c = 0; c < m_a.n; ++c) r[c] -= product[c];
  }

  /// x[neighbour] -= A(p, d)^T value
  void hand_on(std::int64_t p, Direction d, const std::vector<double>& value, std::vector<double>& x) const {
    auto const product = transposed_dense(m_a.block(p, d)) * value;
    for (int c = 0; c < m_a.n; ++c) x[number(p, d) * m_a.n + c] -= product[c];
  }

  Matrix m_a;
  std::vector<std::int64_t> m_order;  ///< points by their places
  std::vector<std::size_t> m_place;
  std::vector<DenseMatrix> m_inverse;
};

/// The matrix of a RandomSystem.
inline ReferenceStencil random_stencil(const Grid& grid, int n, unsigned seed = 1) {
  RandomSystem const system{.grid = grid, .n = n, .dominance = 4.0, .seed = seed};
  ReferenceStencil a(grid, n);
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    for (auto const d : stencil7_directions) a.block(p, d) = system.block(p, d);
  }
  return a;
}

}  // namespace hyperplane::test
