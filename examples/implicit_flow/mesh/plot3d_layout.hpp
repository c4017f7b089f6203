// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh.hpp"

#include <hyperplane/core/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace implicit_flow {

/// An input file that cannot be used: the message says file, place and reason.
[[noreturn]] inline void bad_file(const std::string& message) { throw hyperplane::Error(message); }

/// How a PLOT3D file begins: whether the number of blocks comes first, and how many extents a block has. Nothing in a
/// file says it.
struct Plot3dLayout {
  bool counts_blocks;
  int dimensions;
};

/// What is more special comes first: the beginning of a file with several blocks looks like one block, too.
inline constexpr std::array<Plot3dLayout, 4> plot3d_layouts = {{{true, 3}, {true, 2}, {false, 3}, {false, 2}}};

inline std::string to_string(const Plot3dLayout& layout) {
  return std::string(layout.counts_blocks ? "a number of blocks and blocks in " : "one block in ") +
         std::to_string(layout.dimensions) + "-D";
}

/// Vertices of a block along i, j and k; one along k in two dimensions.
using Plot3dExtents = std::array<std::int64_t, 3>;

/// What a file may claim before its size is looked at: keeps numbers of vertices within 64 bits.
inline constexpr std::int64_t largest_plot3d_extent = 100'000;

constexpr bool is_plot3d_extent(std::int64_t extent) { return extent >= 2 && extent <= largest_plot3d_extent; }

constexpr std::int64_t vertex_count(const Plot3dExtents& extents) { return extents[0] * extents[1] * extents[2]; }

/// Whole numbers in front of the coordinates, for a number of blocks.
constexpr std::int64_t header_size(const Plot3dLayout& layout, std::int64_t blocks) {
  return (layout.counts_blocks ? 1 : 0) + blocks * layout.dimensions;
}

/// Coordinates of blocks, or more than `most` where there are more than that: the sum of all may not fit in 64 bits.
inline std::int64_t coordinate_count(const std::vector<Plot3dExtents>& blocks, int dimensions, std::int64_t most) {
  std::int64_t sum = 0;
  for (auto const& extents : blocks) {
    sum += dimensions * vertex_count(extents);
    if (sum > most) break;
  }
  return sum;
}

/// The blocks that a file has if this is its layout, where they can be what is meant; integer(n) is its whole number n,
/// if there is one.
template <class Integer>
std::optional<std::vector<Plot3dExtents>> plausible_blocks(const Plot3dLayout& layout, const Integer& integer) {
  std::int64_t index = 0;
  std::int64_t count = 1;
  if (layout.counts_blocks) count = integer(index++).value_or(0);
  if (count < 1 || count > largest_plot3d_extent) return std::nullopt;
  std::vector<Plot3dExtents> blocks;
  for (std::int64_t b = 0; b < count; ++b) {
    Plot3dExtents extents{1, 1, 1};
    for (std::size_t d = 0; d < static_cast<std::size_t>(layout.dimensions); ++d) {
      extents[d] = integer(index++).value_or(0);
      if (!is_plot3d_extent(extents[d])) return std::nullopt;
    }
    blocks.push_back(extents);
  }
  return blocks;
}

/// Takes the coordinates of a block in the order of a file: all x, all y and, in three dimensions, all z. A block in
/// two dimensions becomes one cell thick, from z = 0 to 1.
class Plot3dBlock {
 public:
  /// `place` is the file and the place of the extents. With several blocks, errors name the block.
  Plot3dBlock(const std::string& place, const Plot3dLayout& layout, const Plot3dExtents& extents, int number,
              bool is_alone)
      : m_layout(layout),
        m_of_block(is_alone ? "" : " of block " + std::to_string(number)),
        m_plane(checked(place, extents)) {}

  /// To be called before set(), once the file is known to have the coordinates: extents alone may be anything.
  void allocate() { m_mesh.emplace(hyperplane::Grid(m_plane.ni(), m_plane.nj(), std::max(2, m_plane.nk()))); }

  /// Coordinates that the file has.
  std::int64_t size() const { return m_layout.dimensions * m_plane.size(); }
  const hyperplane::Grid& vertices() const { return m_plane; }
  const std::string& of_block() const { return m_of_block; }

  void set(std::int64_t index, double value) {
    Vec3& p = m_mesh->position[static_cast<std::size_t>(index % m_plane.size())];
    (index < m_plane.size() ? p.x : index < 2 * m_plane.size() ? p.y : p.z) = value;
  }

  /// "x of vertex (0, 1, 2) of block 3"
  std::string name(std::int64_t index) const {
    auto const p = m_plane.point(index % m_plane.size());
    std::string const k = m_layout.dimensions == 2 ? "" : ", " + std::to_string(p.k);
    return std::string(1, "xyz"[index / m_plane.size()]) + " of vertex (" + std::to_string(p.i) + ", " +
           std::to_string(p.j) + k + ")" + m_of_block;
  }

  Mesh finish() {
    if (m_layout.dimensions == 2) {
      for (int j = 0; j < m_plane.nj(); ++j) {
        for (int i = 0; i < m_plane.ni(); ++i) m_mesh->at(i, j, 1) = m_mesh->at(i, j, 0) + Vec3{0, 0, 1};
      }
    }
    return *std::move(m_mesh);
  }

 private:
  hyperplane::Grid checked(const std::string& place, const Plot3dExtents& extents) const {
    std::string text;
    bool good = true;
    for (std::size_t d = 0; d < static_cast<std::size_t>(m_layout.dimensions); ++d) {
      text += (d == 0 ? "" : " x ") + std::to_string(extents[d]);
      good = good && is_plot3d_extent(extents[d]);
    }
    if (!good) {
      bad_file(place + ": extents " + text + m_of_block + ": each must be from 2 to " +
               std::to_string(largest_plot3d_extent));
    }
    return {static_cast<int>(extents[0]), static_cast<int>(extents[1]), static_cast<int>(extents[2])};
  }

  Plot3dLayout m_layout;
  std::string m_of_block;
  hyperplane::Grid m_plane;
  std::optional<Mesh> m_mesh;
};

}  // namespace implicit_flow
