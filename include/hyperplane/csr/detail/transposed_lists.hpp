// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/check_structure.hpp>
#include <hyperplane/csr/detail/giving_rows.hpp>
#include <hyperplane/csr/detail/giving_tiles.hpp>
#include <hyperplane/csr/structure_fingerprints.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The blocks of a block CSR matrix by columns, as TransposedBlockCsr has them: of a structure, whatever its values
/// are. A handle: copies have the same lists.
template <ExecutionSpace Exec, std::integral Offset>
class TransposedLists {
 public:
  using Memory = typename Exec::memory_space;
  using Offsets = Kokkos::View<const Offset*, Memory>;
  using Columns = Kokkos::View<const int*, Memory>;

  /// A row moves about as many bytes in a product. Waits for the instance. Throws Error where offsets or columns are
  /// out of range.
  TransposedLists(const Exec& exec, const Offsets& given_offsets, const Columns& given_columns, double bytes)
      : m_offsets(given_offsets), m_columns(given_columns) {
    auto const offsets = to_vector(exec, given_offsets);
    auto const columns = to_vector(exec, given_columns);
    auto const row_count = static_cast<std::int64_t>(offsets.size()) - 1;
    for (std::int64_t row = 0; row < row_count; ++row) {
      check_csr_row("TransposedBlockCsr", row, offsets[as_size(row)], offsets[as_size(row) + 1],
                    static_cast<std::int64_t>(columns.size()));
    }
    CsrColumnEntries entries{std::vector<std::int64_t>(offsets.size(), 0), std::vector<std::int64_t>(columns.size()),
                             std::vector<int>(columns.size())};
    auto& [begin, blocks, rows] = entries;
    auto const for_blocks = [&](const auto& visit) {
      for (std::int64_t row = 0; row < row_count; ++row) {
        for (auto block = offsets[as_size(row)]; block < offsets[as_size(row) + 1]; ++block) {
          visit(row, block, columns[static_cast<std::size_t>(block)]);
        }
      }
    };
    for_blocks([&](std::int64_t row, Offset, int column) {
      check_csr_column("TransposedBlockCsr", row, column, row_count);
      ++begin[as_size(column) + 1];
    });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    auto next = begin;
    for_blocks([&](std::int64_t row, Offset block, int column) {
      auto const at = as_size(next[as_size(column)]++);
      blocks[at] = static_cast<std::int64_t>(block);
      rows[at] = static_cast<int>(row);
    });
    m_begin = to_space(exec, "Hyperplane::TransposedBlockCsr::structure", begin);
    m_blocks = to_space(exec, "Hyperplane::TransposedBlockCsr::structure", blocks);
    m_rows = to_space(exec, "Hyperplane::TransposedBlockCsr::structure", rows);
    m_giving_rows.emplace(exec, entries, std::max(bytes, 1.0));
    m_fingerprints.emplace(exec, given_offsets, given_columns);
    exec.fence("Hyperplane::TransposedBlockCsr");
  }

  /// Whether they are of the arrays of this matrix.
  template <class Matrix>
  bool are_of(const Matrix& a) const {
    return a.offsets().data() == m_offsets.data() && a.columns().data() == m_columns.data() &&
           a.offsets().size() == m_offsets.size() && a.columns().size() == m_columns.size();
  }

  const Kokkos::View<std::int64_t*, Memory>& begin() const { return m_begin; }
  const Kokkos::View<std::int64_t*, Memory>& blocks() const { return m_blocks; }
  const Kokkos::View<int*, Memory>& rows() const { return m_rows; }
  const GivingRows<Exec>& giving_rows() const { return *m_giving_rows; }
  const StructureFingerprints<Exec, Offset>& fingerprints() const { return *m_fingerprints; }

 private:
  Offsets m_offsets;
  Columns m_columns;
  Kokkos::View<std::int64_t*, Memory> m_begin, m_blocks;
  Kokkos::View<int*, Memory> m_rows;
  std::optional<GivingRows<Exec>> m_giving_rows;
  std::optional<StructureFingerprints<Exec, Offset>> m_fingerprints;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
