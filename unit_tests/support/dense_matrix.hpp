// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace hyperplane::test {

/// Dense row-major matrix.
struct DenseMatrix {
  int n = 0;
  std::vector<double> entries;

  explicit DenseMatrix(int size) : n(size), entries(static_cast<std::size_t>(size) * size, 0.0) {}
  double& operator()(int r, int c) { return entries[static_cast<std::size_t>(r) * n + c]; }
  double operator()(int r, int c) const { return entries[static_cast<std::size_t>(r) * n + c]; }

  /// For loops: without optimization, access by two indices takes several times as long.
  double* row(int r) { return entries.data() + static_cast<std::size_t>(r) * n; }
  const double* row(int r) const { return entries.data() + static_cast<std::size_t>(r) * n; }
};

inline DenseMatrix identity(int n) {
  DenseMatrix result(n);
  for (int r = 0; r < n; ++r) result(r, r) = 1.0;
  return result;
}

inline DenseMatrix operator*(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix result(a.n);
  for (int r = 0; r < a.n; ++r) {
    double* const of_result = result.row(r);
    for (int m = 0; m < a.n; ++m) {
      double const factor = a(r, m);
      const double* const of_b = b.row(m);
      for (int c = 0; c < a.n; ++c) of_result[c] += factor * of_b[c];
    }
  }
  return result;
}

inline DenseMatrix operator-(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix result(a.n);
  for (int r = 0; r < a.n; ++r) {
    double* const of_result = result.row(r);
    const double *const of_a = a.row(r), *const of_b = b.row(r);
    for (int c = 0; c < a.n; ++c) of_result[c] = of_a[c] - of_b[c];
  }
  return result;
}

inline DenseMatrix transposed_dense(const DenseMatrix& a) {
  DenseMatrix result(a.n);
  for (int r = 0; r < a.n; ++r) {
    double* const of_result = result.row(r);
    for (int c = 0; c < a.n; ++c) of_result[c] = a.row(c)[r];
  }
  return result;
}

inline std::vector<double> operator*(const DenseMatrix& a, const std::vector<double>& x) {
  std::vector<double> result(x.size(), 0.0);
  const double* const values = x.data();
  for (int r = 0; r < a.n; ++r) {
    const double* const of_a = a.row(r);
    for (int c = 0; c < a.n; ++c) result[r] += of_a[c] * values[c];
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
    double *const of_a = a.row(step), *const of_result = result.row(step);
    if (pivot != step) {
      std::swap_ranges(of_a, of_a + n, a.row(pivot));
      std::swap_ranges(of_result, of_result + n, result.row(pivot));
    }
    double const scale = 1.0 / of_a[step];
    for (int c = 0; c < n; ++c) {
      of_a[c] *= scale;
      of_result[c] *= scale;
    }
    for (int r = 0; r < n; ++r) {
      if (r == step) continue;
      double *const other_of_a = a.row(r), *const other_of_result = result.row(r);
      double const factor = other_of_a[step];
      for (int c = 0; c < n; ++c) {
        other_of_a[c] -= factor * of_a[c];
        other_of_result[c] -= factor * of_result[c];
      }
    }
  }
  return result;
}

}  // namespace hyperplane::test
