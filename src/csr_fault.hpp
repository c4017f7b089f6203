// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/to_space.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "errors.hpp"
#include "memory.hpp"
#include "objects.hpp"

/// Compressed rows that a caller gives: their offsets and columns are not trusted.
namespace hyperplane::run_time {

/// Throws Error where there cannot be so many entries, and SizeMismatch where their values are others than the caller
/// knows of. The block size is 1 or more.
inline void check_counts(const Csr& csr) {
  auto const size = std::int64_t{csr.block_size} * csr.block_size;
  auto const most = std::numeric_limits<std::int64_t>::max() / size;
  if (csr.entries < 0 || csr.entries > most) {
    throw Error("entries is " + std::to_string(csr.entries) + ", expected 0 to " + std::to_string(most));
  }
  auto const expected = csr.entries * size;
  if (csr.value_count == -1 || csr.value_count == expected) return;
  auto const block_size = std::to_string(csr.block_size);
  throw SizeMismatch("value_count is " + std::to_string(csr.value_count) + ", expected " + std::to_string(expected) +
                     ": " + std::to_string(csr.entries) + " entries of " + block_size + " x " + block_size);
}

/// Throws SizeMismatch where they are said to be of a matrix with another n.
inline void check_unknowns(const Csr& csr, int n) {
  if (csr.unknowns_per_point == 0 || csr.unknowns_per_point == n) return;
  throw SizeMismatch("unknowns_per_point is " + std::to_string(csr.unknowns_per_point) + ", expected " +
                     std::to_string(n) + ", or 0");
}

/// What is wrong with a row.
struct CsrFault {
  enum Kind : int { none, first_offset, offsets, last_offset, column, stencil };
  Kind kind = none;
  std::int64_t row = 0, entry = 0, column_index = 0, begin = 0, end = 0;
};

/// Of its offsets and columns, whatever the matrix is for, where check_last_offset() has been. Reads no column before
/// the offsets of the row are known to be good.
template <class Index>
KOKKOS_FUNCTION CsrFault fault_of_row(std::int64_t row, std::int64_t rows, std::int64_t entries, const Index* offsets,
                                      const Index* columns) {
  CsrFault found;
  found.row = row;
  found.begin = static_cast<std::int64_t>(offsets[row]);
  found.end = static_cast<std::int64_t>(offsets[row + 1]);
  if (row == 0 && found.begin != 0) {
    found.kind = CsrFault::first_offset;
  } else if (found.begin < 0 || found.end < found.begin || found.end > entries) {
    found.kind = CsrFault::offsets;
  }
  if (found.kind != CsrFault::none) return found;
  for (auto entry = found.begin; entry < found.end; ++entry) {
    auto const column = static_cast<std::int64_t>(columns[entry]);
    if (column >= 0 && column < rows) continue;
    found.kind = CsrFault::column;
    found.entry = entry;
    found.column_index = column;
    return found;
  }
  return found;
}

/// Throws Error where a fault is one of offsets or columns.
inline void refuse_structure(const CsrFault& fault, const Csr& csr) {
  auto const row = std::to_string(fault.row), next = std::to_string(fault.row + 1);
  auto const begin = std::to_string(fault.begin), end = std::to_string(fault.end);
  switch (fault.kind) {
    case CsrFault::first_offset: throw Error("row_offsets[0] is " + begin + ", expected 0");
    case CsrFault::offsets:
      throw Error("row_offsets[" + row + "] is " + begin + " and row_offsets[" + next + "] is " + end +
                  ", expected rising numbers from 0 to entries, " + std::to_string(csr.entries));
    case CsrFault::last_offset:
      throw Error("row_offsets[" + next + "] is " + end + ", expected entries, " + std::to_string(csr.entries));
    case CsrFault::column:
      throw Error("columns[" + std::to_string(fault.entry) + "], of row " + row + ", is " +
                  std::to_string(fault.column_index) + ", expected 0 to " + std::to_string(csr.rows - 1));
    case CsrFault::stencil:
    case CsrFault::none: break;
  }
}

/// Of the caller's memory.
template <class T, class Exec>
std::vector<T> list_from(const Exec& exec, const T* list, std::int64_t count, MemorySpace space) {
  check_memory(exec, list, count, space);
  if (space == MemorySpace::host) return std::vector<T>(list, list + count);
  using Memory = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  return detail::to_vector(exec,
                           Kokkos::View<const T*, typename Exec::memory_space, Memory>(list, detail::as_size(count)));
}

/// Throws Error where the offsets do not end with the number of entries. Nobody reads columns and values before: there
/// may be less of them than `entries` says.
template <class Index, class Exec>
void check_last_offset(const Exec& exec, const Csr& csr, MemorySpace space) {
  auto const* const last = static_cast<const Index*>(csr.row_offsets) + csr.rows;
  CsrFault found;
  found.row = csr.rows - 1;
  found.end = static_cast<std::int64_t>(list_from(exec, last, 1, space).front());
  found.kind = found.end == csr.entries ? CsrFault::none : CsrFault::last_offset;
  refuse_structure(found, csr);
}

}  // namespace hyperplane::run_time
