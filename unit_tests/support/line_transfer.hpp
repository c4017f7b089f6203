// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/line_vector.hpp>
#include <vector>

#include "line_reference.hpp"
#include "views.hpp"

namespace hyperplane::test {

/// Ordinal of the first point of each line, and of all points.
inline std::vector<std::int64_t> first_ordinals(const LineSet& lines) {
  std::vector<std::int64_t> result;
  for (std::int64_t line = 0; line <= lines.count(); ++line) result.push_back(lines.first(line));
  return result;
}

template <bool to_vector, class Scalar, int n, class Exec>
struct CopyLine {
  Kokkos::View<std::int64_t*, typename Exec::memory_space> m_first;
  typename LineVector<Scalar, n, Exec>::Ref m_ref;
  Kokkos::View<Scalar*, typename Exec::memory_space> m_values;

  KOKKOS_FUNCTION void operator()(std::int64_t line) const {
    for (auto ordinal = m_first(line); ordinal < m_first(line + 1); ++ordinal) {
      for (int column = 0; column < m_ref.columns(); ++column) {
        for (int c = 0; c < n; ++c) {
          auto& value = m_values((ordinal * m_ref.columns() + column) * n + c);
          auto& entry = m_ref(line, static_cast<int>(ordinal - m_first(line)), c, column);
          if (to_vector) {
            entry = value;
          } else {
            value = entry;
          }
        }
      }
    }
  }
};

/// Values (ordinal * columns + column) * n + c <-> a LineVector, through its ref().
template <bool to_vector, class Scalar, int n, class Exec>
void copy_line_values(const Exec& exec, const LineVector<Scalar, n, Exec>& vector,
                      const Kokkos::View<Scalar*, typename Exec::memory_space>& values) {
  auto const first = to_view<std::int64_t>(exec, first_ordinals(vector.layout().lines()));
  Kokkos::parallel_for("copy", Kokkos::RangePolicy<Exec>(exec, 0, vector.layout().lines().count()),
                       CopyLine<to_vector, Scalar, n, Exec>{first, vector.ref(), values});
  exec.fence();
}

/// What a LineVector of some columns has: in column c, 1 + c times the values of points, n for each.
inline std::vector<double> in_columns(const LineSet& lines, int n, int columns, const std::vector<double>& points) {
  std::vector<double> values;
  for (std::int64_t line = 0; line < lines.count(); ++line) {
    for (int p = 0; p < lines.length(line); ++p) {
      for (int e = 0; e < columns * n; ++e) {
        values.push_back((1 + e / n) * points[lines.point(line, p) * n + e % n]);
      }
    }
  }
  return values;
}

template <class Scalar, int n, class Exec>
LineVector<Scalar, n, Exec> to_lines(const Exec& exec, const LineLayout<Scalar, Exec>& layout, int columns,
                                     const std::vector<double>& values) {
  LineVector<Scalar, n, Exec> const result(exec, layout, columns);
  copy_line_values<true>(exec, result, to_view<Scalar>(exec, values));
  return result;
}

template <class Scalar, int n, class Exec>
std::vector<double> to_host(const Exec& exec, const LineVector<Scalar, n, Exec>& vector) {
  Kokkos::View<Scalar*, typename Exec::memory_space> const values(
      "values", vector.layout().lines().size() * vector.columns() * n);
  copy_line_values<false>(exec, vector, values);
  return to_host(values);
}

template <class Scalar, int n, class Exec, class Storage>
struct FillLine {
  Kokkos::View<std::int64_t*, typename Exec::memory_space> m_first;
  typename BlockTridiagonalMatrix<Scalar, n, Exec, Storage>::Ref m_ref;
  Kokkos::View<Storage*, typename Exec::memory_space> m_values;

  KOKKOS_FUNCTION void operator()(std::int64_t line) const {
    for (auto ordinal = m_first(line); ordinal < m_first(line + 1); ++ordinal) {
      for (int e = 0; e < line_blocks * n * n; ++e) {
        m_ref(line, static_cast<int>(ordinal - m_first(line)), static_cast<LineBlock>(e / (n * n)), e / n % n, e % n) =
            m_values(ordinal * line_blocks * n * n + e);
      }
    }
  }
};

/// Entries ((ordinal * 3 + block) * n + r) * n + c -> a BlockTridiagonalMatrix, through its ref().
template <class Scalar, int n, class Exec, class Storage>
void fill_lines(const Exec& exec, const BlockTridiagonalMatrix<Scalar, n, Exec, Storage>& matrix,
                const Kokkos::View<Storage*, typename Exec::memory_space>& values) {
  auto const& lines = matrix.layout().lines();
  auto const first = to_view<std::int64_t>(exec, first_ordinals(lines));
  Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec>(exec, 0, lines.count()),
                       FillLine<Scalar, n, Exec, Storage>{first, matrix.ref(), values});
  exec.fence();
}

/// The matrices `line_of(line)` of all lines.
template <class Scalar, int n, class Storage, class Exec, class LineOf>
BlockTridiagonalMatrix<Scalar, n, Exec, Storage> to_lines(const Exec& exec, const LineLayout<Scalar, Exec>& layout,
                                                          const LineOf& line_of) {
  std::vector<double> entries;
  for (std::int64_t line = 0; line < layout.lines().count(); ++line) {
    ReferenceLine const system = line_of(line);
    for (int p = 0; p < system.length(); ++p) {
      for (auto const* blocks : {&system.lower, &system.diagonal, &system.upper}) {
        for (double const entry : (*blocks)[p].entries) entries.push_back(entry);
      }
    }
  }
  BlockTridiagonalMatrix<Scalar, n, Exec, Storage> const result(exec, layout);
  fill_lines(exec, result, to_view<Storage>(exec, entries));
  return result;
}

}  // namespace hyperplane::test
