// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_factor.hpp>
#include <hyperplane/ilu/detail/csr_ilu_products.hpp>
#include <hyperplane/ilu/detail/csr_ilu_row_elimination.hpp>
#include <hyperplane/ilu/detail/sort_few.hpp>
#include <random>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_reference.hpp"
#include "support/matchers.hpp"

// What incomplete factorizations of block CSR matrices are made of: lists of products, and rows without such lists,
// which hosts have for n = 1.
namespace hyperplane::test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Factors of a matrix on the host, row by row on the calling thread.
template <int n, class Storage>
class FactorsByRows {
 public:
  FactorsByRows(const ReferenceCsr& reference, int fill)
      : m_a(to_device<double, n, double>(Host(), reference)),
        m_structure(reference.offsets, reference.columns),
        m_order(natural_order(reference.rows())),
        m_blocks(Host(), m_structure, m_order, fill),
        m_products(m_blocks),
        m_singular(Host(), "test") {}

  const detail::CsrIluProducts& products() const { return m_products; }
  std::vector<double> by_lists() {
    return by(detail::CsrIluElimination<double, n, Storage, Ref>{input(), m_products.begin.data(),
                                                                 m_products.lower.data(), m_products.upper.data()});
  }
  std::vector<double> by_rows() {
    detail::CsrIluRowSpaces<double, n> spaces(1, m_order.rows.size(), m_blocks.widest());
    return by(detail::CsrIluRowElimination<double, n, Storage, Ref>{input(), &spaces});
  }

 private:
  using Matrix = BlockCsr<double, n, Host, double>;
  using Ref = typename Matrix::Ref;

  detail::CsrIluInput<double, n, Storage, Ref> input() {
    m_values.assign(m_blocks.columns.size() * n * n + block::Columns<double, n>::overrun, Storage(0));
    return {m_a.ref(), {m_blocks.lists(), m_values.data()}, m_blocks.sources.data()};
  }
  template <class Elimination>
  std::vector<double> by(const Elimination& elimination) {
    detail::CsrIluFactor<false, double, n, Host, Storage, Elimination> const kernel{
        elimination, m_singular.ref(), nullptr, {nullptr, 0, 1}, 0.0, {}};
    for (std::int64_t row = 0; row < m_blocks.rows(); ++row) kernel(row);
    EXPECT_FALSE(m_singular.find(Host()).has_value());
    return {m_values.begin(), m_values.end()};
  }

  Matrix m_a;
  detail::CsrColumns m_structure;
  detail::CsrIluOrder m_order;
  detail::CsrIluBlocks m_blocks;
  detail::CsrIluProducts m_products;
  detail::SingularPivotRecord<Host> m_singular;
  std::vector<Storage> m_values;
};

template <int n, class Storage = double>
void compare_rows_with_lists(const ReferenceCsr& reference, int fill) {
  FactorsByRows<n, Storage> factors(reference, fill);
  auto const expected = factors.by_lists();
  // Compilers choose for each which products they fuse with sums.
  EXPECT_TRUE(near(factors.by_rows(), expected, rounding<Storage>(100, n))) << reference.rows() << ", fill " << fill;

  auto const a = to_device<double, n, double>(Host(), reference);
  BlockIlukCsr<double, n, Host> const ilu(Host(), a, {.fill = fill});
  EXPECT_EQ(ilu.products(), static_cast<std::int64_t>(factors.products().lower.size()));
}

TEST(CsrIluLists, have_the_factors_of_rows) {
  for (int const fill : {0, 1, 3}) {
    for (int const rows : {1, 2, 37}) {
      compare_rows_with_lists<1>(random_csr(rows, 1), fill);
      compare_rows_with_lists<3>(shuffled(random_csr(rows, 3)), fill);
      compare_rows_with_lists<5>(banded_csr(rows, 5, 4), fill);
      compare_rows_with_lists<2, float>(random_csr(rows, 2), fill);
    }
  }
}

TEST(CsrPathOnCuda, is_a_launch_for_each_level_where_scalars_have_few_wide_ones) {
  using detail::choose_csr_path_cuda;
  EXPECT_EQ(choose_csr_path_cuda(1, 1'000'000, 2), CsrPath::portable);
  EXPECT_EQ(choose_csr_path_cuda(1, 1'000'000, 20), CsrPath::tickets);
  EXPECT_EQ(choose_csr_path_cuda(1, 20'000, 2), CsrPath::tickets);
  EXPECT_EQ(choose_csr_path_cuda(2, 1'000'000, 2), CsrPath::tickets);
  EXPECT_EQ(choose_csr_path_cuda(1, 0, 1), CsrPath::tickets);
}

// The choice is that of `automatic` alone.
TEST(CsrPathOnCuda, is_the_one_that_was_asked_for) {
  auto const& structure = random_csr(30, 1);
  Kokkos::DefaultHostExecutionSpace const host;
  detail::CsrIluOrder const order(natural_order(structure.rows()));
  detail::CsrColumns const columns(structure.offsets, structure.columns);
  detail::CsrIluPattern const of(order, detail::CsrIluBlocks(host, columns, order, 0),
                                 detail::CsrIluSequenceKind::by_levels);
  for (auto const path : {CsrPath::portable, CsrPath::team}) {
    EXPECT_EQ(detail::csr_path_of_plan(CsrPath::automatic, path, 1, of), path);
  }
  EXPECT_EQ(detail::csr_path_of_plan(CsrPath::tickets, CsrPath::tickets, 1, of), CsrPath::tickets);
}

TEST(SortFew, sorts) {
  std::mt19937 random(5);
  for (int count = 0; count < 40; ++count) {
    auto expected = natural_order(count);
    for (auto& value : expected) value = 7 * value - 100;
    auto values = expected;
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::ranges::shuffle(values, random);
      auto sorted = values;
      detail::sort_few(sorted.data(), sorted.size());
      EXPECT_EQ(sorted, expected);
    }
  }
}

}  // namespace
}  // namespace hyperplane::test
