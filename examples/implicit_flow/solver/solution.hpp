// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../mesh/blocks.hpp"
#include "../mesh/mesh.hpp"
#include "../physics/gas.hpp"

#include <optional>
#include <vector>

namespace implicit_flow {

/// A flow on the host: primitive variables of every cell, with what is needed to make sense of them.
struct Solution {
  Mesh mesh;
  Gas gas;
  std::vector<Quintet<double>> cells;  ///< in the order of hyperplane::Grid

  const Quintet<double>& at(int i, int j, int k) const {
    return cells[static_cast<std::size_t>(mesh.cells().index(i, j, k))];
  }
};

/// The flow over the mesh that was cut, or the only one; nothing where the grid blocks are not those of one mesh.
std::optional<Solution> whole_solution(const MeshBlocks& blocks, const std::vector<Solution>& solutions);

}  // namespace implicit_flow
