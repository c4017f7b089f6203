// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/ilu/detail/csr_ilu_plan.hpp>
#include <utility>
#include <vector>

#include "csr_reference.hpp"
#include "dense_matrix.hpp"
#include "quarter_reference.hpp"

/// Factors of 8 bits of block CSR on the host, row by row.
namespace hyperplane::test {

/// What BlockIlukCsr is, with the factors that it has.
template <int n, class Exec>
class CsrQuarterPlan : public detail::CsrIluPlan<double, n, Exec, Quarter, std::int64_t> {
  using Base = detail::CsrIluPlan<double, n, Exec, Quarter, std::int64_t>;

 public:
  template <class Matrix>
  CsrQuarterPlan(const Exec& exec, const Matrix& a, const detail::CsrIluSettings& settings)
      : Base({"CsrQuarterPlan", "factor", "forward", "backward", "forward_transposed", "backward_transposed"}, exec, a,
             settings) {}
  using Base::factors;
  using Base::written;
};

struct CsrQuarterBlock {
  int column;
  DenseMatrix half, value;  ///< as it was written as Half, and as it is read
};

/// Of L or of d^-1 U.
struct CsrQuarterRow {
  int row;
  BlockScales scales;
  std::vector<CsrQuarterBlock> blocks;
};

/// What a plan has stored, in the units of the factors. Rows are in the order in which sweeps take them.
template <int n, class Exec>
struct StoredCsrFactors {
  std::vector<CsrQuarterRow> lower, upper;
  std::vector<DenseMatrix> half_inverses, inverses;  ///< of each row
  std::vector<double> unknowns, equations;

  StoredCsrFactors(const Exec& exec, const CsrQuarterPlan<n, Exec>& plan) {
    exec.fence();
    auto const rows = plan.rows(), size = std::int64_t{n} * n;
    auto const from = plan.written();
    auto const of = plan.factors();
    auto const halves = copied<Exec>(from.m_values, plan.blocks() * size);
    auto const quarters = copied<Exec>(of.m_values, (plan.blocks() - rows) * size);
    auto const diagonal = copied<Exec>(of.m_diagonal, rows), lower_begin = copied<Exec>(of.m_lower_begin, rows);
    auto const upper_begin = copied<Exec>(of.m_upper_begin, rows), upper_end = copied<Exec>(of.m_upper_end, rows);
    auto const columns = copied<Exec>(of.m_columns, plan.blocks());
    auto const take = [&]<bool of_lower>(std::vector<CsrQuarterRow>& result) {
      using Factors = decltype(of);
      constexpr int record_size = Factors::template record_size<of_lower>;
      auto const numbers = copied<Exec>(of_lower ? of.m_lower_numbers : of.m_upper_numbers, rows);
      auto const records = copied<Exec>(of_lower ? of.m_lower_records : of.m_upper_records, rows * record_size);
      result.resize(rows);
      for (int row = 0; row < rows; ++row) {
        auto& taken = result[numbers[row]];
        taken = {row, {std::vector<double>(n), std::vector<double>(n)}, {}};
        const Half* const record = records.data() + std::int64_t{numbers[row]} * record_size;
        for (int r = 0; r < n; ++r) {
          taken.scales.columns[r] = static_cast<double>(record[r]);
          taken.scales.rows[r] = static_cast<double>(record[n + r]);
        }
        if (of_lower) {
          inverses.push_back(block_of(record + 2 * n));
          half_inverses.push_back(block_of(halves.data() + diagonal[row] * size));
        }
        auto const begin = of_lower ? lower_begin[row] : upper_begin[row];
        auto const end = of_lower ? diagonal[row] : upper_end[row];
        for (auto number = begin; number < end; ++number) {
          // Diagonals of rows that come before it are not among the blocks of 8 bits.
          auto const place = number - (of_lower ? numbers[row] : rows);
          auto value = block_of(quarters.data() + place * size);
          for (int r = 0; r < n; ++r) {
            for (int c = 0; c < n; ++c) value(r, c) *= taken.scales.rows[r] * taken.scales.columns[c] / 127;
          }
          taken.blocks.push_back({columns[number], block_of(halves.data() + number * size), value});
        }
      }
    };
    take.template operator()<true>(lower);
    take.template operator()<false>(upper);
    unknowns = copied<Exec>(of.m_scales.m_units, n);
    for (auto const unit : copied<Exec>(of.m_scales.m_equations, rows * n))
      equations.push_back(static_cast<double>(unit));
  }

 private:
  template <class T>
  static DenseMatrix block_of(const T* values) {
    DenseMatrix result(n);
    for (int e = 0; e < n * n; ++e) result(e % n, e / n) = static_cast<double>(values[e]);
    return result;
  }
};

/// Scales are those of what Half has. Each entry is that of Half to half of its step, and one entry of each row that is
/// not zero is the same; where the row scale is not normal as a Half, to the step of such numbers.
inline void check_quarters(const std::vector<CsrQuarterRow>& rows, int n) {
  int failures = 0, other_scales = 0;
  for (auto const& row : rows) {
    DenseMatrix largest(n);
    for (auto const& block : row.blocks) add_magnitudes(block.half, largest);
    other_scales += row.scales != block_scales(largest);
    for (int r = 0; r < n; ++r) {
      bool const is_normal = row.scales.rows[r] >= 0x1p-14;
      bool is_zero = true, has_same = false;
      for (auto const& block : row.blocks) {
        for (int c = 0; c < n; ++c) {
          double const value = block.half(r, c), difference = std::abs(block.value(r, c) - value);
          double const step = row.scales.rows[r] * row.scales.columns[c] / 127;
          if (!(difference <= 0.5001 * step + (is_normal ? 0 : 0x1p-24))) ++failures;
          is_zero = is_zero && value == 0;
          has_same = has_same || (value != 0 && difference <= 1e-15 * std::abs(value));
        }
      }
      if (is_normal && !is_zero && !has_same) ++failures;
    }
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(other_scales, 0);
}

/// Solves with stored factors, in the units of the matrix.
template <int n, class Exec>
class CsrQuarterReference {
 public:
  explicit CsrQuarterReference(StoredCsrFactors<n, Exec> factors) : m_of(std::move(factors)) {
    auto const unit = [&](int row, int r) { return m_of.equations[static_cast<std::size_t>(row) * n + r]; };
    for_entries([&](int r, int c) {
      for (auto& row : m_of.lower) {
        for (auto& block : row.blocks) block.value(r, c) /= unit(row.row, r) * m_of.unknowns[c];
      }
      for (auto& row : m_of.upper) {
        for (auto& block : row.blocks) block.value(r, c) *= m_of.unknowns[r] / m_of.unknowns[c];
      }
      for (int row = 0; row < static_cast<int>(m_of.inverses.size()); ++row) {
        m_of.inverses[row](r, c) *= m_of.unknowns[r] * unit(row, c);
      }
    });
  }

  std::vector<double> solve(std::vector<double> x) const {
    for (auto const& row : m_of.lower) {
      for (auto const& block : row.blocks) subtract(block.value * at(x, block.column), row.row, x);
      set(m_of.inverses[row.row] * at(x, row.row), row.row, x);
    }
    for (auto const& row : m_of.upper) {
      for (auto const& block : row.blocks) subtract(block.value * at(x, block.column), row.row, x);
    }
    return x;
  }
  /// With M^T: rows hand on what their blocks, transposed, make of them.
  std::vector<double> solve_transposed(std::vector<double> x) const {
    for (auto row = m_of.upper.rbegin(); row != m_of.upper.rend(); ++row) hand_on(*row, x);
    for (auto row = m_of.lower.rbegin(); row != m_of.lower.rend(); ++row) {
      set(transposed_dense(m_of.inverses[row->row]) * at(x, row->row), row->row, x);
      hand_on(*row, x);
    }
    return x;
  }

 private:
  template <class Visit>
  static void for_entries(const Visit& visit) {
    for (int e = 0; e < n * n; ++e) visit(e / n, e % n);
  }
  static std::vector<double> at(const std::vector<double>& x, int row) {
    auto const begin = x.begin() + std::ptrdiff_t{row} * n;
    return {begin, begin + n};
  }
  static void set(const std::vector<double>& values, int row, std::vector<double>& x) {
    std::copy(values.begin(), values.end(), x.begin() + std::ptrdiff_t{row} * n);
  }
  static void subtract(const std::vector<double>& values, int row, std::vector<double>& x) {
    for (int r = 0; r < n; ++r) x[static_cast<std::size_t>(row) * n + r] -= values[r];
  }
  static void hand_on(const CsrQuarterRow& row, std::vector<double>& x) {
    for (auto const& block : row.blocks) subtract(transposed_dense(block.value) * at(x, row.row), block.column, x);
  }

  StoredCsrFactors<n, Exec> m_of;
};

}  // namespace hyperplane::test
