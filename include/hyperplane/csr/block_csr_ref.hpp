// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Trivially copyable access to a BlockCsr, for kernels that assemble or read it.
template <class Storage, int n, class Offset>
class BlockCsrRef {
 public:
  HYPERPLANE_FUNCTION BlockCsrRef(std::int64_t rows, std::int64_t blocks, const Offset* offsets, const int* columns,
                                  Storage* values)
      : m_rows(rows), m_blocks(blocks), m_offsets(offsets), m_columns(columns), m_values(values) {}

  /// Block rows.
  HYPERPLANE_FUNCTION std::int64_t rows() const { return m_rows; }
  /// Those of all rows.
  HYPERPLANE_FUNCTION std::int64_t blocks() const { return m_blocks; }
  /// The blocks of a block row are begin(row), ..., end(row) - 1.
  HYPERPLANE_FUNCTION std::int64_t begin(std::int64_t row) const { return static_cast<std::int64_t>(m_offsets[row]); }
  HYPERPLANE_FUNCTION std::int64_t end(std::int64_t row) const { return static_cast<std::int64_t>(m_offsets[row + 1]); }
  HYPERPLANE_FUNCTION std::int64_t column(std::int64_t block) const { return m_columns[block]; }
  /// That of the first row, as begin() reads them.
  HYPERPLANE_FUNCTION const Offset* offsets() const { return m_offsets; }
  /// Entry (r, c) of a block.
  HYPERPLANE_FUNCTION Storage& operator()(std::int64_t block, int r, int c) const {
    return m_values[(block * n + r) * n + c];
  }

 private:
  std::int64_t m_rows;
  std::int64_t m_blocks;
  const Offset* m_offsets;
  const int* m_columns;
  Storage* m_values;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
