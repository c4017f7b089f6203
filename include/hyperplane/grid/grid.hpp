// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Indices of a grid point.
struct Point {
  int i = 0;
  int j = 0;
  int k = 0;
  friend HYPERPLANE_FUNCTION constexpr bool operator==(const Point& a, const Point& b) {
    return a.i == b.i && a.j == b.j && a.k == b.k;
  }
};

/// A structured grid of I x J x K points. A value: trivially copyable, usable in kernels.
///
/// Point number: i + I*(j + J*k), i fastest. Unknown c of n at that point is row point*n + c of a linear system.
/// Neighbours are west/east (i-1/i+1), south/north (j-1/j+1) and bottom/top (k-1/k+1).
class Grid {
 public:
  /// Throws Error unless every extent is at least 1 and I + J + K fits in an int.
  constexpr Grid(int ni, int nj, int nk) : m_ni(ni), m_nj(nj), m_nk(nk) {
    if (ni < 1 || nj < 1 || nk < 1) fail("grid " + to_string(*this) + ": every extent must be at least 1");
    // Within this, no index of a value of a block stencil overflows.
    if (std::int64_t{ni} + nj + nk > INT32_MAX || std::int64_t{ni} * nj > (std::int64_t{1} << 48) / nk) {
      fail("grid " + to_string(*this) + ": extents are too large");
    }
  }

  HYPERPLANE_FUNCTION constexpr int ni() const { return m_ni; }
  HYPERPLANE_FUNCTION constexpr int nj() const { return m_nj; }
  HYPERPLANE_FUNCTION constexpr int nk() const { return m_nk; }

  /// Number of points.
  HYPERPLANE_FUNCTION constexpr std::int64_t size() const { return std::int64_t{m_ni} * m_nj * m_nk; }

  HYPERPLANE_FUNCTION constexpr std::int64_t index(int i, int j, int k) const {
    return i + m_ni * (j + std::int64_t{m_nj} * k);
  }
  HYPERPLANE_FUNCTION constexpr std::int64_t index(const Point& p) const { return index(p.i, p.j, p.k); }

  HYPERPLANE_FUNCTION constexpr Point point(std::int64_t index) const {
    auto const row = index / m_ni;
    return {static_cast<int>(index % m_ni), static_cast<int>(row % m_nj), static_cast<int>(row / m_nj)};
  }

  HYPERPLANE_FUNCTION constexpr bool contains(const Point& p) const {
    return p.i >= 0 && p.i < m_ni && p.j >= 0 && p.j < m_nj && p.k >= 0 && p.k < m_nk;
  }

  friend HYPERPLANE_FUNCTION constexpr bool operator==(const Grid& a, const Grid& b) {
    return a.m_ni == b.m_ni && a.m_nj == b.m_nj && a.m_nk == b.m_nk;
  }

  /// "IxJxK"
  friend std::string to_string(const Grid& grid) {
    return std::to_string(grid.m_ni) + "x" + std::to_string(grid.m_nj) + "x" + std::to_string(grid.m_nk);
  }

 private:
  int m_ni;
  int m_nj;
  int m_nk;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
