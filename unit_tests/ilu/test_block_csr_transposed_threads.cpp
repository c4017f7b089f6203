// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/transposed_block_csr.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <set>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/views.hpp"

// Products with A^T and solves with M^T of block CSR matrices by any number of threads: the bits of one.
namespace hyperplane::test {
namespace {

#ifdef KOKKOS_ENABLE_OPENMP
/// A chain. From row `first` to row `end` - 1 rows have another column, `distance` behind them or, at its end, going on
/// from its begin.
ReferenceCsr chain_with_far_columns(int rows, int n, int first, int end, int distance) {
  ReferenceCsr a(n);
  std::int64_t counter = 0;
  for (int row = 0; row < rows; ++row) {
    std::set<int> columns{row};
    if (row >= first && row < end) columns.insert((row + distance) % rows);
    if (row > 0) columns.insert(row - 1);
    if (row + 1 < rows) columns.insert(row + 1);
    for (int const column : columns) {
      DenseMatrix block(n);
      for (auto& entry : block.entries) entry = random_value(5, counter++);
      for (int r = 0; r < n && column == row; ++r) block(r, r) += 8.0 * n;
      a.add(column, block);
    }
    a.end_row();
  }
  return a;
}

/// A grid's numbers where planes with even k come before those with odd k.
std::vector<int> even_planes_first(const Grid& grid) {
  std::vector<int> numbers(static_cast<std::size_t>(grid.size()));
  int next = 0;
  for (int const parity : {0, 1}) {
    for (std::int64_t p = 0; p < grid.size(); ++p) {
      if (grid.point(p).k % 2 == parity) numbers[static_cast<std::size_t>(p)] = next++;
    }
  }
  return numbers;
}

// Arrays without values need no address.
TEST(BlockCsrTransposedThreads, multiply_a_matrix_without_blocks) {
  using Matrix = BlockCsr<double, 2, Kokkos::OpenMP>;
  for (int const threads : {1, 4}) {
    Kokkos::OpenMP const exec(threads);
    auto const at = transposed(exec, Matrix(Matrix(exec, {0, 0, 0, 0}, {}).offsets(), {}, {}));
    ASSERT_TRUE(at.giving_rows().are_used(exec));
    auto const x = to_view<double>(exec, random_vector(6)), y = to_view<double>(exec, random_vector(6));
    apply(exec, at, x, y);
    EXPECT_TRUE(bitwise_equal(to_host(y), std::vector<double>(6, 0.0)));
  }
}

/// Products with a matrix of which few blocks cross, by as many threads as its lists are made for, fewer and more.
template <int n>
void compare_products_of_threads(const ReferenceCsr& csr) {
  auto const x = random_vector(std::int64_t{csr.rows()} * n, 1), b = random_vector(std::int64_t{csr.rows()} * n, 2);
  auto const expected = transposed_dense(csr.dense()) * x;
  std::vector<double> product, left;
  for (int const made_for : {1, 4}) {
    Kokkos::OpenMP const maker(made_for);
    auto const at = transposed(maker, to_device<double, n, double>(maker, csr));
    for (int const threads : {1, 2, 3, 4, 5}) {
      Kokkos::OpenMP const exec(threads);
      EXPECT_EQ(at.giving_rows().are_used(exec), threads <= made_for);
      auto const dx = to_view<double>(exec, x), y = to_view<double>(exec, b), r = to_view<double>(exec, b);
      apply(exec, at, dx, y);
      residual(exec, at, r, dx, r);
      if (product.empty()) {
        product = to_host(y);
        left = to_host(r);
        EXPECT_TRUE(near(product, expected, rounding<double>(20, n)));
      }
      EXPECT_TRUE(bitwise_equal(to_host(y), product)) << threads << " threads, lists for " << made_for;
      EXPECT_TRUE(bitwise_equal(to_host(r), left)) << threads << " threads, lists for " << made_for;
    }
  }
}

TEST(BlockCsrTransposedThreads, need_not_be_as_many_as_lists_are_made_for) {
  // Of four tiles the second one has rows 15 to 29: those in its middle give to a tile behind it, or before it.
  compare_products_of_threads<1>(chain_with_far_columns(61, 1, 18, 21, 30));
  compare_products_of_threads<3>(chain_with_far_columns(61, 3, 18, 27, 45));
  for (int const rows : {1, 2, 3}) {  // with four threads there are tiles without rows
    ReferenceCsr diagonal(3);
    for (int row = 0; row < rows; ++row) {
      diagonal.add(row, random_csr(1, 3, static_cast<unsigned>(row)).blocks.front());
      diagonal.end_row();
    }
    compare_products_of_threads<3>(diagonal);
  }
}

TEST(BlockCsrTransposedThreads, do_not_change_bits) {
  // Of the first grid and of the first chain few blocks are between the rows of two threads. Of the others many are:
  // threads sweep the grid. Rows of the chain wait for one another so much that one of two threads runs them alone, and
  // more than two take each column alone.
  Grid const grid(12, 11, 10);
  auto const stencil = to_csr(random_stencil(grid, 3));
  std::vector<ReferenceCsr> const matrices{stencil, to_csr(random_stencil(Grid(900, 1, 1), 3)),
                                           renumbered(stencil, even_planes_first(grid)),
                                           chain_with_far_columns(900, 3, 0, 900, 450)};
  for (auto const& csr : matrices) {
    bool const are_swept = &csr == &matrices[2], are_chained = &csr == &matrices[3];
    auto const a = to_device<double, 3, double>(Kokkos::OpenMP(), csr);
    auto const b = random_vector(a.rows() * 3);
    std::vector<double> solved, multiplied;
    for (int const threads : {1, 2, 3, 4}) {
      Kokkos::OpenMP const exec(threads);
      BlockIlu0Csr<double, 3, Kokkos::OpenMP> ilu(exec, a, {.transposed = true});
      ilu.factor(exec, a);
      auto const at = transposed(exec, a);
      EXPECT_EQ(at.giving_rows().are_used(exec), threads <= 2 || !are_chained) << threads << " threads";
      EXPECT_EQ(at.giving_rows().are_swept_by_a_team(), threads > 1 && are_swept) << threads << " threads";
      if (threads == 1) {
        EXPECT_FALSE(at.giving_rows().are_used(Kokkos::OpenMP(2)));
      }
      auto const x = to_view<double>(exec, b), y = to_view<double>(exec, b);
      ilu.solve_transposed(exec, x, x);
      apply(exec, at, x, y);
      residual(exec, at, x, y, x);
      if (threads == 1) {
        solved = to_host(x);
        multiplied = to_host(y);
      }
      EXPECT_TRUE(bitwise_equal(to_host(x), solved)) << threads << " threads";
      EXPECT_TRUE(bitwise_equal(to_host(y), multiplied)) << threads << " threads";
    }
  }
}
#endif

}  // namespace
}  // namespace hyperplane::test
