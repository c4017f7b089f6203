// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "csr_ilu_reference.hpp"
#include "csr_reference.hpp"
#include "dense_matrix.hpp"

namespace hyperplane::test {

inline double frobenius(const DenseMatrix& block) {
  double squares = 0.0;
  for (double const entry : block.entries) squares += entry * entry;
  return std::sqrt(squares);
}

/// The root of the sum of squares of a block row of A.
inline double norm_of_row(const ReferenceCsr& a, int row) {
  double squares = 0.0;
  for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) squares += std::pow(frobenius(a.blocks[e]), 2);
  return std::sqrt(squares);
}

/// ILUT(tau, p) of a block CSR matrix as in Saad's paper, row after row in the order that is given. Blocks before the
/// diagonal are compared with tau before they are divided by pivots.
class ReferenceCsrIlut : public ReferenceCsrFactors {
 public:
  ReferenceCsrIlut(const ReferenceCsr& a, const std::vector<int>& order, double tau, int most)
      : ReferenceCsrFactors(a.n, order) {
    auto const position = positions();
    for (int i = 0; i < m_rows; ++i) {
      std::map<int, DenseMatrix> row;
      for (auto e = a.offsets[order[i]]; e < a.offsets[order[i] + 1]; ++e) {
        row.insert_or_assign(position[a.columns[e]], a.blocks[e]);
      }
      double const threshold = tau * norm_of_row(a, order[i]);
      for (int k = 0; k < i; ++k) {
        auto const found = row.find(k);
        if (found == row.end() || drop(row, k, threshold)) continue;
        auto const l = found->second * m_inverse[k];
        for (auto u = m_blocks.upper_bound({k, k}); u != m_blocks.end() && u->first.first == k; ++u) {
          auto& target = row.emplace(u->first.second, DenseMatrix(m_n)).first->second;
          target = target - l * u->second;
        }
      }
      for (int j = i + 1; j < m_rows; ++j) drop(row, j, threshold);
      keep(row, 0, i, most);
      keep(row, i + 1, m_rows, most);
      m_inverse.push_back(inverse(row.at(i)));
      for (auto const& [j, block] : row) m_blocks.emplace(std::pair(i, j), j < i ? block * m_inverse[j] : block);
    }
  }

  /// The columns of a row, before the diagonal, on it and behind it.
  std::vector<int> columns(int row) const {
    std::vector<int> result;
    for (auto at = m_blocks.lower_bound({row, 0}); at != m_blocks.end() && at->first.first == row; ++at) {
      result.push_back(at->first.second);
    }
    return result;
  }
  /// Factors as the library has them, M = (d + L)(I + u): L, d^-1 and u.
  DenseMatrix factor(int row, int column) const {
    if (row == column) return m_inverse[row];
    auto const& block = m_blocks.at({row, column});
    return column < row ? block * m_blocks.at({column, column}) : m_inverse[row] * block;
  }

 private:
  /// Whether there was a block, which was too small.
  static bool drop(std::map<int, DenseMatrix>& row, int column, double threshold) {
    auto const found = row.find(column);
    if (found == row.end() || frobenius(found->second) >= threshold) return false;
    row.erase(found);
    return true;
  }

  /// Erases all but the largest of the columns begin, ..., end - 1.
  static void keep(std::map<int, DenseMatrix>& row, int begin, int end, int most) {
    std::vector<std::pair<double, int>> by_size;
    for (auto const& [column, block] : row) {
      if (column >= begin && column < end) by_size.emplace_back(-frobenius(block), column);
    }
    std::ranges::sort(by_size);
    for (std::size_t c = 0; c < by_size.size(); ++c) {
      if (static_cast<int>(c) >= most) row.erase(by_size[c].second);
    }
  }
};

}  // namespace hyperplane::test
