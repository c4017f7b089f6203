// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/csr/detail/row_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How strongly rows are coupled: the mean of the norms of the two blocks that neighbours have for one another, of
/// which one may be missing.
class RowCouplings {
 public:
  /// `norms` has that of each block.
  template <class Offset>
  RowCouplings(const std::vector<Offset>& offsets, const std::vector<int>& columns, const std::vector<double>& norms)
      : m_graph(offsets, columns), m_strengths(as_size(m_graph.first(m_graph.rows())), 0.0) {
    for (int row = 0; row < m_graph.rows(); ++row) {
      for (auto block = offsets[as_size(row)]; block < offsets[as_size(row) + 1]; ++block) {
        auto const at = static_cast<std::size_t>(block);
        if (columns[at] == row) continue;
        m_strengths[place(row, columns[at])] += 0.5 * norms[at];
        m_strengths[place(columns[at], row)] += 0.5 * norms[at];
      }
    }
    m_beside.reserve(as_size(m_graph.rows()));
    for (int row = 0; row < m_graph.rows(); ++row) {
      std::array<double, 3> largest{};
      auto const of_row = strengths(row);
      std::ranges::partial_sort_copy(of_row, largest, std::greater<>());
      m_beside.push_back(largest.back());
    }
  }

  const RowGraph& graph() const { return m_graph; }
  int rows() const { return m_graph.rows(); }
  /// Of a row's neighbours, in their order.
  std::span<const double> strengths(int row) const {
    auto const* const all = m_strengths.data();
    return {all + m_graph.first(row), all + m_graph.first(row + 1)};
  }
  /// The third strongest of a row, of which two can be along a line; 0 where it has no more than two.
  double beside(int row) const { return m_beside[as_size(row)]; }
  /// The strongest of a row over the mean of all; 0 where it has none.
  double anisotropy(int row) const {
    auto const of_row = strengths(row);
    double strongest = 0.0, mean = 0.0;
    for (double const strength : of_row) {
      strongest = std::max(strongest, strength);
      mean += strength / static_cast<double>(of_row.size());
    }
    return mean > 0.0 ? strongest / mean : 0.0;
  }

 private:
  std::size_t place(int row, int other) const {
    auto const neighbours = m_graph.neighbours(row);
    return as_size(m_graph.first(row) + (std::ranges::lower_bound(neighbours, other) - neighbours.begin()));
  }

  RowGraph m_graph;
  std::vector<double> m_strengths;
  std::vector<double> m_beside;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
