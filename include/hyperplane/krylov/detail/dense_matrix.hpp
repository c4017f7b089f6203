// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <vector>

/// Small dense matrices of the host, as Krylov methods have them between their cycles.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Columns one after the other.
template <class T>
class DenseMatrix {
 public:
  DenseMatrix(int rows, int columns)
      : m_rows(rows), m_columns(columns), m_values(as_size(rows) * as_size(columns), T(0)) {}

  static DenseMatrix identity(int size) {
    DenseMatrix result(size, size);
    for (int i = 0; i < size; ++i) result(i, i) = T(1);
    return result;
  }

  int rows() const { return m_rows; }
  int columns() const { return m_columns; }
  T& operator()(int row, int column) { return m_values[place(row, column)]; }
  const T& operator()(int row, int column) const { return m_values[place(row, column)]; }

 private:
  std::size_t place(int row, int column) const { return as_size(column) * as_size(m_rows) + as_size(row); }

  int m_rows;
  int m_columns;
  std::vector<T> m_values;
};

using RealMatrix = DenseMatrix<double>;

inline bool all_finite(const RealMatrix& a) {
  for (int j = 0; j < a.columns(); ++j) {
    for (int i = 0; i < a.rows(); ++i) {
      if (!std::isfinite(a(i, j))) return false;
    }
  }
  return true;
}

/// A B
inline RealMatrix product(const RealMatrix& a, const RealMatrix& b) {
  RealMatrix result(a.rows(), b.columns());
  for (int j = 0; j < b.columns(); ++j) {
    for (int l = 0; l < a.columns(); ++l) {
      for (int i = 0; i < a.rows(); ++i) result(i, j) += a(i, l) * b(l, j);
    }
  }
  return result;
}

/// A^T B
inline RealMatrix transposed_product(const RealMatrix& a, const RealMatrix& b) {
  RealMatrix result(a.columns(), b.columns());
  for (int j = 0; j < b.columns(); ++j) {
    for (int i = 0; i < a.columns(); ++i) {
      for (int l = 0; l < a.rows(); ++l) result(i, j) += a(l, i) * b(l, j);
    }
  }
  return result;
}

/// The rows and columns of a part in the upper left corner.
inline RealMatrix corner(const RealMatrix& a, int rows, int columns) {
  RealMatrix result(rows, columns);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) result(i, j) = a(i, j);
  }
  return result;
}

/// R^-1 B, of a square R of which the upper triangle is read.
inline RealMatrix solve_upper(const RealMatrix& r, RealMatrix b) {
  for (int j = 0; j < b.columns(); ++j) {
    for (int i = r.rows() - 1; i >= 0; --i) {
      for (int l = i + 1; l < r.rows(); ++l) b(i, j) -= r(i, l) * b(l, j);
      b(i, j) /= r(i, i);
    }
  }
  return b;
}

/// B R^-1, of a square R of which the upper triangle is read.
inline RealMatrix solve_upper_from_right(RealMatrix b, const RealMatrix& r) {
  for (int j = 0; j < r.columns(); ++j) {
    for (int l = 0; l < j; ++l) {
      for (int i = 0; i < b.rows(); ++i) b(i, j) -= b(i, l) * r(l, j);
    }
    for (int i = 0; i < b.rows(); ++i) b(i, j) /= r(j, j);
  }
  return b;
}

/// A = Q R by Householder's reflections: Q square, R upper triangular in the rows of A. A has no more columns than
/// rows.
struct QrFactors {
  RealMatrix m_q;
  RealMatrix m_r;
};
inline QrFactors qr_factors(RealMatrix a) {
  int const rows = a.rows();
  auto q = RealMatrix::identity(rows);
  std::vector<double> v(as_size(rows));
  for (int k = 0; k < a.columns() && k + 1 < rows; ++k) {
    double norm = 0.0;
    for (int i = k; i < rows; ++i) norm = std::hypot(norm, a(i, k));
    if (norm == 0.0) continue;
    double const alpha = a(k, k) > 0.0 ? -norm : norm;
    double squares = 0.0;
    for (int i = k; i < rows; ++i) {
      v[as_size(i)] = (a(i, k) - (i == k ? alpha : 0.0)) / norm;
      squares += v[as_size(i)] * v[as_size(i)];
    }
    for (int j = k; j < a.columns(); ++j) {
      double sum = 0.0;
      for (int i = k; i < rows; ++i) sum += v[as_size(i)] * a(i, j);
      for (int i = k; i < rows; ++i) a(i, j) -= 2.0 * sum / squares * v[as_size(i)];
    }
    for (int i = k + 1; i < rows; ++i) a(i, k) = 0.0;
    for (int row = 0; row < rows; ++row) {
      double sum = 0.0;
      for (int i = k; i < rows; ++i) sum += q(row, i) * v[as_size(i)];
      for (int i = k; i < rows; ++i) q(row, i) -= 2.0 * sum / squares * v[as_size(i)];
    }
  }
  return {q, a};
}

/// Whether no entry on the diagonal of R is tiny beside the largest one.
inline bool well_conditioned(const RealMatrix& r) {
  double smallest = r.columns() == 0 ? 0.0 : std::abs(r(0, 0));
  double largest = smallest;
  for (int i = 1; i < r.columns(); ++i) {
    smallest = std::min(smallest, std::abs(r(i, i)));
    largest = std::max(largest, std::abs(r(i, i)));
  }
  return smallest > 1e-13 * largest;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
