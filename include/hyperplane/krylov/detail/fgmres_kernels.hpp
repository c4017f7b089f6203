// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/krylov/detail/multi_dot.hpp>
#include <hyperplane/krylov/detail/progress.hpp>

/// The kernels of FGMRES: templates on the scalar and the execution space alone, so that they are compiled once for all
/// block sizes.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The small least squares problem of a cycle, on the device: Hessenberg matrix made triangular by Givens rotations.
struct FgmresSystem {
  /// In memory for numbers(restart).
  KOKKOS_FUNCTION FgmresSystem(double* numbers, int* length, int restart)
      : m_r(numbers),
        m_cosine(m_r + restart * (restart + 1)),
        m_sine(m_cosine + (restart + 1)),
        m_rhs(m_sine + (restart + 1)),
        m_solution(m_rhs + (restart + 1)),
        m_scale(m_solution + (restart + 1)),
        m_length(length),
        m_restart(restart) {}
  KOKKOS_FUNCTION static std::int64_t numbers(int restart) { return std::int64_t{restart + 4} * (restart + 1) + 1; }

  double* m_r;         // column j at j * (restart + 1)
  double* m_cosine;    // restart
  double* m_sine;      // restart
  double* m_rhs;       // restart + 1
  double* m_solution;  // restart
  double* m_scale;     // 1 / norm of the newest direction
  int* m_length;       // finished columns
  int m_restart;

  KOKKOS_FUNCTION double* column(int j) const { return m_r + j * (m_restart + 1); }

  /// Rotates column j, whose entries 0..j+1 are there, and returns the new residual norm; negative where the column
  /// brings nothing (the operator is singular on it).
  KOKKOS_FUNCTION double rotate(int j) const {
    double* const h = column(j);
    for (int i = 0; i < j; ++i) {
      double const upper = m_cosine[i] * h[i] + m_sine[i] * h[i + 1];
      h[i + 1] = m_cosine[i] * h[i + 1] - m_sine[i] * h[i];
      h[i] = upper;
    }
    double const length = Kokkos::hypot(h[j], h[j + 1]);
    if (length == 0.0) return -1.0;
    m_cosine[j] = h[j] / length;
    m_sine[j] = h[j + 1] / length;
    h[j] = length;
    h[j + 1] = 0.0;
    m_rhs[j + 1] = -m_sine[j] * m_rhs[j];
    m_rhs[j] *= m_cosine[j];
    *m_length = j + 1;
    return Kokkos::abs(m_rhs[j + 1]);
  }

  /// Back substitution.
  KOKKOS_FUNCTION void solve() const {
    for (int i = *m_length - 1; i >= 0; --i) {
      double sum = m_rhs[i];
      for (int j = i + 1; j < *m_length; ++j) sum -= column(j)[i] * m_solution[j];
      m_solution[i] = sum / column(i)[i];
    }
  }
};

struct FgmresStartFinish {
  ProgressRef m_progress;
  FgmresSystem m_system;
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const {
    double const norm = Kokkos::sqrt(sums.m_values[0]);
    m_progress.start(sums.m_values[0]);
    *m_system.m_length = 0;
    m_system.m_rhs[0] = norm;
    *m_system.m_scale = norm > 0.0 ? 1.0 / norm : 0.0;
  }
};

/// to = scale * from
template <class Scalar>
struct FgmresScale {
  ProgressRef m_progress;
  const double* m_scale;
  const Scalar* m_from;
  Scalar* m_to;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    if (m_progress.running()) m_to[e] = static_cast<Scalar>(*m_scale) * m_from[e];
  }
};

/// x += scale * sum of solution[i] z[i]
template <class Scalar>
struct FgmresUpdate {
  FgmresSystem m_system;
  const Address<Scalar>* m_z;
  Scalar* m_x;
  Scalar m_scale;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    Scalar sum = 0;
    for (int i = 0; i < *m_system.m_length; ++i) sum += static_cast<Scalar>(m_system.m_solution[i]) * m_z[i].m_data[e];
    m_x[e] += m_scale * sum;
  }
};

/// w -= sum of coefficients[i] v[i], i < count, and (w, w)
template <class Scalar>
struct FgmresSubtract {
  SubtractMany<Scalar> m_subtract;
  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e) const {
    Scalar const w = m_subtract(e);
    return {{static_cast<double>(w) * w}};
  }
};

/// Column j is there but for what is left behind its components, of this norm.
KOKKOS_INLINE_FUNCTION void finish_fgmres_column(const ProgressRef& progress, const FgmresSystem& system, int j,
                                                 double norm) {
  system.column(j)[j + 1] = norm;
  if (!Kokkos::isfinite(norm)) {
    progress.break_down();
    return;
  }
  double const residual = system.rotate(j);
  if (residual < 0.0) {
    progress.break_down();
  } else {
    progress.advance_to_norm(residual);
  }
}

struct FgmresColumnFinish {
  ProgressRef m_progress;
  FgmresSystem m_system;
  const double* m_first;
  const double* m_second;
  int m_j;
  int m_stride = 1;  ///< from one coefficient of the passes to the next
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const {
    if (!m_progress.running()) return;
    double* const h = m_system.column(m_j);
    for (int i = 0; i <= m_j; ++i) h[i] = m_first[i * m_stride] + m_second[i * m_stride];
    double const norm = Kokkos::sqrt(sums.m_values[0]);
    *m_system.m_scale = norm > 0.0 ? 1.0 / norm : 0.0;
    finish_fgmres_column(m_progress, m_system, m_j, norm);
  }
};

struct FgmresBackSubstitution {
  FgmresSystem m_system;
  KOKKOS_FUNCTION void operator()(int) const { m_system.solve(); }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
