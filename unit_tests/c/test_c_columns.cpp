// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "c/c_grid_columns.hpp"
#include "support/matchers.hpp"

// Several right-hand sides at a time, on grids.
namespace hyperplane::test::grid_columns {
namespace {

INSTANTIATE_TEST_SUITE_P(Backends, CColumns, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

struct Case {
  int n;
  Grid grid;
  std::vector<std::string> preconditioners;
};

TEST_P(CColumns, are_solved_as_each_alone) {
  // Those without a solve for several, in parts, and of every storage.
  std::vector<Case> const cases{
      {1, Grid(7, 5, 3), {"sip", "bilu0 storage=automatic", "bilu0 path=portable,right_hand_sides=2"}},
      {1, Grid(1, 1, 1), {"bilu0"}},
      {2,
       Grid(5, 4, 3),
       {"identity", "jacobi", "bilu0 storage=half", "bilu0 parts=2x1x1,coupling=natural", "ssor parts=1x2x1", "lines"}},
      {5, Grid(3, 9, 2), {"bilu0", "ssor storage=bfloat16", "bilu0 folded=ijk"}}};
  for (auto const& [n, grid, preconditioners] : cases) {
    if (hyperplane_has_block_size(n) == 0) continue;
    Grids const on(GetParam(), n, grid);
    for (auto const method : {HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES}) {
      auto* const krylov = on.make_krylov(method);
      for (auto const& name : preconditioners) {
        SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n) + ", " + name);
        auto const end = std::min(name.find(' '), name.size());
        auto* const m = on.make(name.substr(0, end), name.substr(std::min(end + 1, name.size())), on.a);
        on.compare(krylov, on.a, m, name == preconditioners.front() ? 5 : 3);
        hyperplane_preconditioner mt = nullptr;
        EXPECT_EQ(hyperplane_preconditioner_transpose(m, &mt), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
        on.compare(krylov, on.at, mt, name == preconditioners.front() ? 3 : 2);
        hyperplane_free(mt);
        hyperplane_free(m);
      }
      for (int const columns : {1, 4}) on.compare(krylov, on.a, nullptr, columns);
      hyperplane_free(krylov);
    }
  }
}

TEST_P(CColumns, narrowed_matrices_have_accurate_solutions) {
  Grids const on(GetParam(), 2, Grid(5, 4, 3));
  auto* const narrowed = make_narrowed(on.a);
  auto* const of_transpose = make_narrowed(on.at);
  auto* const m = on.make("bilu0", "storage=half", on.a);
  hyperplane_preconditioner mt = nullptr;
  EXPECT_EQ(hyperplane_preconditioner_transpose(m, &mt), HYPERPLANE_SUCCESS);
  auto const b = random_vector(4 * on.rows);
  for (auto const method : {HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES}) {
    auto* const krylov = on.make_krylov(method);
    for (bool const transposed : {false, true}) {
      auto* const matrix = transposed ? of_transpose : narrowed;
      EXPECT_EQ(hyperplane_matrix_narrow(matrix), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      std::vector<double> x(b.size(), 0.0);
      std::vector<hyperplane_krylov_result> results(4);
      EXPECT_EQ(on.solve(krylov, matrix, transposed ? mt : m, b, x, results), HYPERPLANE_SUCCESS)
          << hyperplane_last_error_message();
      for (int v = 0; v < 4; ++v) {
        EXPECT_EQ(results[static_cast<std::size_t>(v)].outcome, HYPERPLANE_CONVERGED) << v;
        auto const product = (transposed ? on.adjoint : on.reference).apply(on.column(x, v));
        EXPECT_TRUE(near(product, on.column(b, v), 20 * tolerance)) << v;
      }
    }
    hyperplane_free(krylov);
  }
  for (void* handle : {static_cast<void*>(mt), static_cast<void*>(m), static_cast<void*>(of_transpose),
                       static_cast<void*>(narrowed)}) {
    hyperplane_free(handle);
  }
}

// Nor is it in the padding of the next solve.
TEST_P(CColumns, what_is_not_finite_is_of_its_column) {
  Grids const on(GetParam(), 2, Grid(5, 4, 3));
  auto* const m = on.make("bilu0", "", on.a);
  for (auto const method : {HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES}) {
    auto* const krylov = on.make_krylov(method);
    auto const b = random_vector(4 * on.rows);
    auto broken = b;
    broken[static_cast<std::size_t>(on.rows) + 7] = std::numeric_limits<double>::infinity();
    std::vector<double> first(b.size(), 0.0), x = first, guess = first, again = first;
    guess[5] = std::numeric_limits<double>::quiet_NaN();
    std::vector<hyperplane_krylov_result> results(4);
    EXPECT_EQ(on.solve(krylov, on.a, m, b, first, results), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(on.solve(krylov, on.a, m, broken, guess, results), HYPERPLANE_SUCCESS);
    EXPECT_EQ(results[0].breakdown, HYPERPLANE_BREAKDOWN_INITIAL_GUESS);
    EXPECT_EQ(results[1].breakdown, HYPERPLANE_BREAKDOWN_RIGHT_HAND_SIDE);
    for (std::size_t const v : {2, 3}) {
      EXPECT_EQ(results[v].outcome, HYPERPLANE_CONVERGED) << v;
      EXPECT_TRUE(bitwise_equal(on.column(guess, static_cast<int>(v)), on.column(first, static_cast<int>(v)))) << v;
    }
    EXPECT_EQ(on.solve(krylov, on.a, m, b, again, results), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(bitwise_equal(again, first));
    hyperplane_free(krylov);
  }
  hyperplane_free(m);
}

TEST_P(CColumns, that_cannot_be_solved_are_refused) {
  Grids const on(GetParam(), 1, Grid(5, 3, 2));
  auto const b = random_vector(2 * on.rows);
  auto x = b;
  auto const invalid = HYPERPLANE_INVALID_ARGUMENT;
  std::vector<hyperplane_krylov_result> results(2);
  auto const fails = [&](hyperplane_krylov krylov, hyperplane_matrix a, hyperplane_preconditioner m,
                         hyperplane_status status, const std::string& message) {
    expect_failure(on.solve(krylov, a, m, b, x, results), status, message);
  };
  auto* const bicgstab = on.make_krylov(HYPERPLANE_BICGSTAB);
  auto* const m = on.make("bilu0", "", nullptr);
  fails(bicgstab, on.a, m, invalid, "called before factor");
  auto* const narrowed = make_narrowed(on.a);
  fails(bicgstab, narrowed, nullptr, invalid, "the matrix has not been narrowed, or it could not be");
  hyperplane_matrix other = nullptr;
  EXPECT_EQ(hyperplane_matrix_create(on.context, {5, 3, 1}, 1, HYPERPLANE_STORAGE_DOUBLE, &other), HYPERPLANE_SUCCESS);
  fails(bicgstab, other, nullptr, HYPERPLANE_SIZE_MISMATCH, "A is 5x3x1 x 1, expected 5x3x2 x 1");
  for (auto const method : {HYPERPLANE_RICHARDSON, HYPERPLANE_FGCRODR}) {
    auto* const krylov = on.make_krylov(method);
    fails(krylov, on.a, nullptr, invalid, "several right-hand sides are for BiCGStab and FGMRES");
    hyperplane_free(krylov);
  }
  auto* const monitored = on.make_krylov(HYPERPLANE_FGMRES, [](int, double, void*) { return 0; });
  fails(monitored, on.a, nullptr, invalid, "there is a monitor, expected none");
  expect_failure(hyperplane_krylov_solve_columns(bicgstab, on.a, nullptr, 2, b.data(), x.data(), on.rows,
                                                 HYPERPLANE_HOST, results.data()),
                 HYPERPLANE_SIZE_MISMATCH, "count is 30, expected 60");
  expect_failure(hyperplane_krylov_solve_columns(bicgstab, on.a, nullptr, 2, b.data(), x.data(), 2 * on.rows,
                                                 HYPERPLANE_DEVICE, results.data()),
                 invalid, "device memory");
  EXPECT_TRUE(bitwise_equal(x, b));
  for (void* handle : {static_cast<void*>(monitored), static_cast<void*>(other), static_cast<void*>(narrowed),
                       static_cast<void*>(m), static_cast<void*>(bicgstab)}) {
    hyperplane_free(handle);
  }
}

}  // namespace
}  // namespace hyperplane::test::grid_columns
