// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "c/c_csr_in_cpp.hpp"
#include "support/matchers.hpp"

// Pivots of general matrices that are replaced where that is asked for.
namespace hyperplane::test {
namespace {

/// The blocks on the diagonal of these rows are zero, and so are those for rows with lower numbers.
CMesh with_zero_pivots(CMesh mesh, const std::vector<int>& rows) {
  for (int const row : rows) {
    for (auto block = mesh.offsets[row]; block < mesh.offsets[row + 1]; ++block) {
      if (mesh.columns[block] <= row) std::fill_n(mesh.values.begin() + std::int64_t{block} * 4, 4, 0.0);
    }
  }
  return mesh;
}

TEST_P(CRows, pivots_are_replaced_where_that_is_asked_for) {
  auto const changed = with_zero_pivots(mesh, {3, 8});
  EXPECT_EQ(hyperplane_matrix_set(m_a, changed.values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  auto const b = random_vector(CRows::rows);
  std::int64_t count = -1, first = -1;
  auto const expect_replaced = [&](const std::string& name, const std::vector<double>& expected) {
    auto* const fails = make(name, "transposed=1");
    expect_failure(hyperplane_csr_preconditioner_replaced(fails, &count, &first), HYPERPLANE_INVALID_ARGUMENT,
                   "called before factor");
    EXPECT_EQ(hyperplane_preconditioner_factor(fails, m_a), HYPERPLANE_SUCCESS);
    expect_failure(hyperplane_preconditioner_check(fails), HYPERPLANE_SINGULAR_PIVOT, "singular pivot at row 3");
    EXPECT_EQ(hyperplane_csr_preconditioner_replaced(fails, &count, &first), HYPERPLANE_SUCCESS);
    EXPECT_EQ(count, 0);
    EXPECT_EQ(first, -1);
    hyperplane_free(fails);
    auto* const m = make(name, "transposed=1,pivot_shift=0.75");
    factor(m);
    EXPECT_EQ(hyperplane_csr_preconditioner_replaced(m, &count, &first), HYPERPLANE_SUCCESS);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(first, 3);
    set(m_b, b);
    EXPECT_EQ(hyperplane_preconditioner_solve(m, m_b, m_x), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(are_same(GetParam(), get(m_x), expected, 1e-11)) << name;
    hyperplane_preconditioner mt = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_transpose(m, &mt), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_csr_preconditioner_replaced(mt, &count, &first), HYPERPLANE_SUCCESS);
    EXPECT_EQ(count, 2);
    hyperplane_free(mt);
    hyperplane_free(m);
  };
  expect_replaced("bilu0", solve_in_cpp<BlockIlu0Csr<double, 2, Host>>(changed, {.pivot_shift = 0.75}, b));
  expect_replaced("iluk", solve_in_cpp<BlockIlukCsr<double, 2, Host>>(changed, {.pivot_shift = 0.75}, b));
  expect_replaced("ilut", solve_in_cpp<BlockIlutCsr<double, 2, Host>>(changed, {.pivot_shift = 0.75}, b));
  expect_replaced("dilu", solve_in_cpp<DiluCsr<double, 2, Host>>(changed, {.pivot_shift = 0.75}, b));
  expect_replaced("ssor", solve_in_cpp<SsorCsr<double, 2, Host>>(changed, {.pivot_shift = 0.75}, b));
  expect_replaced("jacobi", solve_in_cpp<BlockJacobiCsr<double, 2, Host>>(changed, {.pivot_shift = 0.75}, b));
}

TEST_P(CRows, replaced_pivots_solve_systems_that_fail_without) {
  auto const changed = with_zero_pivots(mesh, {3, 8});
  EXPECT_EQ(hyperplane_matrix_set(m_a, changed.values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  auto const solution = random_vector(CRows::rows);
  set(m_b, changed.apply(solution));
  auto options = standard_options();
  options.pivot_shift = 0.75;
  auto* const m = make(&options);
  factor(m);
  auto* const krylov = make_krylov(HYPERPLANE_FGMRES);
  hyperplane_krylov_result result;
  EXPECT_EQ(hyperplane_krylov_solve(krylov, m_a, m, m_b, m_x, &result), HYPERPLANE_SUCCESS);
  EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED);
  EXPECT_TRUE(near(get(m_x), solution, 1e-7));
  hyperplane_free(krylov);
  hyperplane_free(m);
}

TEST_P(CRows, shifts_that_cannot_be_are_named) {
  hyperplane_preconditioner m = nullptr;
  auto options = standard_options();
  options.pivot_shift = -1.0;
  expect_failure(hyperplane_csr_preconditioner_create(m_a, &options, &m), HYPERPLANE_INVALID_ARGUMENT,
                 "pivot_shift is -1, expected a finite number, 0 or more");
  options.pivot_shift = std::numeric_limits<double>::quiet_NaN();
  expect_failure(hyperplane_csr_preconditioner_create(m_a, &options, &m), HYPERPLANE_INVALID_ARGUMENT,
                 "pivot_shift is nan, expected a finite number, 0 or more");
  expect_failure(hyperplane_csr_preconditioner_create_named(m_a, "identity", "pivot_shift=0.1", &m),
                 HYPERPLANE_INVALID_ARGUMENT, "identity has no option 'pivot_shift'");
  std::int64_t count = 0, first = 0;
  expect_failure(hyperplane_csr_preconditioner_replaced(nullptr, &count, &first), HYPERPLANE_NULL_POINTER,
                 "preconditioner is NULL");
  m = make("ssor", "");
  factor(m);
  expect_failure(hyperplane_csr_preconditioner_replaced(m, nullptr, &first), HYPERPLANE_NULL_POINTER, "count is NULL");
  expect_failure(hyperplane_csr_preconditioner_replaced(m, &count, nullptr), HYPERPLANE_NULL_POINTER, "first is NULL");
  EXPECT_EQ(hyperplane_csr_preconditioner_replaced(m, &count, &first), HYPERPLANE_SUCCESS);
  EXPECT_EQ(count, 0);
  hyperplane_free(m);
}

TEST_P(CRows, a_wrong_number_of_values_is_named) {
  auto csr = mesh.csr();
  hyperplane_matrix a = nullptr;
  csr.value_count = value_count();
  EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &a), HYPERPLANE_SUCCESS);
  csr.value_count -= 4;
  auto const message = "value_count is " + std::to_string(csr.value_count) + ", expected " +
                       std::to_string(value_count()) + ": " + std::to_string(csr.entries) + " entries of 2 x 2";
  expect_failure(hyperplane_matrix_set_csr(a, &csr, HYPERPLANE_HOST), HYPERPLANE_SIZE_MISMATCH, message);
  hyperplane_free(a);
  expect_failure(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &a), HYPERPLANE_SIZE_MISMATCH, message);
}

TEST_P(CRows, what_a_number_of_values_does_not_go_with_is_named_instead) {
  for (std::int64_t const count : {-1, 7}) {
    auto const refused = [&](std::int64_t entries, int block_size, hyperplane_status status, const char* message) {
      auto csr = mesh.csr();
      csr.value_count = count;
      csr.entries = entries;
      csr.block_size = block_size;
      hyperplane_matrix a = nullptr;
      expect_failure(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &a), status, message);
    };
    constexpr auto invalid = HYPERPLANE_INVALID_ARGUMENT;
    refused(mesh.csr().entries, 0, HYPERPLANE_SIZE_MISMATCH, "block_size is 0, expected 1 or more");
    refused(-1, 2, invalid, "entries is -1, expected 0 to 2305843009213693951");
    refused(std::numeric_limits<std::int64_t>::max(), 2, invalid,
            "entries is 9223372036854775807, expected 0 to 2305843009213693951");
  }
}

}  // namespace
}  // namespace hyperplane::test
