// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <map>
#include <numeric>
#include <vector>

#include "csr_relaxation_reference.hpp"
#include "dense_matrix.hpp"
#include "serial_reference.hpp"
#include "transfer.hpp"

/// Slow, obvious serial versions of what several grid blocks do: a matrix as a map of its blocks.
namespace hyperplane::test {

/// Rows of n x n blocks: blocks[p][q] multiplies x_q in the equations of p.
struct BlockRows {
  int n;
  std::vector<std::map<std::int64_t, DenseMatrix>> blocks;

  void add(std::int64_t p, std::int64_t q, const DenseMatrix& block) {
    auto& sum = blocks[p].try_emplace(q, DenseMatrix(n)).first->second;
    for (std::size_t e = 0; e < block.entries.size(); ++e) sum.entries[e] += block.entries[e];
  }
  std::vector<double> operator*(const std::vector<double>& x) const {
    std::vector<double> y(x.size(), 0.0);
    for (std::size_t p = 0; p < blocks.size(); ++p) {
      for (auto const& [q, block] : blocks[p]) {
        for (int r = 0; r < n; ++r) {
          for (int c = 0; c < n; ++c) y[p * n + r] += block(r, c) * x[q * n + c];
        }
      }
    }
    return y;
  }
  BlockRows transposed() const {
    BlockRows result{n, std::vector<std::map<std::int64_t, DenseMatrix>>(blocks.size())};
    for (std::size_t p = 0; p < blocks.size(); ++p) {
      for (auto const& [q, block] : blocks[p]) result.add(q, static_cast<std::int64_t>(p), transposed_dense(block));
    }
    return result;
  }
};

/// A matrix on a multi-block grid: one for each grid block, whose blocks that point out of it are the couplings.
struct MultiBlockReference {
  MultiBlockGrid grid;
  int n;
  std::vector<ReferenceStencil> blocks;

  explicit MultiBlockReference(const MultiBlockGrid& g, int block_size) : grid(g), n(block_size) {
    for (int b = 0; b < grid.block_count(); ++b) {
      blocks.push_back(random_stencil(grid.block(b), n, static_cast<unsigned>(b + 1)));
    }
  }

  /// The rows of the whole matrix. `couples(interface)`: whether couplings across it are taken.
  template <class Couples>
  BlockRows rows(const Couples& couples) const {
    BlockRows result{n, std::vector<std::map<std::int64_t, DenseMatrix>>(grid.size())};
    for (int b = 0; b < grid.block_count(); ++b) {
      auto const first = grid.first_point(b);
      auto const& a = blocks[b];
      for (std::int64_t p = 0; p < a.grid.size(); ++p) {
        for (auto const d : stencil7_directions) {
          Point const other = neighbour(a.grid.point(p), d);
          if (a.grid.contains(other)) result.add(first + p, first + a.grid.index(other), a.block(p, d));
        }
      }
    }
    for (auto const& interface : grid.interfaces()) {
      if (!couples(interface)) continue;
      auto const& a = blocks[interface.block];
      for (int k = interface.points.begin.k; k < interface.points.end.k; ++k) {
        for (int j = interface.points.begin.j; j < interface.points.end.j; ++j) {
          for (int i = interface.points.begin.i; i < interface.points.end.i; ++i) {
            auto const p = a.grid.index(i, j, k);
            auto const q = grid.block(interface.donor).index(interface.donor_point({i, j, k}));
            result.add(grid.first_point(interface.block) + p, grid.first_point(interface.donor) + q,
                       a.block(p, interface.face));
          }
        }
      }
    }
    return result;
  }
  BlockRows rows() const {
    return rows([](const Interface&) { return true; });
  }
  /// Without couplings of a grid block to itself.
  BlockRows rows_without_own() const {
    return rows([](const Interface& interface) { return interface.block != interface.donor; });
  }
};

/// Block rows in an order of the points: place[p] is where p comes.
class OrderedBlockRows {
 public:
  OrderedBlockRows(const BlockRows& a, const std::vector<std::int64_t>& place)
      : m_a(a), m_place(place), m_order(place.size()) {
    for (std::size_t p = 0; p < place.size(); ++p) m_order[place[p]] = static_cast<std::int64_t>(p);
  }

 protected:
  bool is_before(std::int64_t q, std::int64_t p) const { return m_place[q] < m_place[p]; }
  std::vector<double> at(const std::vector<double>& x, std::int64_t p) const {
    return {x.begin() + p * m_a.n, x.begin() + (p + 1) * m_a.n};
  }
  void put(std::vector<double>& x, std::int64_t p, const std::vector<double>& values) const {
    for (int c = 0; c < m_a.n; ++c) x[p * m_a.n + c] = values[c];
  }
  void subtract_neighbours(const std::vector<double>& x, std::int64_t p, bool before, std::vector<double>& r) const {
    for (auto const& [q, block] : m_a.blocks[p]) {
      if (q == p || is_before(q, p) != before) continue;
      auto const product = block * at(x, q);
      for (int c = 0; c < m_a.n; ++c) r[c] -= product[c];
    }
  }
  std::vector<double> rest(const std::vector<double>& x, std::int64_t p, bool before) const {
    auto r = at(x, p);
    subtract_neighbours(x, p, before, r);
    return r;
  }

  BlockRows m_a;
  std::vector<std::int64_t> m_place, m_order;
};

/// BILU(0) of block rows in an order of the points.
class ReferenceOrderedIlu0 : OrderedBlockRows {
 public:
  ReferenceOrderedIlu0(const BlockRows& a, const std::vector<std::int64_t>& place) : OrderedBlockRows(a, place) {
    m_inverse.assign(m_order.size(), DenseMatrix(a.n));
    for (auto const p : m_order) {
      DenseMatrix d = a.blocks[p].at(p);
      for (auto const& [q, block] : a.blocks[p]) {
        if (is_before(q, p) && a.blocks[q].contains(p)) d = d - block * m_inverse[q] * a.blocks[q].at(p);
      }
      m_inverse[p] = inverse(d);
    }
  }

  std::vector<double> solve(const std::vector<double>& rhs) const {
    std::vector<double> x = rhs;
    for (auto const p : m_order) put(x, p, m_inverse[p] * rest(x, p, true));
    for (auto p = m_order.rbegin(); p != m_order.rend(); ++p) {
      // x = y - d^-1 U x
      std::vector<double> sum(m_a.n, 0.0);
      subtract_neighbours(x, *p, false, sum);
      auto const correction = m_inverse[*p] * sum;
      for (int c = 0; c < m_a.n; ++c) x[*p * m_a.n + c] += correction[c];
    }
    return x;
  }

  /// M x = (d + L)(x + d^-1 U x).
  std::vector<double> product(const std::vector<double>& x) const {
    std::vector<double> y = x;
    for (auto const p : m_order) {
      std::vector<double> sum(m_a.n, 0.0);
      subtract_neighbours(x, p, false, sum);
      auto const part = m_inverse[p] * sum;
      for (int c = 0; c < m_a.n; ++c) y[p * m_a.n + c] -= part[c];
    }
    std::vector<double> result(x.size());
    for (auto const p : m_order) {
      std::vector<double> sum(m_a.n, 0.0);
      subtract_neighbours(y, p, true, sum);
      auto const own = inverse(m_inverse[p]) * at(y, p);
      for (int c = 0; c < m_a.n; ++c) result[p * m_a.n + c] = own[c] - sum[c];
    }
    return result;
  }

 private:
  std::vector<DenseMatrix> m_inverse;
};

/// SSOR of block rows in an order of the points, by its definition, M = w / (2 - w) (D/w + L) D^-1 (D/w + U): one
/// triangular solve, a product with D, the other triangular solve.
class ReferenceOrderedSsor : OrderedBlockRows {
 public:
  ReferenceOrderedSsor(const BlockRows& a, const std::vector<std::int64_t>& place, double w)
      : OrderedBlockRows(a, place), m_w(w) {}

  std::vector<double> solve(const std::vector<double>& rhs) const {
    auto x = rhs;
    for (auto& value : x) value *= (2 - m_w) / m_w;
    for (auto const p : m_order) relax(x, p, true);
    for (auto const p : m_order) put(x, p, m_a.blocks[p].at(p) * at(x, p));
    for (auto p = m_order.rbegin(); p != m_order.rend(); ++p) relax(x, *p, false);
    return x;
  }

 private:
  /// x_p = (D/w)^-1 (x_p - the neighbours on one side)
  void relax(std::vector<double>& x, std::int64_t p, bool before) const {
    auto values = inverse(m_a.blocks[p].at(p)) * rest(x, p, before);
    for (auto& value : values) value *= m_w;
    put(x, p, values);
  }

  double m_w;
};

/// The order of colour, grid block, point.
inline std::vector<std::int64_t> coloured_places(const MultiBlockGrid& grid, const std::vector<int>& colours) {
  std::vector<int> order(grid.block_count());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int b) { return colours[b]; });
  std::vector<std::int64_t> places(grid.size());
  std::int64_t next = 0;
  for (int const b : order) {
    for (std::int64_t p = 0; p < grid.block(b).size(); ++p) places[grid.first_point(b) + p] = next++;
  }
  return places;
}

/// Where the points of parts of a box are in the order of the box: i fastest, then j, then k.
inline std::vector<std::int64_t> natural_places(const CutGrid& cut) {
  Point end{0, 0, 0};
  for (auto const& box : cut.boxes) {
    end = {std::max(end.i, box.end.i), std::max(end.j, box.end.j), std::max(end.k, box.end.k)};
  }
  Grid const whole(end.i, end.j, end.k);
  std::vector<std::int64_t> places;
  for (int b = 0; b < cut.grid.block_count(); ++b) {
    auto const& first = cut.boxes[b].begin;
    for (std::int64_t number = 0; number < cut.grid.block(b).size(); ++number) {
      Point const p = cut.grid.block(b).point(number);
      places.push_back(whole.index(first.i + p.i, first.j + p.j, first.k + p.k));
    }
  }
  return places;
}

template <class Scalar, int n, class Exec>
MultiBlockVector<Scalar, n, Exec> to_device(const Exec& exec, const MultiBlockGrid& grid,
                                            const std::vector<double>& values) {
  MultiBlockVector<Scalar, n, Exec> result(exec, grid);
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const first = values.begin() + grid.first_point(b) * n;
    auto const part =
        to_device<Scalar, n>(exec, grid.block(b), std::vector<double>(first, first + grid.block(b).size() * n));
    Kokkos::deep_copy(exec, result.block(b).flat(), part.flat());
    exec.fence();
  }
  return result;
}

template <class Scalar, int n, class Exec>
std::vector<double> to_host(const Exec& exec, const MultiBlockVector<Scalar, n, Exec>& vector) {
  std::vector<double> result;
  for (int b = 0; b < vector.grid().block_count(); ++b) {
    auto const part = to_host(exec, vector.block(b));
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

template <class Scalar, int n, class Storage, class Exec>
MultiBlockStencil7<Scalar, n, Exec, Storage> to_device(const Exec& exec, const MultiBlockReference& a) {
  MultiBlockStencil7<Scalar, n, Exec, Storage> result(exec, a.grid);
  for (int b = 0; b < a.grid.block_count(); ++b) {
    auto const part = to_device<Scalar, n, Storage>(exec, a.blocks[b]);
    Kokkos::deep_copy(exec, result.block(b).flat(), part.flat());
    exec.fence();
  }
  return result;
}

}  // namespace hyperplane::test
