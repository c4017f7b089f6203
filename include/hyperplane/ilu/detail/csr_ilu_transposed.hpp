// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/host/row_needs.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_levels.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <vector>

/// Sweeps with the transposed factors of a BlockCsr, of which nothing is copied.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The blocks of each column behind the diagonal, or before it, in the order in which sweeps take rows: from the first
/// to the last, or from the last to the first.
struct CsrIluColumns {
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> numbers;
  std::vector<int> rows;

  CsrIluColumns(const CsrIluBlocks& blocks, const CsrIluOrder& order, bool behind) : begin(order.rows.size() + 1, 0) {
    auto const for_blocks = [&](const auto& visit) {
      for (std::size_t at = 0; at < order.rows.size(); ++at) {
        int const row = order.rows[behind ? at : order.rows.size() - 1 - at];
        auto const r = as_size(row);
        auto const end = behind ? blocks.upper_end[r] : blocks.diagonal[r];
        for (auto number = behind ? blocks.upper_begin[r] : blocks.lower_begin[r]; number < end; ++number) {
          visit(row, number, as_size(blocks.columns[as_size(number)]));
        }
      }
    };
    for_blocks([&](int, std::int64_t, std::size_t column) { ++begin[column + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    numbers.resize(as_size(begin.back()));
    rows.resize(numbers.size());
    auto next = begin;
    for_blocks([&](int row, std::int64_t number, std::size_t column) {
      auto const at = as_size(next[column]++);
      numbers[at] = number;
      rows[at] = row;
    });
  }

  /// Of the columns, each of which comes after the rows that have a block in it. `gives`: and a row after those that
  /// subtract a product from the same column before it, as CsrIluGivingSweep wants.
  template <std::ranges::input_range Rows>
  CsrIluRecursion recursion(const Rows& order, CsrIluSequenceKind kind, bool gives) const {
    CsrIluRecursion result(rows, begin, {begin.begin() + 1, begin.end()}, order, kind);
    if (gives) result.needs = host::needs_of_givers(result.needs, true);
    return result;
  }
};

/// One of the sweeps: with (I + d^-1 U)^T from the first row to the last, with (d + L)^T from the last to the first.
template <ExecutionSpace Exec>
class CsrIluTransposed {
 public:
  using Rows = Kokkos::View<int*, typename Exec::memory_space>;

  /// `order` is that of CsrIluLevelKernels; a block has about as many bytes. Waits for the instance.
  CsrIluTransposed(const Exec& exec, const CsrIluPattern& of, const Rows& order, bool behind, const CsrIluRuns& runs,
                   std::size_t bytes)
      : CsrIluTransposed(exec, of, CsrIluColumns(of.blocks, of.order, behind), order, behind, runs, bytes) {}

  std::int64_t blocks() const { return static_cast<std::int64_t>(m_numbers.size()); }
  const CsrIluLevelKernels<Exec>& levels() const { return m_levels; }
  CsrIluColumnLists lists() const { return {m_begin.data(), m_numbers.data(), m_rows.data()}; }
  /// Whether rows give their products, as by CsrIluGivingSweep.
  bool gives() const { return m_gives; }

 private:
  CsrIluTransposed(const Exec& exec, const CsrIluPattern& of, const CsrIluColumns& columns, const Rows& order,
                   bool behind, const CsrIluRuns& runs, std::size_t bytes)
      : m_begin(to_space(exec, "Hyperplane::CsrIlu::structure", columns.begin)),
        m_numbers(to_space(exec, "Hyperplane::CsrIlu::structure", columns.numbers)),
        m_rows(to_space(exec, "Hyperplane::CsrIlu::structure", columns.rows)),
        m_gives(runs.kind != CsrIluSequenceKind::by_levels),
        m_levels(levels_of(exec, of, columns, order, behind, runs, bytes)) {
    // Rows that give wait for more than others.
    if (!m_gives || m_levels.worth_its_order(concurrency_of(exec))) return;
    m_gives = false;
    m_levels = levels_of(exec, of, columns, order, behind, runs, bytes);
  }

  CsrIluLevelKernels<Exec> levels_of(const Exec& exec, const CsrIluPattern& of, const CsrIluColumns& columns,
                                     const Rows& order, bool behind, const CsrIluRuns& runs, std::size_t bytes) const {
    auto const rows = std::max<std::size_t>(of.order.rows.size(), 1);
    return {exec,
            behind ? columns.recursion(of.order.rows, runs.kind, m_gives)
                   : columns.recursion(of.order.rows | std::views::reverse, runs.kind, m_gives),
            order,
            behind ? 1 : -1,
            runs,
            static_cast<double>(bytes * columns.numbers.size()) / static_cast<double>(rows)};
  }

  Kokkos::View<std::int64_t*, typename Exec::memory_space> m_begin, m_numbers;
  Rows m_rows;
  bool m_gives;
  CsrIluLevelKernels<Exec> m_levels;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
