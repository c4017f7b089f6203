// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/transposed_block_csr.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <random>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/views.hpp"

// A row with 10^5 entries, and a column that has as many.
namespace hyperplane::test {
namespace {

template <class Exec>
class CsrLongRows : public ::testing::Test {};
TYPED_TEST_SUITE(CsrLongRows, ExecutionSpaces, SpaceNames);

/// An arrow: a diagonal, and a last row and a last column without zeros. Its LU factorization has no fill, so that
/// BILU(0) is exact.
class Arrow {
 public:
  explicit Arrow(int rows) : m_rows(rows) {
    std::mt19937_64 engine(11);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    int const last = rows - 1;
    for (int row = 0; row < last; ++row) {
      add(row, 3.0 + uniform(engine));
      add(last, uniform(engine));
      m_offsets.push_back(std::ssize(m_columns));
    }
    for (int column = 0; column < last; ++column) add(column, uniform(engine));
    add(last, rows);
    m_offsets.push_back(std::ssize(m_columns));
  }

  int rows() const { return m_rows; }

  std::vector<double> product(const std::vector<double>& x) const {
    std::vector<double> y(x.size(), 0.0);
    for_each_entry([&](int row, int column, double value) { y[row] += value * x[column]; });
    return y;
  }
  std::vector<double> transposed_product(const std::vector<double>& x) const {
    std::vector<double> y(x.size(), 0.0);
    for_each_entry([&](int row, int column, double value) { y[column] += value * x[row]; });
    return y;
  }

  template <class Exec>
  BlockCsr<double, 1, Exec> on(const Exec& exec) const {
    BlockCsr<double, 1, Exec> const a(exec, m_offsets, m_columns);
    Kokkos::deep_copy(exec, a.values(), to_view<double>(exec, m_values));
    exec.fence();
    return a;
  }

 private:
  void add(int column, double value) {
    m_columns.push_back(column);
    m_values.push_back(value);
  }

  template <class Take>
  void for_each_entry(const Take& take) const {
    for (int row = 0; row < m_rows; ++row) {
      for (auto e = m_offsets[row]; e < m_offsets[row + 1]; ++e) take(row, m_columns[e], m_values[e]);
    }
  }

  int m_rows;
  std::vector<std::int64_t> m_offsets{0};
  std::vector<int> m_columns;
  std::vector<double> m_values;
};

Arrow arrow() { return Arrow(100'000); }

TYPED_TEST(CsrLongRows, are_multiplied) {
  TypeParam const exec;
  auto const reference = arrow();
  auto const a = reference.on(exec);
  auto const values = random_vector(reference.rows());
  auto const x = to_view<double>(exec, values), y = to_view<double>(exec, values);
  apply(exec, a, x, y);
  EXPECT_TRUE(near(to_host(y), reference.product(values), rounding<double>(100, 1)));
  apply(exec, transposed(exec, a), x, y);
  EXPECT_TRUE(near(to_host(y), reference.transposed_product(values), rounding<double>(100, 1)));
}

TYPED_TEST(CsrLongRows, are_factored_and_solved_with) {
  TypeParam const exec;
  auto const reference = arrow();
  auto const a = reference.on(exec);
  auto const solution = random_vector(reference.rows());
  for (auto const path : csr_paths_of<TypeParam>()) {
    BlockIlu0Csr<double, 1, TypeParam> ilu(exec, a, {.path = path, .transposed = true});
    EXPECT_EQ(ilu.forward_levels(), 2);
    ilu.factor(exec, a);
    EXPECT_TRUE(ilu.status(exec).ok()) << ilu.status(exec).message();
    auto const x = to_view<double>(exec, reference.product(solution));
    ilu.solve(exec, x, x);
    EXPECT_TRUE(near(to_host(x), solution, rounding<double>(100, 1))) << "path " << static_cast<int>(path);
    auto const y = to_view<double>(exec, reference.transposed_product(solution));
    ilu.solve_transposed(exec, y, y);
    EXPECT_TRUE(near(to_host(y), solution, rounding<double>(100, 1))) << "M^T, path " << static_cast<int>(path);
  }
}

}  // namespace
}  // namespace hyperplane::test
