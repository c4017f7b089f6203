// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <filesystem>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <stdexcept>
#include <string>
#include <vector>

/// Matrix Market files (https://math.nist.gov/MatrixMarket/formats.html): coordinate and array, real or integer,
/// general or symmetric.
namespace hyperplane::tools {

/// One line that names file, line and what is wrong there.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The blocks of a BlockStencil7 on the host: (point, direction, r, c), c fastest.
struct HostStencil {
  Grid grid;
  int block_size;
  std::vector<double> values;

  HostStencil(const Grid& g, int n)
      : grid(g), block_size(n), values(static_cast<std::size_t>(g.size()) * stencil7_size * n * n, 0.0) {}

  std::size_t index(std::int64_t point, Direction direction, int r, int c) const {
    return ((static_cast<std::size_t>(point) * stencil7_size + static_cast<int>(direction)) * block_size + r) *
               block_size +
           c;
  }
};

/// Reads a matrix of grid.size() * block_size rows whose entries lie in the block seven-point pattern. Throws
/// InputError for a file that is malformed, truncated, of another size, or has an entry outside the pattern, twice, or
/// not finite.
HostStencil read_stencil(const std::filesystem::path& path, const Grid& grid, int block_size);

/// Reads a vector: an array of rows x 1, or a coordinate matrix of one column. Throws InputError.
std::vector<double> read_vector(const std::filesystem::path& path, std::int64_t rows);

/// The vector as an array of rows x 1 with 17 significant digits, which read back to the same bits.
std::string format_vector(const std::vector<double>& x);

}  // namespace hyperplane::tools
