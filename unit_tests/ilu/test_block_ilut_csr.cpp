// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <limits>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_ilut_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"

// ILUT(tau, p) of block CSR matrices: what is kept.
namespace hyperplane::test {
namespace {

template <class Exec>
class BlockIlutCsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlutCsrTest, ExecutionSpaces, SpaceNames);

constexpr int all_blocks = std::numeric_limits<int>::max();

std::vector<int> backwards(int rows) {
  auto order = natural_order(rows);
  std::ranges::reverse(order);
  return order;
}

template <int n, class Storage = double, class Exec>
void compare_solves(const Exec& exec, const ReferenceCsr& reference, double tau, int most) {
  auto const a = to_device<double, n, Storage>(exec, reference);
  auto const b = random_vector(std::int64_t{reference.rows()} * n);
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::given}) {
    auto const given = order == RowOrder::given ? backwards(reference.rows()) : std::vector<int>();
    auto const rows = given.empty() ? order_rows(order, reference.offsets, reference.columns) : given;
    ReferenceCsrIlut const expected(reference, rows, tau, most);
    auto const x = expected.solve(b);
    for (auto const path : csr_paths_of<Exec>()) {
      BlockIlutCsrOptions const options{
          .drop_tolerance = tau, .row_entries = most, .path = path, .order = order, .given_order = given};
      BlockIlutCsr<double, n, Exec, Storage> ilu(exec, a, options);
      EXPECT_TRUE(near(solve_csr_with<double>(exec, ilu, a, b), x, rounding<Storage>(100, n)))
          << n << ", tau " << tau << ", p " << most << ", order " << static_cast<int>(order) << ", path "
          << static_cast<int>(path);
      EXPECT_EQ(ilu.blocks(), expected.blocks()) << n << ", tau " << tau << ", p " << most;
    }
  }
}

TYPED_TEST(BlockIlutCsrTest, is_the_textbook_on_random_patterns_in_all_orders) {
  TypeParam const exec;
  for (double const tau : {0.0, 0.003, 0.05, 0.3}) {
    for (int const most : {0, 1, 3, all_blocks}) {
      compare_solves<1>(exec, random_csr(60, 1), tau, most);
      compare_solves<2>(exec, random_csr(40, 2), tau, most);
      compare_solves<3>(exec, shuffled(random_csr(30, 3)), tau, most);
    }
    compare_solves<4>(exec, random_csr(30, 4), tau, 2);
    compare_solves<5>(exec, to_csr(random_stencil(Grid(4, 3, 5), 5)), tau, 4);
  }
  compare_solves<5>(exec, random_csr(1, 5), 0.1, 3);
  compare_solves<9>(exec, random_csr(20, 9), 0.01, 3);
  compare_solves<16>(exec, random_csr(12, 16), 0.01, 3);
}

TYPED_TEST(BlockIlutCsrTest, stores_and_computes_in_other_types) {
  TypeParam const exec;
  compare_solves<2, float>(exec, random_csr(30, 2), 0.01, 3);
  compare_solves<5, float>(exec, random_csr(20, 5), 0.01, 3);
  auto const reference = random_csr(30, 3);
  auto const a = to_device<float, 3, float>(exec, reference);
  auto const b = random_vector(90);
  BlockIlutCsr<float, 3, TypeParam> ilu(exec, a, {.drop_tolerance = 0.01, .row_entries = 3});
  auto const expected = ReferenceCsrIlut(reference, natural_order(30), 0.01, 3).solve(b);
  EXPECT_TRUE(near(solve_csr_with<float>(exec, ilu, a, b), expected, rounding<float>(100, 3)));
}

/// M, from the inverse that the plan applies to unit vectors.
template <class Plan>
DenseMatrix product_of_factors(const typename Plan::execution_space& exec, const Plan& plan) {
  int const size = static_cast<int>(plan.rows()) * Plan::block_size;
  DenseMatrix inverse_m(size);
  for (int c = 0; c < size; ++c) {
    std::vector<double> unit(static_cast<std::size_t>(size), 0.0);
    unit[static_cast<std::size_t>(c)] = 1.0;
    auto const x = to_view<double>(exec, unit);
    plan.solve(exec, x, x);
    auto const column = to_host(x);
    for (int r = 0; r < size; ++r) inverse_m(r, c) = column[static_cast<std::size_t>(r)];
  }
  return inverse(inverse_m);
}

template <int n, class Exec>
void expect_exact(const Exec& exec, const ReferenceCsr& reference) {
  auto const a = to_device<double, n, double>(exec, reference);
  auto const solution = random_vector(std::int64_t{reference.rows()} * n);
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    BlockIlutCsr<double, n, Exec> ilut(exec, a,
                                       {.drop_tolerance = 0.0, .row_entries = reference.rows(), .order = order});
    EXPECT_TRUE(
        near(solve_csr_with<double>(exec, ilut, a, reference.dense() * solution), solution, rounding<double>(100, n)));
    EXPECT_TRUE(near(product_of_factors(exec, ilut).entries, reference.dense().entries, rounding<double>(200, n)));
    BlockIlukCsr<double, n, Exec> const iluk(exec, a, {.fill = all_blocks, .order = order});
    EXPECT_EQ(ilut.blocks(), iluk.blocks());
    EXPECT_EQ(ilut.products(), iluk.products());
    EXPECT_EQ(ilut.forward_levels(), iluk.forward_levels());
    EXPECT_EQ(ilut.backward_levels(), iluk.backward_levels());
  }
}

TYPED_TEST(BlockIlutCsrTest, is_exact_where_nothing_is_dropped) {
  TypeParam const exec;
  expect_exact<1>(exec, random_csr(40, 1));
  expect_exact<2>(exec, random_csr(25, 2));
  expect_exact<5>(exec, random_csr(12, 5));
  expect_exact<2>(exec, banded_csr(12, 2, 12));
}

TYPED_TEST(BlockIlutCsrTest, drops_what_is_small_beside_its_row) {
  TypeParam const exec;
  constexpr int n = 2, rows = 30;
  auto const reference = random_csr(rows, n);
  auto const a = to_device<double, n, double>(exec, reference);
  for (auto const order : {RowOrder::natural, RowOrder::colours}) {
    for (double const tau : {0.003, 0.03}) {
      BlockIlutCsr<double, n, TypeParam> ilu(exec, a,
                                             {.drop_tolerance = tau, .row_entries = all_blocks, .order = order});
      ilu.factor(exec, a);
      auto const rest = reference.dense() - product_of_factors(exec, ilu);
      int dropped = 0;
      for (int row = 0; row < rows; ++row) {
        auto const bound = tau * norm_of_row(reference, row);
        for (int column = 0; column < rows; ++column) {
          DenseMatrix block(n);
          for (int e = 0; e < n * n; ++e) block.entries[e] = rest(row * n + e / n, column * n + e % n);
          EXPECT_LT(frobenius(block), bound) << row << ", " << column;
          dropped += frobenius(block) > 1e-3 * bound ? 1 : 0;
        }
      }
      EXPECT_GT(dropped, rows / 4);
    }
  }
}

TYPED_TEST(BlockIlutCsrTest, drops_the_same_where_rows_are_multiplied) {
  TypeParam const exec;
  auto const reference = random_csr(50, 3);
  auto scaled = reference;
  for (int row = 0; row < 50; ++row) {
    for (auto e = scaled.offsets[row]; e < scaled.offsets[row + 1]; ++e) {
      for (auto& entry : scaled.blocks[e].entries) entry *= std::pow(4.0, row % 7 - 3);
    }
  }
  BlockIlutCsrOptions const options{.drop_tolerance = 0.02, .row_entries = 4};
  auto const a = to_device<double, 3, double>(exec, reference), b = to_device<double, 3, double>(exec, scaled);
  BlockIlutCsr<double, 3, TypeParam> of_a(exec, a, options), of_b(exec, b, options);
  of_a.factor(exec, a);
  of_b.factor(exec, b);
  EXPECT_EQ(of_a.blocks(), of_b.blocks());
  EXPECT_EQ(of_a.products(), of_b.products());
}

// Row 0 has three blocks behind the diagonal, of which two are equal and the other one is smaller; row 3 has three
// before it.
TYPED_TEST(BlockIlutCsrTest, keeps_the_largest_blocks_and_of_equal_ones_the_first) {
  TypeParam const exec;
  ReferenceCsr reference(1);
  std::vector<std::vector<double>> const rows = {{9, 1, 2, 2}, {0, 9, 0, 0}, {0, 0, 9, 0}, {2, 2, 3, 9}};
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) {
      if (rows[r][c] == 0) continue;
      DenseMatrix block(1);
      block(0, 0) = rows[r][c];
      reference.add(c, block);
    }
    reference.end_row();
  }
  auto const a = to_device<double, 1, double>(exec, reference);
  BlockIlutCsr<double, 1, TypeParam> ilu(exec, a, {.drop_tolerance = 0.0, .row_entries = 1});
  ilu.factor(exec, a);
  EXPECT_EQ(ilu.blocks(), 6);
  auto const m = product_of_factors(exec, ilu);
  // Row 0 keeps its block of column 2, the first of the equal ones; row 3 that of column 2, which is the largest.
  DenseMatrix expected(4);
  for (int r = 0; r < 4; ++r) expected(r, r) = 9.0;
  expected(0, 2) = 2.0;
  // It was eliminated with the block of column 0, too: 3 - 2 * 2 / 9.
  expected(3, 2) = 3.0 - 4.0 / 9.0;
  EXPECT_TRUE(near(m.entries, expected.entries, rounding<double>(20, 1)));
}

TYPED_TEST(BlockIlutCsrTest, takes_diagonal_matrices_and_full_rows_and_columns) {
  TypeParam const exec;
  ReferenceCsr diagonal(2), full(2);
  for (int row = 0; row < 20; ++row) {
    DenseMatrix block(2);
    for (int e = 0; e < 4; ++e) block.entries[e] = e % 3 == 0 ? 3.0 + row : 0.5;
    diagonal.add(row, block);
    diagonal.end_row();
    for (int column = 0; column < 20; ++column) {
      DenseMatrix other(2);
      for (int e = 0; e < 4; ++e) other.entries[e] = random_value(3, row * 80 + column * 4 + e);
      if (row == column) {
        full.add(column, block);
      } else if (row == 11 || column == 7) {
        full.add(column, other);
      }
    }
    full.end_row();
  }
  for (double const tau : {0.0, 0.02}) {
    for (int const most : {0, 3, all_blocks}) {
      compare_solves<2>(exec, diagonal, tau, most);
      compare_solves<2>(exec, full, tau, most);
    }
  }
}

TYPED_TEST(BlockIlutCsrTest, takes_a_matrix_without_rows) {
  TypeParam const exec;
  BlockCsr<double, 2, TypeParam> const a(exec, {0}, {});
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::given}) {
    BlockIlutCsr<double, 2, TypeParam> ilu(exec, a, {.order = order, .transposed = true});
    ilu.factor(exec, a);
    EXPECT_EQ(ilu.blocks(), 0);
    typename BlockCsr<double, 2, TypeParam>::Vector const x("x", 0);
    ilu.solve(exec, x, x);
    ilu.solve_transposed(exec, x, x);
    EXPECT_TRUE(ilu.status(exec).ok());
  }
}

}  // namespace
}  // namespace hyperplane::test
