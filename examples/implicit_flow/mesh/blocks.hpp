// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh.hpp"

#include <hyperplane/array/box.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>

#include <array>
#include <optional>
#include <vector>

namespace implicit_flow {

/// The grid blocks of a mesh and the interfaces where their cells meet, on the host.
struct MeshBlocks {
  std::vector<Mesh> meshes;
  hyperplane::MultiBlockGrid cells;
  /// Where the cells of each grid block are in one mesh that was cut; empty where there is none.
  std::vector<hyperplane::Box> boxes{};
  std::optional<Mesh> whole{};

  /// One mesh that has all cells: that which was cut, or the only one; null where there is none.
  const Mesh* one_mesh() const { return whole ? &*whole : meshes.size() == 1 ? &meshes.front() : nullptr; }
};

/// The mesh as one grid block, without interfaces.
MeshBlocks one_block(const Mesh& mesh);

/// How far apart vertices may be that are the same: 1e-9 of what the meshes span, or 1e-6 where all coordinates are
/// numbers of single precision, but at most a thousandth of the thinnest cell, as far as rounding of the coordinates
/// leaves that.
double default_tolerance(const std::vector<Mesh>& meshes);

/// Grid blocks with interfaces wherever vertices of two faces of cells, or of one that is folded, are at most the
/// tolerance apart; none: the default one.
MeshBlocks joined(std::vector<Mesh> meshes, std::optional<double> tolerance = {});

/// One mesh, cut into parts along i, j and k, and joined() again. Throws hyperplane::Error where there are fewer cells
/// than parts.
MeshBlocks cut(const Mesh& mesh, const std::array<int, 3>& parts, std::optional<double> tolerance = {});

}  // namespace implicit_flow
