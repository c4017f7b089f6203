// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>

#include <string>
#include <vector>

#include "c/c_csr_in_cpp.hpp"
#include "support/matchers.hpp"

// What factors of general matrices are stored in.
namespace hyperplane::test {
namespace {

hyperplane_storage storage_of(hyperplane_preconditioner m) {
  hyperplane_storage storage = HYPERPLANE_STORAGE_DOUBLE;
  EXPECT_EQ(hyperplane_preconditioner_storage(m, &storage), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  return storage;
}

TEST_P(CRows, factors_have_the_storage_that_is_asked_for) {
  auto const b = random_vector(CRows::rows);
  auto const expect = [&](const std::string& name, const std::string& options, hyperplane_storage storage,
                          const std::vector<double>& expected) {
    auto* const m = make(name, options);
    EXPECT_EQ(storage_of(m), storage);
    factor(m);
    set(m_b, b);
    EXPECT_EQ(hyperplane_preconditioner_solve(m, m_b, m_x), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(are_same(GetParam(), get(m_x), expected, 1e-3)) << name << ", " << options;
    hyperplane_free(m);
  };
  expect("bilu0", "storage=half", HYPERPLANE_STORAGE_HALF,
         solve_in_cpp<BlockIlu0Csr<double, 2, Host, Half>>(mesh, {}, b));
  expect("iluk", "fill=1,storage=bfloat16", HYPERPLANE_STORAGE_BFLOAT16,
         solve_in_cpp<BlockIlukCsr<double, 2, Host, BFloat16>>(mesh, {.fill = 1}, b));
  expect("ilut", "storage=half", HYPERPLANE_STORAGE_HALF,
         solve_in_cpp<BlockIlutCsr<double, 2, Host, Half>>(mesh, {}, b));
  expect("bilu0", "storage=quarter", HYPERPLANE_STORAGE_QUARTER,
         solve_in_cpp<BlockIlu0Csr<double, 2, Host, Quarter>>(mesh, {}, b));
  expect("iluk", "fill=1,storage=quarter", HYPERPLANE_STORAGE_QUARTER,
         solve_in_cpp<BlockIlukCsr<double, 2, Host, Quarter>>(mesh, {.fill = 1}, b));
  expect("ilut", "storage=quarter", HYPERPLANE_STORAGE_QUARTER,
         solve_in_cpp<BlockIlutCsr<double, 2, Host, Quarter>>(mesh, {}, b));
  expect("jacobi", "storage=float", HYPERPLANE_STORAGE_FLOAT,
         solve_in_cpp<BlockJacobiCsr<double, 2, Host, float>>(mesh, {}, b));
  expect("ssor", "relaxation=1.2,storage=half", HYPERPLANE_STORAGE_HALF,
         solve_in_cpp<SsorCsr<double, 2, Host, Half>>(mesh, {.relaxation = 1.2}, b));
  expect("dilu", "storage=bfloat16", HYPERPLANE_STORAGE_BFLOAT16,
         solve_in_cpp<DiluCsr<double, 2, Host, BFloat16>>(mesh, {}, b));
  expect("dilu", "storage=float", HYPERPLANE_STORAGE_FLOAT, solve_in_cpp<DiluCsr<double, 2, Host, float>>(mesh, {}, b));
  expect("ssor", "relaxation=1.2,storage=float", HYPERPLANE_STORAGE_FLOAT,
         solve_in_cpp<SsorCsr<double, 2, Host, float>>(mesh, {.relaxation = 1.2}, b));
  expect("dilu", "storage=double", HYPERPLANE_STORAGE_DOUBLE, [&] {
    auto* const m = make("dilu", "");
    factor(m);
    set(m_b, b);
    EXPECT_EQ(hyperplane_preconditioner_solve(m, m_b, m_y), HYPERPLANE_SUCCESS);
    hyperplane_free(m);
    return get(m_y);
  }());
}

TEST_P(CRows, the_first_matrix_chooses_a_storage) {
  auto options = standard_options();
  options.storage = HYPERPLANE_STORAGE_AUTOMATIC;
  options.transposed = 1;
  auto* const m = make(&options);
  hyperplane_storage storage = HYPERPLANE_STORAGE_DOUBLE;
  expect_failure(hyperplane_preconditioner_storage(m, &storage), HYPERPLANE_INVALID_ARGUMENT, "called before factor");
  factor(m);
  EXPECT_EQ(storage_of(m), HYPERPLANE_STORAGE_HALF);
  auto const b = random_vector(CRows::rows);
  set(m_b, b);
  EXPECT_EQ(hyperplane_preconditioner_solve(m, m_b, m_x), HYPERPLANE_SUCCESS);
  auto const expected = solve_in_cpp<BlockIlu0Csr<double, 2, Host, Half>>(mesh, {}, b);
  EXPECT_TRUE(are_same(GetParam(), get(m_x), expected, 1e-3));
  hyperplane_free(m);
  auto* const dilu = make("dilu", "storage=automatic");
  factor(dilu);
  EXPECT_EQ(storage_of(dilu), HYPERPLANE_STORAGE_HALF);
  hyperplane_free(dilu);
  auto* const exact = make("ilut", "storage=automatic,storage_fraction=0");
  factor(exact);
  EXPECT_EQ(storage_of(exact), HYPERPLANE_STORAGE_DOUBLE);
  hyperplane_free(exact);
}

TEST_P(CRows, storages_that_cannot_be_are_named) {
  hyperplane_preconditioner m = nullptr;
  expect_failure(hyperplane_csr_preconditioner_create_named(m_a, "lines", "storage=float", &m),
                 HYPERPLANE_INVALID_ARGUMENT,
                 "storage is 'float', which lines has not, but jacobi and ssor and dilu and bilu0 and iluk and ilut");
  expect_failure(hyperplane_csr_preconditioner_create_named(m_a, "identity", "storage=half", &m),
                 HYPERPLANE_INVALID_ARGUMENT,
                 "storage is 'half', which identity has not, but jacobi and ssor and dilu");
  expect_failure(hyperplane_csr_preconditioner_create_named(m_a, "dilu", "storage=quarter", &m),
                 HYPERPLANE_INVALID_ARGUMENT, "storage is 'quarter', which dilu has not, but bilu0 and iluk and ilut");
  expect_failure(hyperplane_csr_preconditioner_create_named(m_a, "bilu0", "storage_fraction=0.1", &m),
                 HYPERPLANE_INVALID_ARGUMENT, "storage_fraction is '0.1', and storage is not automatic");
  auto options = standard_options();
  options.storage = HYPERPLANE_STORAGE_AUTOMATIC;
  options.storage_fraction = -1.0;
  expect_failure(hyperplane_csr_preconditioner_create(m_a, &options, &m), HYPERPLANE_INVALID_ARGUMENT,
                 "storage_fraction is -1, expected at least 0");
}

}  // namespace
}  // namespace hyperplane::test
