// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blocks.hpp"

#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/find_interfaces.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace implicit_flow {

namespace {

/// The least extent of a cell along i, j or k, which is the longest of its four edges there: of a cell at an axis,
/// edges may have no length.
double thinnest_cell(const std::vector<Mesh>& meshes) {
  double result = std::numeric_limits<double>::infinity();
  for (auto const& mesh : meshes) {
    auto const cells = mesh.cells();
    for (std::int64_t number = 0; number < cells.size(); ++number) {
      auto const p = cells.point(number);
      for (int direction = 0; direction < 3; ++direction) {
        double longest = 0;
        for (int edge = 0; edge < 4; ++edge) {
          int const first = edge % 2, second = edge / 2;
          auto const end = [&](int along) {
            return direction == 0   ? mesh.at(p.i + along, p.j + first, p.k + second)
                   : direction == 1 ? mesh.at(p.i + first, p.j + along, p.k + second)
                                    : mesh.at(p.i + first, p.j + second, p.k + along);
          };
          longest = std::max(longest, norm(end(1) - end(0)));
        }
        result = std::min(result, longest);
      }
    }
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

double default_tolerance(const std::vector<Mesh>& meshes) {
  double span = 0, largest = 0;
  bool is_single = true;
  for (auto const component : {&Vec3::x, &Vec3::y, &Vec3::z}) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (auto const& mesh : meshes) {
      for (auto const& p : mesh.position) {
        double const x = p.*component;
        low = std::min(low, x);
        high = std::max(high, x);
        is_single = is_single && static_cast<double>(static_cast<float>(x)) == x;
      }
    }
    span = std::max(span, high - low);
    largest = std::max({largest, -low, high});
  }
  double const thinnest = thinnest_cell(meshes);
  double const rounding =
      2 * largest * (is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon());
  double const wanted = std::min((is_single ? 1e-6 : 1e-9) * span, 1e-3 * thinnest);
  // Rounding of the largest coordinates is larger than cells where these are thin: their own is less.
  return std::min(std::max(wanted, rounding), 0.1 * thinnest);
}

MeshBlocks one_block(const Mesh& mesh) { return {{mesh}, hyperplane::MultiBlockGrid({mesh.cells()})}; }

MeshBlocks joined(std::vector<Mesh> meshes, std::optional<double> tolerance) {
  std::vector<hyperplane::Grid> cells;
  for (auto const& mesh : meshes) cells.push_back(mesh.cells());
  auto const position = [&](int block, const hyperplane::Point& vertex) {
    Vec3 const& p = meshes[static_cast<std::size_t>(block)].at(vertex.i, vertex.j, vertex.k);
    return std::array<double, 3>{p.x, p.y, p.z};
  };
  auto const interfaces =
      hyperplane::find_interfaces(cells, position, {.tolerance = tolerance ? *tolerance : default_tolerance(meshes)});
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
