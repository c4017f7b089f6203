// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// Several vectors beside solvers of lines, which take them as columns: PointVectors have unknown c of vector j of a
/// point at c * count + j, columns have it at j * n + c.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Columns of vectors, point by point; `m_columns` may be `m_vectors`.
template <class Scalar, int n, int count>
struct LineCsrToColumns {
  const Scalar* m_vectors;
  Scalar* m_columns;

  KOKKOS_FUNCTION void operator()(std::int64_t point) const {
    auto const first = point * (n * count);
    Scalar values[std::size_t{n} * count];
    for (int e = 0; e < n * count; ++e) values[e] = m_vectors[first + e];
    for (int j = 0; j < count; ++j) {
      for (int c = 0; c < n; ++c) m_columns[first + j * n + c] = values[c * count + j];
    }
  }
};

/// x = (1 - w) before + w z, of columns z, which may be x; without `before`, w z.
template <class Scalar, int n, int count>
struct LineCsrRelaxColumns {
  Scalar m_w;
  const Scalar* m_columns;
  const Scalar* m_before;
  Scalar* m_x;

  KOKKOS_FUNCTION void operator()(std::int64_t point) const {
    auto const first = point * (n * count);
    Scalar values[std::size_t{n} * count];
    for (int e = 0; e < n * count; ++e) values[e] = m_columns[first + e];
    for (int c = 0; c < n; ++c) {
      for (int j = 0; j < count; ++j) {
        auto const at = first + c * count + j;
        auto const z = values[j * n + c];
        m_x[at] = m_before != nullptr ? m_before[at] + m_w * (z - m_before[at]) : m_w * z;
      }
    }
  }
};

/// LineCsrRest of several vectors, into columns: on hosts an equation of all of them, so that a block is read once,
/// elsewhere of one, beside threads that read the same block.
template <class Scalar, int n, int count, class Exec, class MatrixRef, class Points, bool transposed>
struct LineCsrTallRest {
  static constexpr int width = HostExecutionSpace<Exec> ? count : 1;
  static constexpr int shares = count / width;  ///< indices of an equation

  MatrixRef m_a;
  const std::int64_t* m_offsets;
  const std::int64_t* m_blocks;
  Points m_points;
  const Scalar* m_b;
  const Scalar* m_x;
  Scalar* m_right;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const equation = index / shares;
    int const first = static_cast<int>(index % shares);
    auto const row = equation / n;
    int const r = static_cast<int>(equation % n);
    Scalar sums[std::size_t{width}];
    for (int j = 0; j < width; ++j) sums[j] = m_b[equation * count + first + j];
    for (auto e = m_offsets[row]; e < m_offsets[row + 1]; ++e) {
      const Scalar* const x = m_x + m_points(m_blocks[e], e) * (n * count) + first;
      for (int c = 0; c < n; ++c) {
        auto const entry = static_cast<Scalar>(transposed ? m_a(m_blocks[e], c, r) : m_a(m_blocks[e], r, c));
        for (int j = 0; j < width; ++j) sums[j] -= entry * x[c * count + j];
      }
    }
    for (int j = 0; j < width; ++j) m_right[(row * count + first + j) * n + r] = sums[j];
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
