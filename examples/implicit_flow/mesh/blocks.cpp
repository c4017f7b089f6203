// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blocks.hpp"

#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/find_interfaces.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace implicit_flow {

namespace {

/// The longest side of the box around all vertices.
double span_of(const std::vector<Mesh>& meshes) {
  double result = 0;
  for (auto const component : {&Vec3::x, &Vec3::y, &Vec3::z}) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (auto const& mesh : meshes) {
      for (auto const& p : mesh.position) {
        low = std::min(low, p.*component);
        high = std::max(high, p.*component);
      }
    }
    result = std::max(result, high - low);
  }
  return result;
}

Mesh part_of(const Mesh& mesh, const hyperplane::Box& cells) {
  auto const& [begin, end] = cells;
  Mesh result({end.i - begin.i + 1, end.j - begin.j + 1, end.k - begin.k + 1});
  for (std::int64_t number = 0; number < result.vertices.size(); ++number) {
    auto const p = result.vertices.point(number);
    result.at(p.i, p.j, p.k) = mesh.at(begin.i + p.i, begin.j + p.j, begin.k + p.k);
  }
  return result;
}

}  // namespace

MeshBlocks one_block(const Mesh& mesh) { return {{mesh}, hyperplane::MultiBlockGrid({mesh.cells()})}; }

MeshBlocks joined(std::vector<Mesh> meshes, std::optional<double> tolerance) {
  std::vector<hyperplane::Grid> cells;
  for (auto const& mesh : meshes) cells.push_back(mesh.cells());
  auto const position = [&](int block, const hyperplane::Point& vertex) {
    Vec3 const& p = meshes[static_cast<std::size_t>(block)].at(vertex.i, vertex.j, vertex.k);
    return std::array<double, 3>{p.x, p.y, p.z};
  };
  auto const interfaces =
      hyperplane::find_interfaces(cells, position, {.tolerance = tolerance.value_or(1e-9 * span_of(meshes))});
  return {std::move(meshes), hyperplane::MultiBlockGrid(std::move(cells), interfaces)};
}

MeshBlocks cut(const Mesh& mesh, const std::array<int, 3>& parts, std::optional<double> tolerance) {
  auto boxes = hyperplane::cut_grid(mesh.cells(), parts).boxes;
  std::vector<Mesh> meshes;
  for (auto const& box : boxes) meshes.push_back(part_of(mesh, box));
  auto result = joined(std::move(meshes), tolerance);
  result.boxes = std::move(boxes);
  result.whole = mesh;
  return result;
}

}  // namespace implicit_flow
