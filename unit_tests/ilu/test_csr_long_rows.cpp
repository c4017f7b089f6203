// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/transposed_block_csr.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>
#include <random>
#include <string>
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
/// BILU(k), DILU, whose rows have no triangles, and ILUT that drops nothing are exact.
template <int n>
class Arrow {
 public:
  explicit Arrow(int rows) : m_rows(rows) {
    int const last = rows - 1;
    for (int row = 0; row < last; ++row) {
      add(row, 3.0);
      add(last, 0.0);
      m_offsets.push_back(std::ssize(m_columns));
    }
    for (int column = 0; column < last; ++column) add(column, 0.0);
    add(last, rows);
    m_offsets.push_back(std::ssize(m_columns));
  }

  std::int64_t size() const { return std::int64_t{m_rows} * n; }

  std::vector<double> product(const std::vector<double>& x) const {
    std::vector<double> y(x.size(), 0.0);
    for_each_entry([&](int equation, int unknown, double value) { y[equation] += value * x[unknown]; });
    return y;
  }
  std::vector<double> transposed_product(const std::vector<double>& x) const {
    std::vector<double> y(x.size(), 0.0);
    for_each_entry([&](int equation, int unknown, double value) { y[unknown] += value * x[equation]; });
    return y;
  }

  /// L D^-1 U, whose only entry is the last one.
  double dropped_product() const
    requires(n == 1)
  {
    std::size_t const last = m_rows - 1;
    double sum = 0.0;
    for (std::size_t row = 0; row < last; ++row) {
      sum += m_values[2 * last + row] * m_values[2 * row + 1] / m_values[2 * row];
    }
    return sum;
  }

  template <class Exec>
  BlockCsr<double, n, Exec> on(const Exec& exec) const {
    BlockCsr<double, n, Exec> const a(exec, m_offsets, m_columns);
    Kokkos::deep_copy(exec, a.values(), to_view<double>(exec, m_values));
    exec.fence();
    return a;
  }

 private:
  /// A block at random, and `diagonal` on its diagonal.
  void add(int column, double diagonal) {
    m_columns.push_back(column);
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) m_values.push_back((r == c ? diagonal : 0.0) + m_uniform(m_engine));
    }
  }

  template <class Take>
  void for_each_entry(const Take& take) const {
    auto value = m_values.begin();
    for (int row = 0; row < m_rows; ++row) {
      for (auto e = m_offsets[row]; e < m_offsets[row + 1]; ++e) {
        for (int r = 0; r < n; ++r) {
          for (int c = 0; c < n; ++c) take(row * n + r, m_columns[e] * n + c, *value++);
        }
      }
    }
  }

  int m_rows;
  std::mt19937_64 m_engine{11};
  std::uniform_real_distribution<double> m_uniform{-1.0, 1.0};
  std::vector<std::int64_t> m_offsets{0};
  std::vector<int> m_columns;
  std::vector<double> m_values;
};

constexpr int rows = 100'000;

TYPED_TEST(CsrLongRows, are_multiplied) {
  TypeParam const exec;
  Arrow<1> const reference(rows);
  auto const a = reference.on(exec);
  auto const values = random_vector(reference.size());
  auto const x = to_view<double>(exec, values), y = to_view<double>(exec, values);
  apply(exec, a, x, y);
  EXPECT_TRUE(near(to_host(y), reference.product(values), rounding<double>(100, 1)));
  apply(exec, transposed(exec, a), x, y);
  EXPECT_TRUE(near(to_host(y), reference.transposed_product(values), rounding<double>(100, 1)));
}

/// M is A, but for `dropped`, which it has more in its last entry; `options` but for paths.
template <class Plan>
void compare_solves(const std::string& what, const Arrow<Plan::block_size>& reference,
                    const typename Plan::Options& options, double dropped = 0.0) {
  using Exec = typename Plan::execution_space;
  Exec const exec;
  auto const a = reference.on(exec);
  auto const solution = random_vector(reference.size());
  auto b = reference.product(solution), b_transposed = reference.transposed_product(solution);
  b.back() += dropped * solution.back();
  b_transposed.back() += dropped * solution.back();
  for (auto const path : csr_paths_of<Exec>()) {
    auto with_path = options;
    with_path.path = path;
    with_path.transposed = true;
    Plan plan(exec, a, with_path);
    plan.factor(exec, a);
    EXPECT_TRUE(plan.status(exec).ok()) << what << ": " << plan.status(exec).message();
    EXPECT_EQ(plan.forward_levels(), 2) << what;
    auto const x = to_view<double>(exec, b), y = to_view<double>(exec, b_transposed);
    plan.solve(exec, x, x);
    EXPECT_TRUE(near(to_host(x), solution, rounding<double>(100, 1))) << what << ", path " << static_cast<int>(path);
    plan.solve_transposed(exec, y, y);
    EXPECT_TRUE(near(to_host(y), solution, rounding<double>(100, 1)))
        << what << ", M^T, path " << static_cast<int>(path);
  }
}

TYPED_TEST(CsrLongRows, are_factored_and_solved_with) {
  Arrow<1> const scalars(rows);
  compare_solves<BlockIlu0Csr<double, 1, TypeParam>>("BILU(0)", scalars, {});
  compare_solves<BlockIlukCsr<double, 1, TypeParam>>("BILU(1)", scalars, {.fill = 1});
  compare_solves<BlockIlutCsr<double, 1, TypeParam>>("ILUT", scalars, {.drop_tolerance = 0.0, .row_entries = rows});
  compare_solves<DiluCsr<double, 1, TypeParam>>("DILU", scalars, {});
  compare_solves<SsorCsr<double, 1, TypeParam>>("SSOR", scalars, {}, scalars.dropped_product());
  compare_solves<BlockIlu0Csr<double, 2, TypeParam>>("BILU(0), n = 2", Arrow<2>(rows), {});
}

}  // namespace
}  // namespace hyperplane::test
