// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/csr/check_structure.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/lines_along_couplings.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/detail/csr_fill.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// What incomplete factorizations of a BlockCsr are given: names, options, a structure, and an order of its rows.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How users call the plan and its kernels.
struct CsrIluNames {
  const char* plan;
  const char* factor;
  const char* forward;
  const char* backward;
  const char* forward_transposed;
  const char* backward_transposed;
};

/// From which blocks a factorization subtracts products: all, as BILU does, those of the diagonal, as DILU does, or
/// none.
enum class CsrIluTargets { all, diagonal, none };

struct CsrIluSettings {
  CsrPath path;
  RowOrder order;
  const std::vector<int>& given_order;
  int fill;
  bool transposed;
  double pivot_shift = 0.0;
  CsrIluTargets targets = CsrIluTargets::all;
};

/// The path that runs, with factors of a type; or Error.
template <ExecutionSpace Exec, class Storage = void>
CsrPath checked_csr_path(const char* plan, CsrPath path) {
  constexpr bool is_quarter = std::is_same_v<Storage, Quarter>;
  if (path == CsrPath::automatic) {
    if (HostExecutionSpace<Exec>) return CsrPath::team;
    return CudaExecutionSpace<Exec> && !is_quarter ? CsrPath::tickets : CsrPath::portable;
  }
  if (!HostExecutionSpace<Exec> && path == CsrPath::team) fail(std::string(plan) + ": CsrPath::team is for hosts");
  if (!CudaExecutionSpace<Exec> && path == CsrPath::tickets) {
    fail(std::string(plan) + ": CsrPath::tickets is for CUDA");
  }
  if (is_quarter && path == CsrPath::tickets) {
    fail(std::string(plan) + ": CsrPath::tickets has no factors of 8 bits; CsrPath::portable has");
  }
  return path;
}

/// When rows are taken.
struct CsrIluOrder {
  std::vector<int> rows;       ///< the first, the next ones
  std::vector<int> positions;  ///< of each row among them

  explicit CsrIluOrder(std::vector<int> order) : rows(std::move(order)), positions(rows.size()) {
    for (std::size_t position = 0; position < rows.size(); ++position) {
      positions[as_size(rows[position])] = static_cast<int>(position);
    }
  }
};

/// Arrays that a caller shares have not been looked at before: throws Error where they are no structure that can be
/// factored.
template <class Offset>
CsrColumns checked_ilu_structure(const char* plan, const std::vector<Offset>& offsets, std::vector<int> columns) {
  auto const blocks = static_cast<std::int64_t>(columns.size());
  check_csr_ends(plan, offsets, columns);
  auto const rows = static_cast<std::int64_t>(offsets.size()) - 1;
  // Of each column, the last row that has it.
  std::vector<int> seen_by(as_size(rows), -1);
  for (int row = 0; row < rows; ++row) {
    auto const begin = offsets[as_size(row)], end = offsets[as_size(row) + 1];
    check_csr_row(plan, row, begin, end, blocks);
    for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e) {
      check_csr_column(plan, row, columns[e], rows);
      if (seen_by[as_size(columns[e])] == row) {
        fail(std::string(plan) + ": row " + std::to_string(row) + " has column " + std::to_string(columns[e]) +
             " twice");
      }
      seen_by[as_size(columns[e])] = row;
    }
    if (seen_by[as_size(row)] != row) {
      fail(std::string(plan) + ": row " + std::to_string(row) + " has no diagonal block, column " +
           std::to_string(row));
    }
  }
  return {offsets, std::move(columns)};
}

/// A list that has each row once; or Error.
inline const std::vector<int>& checked_given_order(const char* plan, const std::vector<int>& given, std::size_t rows) {
  auto const name = std::string(plan) + ": given_order";
  if (given.size() != rows) {
    fail(name + " has " + std::to_string(given.size()) + " rows, expected " + std::to_string(rows));
  }
  std::vector<char> seen(rows, 0);
  for (std::size_t position = 0; position < rows; ++position) {
    int const row = given[position];
    auto const refuse = [&](const std::string& why) {
      auto message = name + "[" + std::to_string(position) + "] is " + std::to_string(row);
      fail(message.append(why));
    };
    if (row < 0 || std::cmp_greater_equal(row, rows)) refuse(", expected 0 to " + std::to_string(rows - 1));
    if (seen[as_size(row)]++ != 0) refuse(", which comes twice");
  }
  return given;  // NOLINT(bugprone-return-const-ref-from-parameter): it outlives the constructor
}

/// The order that options ask for; or Error, where the list is no permutation of the rows, or is not wanted. `a` has
/// the structure, which was checked, and values, which RowOrder::lines follows.
template <ExecutionSpace Exec, class Matrix>
CsrIluOrder checked_ilu_order(const char* plan, const Exec& exec, const Matrix& a, const CsrIluSettings& settings,
                              const CsrColumns& of) {
  auto const& given = settings.given_order;
  if (settings.order == RowOrder::given) return CsrIluOrder(checked_given_order(plan, given, of.begin.size() - 1));
  if (!given.empty()) {
    fail(std::string(plan) + ": given_order has " + std::to_string(given.size()) +
         " rows, but the order is not RowOrder::given");
  }
  if (settings.order == RowOrder::lines) {
    return CsrIluOrder(checked_lines(plan, exec, a, of.begin, of.columns, {}).rows);
  }
  return CsrIluOrder(order_checked_rows(settings.order, of.begin, of.columns));
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
