// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace hyperplane::tools {

/// A general matrix in compressed rows of scalars on the host, block_size rows for each point: the entries of row r are
/// offsets[r], ..., offsets[r + 1] - 1, by rising columns.
struct HostRows {
  int block_size = 1;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> columns;
  std::vector<double> values;

  std::int64_t rows() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t points() const { return rows() / block_size; }
};

/// Reads a square matrix whose size is a multiple of the block size. Zeros of a dense file are no entries. Throws
/// InputError for a file that is malformed, truncated, of another size, or has an entry twice or not finite.
HostRows read_rows(const std::filesystem::path& path, int block_size);

/// The first point that has no entry in its block on the diagonal; -1 where all have.
std::int64_t find_missing_diagonal(const HostRows& a);

}  // namespace hyperplane::tools
