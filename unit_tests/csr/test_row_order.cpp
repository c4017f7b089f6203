// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <hyperplane/csr/row_order.hpp>
#include <numeric>
#include <set>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/message_of.hpp"

// Orders of rows.
namespace hyperplane::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The largest distance of two neighbours in the order.
int bandwidth(const ReferenceCsr& a, const std::vector<int>& order) {
  std::vector<int> position(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) position[static_cast<std::size_t>(order[p])] = static_cast<int>(p);
  int result = 0;
  for (int row = 0; row < a.rows(); ++row) {
    for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
      result = std::max(result, std::abs(position[row] - position[a.columns[e]]));
    }
  }
  return result;
}

/// A chain of rows whose numbers are shuffled: row numbers[i] is a neighbour of numbers[i + 1].
ReferenceCsr chain(const std::vector<int>& numbers) {
  auto const rows = static_cast<int>(numbers.size());
  std::vector<std::set<int>> columns(numbers.size());
  for (int i = 0; i < rows; ++i) {
    columns[numbers[i]].insert(numbers[i]);
    if (i + 1 < rows) columns[numbers[i]].insert(numbers[i + 1]);
  }
  ReferenceCsr a(1);
  for (auto const& row : columns) {
    for (int const column : row) a.add(column, DenseMatrix(1));
    a.end_row();
  }
  return a;
}

std::vector<int> ordered(const ReferenceCsr& a, RowOrder order) { return order_rows(order, a.offsets, a.columns); }

TEST(RowOrders, have_each_row_once) {
  for (int const rows : {1, 2, 17, 200}) {
    auto const a = random_csr(rows, 1);
    for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
      auto sorted = ordered(a, order);
      std::ranges::sort(sorted);
      EXPECT_EQ(sorted, ordered(a, RowOrder::natural));
    }
  }
  ReferenceCsr const none(1);
  EXPECT_THAT(ordered(none, RowOrder::rcm), IsEmpty());
  EXPECT_THAT(ordered(none, RowOrder::colours), IsEmpty());
}

// The chain has blocks on one side of the diagonal alone: rows are neighbours where either has a block.
TEST(RowOrders, cuthill_mckee_unrolls_a_chain) {
  auto const a = chain({3, 0, 4, 1, 5, 2});
  auto const order = ordered(a, RowOrder::rcm);
  EXPECT_EQ(bandwidth(a, order), 1);
  EXPECT_THAT(order, ::testing::AnyOf(ElementsAre(3, 0, 4, 1, 5, 2), ElementsAre(2, 5, 1, 4, 0, 3)));
}

TEST(RowOrders, cuthill_mckee_finds_the_band_of_a_box) {
  Grid const grid(3, 4, 20);
  // Points in an order that has nothing to do with the grid: p -> 7 p mod 240 would keep too much of it.
  auto const a = renumbered(to_csr(random_stencil(grid, 1)), shuffled_numbers(static_cast<int>(grid.size()), 5));
  EXPECT_GT(bandwidth(a, ordered(a, RowOrder::natural)), 100);
  // The box has sections of 12 points; those of the search are planes aslant.
  EXPECT_LE(bandwidth(a, ordered(a, RowOrder::rcm)), 2 * 12);
}

TEST(RowOrders, cuthill_mckee_takes_parts_one_after_the_other) {
  // Rows 0 and 3, 1 and 2 are neighbours; 4 is alone.
  ReferenceCsr a(1);
  for (int const other : {3, 2, 1, 0}) {
    a.add(a.rows(), DenseMatrix(1));
    a.add(other, DenseMatrix(1));
    a.end_row();
  }
  a.add(4, DenseMatrix(1));
  a.end_row();
  EXPECT_EQ(bandwidth(a, ordered(a, RowOrder::rcm)), 1);
}

TEST(RowOrders, colours_of_a_box_are_two) {
  auto const a = to_csr(random_stencil(Grid(4, 3, 2), 1));
  auto const order = ordered(a, RowOrder::colours);
  auto const is_red = [](int row) { return (row % 4 + row / 4 % 3 + row / 12) % 2 == 0; };
  EXPECT_TRUE(std::ranges::is_partitioned(order, is_red));
  EXPECT_EQ(std::ranges::count_if(order, is_red), 12);
  EXPECT_EQ(order.front(), 0);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.begin() + 12));
}

TEST(RowOrders, refuse_what_is_no_structure) {
  auto const message = [](RowOrder order, const std::vector<std::int64_t>& offsets, const std::vector<int>& columns) {
    return message_of([&] { order_rows(order, offsets, columns); });
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message(RowOrder::rcm, {}, {}), HasSubstr("order_rows: offsets are empty"));
  EXPECT_THAT(message(RowOrder::colours, {0, 1}, {1}), HasSubstr("order_rows: row 0 has column 1, expected 0 to 0"));
  EXPECT_THAT(message(RowOrder::rcm, {0, 2}, {0}), HasSubstr("order_rows: row 0 has blocks 0 to 2 of 1"));
  EXPECT_THAT(message(RowOrder::given, {0, 1}, {0}), HasSubstr("RowOrder::given is a list of its own"));
  EXPECT_THAT(message(RowOrder::lines, {0, 1}, {0}), HasSubstr("RowOrder::lines is of a matrix with values"));
}

// A row that is a neighbour of all.
TEST(RowOrders, take_a_row_with_many_neighbours) {
  constexpr int rows = 100000;
  std::vector<std::int64_t> offsets{0};
  std::vector<int> columns(rows);
  std::iota(columns.begin(), columns.end(), 0);
  offsets.push_back(rows);
  for (int row = 1; row < rows; ++row) {
    columns.push_back(row);
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  auto const colours = order_rows(RowOrder::colours, offsets, columns);
  EXPECT_EQ(colours.front(), 0);
  EXPECT_EQ(colours.back(), rows - 1);
  auto const rcm = order_rows(RowOrder::rcm, offsets, columns);
  EXPECT_EQ(rcm[rows - 2], 0);
}

}  // namespace
}  // namespace hyperplane::test
