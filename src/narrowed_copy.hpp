// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_kind.hpp>
#include <hyperplane/core/storage_real.hpp>

#include <string>
#include <utility>

#include "errors.hpp"

/// Copies of matrices in float or 16 bits, which products of Krylov methods read: NarrowedMatrix, whose type is not
/// known.
namespace hyperplane::run_time {

/// What a matrix and its transposes share; see Matrix::narrow().
template <class Values>
class NarrowedCopy {
 public:
  explicit NarrowedCopy(Values&& values) : m_values(std::move(values)) {}

  /// Whatever is in it.
  const Values& memory() const { return m_values; }
  /// Throws Error where there is nothing in it.
  const Values& values() const {
    require_narrowed();
    return m_values;
  }
  void require_narrowed() const {
    if (!m_is_narrowed) throw Error("the matrix has not been narrowed, or it could not be");
  }
  /// narrow(values) rounds the matrix to them, and returns what overflows, in words.
  template <class Narrow>
  void set(const Narrow& narrow) {
    m_is_narrowed = false;
    std::string const overflow = narrow(m_values);
    if (!overflow.empty()) throw Overflow(overflow);
    m_is_narrowed = true;
  }

 private:
  Values m_values;
  bool m_is_narrowed = false;
};

[[noreturn]] inline void refuse_without_copy() {
  throw Error("the matrix has no copy: hyperplane_matrix_create_narrowed makes one that has");
}

/// NarrowedMatrix::rounding() of a copy.
inline double copy_rounding(StorageKind storage) {
  switch (storage) {
    case StorageKind::double_precision:
    case StorageKind::quarter: break;
    case StorageKind::single_precision: return detail::storage_epsilon<float>;
    case StorageKind::half: return detail::storage_epsilon<Half>;
    case StorageKind::bfloat16: return detail::storage_epsilon<BFloat16>;
  }
  return 0.0;
}

/// What residuals of x are computed with, where products read a copy: RoundedOperator::exact().
template <class Matrix>
struct ExactProducts {
  const Matrix& a;

  template <class Exec, class Vector>
  friend void apply(const Exec& exec, const ExactProducts& products, const Vector& x, const Vector& y) {
    products.a.apply_exact(exec, x, y);
  }
};

}  // namespace hyperplane::run_time
