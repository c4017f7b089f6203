// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

/// Plans of a BlockCsr look whether the matrices that they are given have the structure that they were made of.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The first row whose columns are others than those of the plan; a reduction.
template <class MatrixRef>
struct CsrIluDifference {
  MatrixRef m_a;
  CsrIluRows m_rows;
  const std::int64_t* m_sources;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& first) const {
    if (row < first && differs(row)) first = row;
  }

 private:
  /// As many blocks, all of them among those of the row and in the same columns.
  KOKKOS_FUNCTION bool differs(std::int64_t row) const {
    auto missing = m_a.end(row) - m_a.begin(row);
    bool const has_other = has_other_in(row, m_rows.m_lower_begin[row], m_rows.m_diagonal[row] + 1, missing) ||
                           has_other_in(row, m_rows.m_upper_begin[row], m_rows.m_upper_end[row], missing);
    return has_other || missing != 0;
  }
  /// Lowers `missing` by the blocks that are made from one of A.
  KOKKOS_FUNCTION bool has_other_in(std::int64_t row, std::int64_t begin, std::int64_t end,
                                    std::int64_t& missing) const {
    for (auto number = begin; number < end; ++number) {
      auto const source = m_sources[number];
      if (source < 0) continue;
      if (source < m_a.begin(row) || source >= m_a.end(row) || m_a.column(source) != m_rows.m_columns[number])
        return true;
      --missing;
    }
    return false;
  }
};

/// Arrays that are known to have the structure of the plan.
template <class Matrix>
class CsrGivenStructure {
 public:
  CsrGivenStructure(const typename Matrix::Offsets& offsets, const typename Matrix::Columns& columns)
      : m_offsets(offsets), m_columns(columns) {}

  std::int64_t rows() const { return static_cast<std::int64_t>(m_offsets.extent(0)) - 1; }
  std::int64_t blocks() const { return static_cast<std::int64_t>(m_columns.extent(0)); }

  /// Throws Error where A has another structure than the rows of the plan, whose blocks are made from `sources`. Arrays
  /// that are not known yet are compared, which waits for the instance.
  template <class Exec, class A>
  void check(const Exec& exec, const char* plan, const A& a, const CsrIluRows& of, const std::int64_t* sources) {
    check_by(exec, plan, a, CsrIluDifference<typename A::Ref>{a.ref(), of, sources});
  }
  /// The same with a reduction that finds the first row that differs.
  template <class Exec, class A, class Difference>
  void check_by(const Exec& exec, const char* plan, const A& a, const Difference& difference) {
    check_with(plan, a, [&] {
      std::int64_t first = no_row;
      Kokkos::parallel_reduce("Hyperplane::CsrIlu::compare",
                              Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows()), difference,
                              Kokkos::Min<std::int64_t>(first));
      return first;
    });
  }

  static constexpr auto no_row = std::numeric_limits<std::int64_t>::max();
  /// The same where find_first() returns the first row that differs, or no_row.
  template <class A, class FindFirst>
  void check_with(const char* plan, const A& a, const FindFirst& find_first) {
    auto const name = std::string(plan) + "::factor: ";
    if (a.rows() != rows() || a.blocks() != blocks()) {
      fail(name + "A has " + std::to_string(a.rows()) + " rows and " + std::to_string(a.blocks()) +
           " blocks, expected " + std::to_string(rows()) + " and " + std::to_string(blocks()));
    }
    if (a.offsets().data() == m_offsets.data() && a.columns().data() == m_columns.data()) return;
    if (auto const first = find_first(); first != no_row) {
      fail(name + "row " + std::to_string(first) +
           " of A has other columns, or in another order, than the constructor was given");
    }
    m_offsets = a.offsets();
    m_columns = a.columns();
  }

 private:
  // Kept, so that no other arrays are where they are.
  typename Matrix::Offsets m_offsets;
  typename Matrix::Columns m_columns;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
