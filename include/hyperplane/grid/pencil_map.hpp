// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>

#include <cstdint>

namespace hyperplane {

/// Index map of the skewed pencil layout: which lane of which pack holds a grid point.
///
/// A pencil is a group of `vector_length` neighbouring rows j, one row for each SIMD lane, over all i and k. Lane l
/// runs l points behind lane 0, so that the lanes of one pack lie on a hyperplane i + j = const of their layer and
/// depend on earlier packs alone. With pitch P and steps S a pencil,
///
///     lane(i, j, k) = j mod vector_length
///     pack(i, j, k) = (j div vector_length) * S + i + k * P + lane,    P = max(I + 1, vector_length),
///                                                                     S = K * P + vector_length - 1.
///
/// Neighbours are then at fixed distances: west/east are the packs -1/+1 and bottom/top the packs -P/+P of the same
/// lane; south/north are the packs -1/+1 of the next lane, or lane W-1 (0) of the pencil before (after), W-1 packs
/// later (earlier). No gather is needed anywhere. Slots that hold no point are padding: one pack position after each
/// row of I points, the ramps at both ends of a pencil, and rows beyond J in the last one. Padding of a vector is
/// always zero, so that a neighbour outside the grid contributes nothing without a branch.
///
/// Cost in memory: (P/I) * (J rounded up to vector_length)/J. Trivially copyable, callable in kernels.
template <int vector_length>
class PencilMap {
 public:
  static_assert(vector_length >= 1);

  constexpr explicit PencilMap(const Grid& grid)
      : m_grid(grid),
        m_pencils((grid.nj() + vector_length - 1) / vector_length),
        m_pitch(grid.ni() + 1 > vector_length ? grid.ni() + 1 : vector_length),
        m_steps(std::int64_t{grid.nk()} * m_pitch + vector_length - 1) {}

  HYPERPLANE_FUNCTION constexpr const Grid& grid() const { return m_grid; }

  /// Number of pencils, ceil(J / vector_length).
  HYPERPLANE_FUNCTION constexpr int pencils() const { return m_pencils; }
  /// Packs from one layer k to the next.
  HYPERPLANE_FUNCTION constexpr std::int64_t pitch() const { return m_pitch; }
  /// Packs of a pencil.
  HYPERPLANE_FUNCTION constexpr std::int64_t steps() const { return m_steps; }
  HYPERPLANE_FUNCTION constexpr std::int64_t pack_count() const { return m_pencils * m_steps; }

  HYPERPLANE_FUNCTION constexpr int lane(int j) const { return j % vector_length; }
  HYPERPLANE_FUNCTION constexpr std::int64_t pack(int i, int j, int k) const {
    return j / vector_length * m_steps + i + k * m_pitch + lane(j);
  }

  /// Whether every lane of the pack holds a point.
  HYPERPLANE_FUNCTION constexpr bool is_full(std::int64_t pack) const {
    std::int64_t const step = pack % m_steps;
    std::int64_t const i = step % m_pitch;
    return i >= vector_length - 1 && i < m_grid.ni() && step < m_grid.nk() * m_pitch &&
           pack < (m_grid.nj() / vector_length) * m_steps;
  }

  /// Finds the point in a slot; false where the slot is padding.
  HYPERPLANE_FUNCTION constexpr bool find_point(std::int64_t pack, int lane, Point& point) const {
    std::int64_t const pencil = pack / m_steps;
    std::int64_t const position = pack % m_steps - lane;
    if (position < 0) return false;
    point.k = static_cast<int>(position / m_pitch);
    point.i = static_cast<int>(position % m_pitch);
    point.j = static_cast<int>(pencil) * vector_length + lane;
    return m_grid.contains(point);
  }

 private:
  Grid m_grid;
  int m_pencils;
  std::int64_t m_pitch;
  std::int64_t m_steps;
};

}  // namespace hyperplane
