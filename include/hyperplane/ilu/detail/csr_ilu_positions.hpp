// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Solves of a BlockCsr whose rows are taken in an order of their own, on hosts.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What sweeps read and write in the order of the rows, so that it follows one another in memory wherever rows are:
/// where the blocks of a position begin, positions of columns, and a vector between the sweeps. Only what a solve is
/// given, and its result, are where rows are.
template <class Scalar, int n, class Exec>
class CsrIluPositions {
  template <class T>
  using Table = Kokkos::View<T*, typename Exec::memory_space>;

 public:
  /// Waits for the instance. Blocks are numbered in the order of the rows, see CsrIluBlocks. `rows` is that order.
  CsrIluPositions(const Exec& exec, const CsrIluPattern& of, const Table<int>& rows)
      : m_rows(rows),
        m_columns(to_space(exec, "Hyperplane::CsrIlu::structure", columns_of(of))),
        m_lower(to_space(exec, "Hyperplane::CsrIlu::structure", lower_of(of))),
        m_upper(to_space(exec, "Hyperplane::CsrIlu::structure", upper_of(of))),
        m_values(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::positions"), rows.extent(0) * n) {}

  /// The vector between the sweeps.
  Scalar* values() const { return m_values.data(); }
  /// It becomes a copy of one that is where rows are.
  void take(const char* label, const Exec& exec, const Scalar* from) const {
    constexpr double bytes = 2.0 * n * sizeof(Scalar);
    count_bytes(label, bytes * static_cast<double>(m_rows.extent(0)));
    launch(label, LongIndexRange<Exec>(exec, 0, static_cast<std::int64_t>(m_rows.extent(0))), bytes,
           TakeRow{m_rows.data(), from, m_values.data()});
  }
  /// Of a sweep over the positions first, first + step, ...; `behind` the diagonal or before it.
  template <bool behind>
  CsrIluByPositions<behind> rows(const CsrIluSequence& order) const {
    return {m_rows.data(), behind ? m_upper.data() : m_lower.data(), m_columns.data(), order.m_first, order.m_step};
  }

 private:
  struct TakeRow {
    const int* m_rows;
    const Scalar* m_from;
    Scalar* m_to;

    KOKKOS_FUNCTION void operator()(std::int64_t position) const {
      const Scalar* const from = m_from + std::int64_t{m_rows[position]} * n;
      for (int c = 0; c < n; ++c) m_to[position * n + c] = from[c];
    }
  };

  static std::vector<int> columns_of(const CsrIluPattern& of) {
    std::vector<int> result;
    result.reserve(of.blocks.columns.size());
    for (int const column : of.blocks.columns) result.push_back(of.order.positions[as_size(column)]);
    return result;
  }
  static std::vector<std::int64_t> lower_of(const CsrIluPattern& of) {
    std::vector<std::int64_t> result{0};
    for (int const row : of.order.rows) result.push_back(of.blocks.diagonal[as_size(row)] + 1);
    return result;
  }
  static std::vector<std::int64_t> upper_of(const CsrIluPattern& of) {
    std::vector<std::int64_t> result{static_cast<std::int64_t>(of.blocks.columns.size())};
    for (int const row : of.order.rows) result.push_back(of.blocks.upper_begin[as_size(row)]);
    return result;
  }

  Table<int> m_rows;
  Table<int> m_columns;                  ///< of each block, the position of its column
  Table<std::int64_t> m_lower, m_upper;  ///< see CsrIluByPositions
  Table<Scalar> m_values;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
