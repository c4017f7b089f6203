// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// Copies of matrices that products read.
namespace hyperplane::test {
namespace {

class CNarrowed : public ::testing::TestWithParam<std::string> {
 protected:
  CSystem system{GetParam()};
  hyperplane_matrix narrowed = make_narrowed(system.a);

  ~CNarrowed() override { hyperplane_free(narrowed); }

  hyperplane_krylov_result solve(hyperplane_method method, hyperplane_matrix a, hyperplane_preconditioner m) const {
    hyperplane_krylov_options options;
    EXPECT_EQ(hyperplane_krylov_options_init(&options), HYPERPLANE_SUCCESS);
    options.method = method;
    options.tolerance = 1e-12;
    hyperplane_krylov krylov = nullptr;
    EXPECT_EQ(hyperplane_krylov_create(system.context, system.c_grid, CSystem::n, &options, &krylov),
              HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
    hyperplane_krylov_result result{};
    EXPECT_EQ(hyperplane_krylov_solve(krylov, a, m, system.b, system.x, &result), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_free(krylov), HYPERPLANE_SUCCESS);
    return result;
  }
  /// ||b - A x|| / ||b|| of what is in x, computed here.
  double residual() const {
    auto const product = system.reference.apply(system.get(system.x));
    double residual = 0.0, norm = 0.0;
    for (std::size_t row = 0; row < product.size(); ++row) {
      residual += (system.rhs[row] - product[row]) * (system.rhs[row] - product[row]);
      norm += system.rhs[row] * system.rhs[row];
    }
    return std::sqrt(residual / norm);
  }
  std::vector<double> product(hyperplane_matrix a) const {
    EXPECT_EQ(hyperplane_matrix_apply(a, system.b, system.x), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    return system.get(system.x);
  }
  std::vector<double> residual_with(hyperplane_matrix a) const {
    hyperplane_vector r = nullptr;
    EXPECT_EQ(hyperplane_vector_create(system.context, system.c_grid, CSystem::n, &r), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_matrix_residual(a, system.b, system.b, r), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    auto found = system.get(r);
    EXPECT_EQ(hyperplane_free(r), HYPERPLANE_SUCCESS);
    return found;
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, CNarrowed, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

TEST_P(CNarrowed, solutions_are_as_accurate_as_without) {
  ASSERT_EQ(hyperplane_matrix_narrow(narrowed), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  for (auto const method : {HYPERPLANE_RICHARDSON, HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES, HYPERPLANE_FGCRODR}) {
    SCOPED_TRACE(method);
    ASSERT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
    auto const expected = solve(method, system.a, system.m);
    EXPECT_EQ(expected.outcome, HYPERPLANE_CONVERGED);
    for (std::string const storage : {"double", "float", "half", "bfloat16", "quarter", "automatic"}) {
      SCOPED_TRACE(storage);
      auto* const m = system.named("bilu0", "storage=" + storage);
      ASSERT_EQ(hyperplane_preconditioner_factor(m, narrowed), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      auto const result = solve(method, narrowed, m);
      EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED);
      EXPECT_LE(residual(), 1.1e-12);
      bool const is_rough = storage == "bfloat16" || storage == "quarter";
      EXPECT_LE(result.iterations, (is_rough ? 2 : 1.5) * expected.iterations + 2);
      EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
    }
  }
}

// Where solves have not converged, they say that the copy is of another matrix: here of -A.
TEST_P(CNarrowed, a_copy_that_is_not_that_of_the_matrix_is_the_cause) {
  auto values = system.values(HYPERPLANE_ROW_MAJOR);
  for (double& value : values) value = -value;
  CSystem::set(system.a, values, HYPERPLANE_ROW_MAJOR);
  ASSERT_EQ(hyperplane_matrix_narrow(narrowed), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  CSystem::set(system.a, system.values(HYPERPLANE_ROW_MAJOR), HYPERPLANE_ROW_MAJOR);
  ASSERT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  // BiCGStab turns to A itself.
  hyperplane_krylov_options options;
  EXPECT_EQ(hyperplane_krylov_options_init(&options), HYPERPLANE_SUCCESS);
  options.method = HYPERPLANE_FGMRES;
  hyperplane_krylov krylov = nullptr;
  ASSERT_EQ(hyperplane_krylov_create(system.context, system.c_grid, CSystem::n, &options, &krylov), HYPERPLANE_SUCCESS);
  auto const cause_of = [&](hyperplane_matrix a, bool converges) {
    hyperplane_krylov_result result;
    const char* cause = nullptr;
    EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_krylov_solve(krylov, a, system.m, system.b, system.x, &result), HYPERPLANE_SUCCESS);
    EXPECT_EQ(result.outcome == HYPERPLANE_CONVERGED, converges);
    EXPECT_EQ(hyperplane_krylov_cause(krylov, &cause), HYPERPLANE_SUCCESS);
    return std::string(cause);
  };
  EXPECT_THAT(cause_of(narrowed, false), ::testing::StartsWith("the copy is not of A as it is now, but differs in "));
  ASSERT_EQ(hyperplane_matrix_narrow(narrowed), HYPERPLANE_SUCCESS);
  EXPECT_EQ(cause_of(narrowed, true), "");
  EXPECT_EQ(hyperplane_free(krylov), HYPERPLANE_SUCCESS);
}

TEST_P(CNarrowed, products_read_the_copy_and_residuals_the_matrix) {
  hyperplane_matrix floats = nullptr;
  ASSERT_EQ(hyperplane_matrix_create(system.context, system.c_grid, CSystem::n, HYPERPLANE_STORAGE_FLOAT, &floats),
            HYPERPLANE_SUCCESS);
  auto const values = system.values(HYPERPLANE_ROW_MAJOR);
  CSystem::set(floats, values, HYPERPLANE_ROW_MAJOR);
  ASSERT_EQ(hyperplane_matrix_narrow(narrowed), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  auto const exact = product(system.a);
  EXPECT_TRUE(bitwise_equal(product(narrowed), product(floats)));
  EXPECT_FALSE(bitwise_equal(product(narrowed), exact));
  EXPECT_TRUE(bitwise_equal(residual_with(narrowed), residual_with(system.a)));
  int parts[3], parts_of_narrowed[3];
  ASSERT_EQ(hyperplane_matrix_choose_parts(system.a, 2, parts), HYPERPLANE_SUCCESS);
  ASSERT_EQ(hyperplane_matrix_choose_parts(narrowed, 2, parts_of_narrowed), HYPERPLANE_SUCCESS);
  EXPECT_THAT(parts_of_narrowed, ::testing::ElementsAreArray(parts));
  auto *const of_a = transpose_of(system.a), *const of_floats = transpose_of(floats),
              *const of_narrowed = transpose_of(narrowed), *const of_transpose = make_narrowed(of_a);
  ASSERT_EQ(hyperplane_matrix_narrow(of_transpose), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  for (auto* const transposed : {of_narrowed, of_transpose}) {
    EXPECT_TRUE(bitwise_equal(product(transposed), product(of_floats)));
    EXPECT_TRUE(bitwise_equal(residual_with(transposed), residual_with(of_a)));
  }

  auto const doubled = [&] {
    auto result = values;
    for (double& value : result) value *= 2;
    return result;
  }();
  CSystem::set(system.a, doubled, HYPERPLANE_ROW_MAJOR);
  EXPECT_TRUE(bitwise_equal(product(narrowed), product(floats)));  // until it is narrowed again
  EXPECT_EQ(hyperplane_matrix_narrow(of_narrowed), HYPERPLANE_SUCCESS);
  CSystem::set(floats, doubled, HYPERPLANE_ROW_MAJOR);
  EXPECT_TRUE(bitwise_equal(product(narrowed), product(floats)));
  for (auto* const handle : {of_a, of_floats, of_narrowed, of_transpose, floats}) hyperplane_free(handle);
}

TEST_P(CNarrowed, copies_may_have_16_bits) {
  ASSERT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  auto* const of_a = transpose_of(system.a);
  auto const exact = product(system.a), exact_transposed = product(of_a);
  for (auto const storage : {HYPERPLANE_STORAGE_HALF, HYPERPLANE_STORAGE_BFLOAT16}) {
    SCOPED_TRACE(storage);
    auto* const copy = make_narrowed(system.a, storage);
    ASSERT_EQ(hyperplane_matrix_narrow(copy), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    auto* const transposed = transpose_of(copy);
    double const rounding = storage == HYPERPLANE_STORAGE_HALF ? 1e-3 : 8e-3;
    EXPECT_TRUE(near(product(copy), exact, rounding));
    EXPECT_FALSE(near(product(copy), exact, 1e-6));
    EXPECT_TRUE(near(product(transposed), exact_transposed, rounding));
    EXPECT_TRUE(bitwise_equal(residual_with(copy), residual_with(system.a)));
    for (auto const method : {HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES}) {
      EXPECT_EQ(solve(method, copy, system.m).outcome, HYPERPLANE_CONVERGED);
      EXPECT_LE(residual(), 1.1e-12);
    }
    auto* const floats = system.named("bilu0", "storage=float");
    expect_failure(hyperplane_preconditioner_factor(floats, copy), HYPERPLANE_INVALID_ARGUMENT,
                   "is stored in another type than the preconditioner's factors, which are of a matrix of float");
    for (void* const handle : {static_cast<void*>(floats), static_cast<void*>(transposed), static_cast<void*>(copy)}) {
      hyperplane_free(handle);
    }
  }
  hyperplane_free(of_a);
}

TEST_P(CNarrowed, overflow_names_the_block_and_keeps_the_matrix) {
  auto values = system.values(HYPERPLANE_ROW_MAJOR);
  std::size_t const point = 7, entry = 2;  // (2, 1, 0), entry (1, 0)
  auto& large = values[(point * 7 + HYPERPLANE_CENTER) * 4 + entry];
  double const small = large;
  large = -1e300;
  CSystem::set(system.a, values, HYPERPLANE_ROW_MAJOR);
  auto const overflows = [&] {
    expect_failure(hyperplane_matrix_narrow(narrowed), HYPERPLANE_OVERFLOW,
                   "block center of point (2, 1, 0): entry (1, 0) is -1e+300, more than the storage type of the copy");
  };
  overflows();
  expect_failure(hyperplane_matrix_apply(narrowed, system.b, system.x), HYPERPLANE_INVALID_ARGUMENT,
                 "the matrix has not been narrowed, or it could not be");
  auto kept = values;
  EXPECT_EQ(hyperplane_matrix_get(system.a, kept.data(), static_cast<std::int64_t>(kept.size()), HYPERPLANE_ROW_MAJOR,
                                  HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(kept, values));
  large = small;
  CSystem::set(system.a, values, HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_matrix_narrow(narrowed), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  product(narrowed);
  large = 1e300;
  CSystem::set(system.a, values, HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_matrix_narrow(narrowed), HYPERPLANE_OVERFLOW);
  EXPECT_EQ(hyperplane_vector_set(system.x, system.solution.data(), system.size(), HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  hyperplane_krylov_result result;
  expect_failure(hyperplane_krylov_solve(system.krylov, narrowed, nullptr, system.b, system.x, &result),
                 HYPERPLANE_INVALID_ARGUMENT, "the matrix has not been narrowed, or it could not be");
  EXPECT_TRUE(bitwise_equal(system.get(system.x), system.solution));
}

TEST_P(CNarrowed, misuse) {
  expect_failure(hyperplane_matrix_apply(narrowed, system.b, system.x), HYPERPLANE_INVALID_ARGUMENT,
                 "the matrix has not been narrowed, or it could not be");
  auto* const floats = system.named("bilu0", "storage=float");
  expect_failure(hyperplane_preconditioner_factor(floats, narrowed), HYPERPLANE_INVALID_ARGUMENT,
                 "the matrix has not been narrowed, or it could not be");
  hyperplane_free(floats);
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, narrowed), HYPERPLANE_SUCCESS);

  hyperplane_matrix made = nullptr;
  for (auto const storage : {HYPERPLANE_STORAGE_DOUBLE, HYPERPLANE_STORAGE_QUARTER, HYPERPLANE_STORAGE_AUTOMATIC}) {
    expect_failure(
        hyperplane_matrix_create_narrowed(system.a, storage, &made), HYPERPLANE_INVALID_ARGUMENT,
        "storage is " + std::to_string(storage) + ", expected 1 to 3: HYPERPLANE_STORAGE_FLOAT, _HALF or _BFLOAT16");
  }
  expect_failure(hyperplane_matrix_create_narrowed(nullptr, HYPERPLANE_STORAGE_FLOAT, &made), HYPERPLANE_NULL_POINTER,
                 "a is NULL");
  expect_failure(hyperplane_matrix_create_narrowed(system.a, HYPERPLANE_STORAGE_FLOAT, nullptr),
                 HYPERPLANE_NULL_POINTER, "narrowed is NULL");
  expect_failure(hyperplane_matrix_create_narrowed(narrowed, HYPERPLANE_STORAGE_FLOAT, &made),
                 HYPERPLANE_INVALID_ARGUMENT, "the matrix is narrowed already");
  expect_failure(hyperplane_matrix_narrow(system.a), HYPERPLANE_INVALID_ARGUMENT,
                 "the matrix has no copy: hyperplane_matrix_create_narrowed makes one that has");
  hyperplane_matrix stored = nullptr;
  ASSERT_EQ(hyperplane_matrix_create(system.context, system.c_grid, CSystem::n, HYPERPLANE_STORAGE_FLOAT, &stored),
            HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_matrix_create_narrowed(stored, HYPERPLANE_STORAGE_FLOAT, &made),
                 HYPERPLANE_INVALID_ARGUMENT, "the matrix is stored as float itself");
  EXPECT_EQ(made, nullptr);
  hyperplane_free(stored);

  auto values = system.values(HYPERPLANE_ROW_MAJOR);
  auto const count = static_cast<std::int64_t>(values.size());
  auto const message = "the matrix is narrowed: its blocks are those of the one that it was made of";
  expect_failure(hyperplane_matrix_set(narrowed, values.data(), count, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
                 HYPERPLANE_INVALID_ARGUMENT, message);
  expect_failure(hyperplane_matrix_get(narrowed, values.data(), count, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
                 HYPERPLANE_INVALID_ARGUMENT, message);
  std::vector<std::int8_t> const mask(static_cast<std::size_t>(system.grid.size()), 1);
  expect_failure(hyperplane_matrix_mask(narrowed, mask.data(), system.grid.size(), HYPERPLANE_HOST),
                 HYPERPLANE_INVALID_ARGUMENT, message);
}

}  // namespace
}  // namespace hyperplane::test
