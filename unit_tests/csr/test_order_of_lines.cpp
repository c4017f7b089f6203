// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/csr/lines_along_couplings.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>
#include <hyperplane/line/line_implicit_csr.hpp>
#include <limits>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"

// Preconditioners that take the rows line by line, or lines themselves.
namespace hyperplane::test {
namespace {

template <class Exec>
class OrderOfLines : public ::testing::Test {
 protected:
  Exec exec;

  /// RowOrder::lines is the list of lines_along_couplings().
  template <class Plan>
  void compare_with_list(const ReferenceCsr& reference) const {
    auto const a = to_device<double, 2, double>(exec, reference);
    auto const b = random_vector(a.rows() * 2);
    auto const points = lines_along_couplings(exec, a).points;
    Plan lines(exec, a, {.order = RowOrder::lines});
    Plan given(exec, a, {.order = RowOrder::given, .given_order = {points.begin(), points.end()}});
    EXPECT_TRUE(bitwise_equal(solve_csr_with<double>(exec, lines, a, b), solve_csr_with<double>(exec, given, a, b)));
    EXPECT_EQ(lines.forward_levels(), given.forward_levels());
    EXPECT_THAT(message_of([&] { Plan const both(exec, a, {.order = RowOrder::lines, .given_order = {0, 1}}); }),
                ::testing::HasSubstr("given_order has 2 rows, but the order is not RowOrder::given"));
  }
};
TYPED_TEST_SUITE(OrderOfLines, ExecutionSpaces, SpaceNames);

TYPED_TEST(OrderOfLines, is_their_list) {
  for (int const rows : {1, 60}) {
    auto const a = random_csr(rows, 2);
    this->template compare_with_list<BlockIlu0Csr<double, 2, TypeParam>>(a);
    this->template compare_with_list<BlockIlukCsr<double, 2, TypeParam>>(a);
    this->template compare_with_list<BlockIlutCsr<double, 2, TypeParam>>(a);
    this->template compare_with_list<DiluCsr<double, 2, TypeParam>>(a);
    this->template compare_with_list<SsorCsr<double, 2, TypeParam>>(a);
  }
}

TYPED_TEST(OrderOfLines, names_the_plan_whose_matrix_is_not_finite) {
  auto reference = random_csr(6, 2);
  reference.blocks[block_at(reference, 2, 3)](0, 1) = std::numeric_limits<double>::infinity();
  auto const a = to_device<double, 2, double>(this->exec, reference);
  EXPECT_THAT(
      message_of([&] { BlockIlu0Csr<double, 2, TypeParam> const ilu(this->exec, a, {.order = RowOrder::lines}); }),
      ::testing::HasSubstr("BlockIlu0Csr: row 2 has a block in column 3 whose norm is "));
}

/// Where couplings beside the lines are nothing, the lines are the matrix.
TYPED_TEST(OrderOfLines, lines_are_those_of_the_line_implicit_iteration) {
  Grid const grid(3, 2, 9);
  auto stencil = random_stencil(grid, 2);
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    for (auto const d : {Direction::west, Direction::east, Direction::south, Direction::north}) {
      stencil.block(p, d) = DenseMatrix(2);
    }
  }
  auto const reference = renumbered(to_csr(stencil), shuffled_numbers(static_cast<int>(grid.size()), 2));
  auto const a = to_device<double, 2, double>(this->exec, reference);
  auto const lines = lines_along_couplings(this->exec, a, {.strong = 1.0});
  LineImplicitCsr<double, 2, TypeParam> implicit(this->exec, a, LineSet::lists(a.rows(), lines.offsets, lines.points));
  EXPECT_EQ(implicit.lines().count(), 6);
  auto const b = random_vector(a.rows() * 2);
  auto const x = solve_csr_with<double>(this->exec, implicit, a, b);
  EXPECT_TRUE(near(reference.dense() * x, b, rounding<double>(200, 2)));
}

}  // namespace
}  // namespace hyperplane::test
