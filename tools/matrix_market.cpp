// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix_market.hpp"

#include <fmt/format.h>

#include <hyperplane/grid/outside_stencil.hpp>
#include <iterator>

#include "matrix_market_file.hpp"

namespace hyperplane::tools {

HostStencil read_stencil(const std::filesystem::path& path, const Grid& grid, int block_size) {
  market::Scanner scanner(path);
  auto const header = market::read_header(scanner);
  std::int64_t const rows = grid.size() * block_size;
  if (header.rows != rows || header.columns != rows) {
    scanner.fail(fmt::format("the matrix is {} x {}, but a grid of {} points with block size {} needs {} x {}",
                             header.rows, header.columns, to_string(grid), block_size, rows, rows));
  }
  HostStencil result(grid, block_size);
  std::vector<bool> present(result.values.size(), false);
  auto const place = [&](std::int64_t row, std::int64_t column, double value) {
    Point const p = grid.point(row / block_size), q = grid.point(column / block_size);
    Direction direction{};
    if (find_direction(p, q, direction)) {
      auto const index = result.index(row / block_size, direction, static_cast<int>(row % block_size),
                                      static_cast<int>(column % block_size));
      if (present[index]) scanner.fail(fmt::format("entry ({}, {}) is there twice", row + 1, column + 1));
      present[index] = true;
      result.values[index] = value;
      return;
    }
    // A dense file names every entry.
    if (!header.coordinate && value == 0.0) return;
    scanner.fail(fmt::format("entry ({}, {}) {}", row + 1, column + 1, outside_stencil(grid, block_size, p, q)));
  };
  market::read_entries(scanner, header, [&](std::int64_t row, std::int64_t column, double value) {
    place(row, column, value);
    if (header.symmetric && row != column) place(column, row, value);
  });
  return result;
}

std::vector<double> read_vector(const std::filesystem::path& path, std::int64_t rows) {
  market::Scanner scanner(path);
  auto const header = market::read_header(scanner);
  if (header.rows != rows || header.columns != 1) {
    scanner.fail(fmt::format("the vector is {} x {}, expected {} x 1", header.rows, header.columns, rows));
  }
  std::vector<double> result(rows, 0.0);
  std::vector<bool> present(rows, false);
  market::read_entries(scanner, header, [&](std::int64_t row, std::int64_t, double value) {
    if (present[row]) scanner.fail(fmt::format("entry ({}, 1) is there twice", row + 1));
    present[row] = true;
    result[row] = value;
  });
  return result;
}

std::string format_vector(const std::vector<double>& x) {
  auto result = fmt::format("%%MatrixMarket matrix array real general\n{} 1\n", x.size());
  for (double const value : x) fmt::format_to(std::back_inserter(result), "{:.17g}\n", value);
  return result;
}

}  // namespace hyperplane::tools
