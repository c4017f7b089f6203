// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solution.hpp"

namespace implicit_flow {

std::optional<Solution> whole_solution(const MeshBlocks& blocks, const std::vector<Solution>& solutions) {
  if (blocks.one_mesh() == nullptr) return std::nullopt;
  if (!blocks.whole) return solutions.front();
  auto const cells = blocks.whole->cells();
  Solution result{*blocks.whole, solutions.front().gas, {}};
  result.cells.resize(static_cast<std::size_t>(cells.size()));
  for (std::size_t b = 0; b < solutions.size(); ++b) {
    auto const part = solutions[b].mesh.cells();
    auto const& begin = blocks.boxes[b].begin;
    for (std::int64_t number = 0; number < part.size(); ++number) {
      auto const p = part.point(number);
      result.cells[static_cast<std::size_t>(cells.index(begin.i + p.i, begin.j + p.j, begin.k + p.k))] =
          solutions[b].cells[static_cast<std::size_t>(number)];
    }
  }
  return result;
}

}  // namespace implicit_flow
