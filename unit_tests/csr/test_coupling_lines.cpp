// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/lines_along_couplings.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <limits>
#include <vector>

#include "support/coupling_lines_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"

// Lines of points along the strongest couplings of a matrix.
namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;
using Lines = std::vector<std::vector<int>>;

template <class Exec>
class CouplingLinesTest : public ::testing::Test {
 protected:
  Exec exec;

  template <int n, class Storage = double>
  Lines lines_of(const ReferenceCsr& a, const CouplingLinesOptions& options = {}) const {
    auto const found = lines_along_couplings(exec, to_device<double, n, Storage>(exec, a), options);
    EXPECT_EQ(found.offsets.front(), 0);
    EXPECT_EQ(found.offsets.back(), a.rows());
    Lines lines;
    for (std::size_t line = 0; line + 1 < found.offsets.size(); ++line) {
      lines.emplace_back(found.points.begin() + found.offsets[line], found.points.begin() + found.offsets[line + 1]);
    }
    return lines;
  }
};
TYPED_TEST_SUITE(CouplingLinesTest, ExecutionSpaces, SpaceNames);

/// The same lines whatever their order, and the end that they begin with.
template <class Of>
Lines without_order(const Of& of) {
  Lines lines;
  for (auto const& line : of) {
    auto& copy = lines.emplace_back(line.begin(), line.end());
    if (copy.back() < copy.front()) std::ranges::reverse(copy);
  }
  std::ranges::sort(lines);
  return lines;
}

/// A box whose blocks to neighbours along k are so many times as large as the others.
ReferenceCsr stretched_box(const Grid& grid, int n, double ratio) {
  auto stencil = random_stencil(grid, n);
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      bool const is_along = d == Direction::bottom || d == Direction::top;
      double const size = is_along ? ratio : 1.0;
      for (auto& entry : stencil.block(p, d).entries)
        entry = (d == Direction::center ? 10.0 : 0.2 * entry + 1.0) * size;
    }
  }
  return to_csr(stencil);
}

TYPED_TEST(CouplingLinesTest, of_a_stretched_box_are_its_columns) {
  Grid const grid(5, 4, 7);
  auto const numbers = shuffled_numbers(static_cast<int>(grid.size()), 3);
  Lines columns;
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 5; ++i) {
      auto& column = columns.emplace_back();
      for (int k = 0; k < 7; ++k) column.push_back(numbers[static_cast<std::size_t>(grid.index({i, j, k}))]);
    }
  }
  auto const a = renumbered(stretched_box(grid, 2, 20.0), numbers);
  EXPECT_EQ(without_order(this->template lines_of<2>(a)), without_order(columns));
  EXPECT_EQ(without_order(this->template lines_of<2, float>(a)), without_order(columns));
}

TYPED_TEST(CouplingLinesTest, are_those_of_a_search_in_the_whole_matrix) {
  for (int const rows : {1, 2, 3, 17, 90}) {
    for (double const strong : {1.0, 1.3, 2.0, 5.0}) {
      auto const a = random_csr(rows, 3);
      EXPECT_EQ(without_order(this->template lines_of<3>(a, {.strong = strong})),
                without_order(coupling_lines_of(a, strong)))
          << rows << " rows, " << strong;
    }
  }
  auto const box = renumbered(stretched_box(Grid(4, 6, 5), 1, 3.0), shuffled_numbers(120, 8));
  EXPECT_EQ(without_order(this->template lines_of<1>(box)), without_order(coupling_lines_of(box, 2.0)));
}

TYPED_TEST(CouplingLinesTest, come_by_reverse_cuthill_mckee_of_lines_from_the_end_that_points_come_from) {
  auto const a = renumbered(stretched_box(Grid(6, 3, 5), 1, 9.0), shuffled_numbers(90, 4));
  auto const lines = this->template lines_of<1>(a);
  auto const rcm = order_rows(RowOrder::rcm, a.offsets, a.columns);
  auto const place = [&](int row) { return std::ranges::find(rcm, row) - rcm.begin(); };
  // Lines by their smallest numbers.
  auto by_number = lines;
  std::ranges::sort(by_number, {}, [](const auto& line) { return std::ranges::min(line); });
  ReferenceCsr of_lines(1);
  for (auto const& line : by_number) {
    EXPECT_LE(place(line.front()), place(line.back()));
    for (int const row : line) {
      for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
        auto const has_column = [&](const auto& other) { return std::ranges::count(other, a.columns[e]) > 0; };
        auto const other = std::ranges::find_if(by_number, has_column) - by_number.begin();
        of_lines.add(static_cast<int>(other), DenseMatrix(1));
      }
    }
    of_lines.end_row();
  }
  Lines expected;
  for (int const line : order_rows(RowOrder::rcm, of_lines.offsets, of_lines.columns)) {
    expected.push_back(by_number[static_cast<std::size_t>(line)]);
  }
  EXPECT_EQ(lines, expected);
}

TYPED_TEST(CouplingLinesTest, are_single_points_by_cuthill_mckee_where_nothing_is_strong) {
  Lines expected;
  auto const with_points_of = [&](const ReferenceCsr& a) {
    expected.clear();
    for (int const row : order_rows(RowOrder::rcm, a.offsets, a.columns)) expected.push_back({row});
    return a;
  };
  auto a = with_points_of(renumbered(stretched_box(Grid(5, 6, 4), 2, 1.0), shuffled_numbers(120, 6)));
  EXPECT_EQ(this->template lines_of<2>(a), expected);
  // Couplings of zeros are none.
  for (int row = 0; row < a.rows(); ++row) {
    for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
      if (a.columns[e] != row) a.blocks[e] = DenseMatrix(2);
    }
  }
  EXPECT_EQ(this->template lines_of<2>(a), expected);
  EXPECT_EQ(this->template lines_of<1>(with_points_of(random_csr(1, 1))), expected);
}

TYPED_TEST(CouplingLinesTest, take_blocks_of_any_size) {
  auto const a = stretched_box(Grid(3, 4, 5), 2, 20.0);
  auto const expected = this->template lines_of<2>(a);
  for (double const scale : {1e-250, 1e250}) {
    auto scaled = a;
    for (auto& block : scaled.blocks) {
      for (auto& entry : block.entries) entry *= scale;
    }
    EXPECT_EQ(this->template lines_of<2>(scaled), expected) << scale;
  }
}

TYPED_TEST(CouplingLinesTest, follow_a_block_on_one_side_alone) {
  // 0 - 2 - 1 on a line, 3 beside all of them.
  ReferenceCsr a(1);
  auto const add = [&](int column, double value) {
    DenseMatrix block(1);
    block(0, 0) = value;
    a.add(column, block);
  };
  for (int row = 0; row < 4; ++row) {
    add(row, 1.0);
    if (row == 0) add(2, 8.0);
    if (row == 1) add(2, -8.0);
    if (row == 3) {
      for (int const other : {0, 1, 2}) add(other, 0.01);
    }
    a.end_row();
  }
  EXPECT_EQ(without_order(this->template lines_of<1>(a)), (Lines{{0, 2, 1}, {3}}));
}

TYPED_TEST(CouplingLinesTest, of_no_rows_are_none) {
  auto const found = lines_along_couplings(this->exec, BlockCsr<double, 2, TypeParam>(this->exec, {0}, {}));
  EXPECT_THAT(found.offsets, ::testing::ElementsAre(0));
  EXPECT_THAT(found.points, ::testing::IsEmpty());
}

TYPED_TEST(CouplingLinesTest, refuse_what_has_no_strengths) {
  auto a = random_csr(9, 2);
  auto const message = [&](const CouplingLinesOptions& options) {
    return message_of([&] { this->template lines_of<2>(a, options); });
  };
  EXPECT_THAT(message({.strong = 0.5}), HasSubstr("lines_along_couplings: strong is 0.5, expected a finite number"));
  EXPECT_THAT(message({.strong = std::numeric_limits<double>::quiet_NaN()}), HasSubstr("strong is nan"));
  for (double const value : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    auto const at = block_at(a, 4, 5);
    a.blocks[at](1, 0) = value;
    EXPECT_THAT(message({}), HasSubstr("lines_along_couplings: row 4 has a block in column 5 whose norm is "));
  }
  for (auto& block : a.blocks) block = DenseMatrix(2);
  EXPECT_THAT(message({}), HasSubstr("lines_along_couplings: all values of A are 0"));
}

}  // namespace
}  // namespace hyperplane::test
