// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/convert.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Linear systems of the examples as files, which `hyperplane solve` reads as general matrices.
namespace hyperplane::executables {

/// An entry of a matrix, counted from 0.
struct MatrixEntry {
  std::int64_t row;
  std::int64_t column;
  double value;
};

/// As Matrix Market files. Throws Error where they cannot be written.
void write_matrix(const std::filesystem::path& path, std::int64_t rows, const std::vector<MatrixEntry>& entries);
void write_vector(const std::filesystem::path& path, const std::vector<double>& values);

/// Across a face of a grid block, by the number that points of all grid blocks have; nothing where none is there.
inline std::optional<std::int64_t> neighbour_number(const MultiBlockGrid& grid, int block, const Point& p,
                                                    Direction direction) {
  auto const other = neighbour(p, direction);
  if (grid.block(block).contains(other)) return grid.first_point(block) + grid.block(block).index(other);
  for (auto const& interface : grid.interfaces(block)) {
    auto const& [begin, end] = interface.points;
    bool const has_point =
        p.i >= begin.i && p.i < end.i && p.j >= begin.j && p.j < end.j && p.k >= begin.k && p.k < end.k;
    if (interface.face != direction || !has_point) continue;
    return grid.first_point(interface.donor) + grid.block(interface.donor).index(interface.donor_point(p));
  }
  return std::nullopt;
}

/// The matrix that those of all grid blocks are together: unknown c of point p is row p * n + c. Zeros are left out.
/// Waits for the instance.
template <class Exec, class Stencil>
std::vector<MatrixEntry> matrix_entries(const Exec& exec, const MultiBlockGrid& grid, const std::vector<Stencil>& a) {
  constexpr int n = Stencil::block_size;
  std::vector<MatrixEntry> entries;
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const& points = grid.block(b);
    Kokkos::View<double****, Kokkos::LayoutRight, typename Exec::memory_space> const values(
        "hyperplane::executables::matrix", static_cast<std::size_t>(points.size()), stencil7_size, n, n);
    unpack(exec, a[static_cast<std::size_t>(b)], values);
    auto const blocks = Kokkos::create_mirror_view(values);
    Kokkos::deep_copy(exec, blocks, values);
    exec.fence("hyperplane::executables::matrix_entries");
    for (std::int64_t p = 0; p < points.size(); ++p) {
      // Two neighbours may be the same point.
      std::map<std::pair<std::int64_t, std::int64_t>, double> rows;
      for (auto const direction : stencil7_directions) {
        auto const other = neighbour_number(grid, b, points.point(p), direction);
        if (!other) continue;
        for (int e = 0; e < n * n; ++e) {
          rows[{(grid.first_point(b) + p) * n + e / n, *other * n + e % n}] +=
              blocks(p, static_cast<int>(direction), e / n, e % n);
        }
      }
      for (auto const& [at, value] : rows) {
        if (value != 0.0) entries.push_back({at.first, at.second, value});
      }
    }
  }
  return entries;
}

/// The vector that those of all grid blocks are together. Waits for the instance.
template <class Exec, class Vector>
std::vector<double> vector_values(const Exec& exec, const std::vector<Vector>& parts) {
  std::vector<double> result;
  for (auto const& part : parts) {
    Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space> const values(
        "hyperplane::executables::vector", static_cast<std::size_t>(part.grid().size()), Vector::block_size);
    unpack(exec, part, values);
    auto const on_host = Kokkos::create_mirror_view(values);
    Kokkos::deep_copy(exec, on_host, values);
    exec.fence("hyperplane::executables::vector_values");
    result.insert(result.end(), on_host.data(), on_host.data() + on_host.size());
  }
  return result;
}

/// A x = b, each a list of what grid blocks have, as the files A`name`.mtx and b`name`.mtx of a folder, which
/// `hyperplane solve` reads. Waits for the instance. Throws Error where they cannot be written.
template <class Exec, class Stencil, class Vector>
void write_system(const Exec& exec, const MultiBlockGrid& grid, const std::vector<Stencil>& a,
                  const std::vector<Vector>& b, const std::filesystem::path& folder, const std::string& name = "") {
  auto const rhs = vector_values(exec, b);
  write_matrix(folder / ("A" + name + ".mtx"), static_cast<std::int64_t>(rhs.size()), matrix_entries(exec, grid, a));
  write_vector(folder / ("b" + name + ".mtx"), rhs);
}

}  // namespace hyperplane::executables
