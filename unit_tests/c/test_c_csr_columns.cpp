// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "c/c_columns.hpp"
#include "c/c_csr_fixture.hpp"
#include "support/matchers.hpp"

// Several right-hand sides at a time, of general matrices.
namespace hyperplane::test {
namespace {

constexpr int column_rows = 60;

/// Right-hand sides or guesses, one column after another, of which the third right-hand side is zero.
std::vector<double> columns_of(int columns, int seed, bool with_zero) {
  std::vector<double> all;
  for (int v = 0; v < columns; ++v) {
    auto column = random_vector(column_rows, static_cast<unsigned>(seed + v));
    if (with_zero && v == 2) column.assign(column_rows, 0.0);
    all.insert(all.end(), column.begin(), column.end());
  }
  return all;
}

/// Each column has the solution and the iterations that it has alone, and the residual that it says.
void compare_columns(hyperplane_krylov krylov, hyperplane_matrix a, hyperplane_preconditioner m, const CMesh& mesh,
                     bool transposed, int columns) {
  auto const b = columns_of(columns, 3, true);
  auto const guess = columns_of(columns, 30, false);
  expect_columns_as_alone(krylov, a, m, b, guess, columns, 4, 1e-8,
                          [&](const std::vector<double>& x) { return mesh.apply(x, transposed); });
}

TEST_P(CRows, columns_are_solved_as_each_alone) {
  hyperplane_matrix at = nullptr;
  EXPECT_EQ(hyperplane_matrix_transpose(m_a, &at), HYPERPLANE_SUCCESS);
  for (auto const method : {HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES}) {
    auto* const krylov = make_krylov(method);
    auto const compare_with = [&](const std::string& name, const std::string& options) {
      SCOPED_TRACE(name + ", " + options);
      auto* const m = make(name, options);
      factor(m);
      hyperplane_preconditioner mt = nullptr;
      EXPECT_EQ(hyperplane_preconditioner_transpose(m, &mt), HYPERPLANE_SUCCESS);
      compare_columns(krylov, m_a, m, mesh, false, 3);
      compare_columns(krylov, at, mt, mesh, true, 3);
      hyperplane_free(mt);
      hyperplane_free(m);
    };
    for (std::string const name : {"jacobi", "bilu0", "ilut", "dilu"}) {
      for (std::string const storage : {"double", "half"}) compare_with(name, "transposed=1,storage=" + storage);
    }
    compare_with("lines", "transposed=1,line_sweeps=2,relaxation=0.9");
    for (int const columns : {1, 4, 5, 8}) compare_columns(krylov, m_a, nullptr, mesh, false, columns);
    hyperplane_free(krylov);
  }
  hyperplane_free(at);
}

TEST_P(CRows, a_column_that_is_not_finite_is_its_own) {
  auto* const krylov = make_krylov(HYPERPLANE_BICGSTAB);
  auto b = columns_of(5, 3, false), x = std::vector<double>(b.size(), 0.0);
  b[column_rows + 7] = std::numeric_limits<double>::infinity();
  std::vector<hyperplane_krylov_result> results(5);
  EXPECT_EQ(hyperplane_krylov_solve_columns(krylov, m_a, nullptr, 5, b.data(), x.data(),
                                            static_cast<std::int64_t>(x.size()), HYPERPLANE_HOST, results.data()),
            HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  for (int v = 0; v < 5; ++v) {
    auto const& found = results[static_cast<std::size_t>(v)];
    EXPECT_EQ(found.outcome, v == 1 ? HYPERPLANE_BREAKDOWN : HYPERPLANE_CONVERGED) << v;
    EXPECT_EQ(found.breakdown, v == 1 ? HYPERPLANE_BREAKDOWN_RIGHT_HAND_SIDE : HYPERPLANE_NO_BREAKDOWN) << v;
    if (v == 1) continue;
    EXPECT_TRUE(near(mesh.apply(column_of(x, column_rows, v)), column_of(b, column_rows, v), 1e-8)) << v;
  }
  // Of each by itself, within other limits.
  hyperplane_krylov_limits limits;
  EXPECT_EQ(hyperplane_krylov_get_limits(krylov, &limits), HYPERPLANE_SUCCESS);
  limits.max_iterations = 2;
  EXPECT_EQ(hyperplane_krylov_set_limits(krylov, &limits), HYPERPLANE_SUCCESS);
  b[column_rows + 7] = 1.0;
  x.assign(b.size(), 0.0);
  EXPECT_EQ(hyperplane_krylov_solve_columns(krylov, m_a, nullptr, 5, b.data(), x.data(),
                                            static_cast<std::int64_t>(x.size()), HYPERPLANE_HOST, results.data()),
            HYPERPLANE_SUCCESS);
  for (auto const& found : results) {
    EXPECT_EQ(found.outcome, HYPERPLANE_MAX_ITERATIONS);
    EXPECT_EQ(found.iterations, 2);
  }
  // Those of the last column.
  std::vector<double> norms(9);
  std::int64_t count = 0;
  EXPECT_EQ(hyperplane_krylov_history(krylov, norms.data(), 9, &count), HYPERPLANE_SUCCESS);
  EXPECT_EQ(count, 3);
  EXPECT_NEAR(norms[2], results.back().residual_norm, 1e-12);
  hyperplane_free(krylov);
}

TEST_P(CRows, columns_that_cannot_be_solved_are_refused) {
  auto const b = columns_of(2, 3, false);
  auto x = b;
  std::vector<hyperplane_krylov_result> results(2);
  auto const solve = [&](hyperplane_krylov krylov, int columns, std::int64_t count,
                         hyperplane_memory_space space = HYPERPLANE_HOST) {
    return hyperplane_krylov_solve_columns(krylov, m_a, nullptr, columns, b.data(), x.data(), count, space,
                                           results.data());
  };
  auto const invalid = HYPERPLANE_INVALID_ARGUMENT;
  auto* const bicgstab = make_krylov(HYPERPLANE_BICGSTAB);
  expect_failure(solve(bicgstab, 0, 120), invalid, "columns is 0, expected 1 or more");
  expect_failure(solve(bicgstab, 2, 60), HYPERPLANE_SIZE_MISMATCH, "count is 60, expected 120");
  expect_failure(solve(bicgstab, 2, 120, HYPERPLANE_DEVICE), invalid, "device memory");
  expect_failure(
      hyperplane_krylov_solve_columns(bicgstab, m_a, nullptr, 2, b.data(), x.data(), 120, HYPERPLANE_HOST, nullptr),
      HYPERPLANE_NULL_POINTER, "results is NULL");
  auto* const m = make("bilu0", "");
  expect_failure(
      hyperplane_krylov_solve_columns(bicgstab, m_a, m, 2, b.data(), x.data(), 120, HYPERPLANE_HOST, results.data()),
      invalid, "called before factor");
  auto* const richardson = make_krylov(HYPERPLANE_RICHARDSON);
  expect_failure(solve(richardson, 2, 120), invalid, "several right-hand sides are for BiCGStab and FGMRES");
  hyperplane_krylov_options options;
  EXPECT_EQ(hyperplane_krylov_options_init(&options), HYPERPLANE_SUCCESS);
  options.monitor = [](int, double, void*) { return 0; };
  hyperplane_krylov monitored = nullptr, on_grid = nullptr;
  EXPECT_EQ(hyperplane_csr_krylov_create(context, 30, 2, &options, &monitored), HYPERPLANE_SUCCESS);
  expect_failure(solve(monitored, 1, 60), invalid, "there is a monitor, expected none");
  EXPECT_EQ(hyperplane_krylov_create(context, {5, 3, 2}, 2, nullptr, &on_grid), HYPERPLANE_SUCCESS);
  expect_failure(solve(on_grid, 2, 120), invalid, "A is over ranks, of other points");
  EXPECT_TRUE(bitwise_equal(x, b));
  for (void* handle : {static_cast<void*>(on_grid), static_cast<void*>(monitored), static_cast<void*>(richardson),
                       static_cast<void*>(m), static_cast<void*>(bicgstab)}) {
    hyperplane_free(handle);
  }
}

}  // namespace
}  // namespace hyperplane::test
