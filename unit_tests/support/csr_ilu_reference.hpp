// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "csr_reference.hpp"
#include "dense_matrix.hpp"

namespace hyperplane::test {

/// Rows in the order of their numbers.
inline std::vector<int> natural_order(int rows) {
  std::vector<int> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Factors of a block CSR matrix as in the textbook: L with unit diagonal, U with the pivot blocks. Rows and columns
/// have numbers in the order in which rows are taken.
class ReferenceCsrFactors {
 public:
  std::int64_t blocks() const { return static_cast<std::int64_t>(m_blocks.size()); }
  /// M = L U, by the numbers of the matrix.
  DenseMatrix product() const {
    DenseMatrix lower = identity(m_rows * m_n), upper(m_rows * m_n), result(m_rows * m_n);
    for (auto const& [place, block] : m_blocks) {
      auto& factor = place.second < place.first ? lower : upper;
      for (int r = 0; r < m_n; ++r) {
        for (int c = 0; c < m_n; ++c) factor(place.first * m_n + r, place.second * m_n + c) = block(r, c);
      }
    }
    auto const in_order = lower * upper;
    auto const number = [&](int equation) { return m_order[equation / m_n] * m_n + equation % m_n; };
    for (int r = 0; r < m_rows * m_n; ++r) {
      for (int c = 0; c < m_rows * m_n; ++c) result(number(r), number(c)) = in_order(r, c);
    }
    return result;
  }

  std::vector<double> solve(const std::vector<double>& b) const {
    auto x = b;
    for (int i = 0; i < m_rows; ++i) {
      for (int c = 0; c < m_n; ++c) x[i * m_n + c] = b[m_order[i] * m_n + c];
    }
    for (auto const& [place, block] : m_blocks) {
      if (place.second < place.first) subtract(block, place.second, place.first, x);
    }
    for (int i = m_rows - 1; i >= 0; --i) {
      for (auto it = m_blocks.upper_bound({i, i}); it != m_blocks.end() && it->first.first == i; ++it) {
        subtract(it->second, it->first.second, i, x);
      }
      auto const begin = x.begin() + i * m_n;
      auto const solved = m_inverse[i] * std::vector<double>(begin, begin + m_n);
      for (int c = 0; c < m_n; ++c) x[i * m_n + c] = solved[c];
    }
    auto result = x;
    for (int i = 0; i < m_rows; ++i) {
      for (int c = 0; c < m_n; ++c) result[m_order[i] * m_n + c] = x[i * m_n + c];
    }
    return result;
  }

 protected:
  ReferenceCsrFactors(int n, const std::vector<int>& order)
      : m_n(n), m_rows(static_cast<int>(order.size())), m_order(order) {}
  /// When each row is taken.
  std::vector<int> positions() const {
    std::vector<int> position(m_order.size());
    for (int p = 0; p < m_rows; ++p) position[m_order[p]] = p;
    return position;
  }

  int m_n;
  int m_rows;
  std::vector<int> m_order;
  std::map<std::pair<int, int>, DenseMatrix> m_blocks;
  std::vector<DenseMatrix> m_inverse;

 private:
  /// x[row] -= block x[column].
  void subtract(const DenseMatrix& block, int column, int row, std::vector<double>& x) const {
    for (int r = 0; r < m_n; ++r) {
      for (int c = 0; c < m_n; ++c) x[row * m_n + r] -= block(r, c) * x[column * m_n + c];
    }
  }
};

/// BILU(k) of a block CSR matrix as in the textbook, row after row in the order that is given: levels by sums.
class ReferenceCsrIlu : public ReferenceCsrFactors {
 public:
  explicit ReferenceCsrIlu(const ReferenceCsr& a) : ReferenceCsrIlu(a, natural_order(a.rows()), 0) {}
  ReferenceCsrIlu(const ReferenceCsr& a, const std::vector<int>& order, int fill) : ReferenceCsrFactors(a.n, order) {
    auto const position = positions();
    std::map<std::pair<int, int>, int> level;
    for (int i = 0; i < m_rows; ++i) {
      for (auto e = a.offsets[order[i]]; e < a.offsets[order[i] + 1]; ++e) {
        std::pair const place{i, position[a.columns[e]]};
        m_blocks.insert_or_assign(place, a.blocks[e]);
        level[place] = 0;
      }
    }
    for (int i = 0; i < m_rows; ++i) {
      for (int k = 0; k < i; ++k) {
        auto const before = level.find({i, k});
        if (before == level.end()) continue;
        for (auto behind = level.upper_bound({k, k}); behind != level.end() && behind->first.first == k; ++behind) {
          std::pair const place{i, behind->first.second};
          int const sum = before->second + behind->second + 1;
          if (sum > fill) continue;
          auto const known = level.emplace(place, sum).first;
          known->second = std::min(known->second, sum);
          m_blocks.emplace(place, DenseMatrix(m_n));
        }
      }
    }
    for (int i = 0; i < m_rows; ++i) {
      for (int k = 0; k < i; ++k) {
        auto const l = m_blocks.find({i, k});
        if (l == m_blocks.end()) continue;
        l->second = l->second * m_inverse[k];
        for (int j = k + 1; j < m_rows; ++j) {
          auto const u = m_blocks.find({k, j}), target = m_blocks.find({i, j});
          if (u == m_blocks.end() || target == m_blocks.end()) continue;
          target->second = target->second - l->second * u->second;
        }
      }
      m_inverse.push_back(inverse(m_blocks.at({i, i})));
    }
  }
};

/// The same matrix with the blocks of each row in an order of their own.
inline ReferenceCsr shuffled(const ReferenceCsr& a, unsigned seed = 3) {
  std::mt19937_64 engine(seed);
  ReferenceCsr result(a.n);
  for (int row = 0; row < a.rows(); ++row) {
    std::vector<std::int64_t> order;
    for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) order.push_back(e);
    std::shuffle(order.begin(), order.end(), engine);
    for (auto const e : order) result.add(a.columns[e], a.blocks[e]);
    result.end_row();
  }
  return result;
}

/// All blocks at most `width` from the diagonal.
inline ReferenceCsr banded_csr(int rows, int n, int width) {
  ReferenceCsr a(n);
  std::int64_t counter = 0;
  for (int row = 0; row < rows; ++row) {
    for (int column = std::max(row - width, 0); column <= std::min(row + width, rows - 1); ++column) {
      DenseMatrix block(n);
      for (auto& entry : block.entries) entry = random_value(5, counter++);
      for (int r = 0; r < n && column == row; ++r) block(r, r) += 2.0 * width * n;
      a.add(column, block);
    }
    a.end_row();
  }
  return a;
}

}  // namespace hyperplane::test
