// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>
#include <hyperplane/blocks/axis_transform.hpp>
#include <hyperplane/blocks/detail/check_interfaces.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// A point of a grid block, or one outside of it, next to an interface.
struct BlockPoint {
  int block;
  Point point;
};

/// A ghost point, and the point that has its values.
struct GhostPair {
  BlockPoint ghost;
  BlockPoint donor;
};

inline void check_ghost_points(int layers) {
  if (layers < 1) fail("GhostPoints: " + std::to_string(layers) + " layers are not possible");
}

constexpr bool is_in(const Box& box, const Point& p) {
  return box.begin.i <= p.i && p.i < box.end.i && box.begin.j <= p.j && p.j < box.end.j && box.begin.k <= p.k &&
         p.k < box.end.k;
}

/// Goes on to the next point in a direction, which is turned as the axes of that point are: behind an interface it is
/// the donor's, and elsewhere, at a boundary, a ghost point.
inline void walk(const MultiBlockGrid& grid, BlockPoint& at, Direction& direction) {
  Point const next = neighbour(at.point, direction);
  if (!grid.block(at.block).contains(next)) {
    for (auto const& interface : grid.interfaces(at.block)) {
      if (interface.face != direction || !is_in(interface.points, at.point)) continue;
      at = {interface.donor, interface.donor_point(at.point)};
      direction = interface.transform(direction);
      return;
    }
  }
  at.point = next;
}

/// Number of points of a grid along a direction.
constexpr int points_along(const Grid& grid, Direction direction) {
  Point const o = offset(direction);
  return o.i * o.i * grid.ni() + o.j * o.j * grid.nj() + o.k * o.k * grid.nk();
}

/// So many points on in a direction.
constexpr Box shifted(const Box& box, Direction direction, int points) {
  Point const o = offset(direction);
  auto const from = [&](const Point& p) { return Point{p.i + o.i * points, p.j + o.j * points, p.k + o.k * points}; };
  return {from(box.begin), from(box.end)};
}

/// Whether walks behind an interface come to a grid block for which `wanted(number)` holds: they go on behind grid
/// blocks that have fewer points across than there are layers.
template <class Wanted>
bool walks_to(const MultiBlockGrid& grid, const Interface& interface, int layers, const Wanted& wanted) {
  if (wanted(interface.donor)) return true;
  Direction const inward = interface.transform(interface.face);
  int const across = points_along(grid.block(interface.donor), inward);
  if (layers <= across) return false;
  Box const last = shifted(interface.donor_points(), inward, across - 1);
  return std::ranges::any_of(grid.interfaces(interface.donor), [&](Interface next) {
    Box const common = intersection(next.points, last);
    if (next.face != inward || common.empty()) return false;
    next.donor_begin = next.donor_point(common.begin);
    next.points = common;
    return walks_to(grid, next, layers - across, wanted);
  });
}

/// Calls visit(pair) for ghost points, interface after interface and layer by layer outwards from each point: for all
/// pairs of which one side is in a grid block for which `wanted(number)` holds. Interfaces without such a pair cost no
/// more than a look at them, however many points they have.
template <class Wanted, class Visit>
void for_each_ghost(const MultiBlockGrid& grid, int layers, const Wanted& wanted, const Visit& visit) {
  for (auto const& interface : grid.interfaces()) {
    if (!wanted(interface.block) && !walks_to(grid, interface, layers, wanted)) continue;
    for_each_pair(interface, [&](const Point& p, const Point& q) {
      GhostPair pair{{interface.block, neighbour(p, interface.face)}, {interface.donor, q}};
      Direction inward = interface.transform(interface.face);
      visit(pair);
      for (int l = 1; l < layers; ++l) {
        pair.ghost.point = neighbour(pair.ghost.point, interface.face);
        walk(grid, pair.donor, inward);
        visit(pair);
      }
    });
  }
}

/// The ghost points of those grid blocks for which `has(number)` holds, and their donors in any of them. Throws Error
/// where layers is less than 1.
template <class Has>
std::vector<GhostPair> ghost_pairs(const MultiBlockGrid& grid, int layers, const Has& has) {
  check_ghost_points(layers);
  std::vector<GhostPair> result;
  for_each_ghost(grid, layers, has, [&](const GhostPair& pair) {
    if (has(pair.ghost.block)) result.push_back(pair);
  });
  return result;
}

/// An index is a component of a ghost point.
template <class Read, class Write>
struct CopyGhosts {
  const GhostPair* m_pairs;
  int m_components;
  Read m_read;
  Write m_write;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const& pair = m_pairs[index / m_components];
    int const c = static_cast<int>(index % m_components);
    m_write(pair.ghost.block, pair.ghost.point, c, m_read(pair.donor.block, pair.donor.point, c));
  }
};

/// Ghost points of one process and their donors, in its memory.
template <ExecutionSpace Exec>
class GhostCopies {
 public:
  /// Waits for the instance.
  GhostCopies(const Exec& exec, const std::vector<GhostPair>& pairs)
      : m_pairs(to_space(exec, "Hyperplane::GhostPoints::pairs", pairs)) {}

  std::int64_t size() const { return static_cast<std::int64_t>(m_pairs.extent(0)); }

  template <class Read, class Write>
  void run(const Exec& exec, int components, const Read& read, const Write& write) const {
    if (size() == 0) return;
    launch("Hyperplane::GhostPoints::fill", LongIndexRange<Exec>(exec, 0, size() * components), 2.0 * sizeof(double),
           CopyGhosts<Read, Write>{m_pairs.data(), components, read, write});
  }

 private:
  Kokkos::View<GhostPair*, typename Exec::memory_space> m_pairs;
};

}  // namespace detail

/// Ghost points of grid blocks, in one process: those of `layers` layers behind each interface, and the points of the
/// donors that have their values, whatever the axes of these. For fields that a code has, in whatever layout; products
/// and preconditioners of the library need none. Edges and corners, which are behind no face of a point, are left out.
///
/// Behind a donor that has fewer points across than there are layers, the values are those of the grid block behind it.
/// Where a boundary is there, they are those of the donor's own ghost points, in which the code has put what its
/// boundary conditions say.
///
/// A plan: the constructor allocates, 32 bytes for each ghost point, and waits for the instance; fill() does neither,
/// is one launch for all faces of all grid blocks, and asynchronous on the instance.
template <ExecutionSpace Exec>
class GhostPoints {
 public:
  using execution_space = Exec;

  /// Throws Error where layers is less than 1.
  GhostPoints(const Exec& exec, const MultiBlockGrid& grid, int layers = 1)
      : m_grid(grid), m_layers(layers), m_copies(exec, detail::ghost_pairs(grid, layers, [](int) { return true; })) {}

  const MultiBlockGrid& grid() const { return m_grid; }
  int layers() const { return m_layers; }
  /// Number of ghost points.
  std::int64_t size() const { return m_copies.size(); }

  /// write(block, ghost, c, read(donor, point, c)) for all ghost points and 0 <= c < components: components of one
  /// field or of several, as the functions understand them. Both are called in kernels. ghost is outside of its grid
  /// block, such as (-1, j, k) or (I + 1, j, k); point is too where it is behind a boundary. Reads see what was there
  /// before, or what others write, so what is written must not be what is read: ghost points behind interfaces are
  /// only written.
  template <class Read, class Write>
  void fill(const Exec& exec, int components, const Read& read, const Write& write) const {
    require(components >= 1, "GhostPoints::fill: there is no component");
    m_copies.run(exec, components, read, write);
  }

 private:
  MultiBlockGrid m_grid;
  int m_layers;
  detail::GhostCopies<Exec> m_copies;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
