// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <hyperplane/ilu/detail/csr_ilut_rows.hpp>
#include <vector>

#include "support/csr_ilut_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/matchers.hpp"

// ILUT(tau, p) of block CSR matrices: each row of the factors, and the reference itself.
namespace hyperplane::test {
namespace {

TEST(ReferenceCsrIlut, is_the_matrix_where_nothing_is_dropped) {
  auto const a = random_csr(20, 3);
  ReferenceCsrIlut const exact(a, natural_order(20), 0.0, 20);
  EXPECT_TRUE(near(exact.product().entries, a.dense().entries, rounding<double>(100, 3)));
  ReferenceCsrIlut const diagonal(a, natural_order(20), 0.0, 0);
  EXPECT_EQ(diagonal.blocks(), 20);
}

/// Pattern and values of all rows beside the reference.
template <int n>
void compare_rows(const ReferenceCsr& a, const std::vector<int>& rows, double tau, int most) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  ReferenceCsrIlut const expected(a, rows, tau, most);
  std::vector<double> values;
  for (auto const& block : a.blocks) values.insert(values.end(), block.entries.begin(), block.entries.end());
  detail::CsrColumns const structure(a.offsets, a.columns);
  detail::CsrIluOrder const order(rows);
  detail::CsrIlutRows<double, n, double, double> const factored(Host(), "rows",
                                                                {structure, order, values.data(), tau, most});
  ASSERT_EQ(factored.rows().size(), rows.size());
  for (int i = 0; i < a.rows(); ++i) {
    auto const& row = factored.rows()[static_cast<std::size_t>(i)];
    ASSERT_EQ(row.positions, expected.columns(i)) << i << ", tau " << tau << ", p " << most;
    EXPECT_LE(row.lower().size(), static_cast<std::size_t>(most) + 1);
    EXPECT_LE(row.upper().size(), static_cast<std::size_t>(most));
    std::vector<double> by_columns;
    for (int const column : row.positions) {
      auto const block = expected.factor(i, column);
      for (int e = 0; e < n * n; ++e) by_columns.push_back(block(e % n, e / n));
    }
    EXPECT_TRUE(near({row.block(0), row.block(row.positions.size())}, by_columns, rounding<double>(200, n)));
  }
}

TEST(BlockIlutCsrRows, have_the_blocks_and_values_of_the_textbook) {
  for (double const tau : {0.0, 0.01, 0.1}) {
    for (int const most : {0, 2, 5, 100}) {
      compare_rows<1>(random_csr(80, 1), natural_order(80), tau, most);
      compare_rows<2>(random_csr(50, 2), natural_order(50), tau, most);
      auto const shuffled_rows = shuffled(random_csr(40, 5));
      compare_rows<5>(shuffled_rows, order_rows(RowOrder::rcm, shuffled_rows.offsets, shuffled_rows.columns), tau,
                      most);
    }
  }
}

TEST(BlockIlutCsrRows, have_norms_that_neither_overflow_nor_vanish) {
  for (double const scale : {1.0, 1e-200, 1e200, 1e-310}) {
    double const values[] = {3.0 * scale, 0.0, -4.0 * scale, 0.0};
    EXPECT_NEAR(detail::frobenius_norm<4>(values) / scale, 5.0, 1e-9);
    EXPECT_EQ(detail::frobenius_norm<1>(values + 2), 4.0 * scale);
  }
  // Of the values themselves it would not be finite.
  double const large[] = {1.5e308, 1.5e308, 1.5e308, 1.5e308};
  EXPECT_NEAR(detail::frobenius_norm<4>(large, 1e-2) / 3e306, 1.0, 1e-9);
  double const zeros[4] = {};
  EXPECT_EQ(detail::frobenius_norm<4>(zeros), 0.0);
}

}  // namespace
}  // namespace hyperplane::test
