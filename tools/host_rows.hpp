// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace hyperplane::tools {

/// A general block matrix in compressed rows on the host: the blocks of block row p are offsets[p], ..., offsets[p + 1]
/// - 1, by rising columns, with values by rows.
struct HostRows {
  int block_size = 1;
  std::vector<std::int64_t> offsets{0};
  std::vector<int> columns;
  std::vector<double> values;

  std::int64_t points() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
};

/// Reads a square matrix whose size is a multiple of the block size. Blocks have zeros where the file has no entry; a
/// block without an entry is not there, and zeros of a dense file are none. Throws InputError for a file that is
/// malformed, truncated, of another size, or has an entry twice or not finite.
HostRows read_rows(const std::filesystem::path& path, int block_size);

/// The first block row that has no block on the diagonal; -1 where all have.
std::int64_t find_missing_diagonal(const HostRows& a);

}  // namespace hyperplane::tools
