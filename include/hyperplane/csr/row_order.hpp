// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/csr/check_structure.hpp>
#include <hyperplane/csr/detail/row_graph.hpp>

#include <concepts>
#include <numeric>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// In which order a factorization of a BlockCsr takes the rows. It decides which products are dropped, and so the
/// iterations, and which rows can be taken at a time. Vectors and matrices keep the order that they have.
enum class RowOrder : int {
  natural,  ///< by their numbers
  rcm,      ///< reverse Cuthill-McKee: neighbours are near one another
  colours,  ///< rows without blocks for one another first, then the next ones of this kind: few levels
  given,    ///< that of a list
  lines,    ///< line by line along the strongest couplings of the values: lines_along_couplings()
};

constexpr const char* name(RowOrder order) {
  switch (order) {
    case RowOrder::natural: return "natural";
    case RowOrder::rcm: return "rcm";
    case RowOrder::colours: return "colours";
    case RowOrder::given: return "given";
    case RowOrder::lines: return "lines";
  }
  return "unknown";
}

namespace detail {

/// order_rows() of a structure that was checked.
template <std::integral Offset>
std::vector<int> order_checked_rows(RowOrder order, const std::vector<Offset>& offsets,
                                    const std::vector<int>& columns) {
  if (order == RowOrder::rcm) return reverse_cuthill_mckee(RowGraph(offsets, columns));
  if (order == RowOrder::colours) return rows_by_colours(RowGraph(offsets, columns));
  std::vector<int> rows(offsets.size() - 1);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace detail

/// The rows of a structure in an order: the row that is taken first, then the next one. Rows count as neighbours where
/// either has a block for the other. `order` is natural, rcm or colours.
///
/// rcm: E. Cuthill and J. McKee, "Reducing the bandwidth of sparse symmetric matrices", 1969,
/// doi:10.1145/800195.805928, from rows that are found as in A. George and J. W. H. Liu, "An implementation of a
/// pseudoperipheral node finder", 1979, doi:10.1145/355841.355845; the last row first. colours: each row, by its
/// number, has the first colour that none of its neighbours has; rows of a colour by their numbers. Cost: O(blocks log
/// blocks) on the calling thread, for rcm times the few searches for an end. Throws Error where offsets or columns are
/// out of range.
template <std::integral Offset>
std::vector<int> order_rows(RowOrder order, const std::vector<Offset>& offsets, const std::vector<int>& columns) {
  require(!offsets.empty(), "order_rows: offsets are empty");
  require(order != RowOrder::given, "order_rows: RowOrder::given is a list of its own");
  require(order != RowOrder::lines, "order_rows: RowOrder::lines is of a matrix with values: lines_along_couplings");
  detail::check_csr_structure("order_rows", offsets, columns);
  return detail::order_checked_rows(order, offsets, columns);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
