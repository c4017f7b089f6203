// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Address map of the layout in skewed slabs: which lane of which SIMD group holds a grid point. In the names here a
/// SIMD group is a pack. docs/glossary.md has pictures.
///
/// A slab is `vector_length` neighbouring values of j, one for each SIMD lane, with all i and k. Lane l runs l points
/// behind lane 0. So the points of a group that are in one layer lie on a hyperplane i + j = const, and depend on
/// earlier groups alone. With pitch P and steps S per slab,
///
///     lane(i, j, k) = j mod vector_length
///     pack(i, j, k) = (j div vector_length) * S + i + k * P + lane,    P = max(I + 1, vector_length),
///                                                                     S = K * P + vector_length - 1.
///
/// Neighbours are then at fixed distances, as neighbour() says: west/east are the groups -1/+1 and bottom/top the
/// groups -P/+P of the same lane; south/north are the groups -1/+1 of the lane before/after, or, of lane 0 (W-1), lane
/// W-1 (0) of the slab before (after), W-1 groups later (earlier). No gather is needed anywhere. Slots that hold no
/// point are padding: in a layer P - I of them after the I points of a lane, the ramps at both ends of a slab, and the
/// lanes beyond J in the last slab. Padding of a vector is always zero, so that a neighbour outside the grid
/// contributes nothing without a branch.
///
/// Memory is (P/I + (W-1)/(I*K)) * (J rounded up to W)/J times that of the points alone, with W = vector_length: 1.02
/// for 64 x 64 x 64 points and W = 8, about W for 1 x 64 x 64 and 64 x 1 x 64. Trivially copyable, callable in kernels.
template <int vector_length>
class SlabMap {
 public:
  static_assert(vector_length >= 1);

  constexpr explicit SlabMap(const Grid& grid)
      : m_grid(grid),
        m_slabs((grid.nj() + vector_length - 1) / vector_length),
        m_pitch(grid.ni() + 1 > vector_length ? grid.ni() + 1 : vector_length),
        m_steps(std::int64_t{grid.nk()} * m_pitch + vector_length - 1) {}

  HYPERPLANE_FUNCTION constexpr const Grid& grid() const { return m_grid; }

  /// Number of slabs, ceil(J / vector_length).
  HYPERPLANE_FUNCTION constexpr int slabs() const { return m_slabs; }
  /// SIMD groups from one layer k to the next.
  HYPERPLANE_FUNCTION constexpr std::int64_t pitch() const { return m_pitch; }
  /// SIMD groups of a slab.
  HYPERPLANE_FUNCTION constexpr std::int64_t steps() const { return m_steps; }
  HYPERPLANE_FUNCTION constexpr std::int64_t pack_count() const { return m_slabs * m_steps; }

  HYPERPLANE_FUNCTION constexpr int lane(int j) const { return j % vector_length; }
  HYPERPLANE_FUNCTION constexpr std::int64_t pack(int i, int j, int k) const {
    return j / vector_length * m_steps + i + k * m_pitch + lane(j);
  }

  /// The group in which lane 0 of a slab has the first point of a layer: pack(0, slab * vector_length, k).
  HYPERPLANE_FUNCTION constexpr std::int64_t first_pack(int slab, int k = 0) const {
    return slab * m_steps + k * m_pitch;
  }

  /// The step of the slab before at which its last lane has the south neighbour of lane 0 at `step`.
  HYPERPLANE_FUNCTION static constexpr std::int64_t south_step(std::int64_t step) { return step + vector_length - 1; }
  /// The step of the slab after at which its lane 0 has the north neighbour of the last lane at `step`.
  HYPERPLANE_FUNCTION static constexpr std::int64_t north_step(std::int64_t step) { return step - (vector_length - 1); }

  /// at(groups, lanes): how many groups and lanes it is from a point in `lane` to its neighbour, which must exist.
  template <class At>
  HYPERPLANE_FORCEINLINE_FUNCTION constexpr std::int64_t neighbour(Direction direction, int lane, const At& at) const {
    constexpr int last = vector_length - 1;
    switch (direction) {
      case Direction::bottom: return at(-m_pitch, 0);
      case Direction::south: return lane > 0 ? at(-1, -1) : at(south_step(0) - m_steps, last);
      case Direction::west: return at(-1, 0);
      case Direction::center: return at(0, 0);
      case Direction::east: return at(1, 0);
      case Direction::north: return lane < last ? at(1, 1) : at(m_steps + north_step(0), -last);
      case Direction::top: return at(m_pitch, 0);
    }
    return 0;
  }
  /// From the first of `values` values of a point to the first of its neighbour.
  HYPERPLANE_FORCEINLINE_FUNCTION constexpr std::int64_t distance(Direction direction, int lane, int values) const {
    return neighbour(direction, lane, [values](std::int64_t groups, int lanes) {
      return groups * (std::int64_t{values} * vector_length) + lanes;
    });
  }

  /// Whether every lane of the group holds a point.
  HYPERPLANE_FUNCTION constexpr bool is_full(std::int64_t pack) const {
    std::int64_t const step = pack % m_steps;
    std::int64_t const i = step % m_pitch;
    return i >= vector_length - 1 && i < m_grid.ni() && step < m_grid.nk() * m_pitch &&
           pack < (m_grid.nj() / vector_length) * m_steps;
  }

  /// Finds the point in a slot; false where the slot is padding.
  HYPERPLANE_FUNCTION constexpr bool find_point(std::int64_t pack, int lane, Point& point) const {
    std::int64_t const slab = pack / m_steps;
    std::int64_t const position = pack % m_steps - lane;
    if (position < 0) return false;
    point.k = static_cast<int>(position / m_pitch);
    point.i = static_cast<int>(position % m_pitch);
    point.j = static_cast<int>(slab) * vector_length + lane;
    return m_grid.contains(point);
  }

 private:
  Grid m_grid;
  int m_slabs;
  std::int64_t m_pitch;
  std::int64_t m_steps;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
