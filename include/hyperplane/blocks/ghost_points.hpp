// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/axis_transform.hpp>
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

/// Throws Error unless `layers` is 1 or more, and each donor has as many points across the interface.
inline void check_ghost_points(const MultiBlockGrid& grid, int layers) {
  if (layers < 1) fail("GhostPoints: " + std::to_string(layers) + " layers are not possible");
  for (auto const& interface : grid.interfaces()) {
    auto const& donor = grid.block(interface.donor);
    Point const across = offset(interface.donor_face());
    int const points = across.i != 0 ? donor.ni() : across.j != 0 ? donor.nj() : donor.nk();
    if (points >= layers) continue;
    fail("GhostPoints: " + std::to_string(layers) + " layers behind the " + to_string(interface) +
         " are more than grid block " + std::to_string(interface.donor) + " has there, " + std::to_string(points));
  }
}

/// Calls visit(ghost, donor's point) for the ghost points of an interface, layer by layer outwards from each point.
template <class Visit>
void for_each_ghost(const Interface& interface, int layers, const Visit& visit) {
  Point const outward = offset(interface.face);
  Point const inward = interface.transform(outward);
  for_each_pair(interface, [&](const Point& p, const Point& q) {
    for (int l = 0; l < layers; ++l) {
      visit(Point{p.i + (l + 1) * outward.i, p.j + (l + 1) * outward.j, p.k + (l + 1) * outward.k},
            Point{q.i + l * inward.i, q.j + l * inward.j, q.k + l * inward.k});
    }
  });
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

}  // namespace detail

/// Ghost points of grid blocks, in one process: those of `layers` layers behind each interface, and the points of the
/// donors that have their values, whatever the axes of these. For fields that a code has, in whatever layout; products
/// and preconditioners of the library need none. Edges and corners, which are behind no face of a point, are left out.
///
/// A plan: the constructor allocates, 32 bytes for each ghost point, and waits for the instance; fill() does neither,
/// is one launch for all faces of all grid blocks, and asynchronous on the instance.
template <ExecutionSpace Exec>
class GhostPoints {
 public:
  using execution_space = Exec;

  /// Throws Error where layers is less than 1, or a donor has fewer points across an interface.
  GhostPoints(const Exec& exec, const MultiBlockGrid& grid, int layers = 1) : m_grid(grid), m_layers(layers) {
    detail::check_ghost_points(grid, layers);
    std::vector<detail::GhostPair> pairs;
    for (auto const& interface : grid.interfaces()) {
      detail::for_each_ghost(interface, layers, [&](const Point& ghost, const Point& donor) {
        pairs.push_back({{interface.block, ghost}, {interface.donor, donor}});
      });
    }
    m_pairs = detail::to_space(exec, "Hyperplane::GhostPoints::pairs", pairs);
  }

  const MultiBlockGrid& grid() const { return m_grid; }
  int layers() const { return m_layers; }
  /// Number of ghost points.
  std::int64_t size() const { return static_cast<std::int64_t>(m_pairs.extent(0)); }

  /// write(block, ghost, c, read(donor, point, c)) for all ghost points and 0 <= c < components: components of one
  /// field or of several, as the functions understand them. Both are called in kernels. ghost is outside of its grid
  /// block, such as (-1, j, k) or (I + 1, j, k); reads see what was there before, or what others write, so what is
  /// written must not be what is read.
  template <class Read, class Write>
  void fill(const Exec& exec, int components, const Read& read, const Write& write) const {
    require(components >= 1, "GhostPoints::fill: there is no component");
    if (size() == 0) return;
    detail::launch("Hyperplane::GhostPoints::fill", detail::LongIndexRange<Exec>(exec, 0, size() * components),
                   2.0 * sizeof(double), detail::CopyGhosts<Read, Write>{m_pairs.data(), components, read, write});
  }

 private:
  MultiBlockGrid m_grid;
  int m_layers;
  Kokkos::View<detail::GhostPair*, typename Exec::memory_space> m_pairs;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
