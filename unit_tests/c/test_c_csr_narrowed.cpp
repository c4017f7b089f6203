// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "c/c_csr_fixture.hpp"
#include "c/c_fixture.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"

// Copies of general matrices that products read.
namespace hyperplane::test {
namespace {

class CNarrowedRows : public CRows {};

INSTANTIATE_TEST_SUITE_P(Backends, CNarrowedRows, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

TEST_P(CNarrowedRows, solutions_are_as_accurate_as_without) {
  auto* const narrowed = make_narrowed(m_a);
  auto* const transpose = transpose_of(narrowed);
  ASSERT_EQ(hyperplane_matrix_narrow(narrowed), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  for (std::string const storage : {"double", "float", "half"}) {
    auto* const m = make("bilu0", "transposed=1,storage=" + storage);
    ASSERT_EQ(hyperplane_preconditioner_factor(m, narrowed), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    hyperplane_preconditioner m_transpose = nullptr;
    ASSERT_EQ(hyperplane_preconditioner_transpose(m, &m_transpose), HYPERPLANE_SUCCESS);
    for (auto const method : {HYPERPLANE_RICHARDSON, HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES, HYPERPLANE_FGCRODR}) {
      SCOPED_TRACE(storage + ", method " + std::to_string(method));
      expect_solved(m, method, false, narrowed);
      expect_solved(m_transpose, method, true, transpose);
    }
    hyperplane_free(m_transpose);
    hyperplane_free(m);
  }
  hyperplane_free(transpose);
  hyperplane_free(narrowed);
}

TEST_P(CNarrowedRows, products_read_the_copy) {
  auto rounded = mesh.values;
  for (double& value : rounded) value = static_cast<float>(value);
  auto const csr = [&] {
    auto of_rounded = mesh.csr();
    of_rounded.values = rounded.data();
    return of_rounded;
  }();
  hyperplane_matrix floats = nullptr;
  ASSERT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &floats), HYPERPLANE_SUCCESS);
  auto* const narrowed = make_narrowed(m_a);
  ASSERT_EQ(hyperplane_matrix_narrow(narrowed), HYPERPLANE_SUCCESS);
  auto *const of_a = transpose_of(m_a), *const of_floats = transpose_of(floats),
              *const of_narrowed = transpose_of(narrowed);
  set(m_x, random_vector(rows));
  set(m_b, random_vector(rows));
  auto const product = [&](hyperplane_matrix a) {
    EXPECT_EQ(hyperplane_matrix_apply(a, m_x, m_y), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    return get(m_y);
  };
  auto const residual = [&](hyperplane_matrix a) {
    EXPECT_EQ(hyperplane_matrix_residual(a, m_b, m_x, m_y), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    return get(m_y);
  };
  EXPECT_FALSE(bitwise_equal(product(m_a), product(floats)));
  EXPECT_TRUE(bitwise_equal(product(narrowed), product(floats)));
  EXPECT_TRUE(bitwise_equal(product(of_narrowed), product(of_floats)));
  EXPECT_TRUE(bitwise_equal(residual(narrowed), residual(m_a)));
  EXPECT_TRUE(bitwise_equal(residual(of_narrowed), residual(of_a)));
  for (auto* const handle : {floats, narrowed, of_a, of_floats, of_narrowed}) hyperplane_free(handle);
}

TEST_P(CNarrowedRows, transposes_have_lists_of_blocks_once) {
  auto* const narrowed = make_narrowed(m_a);
  KokkosEvents const events;
  auto *const transpose = transpose_of(narrowed), *const of_a = transpose_of(m_a);
  auto* const of_transpose = make_narrowed(of_a);
  EXPECT_EQ(std::ranges::count(events.allocations(), "Hyperplane::TransposedBlockCsr::structure"), 6);
  for (auto* const handle : {of_transpose, of_a, transpose, narrowed}) hyperplane_free(handle);
}

TEST_P(CNarrowedRows, several_right_hand_sides) {
  constexpr int columns = 5;
  auto* const narrowed = make_narrowed(m_a);
  auto* const m = make("bilu0", "storage=float");
  ASSERT_EQ(hyperplane_matrix_narrow(narrowed), HYPERPLANE_SUCCESS);
  factor(m);
  auto const b = random_vector(columns * rows);
  for (auto const method : {HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES}) {
    auto* const krylov = make_krylov(method);
    std::vector<double> x(b.size(), 0.0);
    std::vector<hyperplane_krylov_result> results(columns);
    ASSERT_EQ(hyperplane_krylov_solve_columns(krylov, narrowed, m, columns, b.data(), x.data(), columns * rows,
                                              HYPERPLANE_HOST, results.data()),
              HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    for (int v = 0; v < columns; ++v) {
      EXPECT_EQ(results[static_cast<std::size_t>(v)].outcome, HYPERPLANE_CONVERGED);
      expect_small_residual({b.begin() + v * rows, b.begin() + (v + 1) * rows},
                            {x.begin() + v * rows, x.begin() + (v + 1) * rows}, false);
    }
    hyperplane_free(krylov);
  }
  hyperplane_free(m);
  hyperplane_free(narrowed);
}

TEST_P(CNarrowedRows, overflow_names_the_block) {
  auto* const narrowed = make_narrowed(m_a);
  auto values = mesh.values;
  values[4 * static_cast<std::size_t>(mesh.offsets[3]) + 2] = 1e40;
  ASSERT_EQ(hyperplane_matrix_set(m_a, values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_matrix_narrow(narrowed), HYPERPLANE_OVERFLOW,
                 "block of row 3 and column " +
                     std::to_string(mesh.columns[static_cast<std::size_t>(mesh.offsets[3])]) +
                     ": entry (1, 0) is 1e+40, more than the storage type of the copy holds");
  EXPECT_TRUE(bitwise_equal(values_of(m_a), values));
  expect_failure(hyperplane_matrix_apply(narrowed, m_b, m_x), HYPERPLANE_INVALID_ARGUMENT,
                 "the matrix has not been narrowed, or it could not be");
  expect_failure(hyperplane_matrix_set(narrowed, values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
                 HYPERPLANE_INVALID_ARGUMENT, "the matrix is narrowed: its blocks are those of the one");
  expect_failure(hyperplane_matrix_narrow(m_a), HYPERPLANE_INVALID_ARGUMENT, "the matrix has no copy");
  hyperplane_matrix short_copy = nullptr;
  expect_failure(hyperplane_matrix_create_narrowed(m_a, HYPERPLANE_STORAGE_HALF, &short_copy),
                 HYPERPLANE_INVALID_ARGUMENT,
                 "the matrix is in compressed rows, of which copies are HYPERPLANE_STORAGE_FLOAT alone");
  hyperplane_free(narrowed);
}

// Where solves have not converged, they say that the copy is of another matrix: here of -A.
TEST_P(CNarrowedRows, a_copy_that_is_not_that_of_the_matrix_is_the_cause) {
  auto* const narrowed = make_narrowed(m_a);
  auto const set_values = [&](double factor) {
    auto values = mesh.values;
    for (double& value : values) value *= factor;
    ASSERT_EQ(hyperplane_matrix_set(m_a, values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
  };
  set_values(-1.0);
  ASSERT_EQ(hyperplane_matrix_narrow(narrowed), HYPERPLANE_SUCCESS);
  set_values(1.0);
  auto* const krylov = make_krylov(HYPERPLANE_FGMRES);
  set(m_b, random_vector(rows));
  hyperplane_krylov_result result;
  EXPECT_EQ(hyperplane_krylov_solve(krylov, narrowed, nullptr, m_b, m_x, &result), HYPERPLANE_SUCCESS);
  EXPECT_NE(result.outcome, HYPERPLANE_CONVERGED);
  const char* cause = nullptr;
  EXPECT_EQ(hyperplane_krylov_cause(krylov, &cause), HYPERPLANE_SUCCESS);
  EXPECT_THAT(cause, ::testing::StrEq("the copy is not of A as it is now, but differs in block of row 0 and column 0"));
  hyperplane_free(krylov);
  hyperplane_free(narrowed);
}

}  // namespace
}  // namespace hyperplane::test
