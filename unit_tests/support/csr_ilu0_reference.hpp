// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "csr_reference.hpp"
#include "dense_matrix.hpp"

namespace hyperplane::test {

/// BILU(0) of a block CSR matrix as in the textbook, row after row: L with unit diagonal, U with the pivot blocks.
class ReferenceCsrIlu0 {
 public:
  explicit ReferenceCsrIlu0(const ReferenceCsr& a) : m_n(a.n), m_rows(a.rows()) {
    for (int i = 0; i < m_rows; ++i) {
      for (auto e = a.offsets[i]; e < a.offsets[i + 1]; ++e) m_blocks.insert_or_assign({i, a.columns[e]}, a.blocks[e]);
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

  /// M = L U.
  DenseMatrix product() const {
    DenseMatrix lower = identity(m_rows * m_n), upper(m_rows * m_n);
    for (auto const& [place, block] : m_blocks) {
      auto& factor = place.second < place.first ? lower : upper;
      for (int r = 0; r < m_n; ++r) {
        for (int c = 0; c < m_n; ++c) factor(place.first * m_n + r, place.second * m_n + c) = block(r, c);
      }
    }
    return lower * upper;
  }

  std::vector<double> solve(std::vector<double> x) const {
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
    return x;
  }

 private:
  /// x[row] -= block x[column].
  void subtract(const DenseMatrix& block, int column, int row, std::vector<double>& x) const {
    for (int r = 0; r < m_n; ++r) {
      for (int c = 0; c < m_n; ++c) x[row * m_n + r] -= block(r, c) * x[column * m_n + c];
    }
  }

  int m_n;
  int m_rows;
  std::map<std::pair<int, int>, DenseMatrix> m_blocks;
  std::vector<DenseMatrix> m_inverse;
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
