// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "csr_ilu_reference.hpp"
#include "csr_reference.hpp"
#include "dense_matrix.hpp"

namespace hyperplane::test {

/// M = (d + L) d^-1 (d + U) / (2 - w) of a block CSR matrix as a dense matrix, by its formula. d is the diagonal of A
/// divided by w; or what DILU makes of it, with w = 1. Rows are taken in the order that is given.
class ReferenceCsrRelaxation {
 public:
  static DenseMatrix dilu(const ReferenceCsr& a, const std::vector<int>& order) {
    return ReferenceCsrRelaxation(a, order, 1.0, true).product();
  }
  static DenseMatrix ssor(const ReferenceCsr& a, const std::vector<int>& order, double w) {
    return ReferenceCsrRelaxation(a, order, w, false).product();
  }
  /// D / w alone, of block Jacobi.
  static DenseMatrix jacobi(const ReferenceCsr& a, double w) {
    return ReferenceCsrRelaxation(a, natural_order(a.rows()), w, false).m_d;
  }

 private:
  ReferenceCsrRelaxation(const ReferenceCsr& a, const std::vector<int>& order, double w, bool eliminates)
      : m_n(a.n),
        m_w(w),
        m_d(a.rows() * a.n),
        m_inverse(a.rows() * a.n),
        m_lower(a.rows() * a.n),
        m_upper(a.rows() * a.n) {
    std::vector<int> position(order.size());
    for (int p = 0; p < a.rows(); ++p) position[order[p]] = p;
    for (int row = 0; row < a.rows(); ++row) {
      for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
        int const column = a.columns[e];
        auto& part = row == column ? m_d : position[column] < position[row] ? m_lower : m_upper;
        put(part, row, column, a.blocks[e]);
      }
    }
    for (auto& entry : m_d.entries) entry /= w;
    for (int const i : order) {
      auto d = block(m_d, i, i);
      for (int j = 0; j < a.rows() && eliminates; ++j) {
        // What the pattern does not have is zero.
        if (position[j] < position[i]) d = d - block(m_lower, i, j) * block(m_inverse, j, j) * block(m_upper, j, i);
      }
      put(m_d, i, i, d);
      put(m_inverse, i, i, inverse(d));
    }
  }

  DenseMatrix product() const {
    auto result = sum(m_d, m_lower) * m_inverse * sum(m_d, m_upper);
    for (auto& entry : result.entries) entry /= 2.0 - m_w;
    return result;
  }

  static DenseMatrix sum(const DenseMatrix& a, const DenseMatrix& b) { return a - (DenseMatrix(a.n) - b); }
  DenseMatrix block(const DenseMatrix& of, int row, int column) const {
    DenseMatrix result(m_n);
    for (int r = 0; r < m_n; ++r) {
      for (int c = 0; c < m_n; ++c) result(r, c) = of(row * m_n + r, column * m_n + c);
    }
    return result;
  }
  void put(DenseMatrix& to, int row, int column, const DenseMatrix& block) const {
    for (int r = 0; r < m_n; ++r) {
      for (int c = 0; c < m_n; ++c) to(row * m_n + r, column * m_n + c) = block(r, c);
    }
  }

  int m_n;
  double m_w;
  DenseMatrix m_d, m_inverse, m_lower, m_upper;
};

}  // namespace hyperplane::test
