// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>

#include <cmath>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The hyperplanes (wavefronts) i + j + k = p of a grid, and the map (p, q) <-> (i, j, k) in closed form.
///
/// Points of one hyperplane depend on those of plane p - 1 (lower neighbours) and p + 1 (upper neighbours) alone, so
/// that a recursion over the seven-point stencil runs plane by plane with all points of a plane in parallel. Inside a
/// plane q counts k outer, j inner, with i = p - j - k.
///
/// No table is stored: sizes and offsets come from inclusion-exclusion over triangular and tetrahedral numbers
/// (a few integer operations), the map (p, q) -> (i, j, k) from their inverses, with one square root at most. Trivially
/// copyable, callable in kernels.
class HyperplaneMap {
 public:
  HYPERPLANE_FUNCTION constexpr explicit HyperplaneMap(const Grid& grid) : m_grid(grid) {}

  HYPERPLANE_FUNCTION constexpr const Grid& grid() const { return m_grid; }

  /// I + J + K - 2.
  HYPERPLANE_FUNCTION constexpr int plane_count() const { return m_grid.ni() + m_grid.nj() + m_grid.nk() - 2; }

  /// Number of points with i + j + k = p, for 0 <= p < plane_count().
  HYPERPLANE_FUNCTION constexpr std::int64_t plane_size(int p) const {
    return columns_up_to(p) - columns_up_to(std::int64_t{p} - m_grid.nk());
  }

  /// Number of points in planes before p, for 0 <= p <= plane_count().
  HYPERPLANE_FUNCTION constexpr std::int64_t plane_offset(int p) const {
    std::int64_t const x = std::int64_t{p} - 1;
    std::int64_t const a = m_grid.ni();
    std::int64_t const b = m_grid.nj();
    std::int64_t const c = m_grid.nk();
    return tetrahedron(x) - tetrahedron(x - a) - tetrahedron(x - b) - tetrahedron(x - c) + tetrahedron(x - a - b) +
           tetrahedron(x - a - c) + tetrahedron(x - b - c) - tetrahedron(x - a - b - c);
  }

  /// Number of a point where planes come one after another.
  HYPERPLANE_FUNCTION constexpr std::int64_t index(const Point& p) const { return plane_offset(plane(p)) + q(p); }

  HYPERPLANE_FUNCTION constexpr int plane(const Point& p) const { return p.i + p.j + p.k; }

  /// Position inside its plane.
  HYPERPLANE_FUNCTION constexpr std::int64_t q(const Point& p) const {
    int const plane_of_p = plane(p);
    return points_below(plane_of_p, p.k) + p.j - first_j(plane_of_p - p.k);
  }

  /// The point (p, q), for 0 <= p < plane_count() and 0 <= q < plane_size(p).
  HYPERPLANE_FUNCTION Point point(int p, std::int64_t q) const {
    // k is the largest with at most q predecessors, C(p) - C(p - k) <= q with C = columns_up_to: m = p - k is the
    // smallest with C(m) >= C(p) - q. C grows like a triangular number, then by the shorter side in each step, then
    // like a triangular number mirrored, and each of the three parts has an inverse.
    std::int64_t const a = m_grid.ni();
    std::int64_t const b = m_grid.nj();
    std::int64_t const shorter = a < b ? a : b;
    std::int64_t const longer = a < b ? b : a;
    std::int64_t const growing = shorter * (shorter + 1) / 2;
    std::int64_t const target = columns_up_to(p) - q;
    std::int64_t m = 0;
    std::int64_t reached = 0;
    if (target <= growing) {
      m = triangle_root(target - 1);
      reached = triangle(m);
    } else if (target <= growing + (longer - shorter) * shorter) {
      std::int64_t const steps = (target - growing + shorter - 1) / shorter;
      m = shorter - 1 + steps;
      reached = growing + steps * shorter;
    } else {
      std::int64_t const missing = triangle_root(a * b - target);
      m = a + b - 2 - missing;
      reached = a * b - triangle(missing - 1);
    }
    int const j = first_j(static_cast<int>(m)) + static_cast<int>(reached - target);
    return {static_cast<int>(m) - j, j, p - static_cast<int>(m)};
  }

 private:
  HYPERPLANE_FUNCTION static constexpr std::int64_t triangle(std::int64_t x) {
    return x < 0 ? 0 : (x + 1) * (x + 2) / 2;
  }
  HYPERPLANE_FUNCTION static constexpr std::int64_t tetrahedron(std::int64_t x) {
    // Divided as early as it is exact: within 64 bits for I + J + K up to two and a half million.
    return x < 0 ? 0 : (x + 1) * (x + 2) / 2 * (x + 3) / 3;
  }

  /// Largest s with s (s + 1) / 2 <= u, for u >= 0.
  HYPERPLANE_FUNCTION static std::int64_t triangle_root(std::int64_t u) {
    auto s = static_cast<std::int64_t>(0.5 * (std::sqrt(8.0 * static_cast<double>(u) + 1.0) - 1.0));
    // Rounding leaves the estimate one off at most.
    if (triangle(s - 1) > u) {
      --s;
    } else if (triangle(s) <= u) {
      ++s;
    }
    return s;
  }

  /// Number of (i, j) with i + j <= x.
  HYPERPLANE_FUNCTION constexpr std::int64_t columns_up_to(std::int64_t x) const {
    std::int64_t const a = m_grid.ni();
    std::int64_t const b = m_grid.nj();
    return triangle(x) - triangle(x - a) - triangle(x - b) + triangle(x - a - b);
  }

  /// Number of points of plane p in layers before k.
  HYPERPLANE_FUNCTION constexpr std::int64_t points_below(int p, int k) const {
    return columns_up_to(p) - columns_up_to(std::int64_t{p} - k);
  }

  /// Smallest j on the antidiagonal i + j = m.
  HYPERPLANE_FUNCTION constexpr int first_j(int m) const { return m < m_grid.ni() ? 0 : m - m_grid.ni() + 1; }

  Grid m_grid;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
