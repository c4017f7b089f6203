// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/convert.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A value for each point by its number i + I (j + J k), zero where the point is masked: solid, left out.
template <ExecutionSpace Exec>
using PointMask = Kokkos::View<const std::int8_t*, typename Exec::memory_space>;

namespace detail {

inline void check_mask_size(std::size_t values, std::int64_t points) {
  if (static_cast<std::int64_t>(values) != points) {
    fail("mask_points: the mask has " + std::to_string(values) + " values, expected " + std::to_string(points));
  }
}

/// What looking for the neighbours of a point in a mask costs, as bytes that are moved in its time. How many blocks are
/// set nobody knows before.
inline constexpr double mask_bytes = 64;

/// Blocks of a matrix that masked points leave: those of a masked point are a unit one and zeros, those of its
/// neighbours towards it are zero. The block size is known at run time: nothing here gains by knowing it before.
/// The matrix may be that of some layers of a box, whose mask this is.
template <class Storage, int vector_length>
struct MaskStencil {
  SlabMap<vector_length> m_map;
  Storage* m_values;
  int m_block_size;
  const std::int8_t* m_mask;
  int m_first_layer, m_layers;  ///< of the matrix, and of the box
  /// Whether the block of a point that points out of the grid multiplies the point at the other end.
  bool m_periodic_i, m_periodic_j, m_periodic_k;

  KOKKOS_FUNCTION void operator()(const Point& p) const {
    auto const& grid = m_map.grid();
    const std::int8_t* const own = m_mask + grid.index(p) + std::int64_t{grid.ni()} * grid.nj() * m_first_layer;
    bool const masked = *own == 0;
    unsigned const zeros = masked ? (1u << stencil7_size) - 1 : towards_masked(own, grid, p);
    if (zeros == 0) return;
    std::int64_t const size = std::int64_t{m_block_size} * m_block_size * vector_length;
    Storage* const blocks = m_values + m_map.pack(p.i, p.j, p.k) * stencil7_size * size + m_map.lane(p.j);
    for (int d = 0; d < stencil7_size; ++d) {
      if ((zeros >> d & 1u) == 0) continue;
      for (std::int64_t e = d * size; e < (d + 1) * size; e += vector_length) blocks[e] = Storage(0);
    }
    if (!masked) return;
    Storage* const diagonal = blocks + static_cast<int>(Direction::center) * size;
    for (int r = 0; r < m_block_size; ++r) diagonal[std::int64_t{r} * (m_block_size + 1) * vector_length] = Storage(1);
  }

 private:
  /// A bit for each direction in which a point has a masked neighbour; `own` is its place in the mask.
  KOKKOS_FUNCTION unsigned towards_masked(const std::int8_t* own, const Grid& grid, const Point& p) const {
    using enum Direction;
    std::int64_t const row = grid.ni(), layer = row * grid.nj();
    return bit(west, before(own, p.i, grid.ni(), 1, m_periodic_i)) |
           bit(east, after(own, p.i, grid.ni(), 1, m_periodic_i)) |
           bit(south, before(own, p.j, grid.nj(), row, m_periodic_j)) |
           bit(north, after(own, p.j, grid.nj(), row, m_periodic_j)) |
           bit(bottom, before(own, m_first_layer + p.k, m_layers, layer, m_periodic_k)) |
           bit(top, after(own, m_first_layer + p.k, m_layers, layer, m_periodic_k));
  }
  KOKKOS_FUNCTION static unsigned bit(Direction direction, bool masked) {
    return masked ? 1u << static_cast<int>(direction) : 0u;
  }
  /// Whether the point with one less along an axis is there and masked, and that with one more.
  KOKKOS_FUNCTION static bool before(const std::int8_t* own, int index, int extent, std::int64_t stride,
                                     bool periodic) {
    return index > 0 ? own[-stride] == 0 : periodic && own[(extent - 1) * stride] == 0;
  }
  KOKKOS_FUNCTION static bool after(const std::int8_t* own, int index, int extent, std::int64_t stride, bool periodic) {
    return index + 1 < extent ? own[stride] == 0 : periodic && own[-(extent - 1) * stride] == 0;
  }
};

/// Unknowns of masked points are zero. The block size is known at run time.
template <class Scalar, int vector_length>
struct MaskVector {
  SlabMap<vector_length> m_map;
  Scalar* m_values;
  int m_block_size;
  const std::int8_t* m_mask;

  KOKKOS_FUNCTION void operator()(const Point& p) const {
    if (m_mask[m_map.grid().index(p)] != 0) return;
    Scalar* const values =
        m_values + m_map.pack(p.i, p.j, p.k) * m_block_size * std::int64_t{vector_length} + m_map.lane(p.j);
    for (int c = 0; c < m_block_size; ++c) values[std::int64_t{c} * vector_length] = Scalar(0);
  }
};

/// On values in the layout of a BlockStencil7, which has layers of a box from `first_layer` on, with the mask of the
/// box where kernels read it.
template <ExecutionSpace Exec, int vector_length, class Storage>
void mask_layers(const Exec& exec, const std::int8_t* mask, const SlabMap<vector_length>& map, int first_layer,
                 int layers, int n, const std::array<bool, 3>& periodic, Storage* values) {
  for_each_point(exec, "Hyperplane::BlockStencil7::mask_points", map.grid(), mask_bytes,
                 MaskStencil<Storage, vector_length>{map, values, n, mask, first_layer, layers, periodic[0],
                                                     periodic[1], periodic[2]});
}
/// The same of a matrix of the whole box.
template <ExecutionSpace Exec, int vector_length, class Storage>
void mask_stencil(const Exec& exec, const std::int8_t* mask, const SlabMap<vector_length>& map, int n,
                  const std::array<bool, 3>& periodic, Storage* values) {
  mask_layers(exec, mask, map, 0, map.grid().nk(), n, periodic, values);
}

/// On values in the layout of a BlockVector.
template <ExecutionSpace Exec, int vector_length, class Scalar>
void mask_vector(const Exec& exec, const std::int8_t* mask, const SlabMap<vector_length>& map, int n, Scalar* values) {
  for_each_point(exec, "Hyperplane::BlockVector::mask_points", map.grid(), mask_bytes,
                 MaskVector<Scalar, vector_length>{map, values, n, mask});
}

}  // namespace detail

/// Leaves the masked points out of A: their block rows become those of the unit matrix, and the blocks of their
/// neighbours that multiply them become zero. What was there does not matter, not even where it is no number. All other
/// blocks keep their bits.
///
/// Products, preconditioners and Krylov methods then see the system without these points, at the speed that they always
/// have. A masked point has the equation x = b; mask_points() of b makes b zero there, whatever it was, and so all
/// vectors that come of it: then a solve has at other points what it has for the system of these alone, for Sip with
/// the bits of Sip::factor() with the mask. (Without, finite values there reach no other point in products and solves,
/// but for Sip, whose M extrapolates past them, and are counted in norms.)
///
/// `periodic`: the directions, of i, j and k, in which lines are periodic. The blocks that point out of the grid there
/// multiply the point at the other end (BlockTridiagonal), and become zero where that is masked. Of other directions
/// they are left alone, but for those of masked points. For grid blocks with interfaces, see mask_points() of a
/// MultiBlockStencil7.
///
/// One launch, no allocation, no fence; asynchronous on the given instance. Reads the mask, and writes what changes
/// alone. Throws Error where the mask has not a value for each point.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void mask_points(const Exec& exec, const PointMask<Exec>& mask, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                 const std::array<bool, 3>& periodic = {false, false, false}) {
  detail::check_mask_size(mask.extent(0), a.grid().size());
  detail::mask_stencil(exec, mask.data(), a.map(), n, periodic, a.flat().data());
}

/// Sets a vector to zero at the masked points, whatever is there; all other values keep their bits. Launch, asynchrony
/// and errors as for a matrix.
template <class Scalar, int n, ExecutionSpace Exec>
void mask_points(const Exec& exec, const PointMask<Exec>& mask, const BlockVector<Scalar, n, Exec>& vector) {
  detail::check_mask_size(mask.extent(0), vector.grid().size());
  detail::mask_vector(exec, mask.data(), vector.map(), n, vector.flat().data());
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
