// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/array/scaled_norm.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/krylov/detail/fgmres_kernels.hpp>
#include <hyperplane/krylov/detail/progress.hpp>

/// The kernels that FGCRO-DR has beside those of FGMRES.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a cycle tells the host, on the device: of m = restart directions at most.
struct FgcrodrCycle {
  double* m_g;  // column j at j * (restart + 1): A z[j] in the directions v, kept ones first
  double* m_c;  // the residual's coefficients along the kept directions
  double* m_norm;
  double* m_columns;  // of m_g that are there
  double* m_scale;    // 1 / norm of the newest kept direction
  int m_restart;
  int m_kept;

  static int values(int restart) { return restart * (restart + 1) + restart + 3; }
  static FgcrodrCycle at(double* values, int restart, int kept) {
    double* const c = values + restart * (restart + 1);
    return {values, c, c + restart, c + restart + 1, c + restart + 2, restart, kept};
  }
  KOKKOS_FUNCTION double* column(int j) const { return m_g + j * (m_restart + 1); }

  /// On the host, of `columns`, those before directions are rounding's: up to the first one of which the directions
  /// before have all, but for a share of `rounding`.
  int columns_of_use(int columns, double rounding) const {
    for (int j = m_kept; j < columns; ++j) {
      double all = 0.0;
      for (int i = 0; i <= j + 1; ++i) all = std::hypot(all, column(j)[i]);
      if (column(j)[j + 1] <= rounding * all) return j + 1;
    }
    return columns;
  }
};

/// Column j of the kept directions, of which those before are orthonormal already: a column that is not sure, or that
/// they have nearly all of, has zero on the diagonal; one that is not finite, what is no number.
struct FgcrodrKeptFinish {
  FgcrodrCycle m_cycle;
  const double* m_first;
  const double* m_second;
  double m_least;
  int m_j;
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const {
    double* const column = m_cycle.column(m_j);
    double const square = sums.m_values[0];
    double all = square;
    for (int i = 0; i < m_j; ++i) {
      column[i] = m_first[i] + m_second[i];
      all += column[i] * column[i];
    }
    bool const independent = in_range(square) && square > m_least * m_least * all;
    column[m_j] = independent ? Kokkos::sqrt(square) : all - all;  // infinity less itself is no number
    *m_cycle.m_scale = independent ? 1.0 / Kokkos::sqrt(square) : 0.0;
  }
};

/// v = scale * v
template <class Scalar>
struct FgcrodrNormalize {
  const double* m_scale;
  Scalar* m_v;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { m_v[e] *= static_cast<Scalar>(*m_scale); }
};

/// The residual has lost its components along the kept directions. It is an iteration if it is asked to be, or if it
/// brings the norm to less than a half.
struct FgcrodrProjectFinish {
  ProgressRef m_progress;
  FgmresSystem m_system;
  FgcrodrCycle m_cycle;
  const double* m_first;
  const double* m_second;
  bool m_counts;
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const {
    if (!m_progress.running()) return;
    for (int i = 0; i < m_cycle.m_kept; ++i) m_cycle.m_c[i] = m_first[i] + m_second[i];
    double const norm = Kokkos::sqrt(sums.m_values[0]);
    bool const counts = m_counts || norm < 0.5 * m_system.m_rhs[0];
    m_system.m_rhs[0] = norm;
    *m_system.m_scale = norm > 0.0 ? 1.0 / norm : 0.0;
    if (counts) m_progress.advance(sums.m_values[0]);
  }
};

/// Keeps a column as it is before its rotations.
struct FgcrodrColumnFinish {
  FgmresColumnFinish m_finish;
  FgcrodrCycle m_cycle;
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const {
    if (m_finish.m_progress.running()) {
      int const j = m_cycle.m_kept + m_finish.m_j;
      double* const g = m_cycle.column(j);
      double const* const first = m_finish.m_first - m_cycle.m_kept;
      double const* const second = m_finish.m_second - m_cycle.m_kept;
      for (int i = 0; i <= j; ++i) g[i] = first[i] + second[i];
      g[j + 1] = Kokkos::sqrt(sums.m_values[0]);
    }
    m_finish(sums);
  }
};

/// The norm of the residual that a cycle begins with.
struct FgcrodrBegin {
  FgmresSystem m_system;
  FgcrodrCycle m_cycle;
  KOKKOS_FUNCTION void operator()(int) const { *m_cycle.m_norm = m_system.m_rhs[0]; }
};

/// The solution of the least squares problem, that of the kept directions first.
struct FgcrodrSolution {
  FgmresSystem m_system;
  FgcrodrCycle m_cycle;
  KOKKOS_FUNCTION void operator()(int) const {
    int const kept = m_cycle.m_kept;
    int const columns = *m_system.m_length;
    double* const y = m_system.m_solution;
    m_system.solve();
    for (int j = columns - 1; j >= 0; --j) y[kept + j] = y[j];
    for (int i = 0; i < kept; ++i) {
      double sum = m_cycle.m_c[i];
      for (int j = kept; j < kept + columns; ++j) sum -= m_cycle.column(j)[i] * y[j];
      y[i] = sum;
    }
    *m_system.m_length = kept + columns;
    *m_cycle.m_columns = kept + columns;
  }
};

/// to[j] = sum of coefficients[i + j * rows] from[i], i < rows, j < columns; an index is `lanes` elements.
template <class Scalar, int lanes>
struct FgcrodrCombine {
  static constexpr int together = 4;
  const Address<Scalar>* m_from;
  const Address<Scalar>* m_to;
  const double* m_coefficients;
  std::int64_t m_size;
  int m_rows;
  int m_columns;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t const begin = index * lanes;
    auto const count = static_cast<int>(Kokkos::min<std::int64_t>(lanes, m_size - begin));
    for (int j = 0; j < m_columns; j += together) {
      // No minimum by reference: devices have no such variable.
      int const columns = m_columns - j < together ? m_columns - j : together;
      double sums[together][static_cast<std::size_t>(lanes)] = {};
      for (int i = 0; i < m_rows; ++i) {
        const Scalar* const from = m_from[i].m_data + begin;
        for (int column = 0; column < columns; ++column) {
          double const factor = m_coefficients[i + (j + column) * m_rows];
          double* const sum = sums[column];
          HYPERPLANE_INDEPENDENT
          for (int lane = 0; lane < count; ++lane) sum[lane] += factor * static_cast<double>(from[lane]);
        }
      }
      for (int column = 0; column < columns; ++column) {
        Scalar* const to = m_to[j + column].m_data + begin;
        for (int lane = 0; lane < count; ++lane) to[lane] = static_cast<Scalar>(sums[column][lane]);
      }
    }
  }
};

template <class Scalar>
struct FgcrodrCopy {
  const Address<Scalar>* m_from;
  const Address<Scalar>* m_to;
  int m_count;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    for (int j = 0; j < m_count; ++j) m_to[j].m_data[e] = m_from[j].m_data[e];
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
