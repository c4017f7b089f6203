// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <hyperplane/ilu/detail/csr_ilut_rows.hpp>
#include <hyperplane/ilu/detail/frobenius_norm.hpp>
#include <hyperplane/ilu/detail/rising_numbers.hpp>
#include <random>
#include <set>
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
    ASSERT_EQ(std::vector<int>(row.positions.begin(), row.positions.end()), expected.columns(i))
        << i << ", tau " << tau << ", p " << most;
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
    EXPECT_NEAR(detail::frobenius_norm(values, 4) / scale, 5.0, 1e-9);
    EXPECT_EQ(detail::frobenius_norm(values + 2, 1), 4.0 * scale);
  }
  // Of the values themselves it would not be finite.
  double const large[] = {1.5e308, 1.5e308, 1.5e308, 1.5e308};
  EXPECT_NEAR(detail::frobenius_norm(large, 4, 1e-2) / 3e306, 1.0, 1e-9);
  double const zeros[4] = {};
  EXPECT_EQ(detail::frobenius_norm(zeros, 4), 0.0);
}

TEST(RisingNumbers, are_those_of_a_sorted_set) {
  std::mt19937 random(7);
  for (int const bound : {1, 2, 63, 64, 65, 128, 4096, 5000, 300000}) {
    detail::RisingNumbers numbers(static_cast<std::size_t>(bound));
    for (int repeat = 0; repeat < 3; ++repeat) {
      EXPECT_EQ(numbers.first(), detail::RisingNumbers::none) << bound;
      std::set<int> expected;
      auto const insert_from = [&](int least) {
        int const number = std::uniform_int_distribution<int>(least, bound - 1)(random);
        numbers.insert(number);
        expected.insert(number);
      };
      for (int count = 0; count < 50; ++count) insert_from(0);
      for (int taken = 0; !expected.empty(); ++taken) {
        int const first = *expected.begin();
        ASSERT_EQ(numbers.first(), first) << bound;
        numbers.take_first();
        expected.erase(expected.begin());
        if (taken < 100 && first + 1 < bound) insert_from(first + 1);
      }
      for (int count = 0; count < 50; ++count) numbers.insert(count * (bound - 1) / 50);
      if (repeat > 0) numbers.clear();
      while (numbers.first() != detail::RisingNumbers::none) numbers.take_first();
    }
  }
}

}  // namespace
}  // namespace hyperplane::test
