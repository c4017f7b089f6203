// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

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

inline DenseMatrix transposed_dense(const DenseMatrix& a) {
  DenseMatrix result(a.n);
  for (int r = 0; r < a.n; ++r) {
    for (int c = 0; c < a.n; ++c) result(r, c) = a(c, r);
  }
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

}  // namespace hyperplane::test
