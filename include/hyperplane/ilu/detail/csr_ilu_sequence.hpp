// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/csr/block_csr_ref.hpp>
#include <hyperplane/ilu/detail/csr_row_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// In which order kernels of a BlockCsr take block rows, where these are, and what is asked for ahead.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The order in which a sweep takes block rows: that of a list, or by their numbers; from m_first on, by steps of
/// m_step.
struct CsrIluSequence {
  const int* m_rows;  ///< or none
  std::int64_t m_first;
  int m_step;

  KOKKOS_FUNCTION std::int64_t row(std::int64_t index) const {
    auto const at = m_first + m_step * index;
    return m_rows != nullptr ? m_rows[at] : at;
  }
};

/// Prefetches the blocks of a row, on hosts whose compilers have a way to ask for it. Also of rows that follow one
/// another: beside all else that a factorization reads, processors do not see that as a stream.
template <class Storage, int n, class Offset>
void prefetch_blocks([[maybe_unused]] const BlockCsrRef<Storage, n, Offset>& a,
                     [[maybe_unused]] const CsrIluSequence& order, [[maybe_unused]] std::int64_t index) {
#if defined(__GNUC__)
  auto const row = order.row(index);
  constexpr std::int64_t line = 64 / sizeof(Storage);
  auto const* const values = &a(0, 0, 0);
  auto const blocks = blocks_of_row(a, row);
  auto const end = blocks.end * n * n;
  for (auto value = blocks.begin * n * n; value < end; value += line) __builtin_prefetch(values + value);
#endif
}

/// Prefetches what a sweep reads and writes at a point, each of them a vector or none. Of single values that follow one
/// another the processor does it by itself, where more is read between those of two points it is late.
template <int n, class Scalar>
void prefetch_point([[maybe_unused]] const CsrIluSequence& order, [[maybe_unused]] std::int64_t index,
                    [[maybe_unused]] const Scalar* read, [[maybe_unused]] const Scalar* written) {
#if defined(__GNUC__)
  if (n == 1 && order.m_rows == nullptr) return;
  auto const first = order.row(index) * n, last = first + n - 1;
  if (read != nullptr && read != written) {
    __builtin_prefetch(read + first);
    __builtin_prefetch(read + last);
  }
  if (written != nullptr) {
    __builtin_prefetch(written + first, 1);
    __builtin_prefetch(written + last, 1);
  }
#endif
}

/// Rows of a sweep where the factors have them: their blocks before the diagonal, or behind it, in the order in which
/// the sweep takes them.
struct CsrIluByRows {
  CsrIluSequence m_order;
  const std::int64_t* m_begin;
  const std::int64_t* m_end;
  const int* m_columns;

  static constexpr bool have_positions = false;

  /// Where vectors of the sweep have the row, and where those that it is given have it.
  struct Place {
    std::int64_t point;
    std::int64_t row;
  };
  KOKKOS_FUNCTION Place place(std::int64_t index) const {
    auto const row = m_order.row(index);
    return {row, row};
  }
  KOKKOS_FUNCTION std::int64_t begin(const Place& place) const { return m_begin[place.row]; }
  KOKKOS_FUNCTION std::int64_t end(const Place& place) const { return m_end[place.row]; }
  KOKKOS_FUNCTION std::int64_t column(std::int64_t number) const { return m_columns[number]; }
  template <int n, class Scalar>
  void prefetch(std::int64_t index, const Scalar* read, const Scalar* written) const {
    prefetch_point<n>(m_order, index, read, written);
  }
};

/// Rows of a sweep whose vectors have them in their order: see CsrIluPositions.
template <bool behind>
struct CsrIluByPositions {
  const int* m_rows;             ///< of each position
  const std::int64_t* m_bounds;  ///< of the blocks of each position, the diagonal one too; behind it, they fall
  const int* m_columns;          ///< positions
  std::int64_t m_first;
  int m_step;

  static constexpr bool have_positions = true;
  using Place = CsrIluByRows::Place;

  KOKKOS_FUNCTION Place place(std::int64_t index) const {
    auto const point = m_first + m_step * index;
    return {point, m_rows[point]};
  }
  KOKKOS_FUNCTION std::int64_t begin(const Place& place) const { return m_bounds[place.point + (behind ? 1 : 0)]; }
  KOKKOS_FUNCTION std::int64_t end(const Place& place) const {
    return behind ? m_bounds[place.point] : m_bounds[place.point + 1] - 1;
  }
  KOKKOS_FUNCTION std::int64_t column(std::int64_t number) const { return m_columns[number]; }
  /// Of vectors that are where rows are.
  template <int n, class Scalar>
  void prefetch(std::int64_t index, const Scalar* read, const Scalar* written) const {
    prefetch_point<n>({m_rows, m_first, m_step}, index, read, written);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
