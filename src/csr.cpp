// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/outside_stencil.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include "context_objects.hpp"
#include "csr_fault.hpp"
#include "errors.hpp"
#include "memory.hpp"

// Matrices from compressed rows. Every row is checked, with offsets and columns that are not trusted, before anything
// is written.
namespace hyperplane::run_time {

namespace {

template <class Index>
struct CsrRows {
  Grid m_grid;
  int m_block_size;  ///< of the matrix
  int m_size;        ///< of the blocks of the compressed rows, which divides it
  bool m_by_rows;
  std::int64_t m_rows, m_entries;
  const Index* m_offsets;
  const Index* m_columns;
  const double* m_values;

  /// The point that a row or column of blocks belongs to.
  KOKKOS_FUNCTION Point point(std::int64_t row) const { return m_grid.point(row * m_size / m_block_size); }

  KOKKOS_FUNCTION bool is_zero(std::int64_t entry) const {
    auto const* const block = m_values + entry * m_size * m_size;
    for (int e = 0; e < m_size * m_size; ++e) {
      if (!(block[e] == 0.0)) return false;
    }
    return true;
  }

  KOKKOS_FUNCTION CsrFault fault(std::int64_t row) const {
    auto found = fault_of_row(row, m_rows, m_entries, m_offsets, m_columns);
    if (found.kind != CsrFault::none) return found;
    auto const p = point(row);
    for (auto entry = found.begin; entry < found.end; ++entry) {
      auto const column = static_cast<std::int64_t>(m_columns[entry]);
      Direction direction{};
      found.entry = entry;
      found.column_index = column;
      if (!find_direction(p, point(column), direction) && !is_zero(entry)) {
        found.kind = CsrFault::stencil;
        return found;
      }
    }
    return found;
  }
};

template <class Index>
struct FirstFault {
  CsrRows<Index> m_csr;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& first) const {
    if (row < first && m_csr.fault(row).kind != CsrFault::none) first = row;
  }
};

template <class Index, class Fault>
struct DescribeFault {
  CsrRows<Index> m_csr;
  std::int64_t m_row;
  Fault m_fault;
  KOKKOS_FUNCTION void operator()(std::int64_t) const { m_fault() = m_csr.fault(m_row); }
};

/// Rows have values of their own to write: several entries of a block are added without atomics, in their order.
template <class Index>
struct PlaceRow {
  CsrRows<Index> m_csr;
  double* m_values;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    int const n = m_csr.m_block_size, size = m_csr.m_size;
    auto const first_row = row * size;
    auto const number = first_row / n;
    auto const p = m_csr.point(row);
    for (auto entry = m_csr.m_offsets[row]; entry < m_csr.m_offsets[row + 1]; ++entry) {
      auto const column = static_cast<std::int64_t>(m_csr.m_columns[entry]);
      Direction direction{};
      if (!find_direction(p, m_csr.point(column), direction)) continue;
      auto const* const from = m_csr.m_values + static_cast<std::int64_t>(entry) * size * size;
      auto* const block = m_values + (number * stencil7_size + static_cast<int>(direction)) * n * n;
      auto* const to = block + first_row % n * n + column * size % n;
      for (int r = 0; r < size; ++r) {
        for (int c = 0; c < size; ++c) to[r * n + c] += from[m_csr.m_by_rows ? r * size + c : c * size + r];
      }
    }
  }
};

template <class Exec>
using CsrPolicy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

[[noreturn]] void refuse_row(const CsrFault& fault, const Shape& shape, const Csr& csr) {
  refuse_structure(fault, csr);
  auto const point = [&](std::int64_t index) { return shape.grid.point(index * csr.block_size / shape.block_size); };
  throw Error("entry " + std::to_string(fault.entry) + ", in row " + std::to_string(fault.row) + " and column " +
              std::to_string(fault.column_index) + ", " +
              outside_stencil(shape.grid, shape.block_size, point(fault.row), point(fault.column_index)));
}

template <class Index, class Exec>
void place_rows(const Exec& exec, const Shape& shape, const Csr& csr, const CsrRows<Index>& rows, double* values) {
  CsrPolicy<Exec> const policy(exec, 0, csr.rows);
  constexpr auto no_row = std::numeric_limits<std::int64_t>::max();
  auto first = no_row;
  Kokkos::parallel_reduce("Hyperplane::Matrix::check_csr", policy, FirstFault<Index>{rows},
                          Kokkos::Min<std::int64_t>(first));
  exec.fence("Hyperplane::Matrix::check_csr");
  if (first != no_row) {
    using Fault = Kokkos::View<CsrFault, typename Exec::memory_space>;
    Fault const fault(Kokkos::view_alloc(exec, "Hyperplane::Matrix::csr_fault"));
    Kokkos::parallel_for("Hyperplane::Matrix::describe_csr", CsrPolicy<Exec>(exec, 0, 1),
                         DescribeFault<Index, Fault>{rows, first, fault});
    CsrFault on_host;
    Kokkos::deep_copy(
        exec, Kokkos::View<CsrFault, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&on_host), fault);
    exec.fence("Hyperplane::Matrix::describe_csr");
    refuse_row(on_host, shape, csr);
  }
  Kokkos::parallel_for("Hyperplane::Matrix::place_csr", policy, PlaceRow<Index>{rows, values});
}

template <class Index, class Exec>
void place(const Exec& exec, const Shape& shape, const Csr& csr, MemorySpace space, double* values) {
  check_last_offset<Index>(exec, csr, space);
  auto const* const host_offsets = static_cast<const Index*>(csr.row_offsets);
  auto const* const host_columns = static_cast<const Index*>(csr.columns);
  auto const value_count = csr.entries * csr.block_size * csr.block_size;
  in_memory_of<false>(exec, host_offsets, csr.rows + 1, space, [&](const Index* offsets) {
    in_memory_of<false>(exec, host_columns, csr.entries, space, [&](const Index* columns) {
      in_memory_of<false>(exec, csr.values, value_count, space, [&](const double* entries) {
        place_rows(exec, shape, csr,
                   CsrRows<Index>{shape.grid, shape.block_size, csr.block_size, csr.order == BlockOrder::row_major,
                                  csr.rows, csr.entries, offsets, columns, entries},
                   values);
      });
    });
  });
}

void check(const Shape& shape, const Csr& csr) {
  if (csr.block_size < 1 || shape.block_size % csr.block_size != 0) {
    throw SizeMismatch("block_size is " + std::to_string(csr.block_size) + ", expected a divisor of " +
                       std::to_string(shape.block_size));
  }
  auto const rows = shape.rows() / csr.block_size;
  if (csr.rows != rows) {
    throw SizeMismatch("rows is " + std::to_string(csr.rows) + ", expected " + std::to_string(rows) + " of blocks of " +
                       std::to_string(csr.block_size));
  }
  check_unknowns(csr, shape.block_size);
  check_counts(csr);
}

}  // namespace

template <class Exec>
void place_csr(const Exec& exec, const Shape& shape, const Csr& csr, MemorySpace space, double* values) {
  check(shape, csr);
  if (csr.has_wide_indices) {
    place<std::int64_t>(exec, shape, csr, space, values);
  } else {
    place<std::int32_t>(exec, shape, csr, space, values);
  }
}

#ifdef KOKKOS_ENABLE_SERIAL
template void place_csr(const Kokkos::Serial&, const Shape&, const Csr&, MemorySpace, double*);
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template void place_csr(const Kokkos::OpenMP&, const Shape&, const Csr&, MemorySpace, double*);
#endif
#ifdef KOKKOS_ENABLE_CUDA
template void place_csr(const Kokkos::Cuda&, const Shape&, const Csr&, MemorySpace, double*);
#endif

}  // namespace hyperplane::run_time
