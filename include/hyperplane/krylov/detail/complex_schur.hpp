// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/krylov/detail/dense_matrix.hpp>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

/// The Schur form of small dense matrices, on the host: all of it by plane rotations.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

using Complex = std::complex<double>;
using ComplexMatrix = DenseMatrix<Complex>;

/// (cosine, sine; -conj(sine), cosine), which takes (f, g) to (something, 0).
struct PlaneRotation {
  double m_cosine;
  Complex m_sine;

  PlaneRotation(Complex f, Complex g) : m_cosine(1.0), m_sine(0.0) {
    double const size_f = std::abs(f), size_g = std::abs(g);
    if (size_g == 0.0) return;
    double const length = std::hypot(size_f, size_g);
    m_cosine = size_f / length;
    m_sine = (size_f == 0.0 ? Complex(1.0) : f / size_f) * std::conj(g) / length;
  }

  static void rotate(Complex& x, Complex& y, double cosine, Complex sine) {
    Complex const turned = cosine * x + sine * y;
    y = cosine * y - std::conj(sine) * x;
    x = turned;
  }
  /// Rows i and i + 1 of a, columns begin to end - 1.
  void rows(ComplexMatrix& a, int i, int begin, int end) const {
    for (int j = begin; j < end; ++j) rotate(a(i, j), a(i + 1, j), m_cosine, m_sine);
  }
  /// Columns j and j + 1 of a times the conjugate transpose, rows begin to end - 1.
  void columns(ComplexMatrix& a, int j, int begin, int end) const {
    for (int i = begin; i < end; ++i) rotate(a(i, j), a(i, j + 1), m_cosine, std::conj(m_sine));
  }
};

/// A = Q T Q^H with T upper triangular, Q unitary.
class ComplexSchur {
 public:
  /// Nothing where A is not finite, or the QR algorithm does not converge. About 30 n^3 operations.
  static std::optional<ComplexSchur> of(const RealMatrix& a) {
    if (!all_finite(a)) return std::nullopt;
    ComplexSchur result(a);
    result.make_hessenberg();
    if (!result.make_triangular()) return std::nullopt;
    return result;
  }

  const ComplexMatrix& t() const { return m_t; }
  const ComplexMatrix& q() const { return m_q; }
  int size() const { return m_t.rows(); }
  Complex eigenvalue(int i) const { return m_t(i, i); }

  /// Exchanges eigenvalues i and i + 1 of the diagonal.
  void swap(int i) {
    Complex const upper = m_t(i, i), lower = m_t(i + 1, i + 1);
    PlaneRotation const rotation(m_t(i, i + 1), lower - upper);
    rotation.rows(m_t, i, i + 2, size());
    rotation.columns(m_t, i, 0, i);
    m_t(i, i) = lower;
    m_t(i + 1, i + 1) = upper;
    rotation.columns(m_q, i, 0, size());
  }

 private:
  explicit ComplexSchur(const RealMatrix& a) : m_t(a.rows(), a.rows()), m_q(ComplexMatrix::identity(a.rows())) {
    for (int j = 0; j < a.columns(); ++j) {
      for (int i = 0; i < a.rows(); ++i) m_t(i, j) = a(i, j);
    }
  }

  void make_hessenberg() {
    for (int j = 0; j + 2 < size(); ++j) {
      for (int i = size() - 2; i > j; --i) {
        PlaneRotation const rotation(m_t(i, j), m_t(i + 1, j));
        rotation.rows(m_t, i, j, size());
        rotation.columns(m_t, i, 0, size());
        rotation.columns(m_q, i, 0, size());
        m_t(i + 1, j) = 0.0;
      }
    }
  }

  /// The QR algorithm with single shifts.
  bool make_triangular() {
    int end = size() - 1;
    for (int iteration = 0; end > 0; ++iteration) {
      int begin = end;
      while (begin > 0 && !negligible(begin)) --begin;
      if (begin > 0) m_t(begin, begin - 1) = 0.0;
      if (begin == end) {
        --end;
        iteration = -1;
        continue;
      }
      if (iteration == 60) return false;
      sweep(begin, end, iteration % 10 == 9 ? exceptional_shift(end) : shift(end));
    }
    return true;
  }

  bool negligible(int i) const {
    double const beside = std::abs(m_t(i, i)) + std::abs(m_t(i - 1, i - 1));
    return std::abs(m_t(i, i - 1)) <= std::numeric_limits<double>::epsilon() * beside;
  }

  /// The eigenvalue of the last two rows and columns that is closer to the last entry.
  Complex shift(int end) const {
    Complex const a = m_t(end - 1, end - 1), d = m_t(end, end);
    Complex const half = 0.5 * (a - d);
    Complex const root = std::sqrt(half * half + m_t(end - 1, end) * m_t(end, end - 1));
    Complex const sum = std::abs(half + root) > std::abs(half - root) ? half + root : half - root;
    return sum == 0.0 ? d : d - m_t(end - 1, end) * m_t(end, end - 1) / sum;
  }
  /// One that breaks cycles.
  Complex exceptional_shift(int end) const {
    return m_t(end, end) + std::abs(m_t(end, end - 1)) + (end > 1 ? std::abs(m_t(end - 1, end - 2)) : 0.0);
  }

  void sweep(int begin, int end, Complex shift) {
    for (int i = begin; i <= end; ++i) m_t(i, i) -= shift;
    std::vector<PlaneRotation> rotations;
    for (int i = begin; i < end; ++i) {
      rotations.emplace_back(m_t(i, i), m_t(i + 1, i));
      rotations.back().rows(m_t, i, i, size());
      m_t(i + 1, i) = 0.0;
    }
    for (int i = begin; i < end; ++i) {
      rotations[as_size(i - begin)].columns(m_t, i, 0, std::min(i + 2, end + 1));
      rotations[as_size(i - begin)].columns(m_q, i, 0, size());
    }
    for (int i = begin; i <= end; ++i) m_t(i, i) += shift;
  }

  ComplexMatrix m_t;
  ComplexMatrix m_q;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
