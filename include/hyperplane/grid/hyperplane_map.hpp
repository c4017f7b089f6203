// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/grid/grid.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace hyperplane {

/// The hyperplanes (wavefronts) i + j + k = p of a grid, and the map (p, q) <-> (i, j, k) in closed form.
///
/// Points of one hyperplane depend on those of plane p - 1 (lower neighbours) and p + 1 (upper neighbours) alone, so
/// that a recursion over the seven-point stencil runs plane by plane with all points of a plane in parallel. Inside a
/// plane q counts k outer, j inner, with i = p - j - k.
///
/// No table is stored: sizes and offsets come from inclusion-exclusion over triangular and tetrahedral numbers
/// (a few integer operations), the map (p, q) -> (i, j, k) from a binary search over k, log2(K) of those. Trivially
/// copyable, callable in kernels.
class HyperplaneMap {
 public:
  constexpr explicit HyperplaneMap(const Grid& grid) : m_grid(grid) {}

  KOKKOS_FUNCTION constexpr const Grid& grid() const { return m_grid; }

  /// I + J + K - 2.
  KOKKOS_FUNCTION constexpr int plane_count() const { return m_grid.ni() + m_grid.nj() + m_grid.nk() - 2; }

  /// Number of points with i + j + k = p, for 0 <= p < plane_count().
  KOKKOS_FUNCTION constexpr std::int64_t plane_size(int p) const {
    return columns_up_to(p) - columns_up_to(std::int64_t{p} - m_grid.nk());
  }

  /// Number of points in planes before p, for 0 <= p <= plane_count().
  KOKKOS_FUNCTION constexpr std::int64_t plane_offset(int p) const {
    std::int64_t const x = std::int64_t{p} - 1;
    std::int64_t const a = m_grid.ni();
    std::int64_t const b = m_grid.nj();
    std::int64_t const c = m_grid.nk();
    return tetrahedron(x) - tetrahedron(x - a) - tetrahedron(x - b) - tetrahedron(x - c) + tetrahedron(x - a - b) +
           tetrahedron(x - a - c) + tetrahedron(x - b - c) - tetrahedron(x - a - b - c);
  }

  KOKKOS_FUNCTION constexpr int plane(const Point& p) const { return p.i + p.j + p.k; }

  /// Position inside its plane.
  KOKKOS_FUNCTION constexpr std::int64_t q(const Point& p) const {
    int const plane_of_p = plane(p);
    return points_below(plane_of_p, p.k) + p.j - first_j(plane_of_p - p.k);
  }

  /// The point (p, q), for 0 <= p < plane_count() and 0 <= q < plane_size(p).
  KOKKOS_FUNCTION constexpr Point point(int p, std::int64_t q) const {
    // The largest k whose predecessors in the plane number at most q.
    int low = p - (m_grid.ni() + m_grid.nj() - 2);
    if (low < 0) low = 0;
    int high = p < m_grid.nk() ? p : m_grid.nk() - 1;
    while (low < high) {
      int const middle = low + (high - low + 1) / 2;
      if (points_below(p, middle) <= q) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    int const k = low;
    int const j = first_j(p - k) + static_cast<int>(q - points_below(p, k));
    return {p - k - j, j, k};
  }

 private:
  KOKKOS_FUNCTION static constexpr std::int64_t triangle(std::int64_t x) { return x < 0 ? 0 : (x + 1) * (x + 2) / 2; }
  KOKKOS_FUNCTION static constexpr std::int64_t tetrahedron(std::int64_t x) {
    // Divided as early as it is exact, so that the product stays within 64 bits for any grid that fits in memory.
    return x < 0 ? 0 : (x + 1) * (x + 2) / 2 * (x + 3) / 3;
  }

  /// Number of (i, j) with i + j <= x.
  KOKKOS_FUNCTION constexpr std::int64_t columns_up_to(std::int64_t x) const {
    std::int64_t const a = m_grid.ni();
    std::int64_t const b = m_grid.nj();
    return triangle(x) - triangle(x - a) - triangle(x - b) + triangle(x - a - b);
  }

  /// Number of points of plane p in layers before k.
  KOKKOS_FUNCTION constexpr std::int64_t points_below(int p, int k) const {
    return columns_up_to(p) - columns_up_to(std::int64_t{p} - k);
  }

  /// Smallest j on the antidiagonal i + j = m.
  KOKKOS_FUNCTION constexpr int first_j(int m) const { return m < m_grid.ni() ? 0 : m - m_grid.ni() + 1; }

  Grid m_grid;
};

}  // namespace hyperplane
