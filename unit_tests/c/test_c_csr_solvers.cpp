// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "c/c_csr_fixture.hpp"
#include "support/matchers.hpp"

// General matrices in compressed rows with their solvers.
namespace hyperplane::test {
namespace {

TEST_P(CRows, products_are_those_of_the_blocks) {
  auto const x = random_vector(CRows::rows), b = random_vector(CRows::rows);
  auto const expected = mesh.apply(x), transposed = mesh.apply(x, true);
  set(m_b, b);
  set(m_x, x);
  EXPECT_EQ(hyperplane_matrix_apply(m_a, m_x, m_y), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_TRUE(near(get(m_y), expected, 1e-14));
  EXPECT_EQ(hyperplane_matrix_residual(m_a, m_b, m_x, m_y), HYPERPLANE_SUCCESS);
  auto residual = b;
  for (std::size_t r = 0; r < b.size(); ++r) residual[r] -= expected[r];
  EXPECT_TRUE(near(get(m_y), residual, 1e-14));
  hyperplane_matrix at = nullptr, back = nullptr;
  EXPECT_EQ(hyperplane_matrix_transpose(m_a, &at), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_matrix_apply(at, m_x, m_y), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(near(get(m_y), transposed, 1e-14));
  EXPECT_EQ(hyperplane_matrix_transpose(at, &back), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_matrix_apply(back, m_x, m_y), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(near(get(m_y), expected, 1e-14));
  // The transpose follows the values.
  auto const values = std::vector<double>(mesh.values.size(), 0.0);
  EXPECT_EQ(hyperplane_matrix_set(m_a, values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_matrix_apply(at, m_x, m_y), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(get(m_y), std::vector<double>(CRows::rows, 0.0)));
  expect_failure(hyperplane_matrix_set(at, values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
                 HYPERPLANE_INVALID_ARGUMENT, "the matrix is a transpose, which has no blocks of its own");
  hyperplane_free(at);
  hyperplane_free(back);
}

TEST_P(CRows, values_come_in_both_orders_and_index_types) {
  std::vector<double> columns_first, values(mesh.values.size());
  for (std::size_t block = 0; block < mesh.columns.size(); ++block) {
    for (std::size_t e : {0, 2, 1, 3}) columns_first.push_back(mesh.values[block * 4 + e]);
  }
  EXPECT_EQ(hyperplane_matrix_get(m_a, values.data(), value_count(), HYPERPLANE_COLUMN_MAJOR, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(values, columns_first));
  auto csr = mesh.csr();
  std::vector<std::int64_t> const offsets(mesh.offsets.begin(), mesh.offsets.end());
  std::vector<std::int64_t> const columns(mesh.columns.begin(), mesh.columns.end());
  csr.index_type = HYPERPLANE_INDEX_64;
  csr.row_offsets = offsets.data();
  csr.columns = columns.data();
  csr.order = HYPERPLANE_COLUMN_MAJOR;
  csr.values = columns_first.data();
  hyperplane_matrix wide = nullptr, zero = nullptr;
  EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &wide), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(values_of(wide), mesh.values));
  csr.values = nullptr;
  EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &zero), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(values_of(zero), std::vector<double>(values.size(), 0.0)));
  csr.values = columns_first.data();
  EXPECT_EQ(hyperplane_matrix_set_csr(zero, &csr, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(values_of(zero), mesh.values));
  hyperplane_free(wide);
  hyperplane_free(zero);
}

TEST_P(CRows, every_preconditioner_and_method_solves) {
  for (auto const& name : c_names(hyperplane_csr_preconditioners())) {
    for (std::string const order : {"", "order=natural", "order=rcm", "order=colours", "order=lines"}) {
      if ((name == "identity" || name == "jacobi" || name == "lines") && !order.empty()) continue;
      auto* const m = make(name, order);
      factor(m);
      for (int method = name == "identity" ? 1 : 0; method <= HYPERPLANE_FGCRODR; ++method) {
        expect_solved(m, static_cast<hyperplane_method>(method), false);
      }
      hyperplane_free(m);
    }
  }
  expect_solved(nullptr, HYPERPLANE_FGMRES, false);
}

TEST_P(CRows, adjoint_systems_are_solved_with_the_same_factors) {
  hyperplane_matrix at = nullptr;
  EXPECT_EQ(hyperplane_matrix_transpose(m_a, &at), HYPERPLANE_SUCCESS);
  for (std::string const name : {"jacobi", "ssor", "dilu", "bilu0", "iluk", "ilut"}) {
    auto* const m = make(name, name == "jacobi" ? "transposed=1" : "transposed=1,order=rcm");
    hyperplane_preconditioner mt = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_transpose(m, &mt), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    expect_failure(hyperplane_preconditioner_solve(mt, m_b, m_x), HYPERPLANE_INVALID_ARGUMENT, "called before factor");
    expect_failure(hyperplane_preconditioner_factor(mt, m_a), HYPERPLANE_INVALID_ARGUMENT,
                   "the preconditioner is a transpose: factor the one that it was made of");
    factor(m);
    expect_solved(mt, HYPERPLANE_BICGSTAB, true, at);
    // Factors stay while one of both does.
    hyperplane_free(m);
    expect_solved(mt, HYPERPLANE_FGMRES, true, at);
    hyperplane_free(mt);
  }
  auto* const m = make("bilu0", "");
  hyperplane_preconditioner mt = nullptr;
  expect_failure(hyperplane_preconditioner_transpose(m, &mt), HYPERPLANE_INVALID_ARGUMENT,
                 "made without the option transposed");
  EXPECT_EQ(mt, nullptr);
  hyperplane_free(m);
  hyperplane_free(at);
}

TEST_P(CRows, options_of_the_struct_are_those_by_name) {
  set(m_b, random_vector(CRows::rows));
  auto const standard = solved(make("bilu0", ""));
  EXPECT_TRUE(bitwise_equal(solved(make(nullptr)), standard));
  auto options = standard_options();
  EXPECT_TRUE(bitwise_equal(solved(make(&options)), standard));
  options.kind = HYPERPLANE_CSR_ILUK;
  EXPECT_TRUE(bitwise_equal(solved(make(&options)), solved(make("iluk", "fill=1"))));
  options.fill = 0;
  EXPECT_TRUE(bitwise_equal(solved(make(&options)), standard));
  options.order = HYPERPLANE_ORDER_GIVEN;
  std::vector<int> order;
  for (int row = 0; row < CRows::points; ++row) order.push_back(row);
  options.given_order = order.data();
  options.given_count = CRows::points;
  EXPECT_TRUE(bitwise_equal(solved(make(&options)), standard));
  std::ranges::reverse(order);
  EXPECT_FALSE(bitwise_equal(solved(make(&options)), standard));
  // With all fill there is, M is A, whatever the order.
  options.fill = CRows::points;
  EXPECT_TRUE(near(mesh.apply(solved(make(&options))), get(m_b), 1e-12));
  options.order = HYPERPLANE_ORDER_COLOURS;
  options.given_order = nullptr;
  EXPECT_TRUE(near(mesh.apply(solved(make(&options))), get(m_b), 1e-12));
  options = standard_options();
  options.kind = HYPERPLANE_CSR_IDENTITY;
  EXPECT_TRUE(bitwise_equal(solved(make(&options)), get(m_b)));
}

TEST_P(CRows, thresholds_of_the_struct_are_those_by_name) {
  set(m_b, random_vector(CRows::rows));
  auto options = standard_options();
  options.kind = HYPERPLANE_CSR_ILUT;
  auto const standard = solved(make("ilut", ""));
  EXPECT_TRUE(bitwise_equal(solved(make(&options)), standard));
  EXPECT_TRUE(bitwise_equal(solved(make("ilut", "drop_tolerance=0.01,row_entries=20")), standard));
  options.drop_tolerance = 0.1;
  auto const coarse = solved(make(&options));
  EXPECT_FALSE(bitwise_equal(coarse, standard));
  EXPECT_TRUE(bitwise_equal(solved(make("ilut", "drop_tolerance=1e-1")), coarse));
  options.row_entries = 1;
  auto const sparse = solved(make(&options));
  EXPECT_FALSE(bitwise_equal(sparse, coarse));
  EXPECT_TRUE(bitwise_equal(solved(make("ilut", "drop_tolerance=0.1,row_entries=1")), sparse));
  options.order = HYPERPLANE_ORDER_RCM;
  EXPECT_TRUE(
      bitwise_equal(solved(make(&options)), solved(make("ilut", "drop_tolerance=0.1,row_entries=1,order=rcm"))));
  // Without blocks beside the diagonal M is the diagonal of A.
  options.row_entries = 0;
  auto const x = solved(make(&options)), b = get(m_b);
  auto const diagonal = mesh.diagonal();
  for (std::size_t r = 0; r < x.size(); ++r) {
    auto const* const equation = diagonal.data() + 2 * r;
    EXPECT_NEAR(equation[0] * x[r / 2 * 2] + equation[1] * x[r / 2 * 2 + 1], b[r], 1e-14);
  }
}

TEST_P(CRows, without_a_threshold_factors_are_exact) {
  set(m_b, random_vector(CRows::rows));
  std::vector<int> backwards;
  for (int row = CRows::points - 1; row >= 0; --row) backwards.push_back(row);
  auto options = standard_options();
  options.kind = HYPERPLANE_CSR_ILUT;
  options.drop_tolerance = 0.0;
  options.row_entries = CRows::points;
  options.transposed = 1;
  for (int order = HYPERPLANE_ORDER_NATURAL; order <= HYPERPLANE_ORDER_GIVEN; ++order) {
    options.order = static_cast<hyperplane_row_order>(order);
    if (order == HYPERPLANE_ORDER_GIVEN) {
      options.given_order = backwards.data();
      options.given_count = CRows::points;
    }
    auto* const m = make(&options);
    hyperplane_preconditioner mt = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_transpose(m, &mt), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    factor(m);
    EXPECT_EQ(hyperplane_preconditioner_solve(mt, m_b, m_x), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_TRUE(near(mesh.apply(get(m_x), true), get(m_b), 1e-12)) << order;
    hyperplane_free(mt);
    EXPECT_TRUE(near(mesh.apply(solved(m)), get(m_b), 1e-12)) << order;
  }
}

TEST_P(CRows, values_decide_which_blocks_are_kept) {
  set(m_b, random_vector(CRows::rows));
  auto const expected = solved(make("ilut", "drop_tolerance=0.05"));
  // Factors of other values, most of which are dropped, have other blocks.
  auto large = mesh.values;
  for (int row = 0; row < CRows::points; ++row) {
    for (auto block = mesh.offsets[row]; block < mesh.offsets[row + 1]; ++block) {
      if (mesh.columns[block] != row) continue;
      for (int e = 0; e < 4; ++e) large[std::size_t{4} * block + e] *= 100.0;
    }
  }
  auto const set_values = [&](const std::vector<double>& values) {
    EXPECT_EQ(hyperplane_matrix_set(m_a, values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
  };
  auto* const m = make("ilut", "drop_tolerance=0.05");
  set_values(large);
  factor(m);
  EXPECT_EQ(hyperplane_preconditioner_solve(m, m_b, m_x), HYPERPLANE_SUCCESS);
  EXPECT_FALSE(bitwise_equal(get(m_x), expected));
  set_values(mesh.values);
  EXPECT_TRUE(bitwise_equal(solved(m), expected));
}

TEST_P(CRows, arrays_and_several_right_hand_sides_are_solved) {
  auto* const m = make("bilu0", "");
  factor(m);
  auto const rhs = random_vector(std::int64_t{2} * CRows::rows);
  std::vector<double> x(rhs.size());
  EXPECT_EQ(
      hyperplane_preconditioner_solve_array(m, 2, rhs.data(), x.data(), std::int64_t{2} * CRows::rows, HYPERPLANE_HOST),
      HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  for (int v = 0; v < 2; ++v) {
    auto const half = [&](const auto& all) {
      return std::vector<double>(all.begin() + v * CRows::rows, all.begin() + (v + 1) * CRows::rows);
    };
    set(m_b, half(rhs));
    hyperplane_vector const from[] = {m_b, m_b};
    hyperplane_vector const to[] = {m_x, m_y};
    EXPECT_EQ(hyperplane_preconditioner_solve_many(m, 2, from, to), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(bitwise_equal(get(m_x), half(x)));
    EXPECT_TRUE(bitwise_equal(get(m_y), half(x)));
  }
  EXPECT_EQ(hyperplane_preconditioner_measure(m), HYPERPLANE_SUCCESS);
  std::vector<double> solution(CRows::rows, 0.0);
  hyperplane_krylov_result result;
  auto* const krylov = make_krylov(HYPERPLANE_BICGSTAB);
  EXPECT_EQ(
      hyperplane_krylov_solve_array(krylov, m_a, m, rhs.data(), solution.data(), CRows::rows, HYPERPLANE_HOST, &result),
      HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED);
  EXPECT_TRUE(near(mesh.apply(solution), std::vector<double>(rhs.begin(), rhs.begin() + CRows::rows), 1e-8));
  std::int64_t count = 0;
  EXPECT_EQ(hyperplane_preconditioner_seconds(m, nullptr, 0, &count), HYPERPLANE_SUCCESS);
  EXPECT_EQ(count, 2 * result.iterations);
  hyperplane_free(krylov);
  hyperplane_free(m);
}

TEST_P(CRows, factorizations_that_fail_name_the_row) {
  hyperplane_preconditioner m = nullptr;
  auto const values_at = [&](int row, double value) {
    auto values = mesh.values;
    for (auto block = mesh.offsets[row]; block < mesh.offsets[row + 1]; ++block) {
      std::fill_n(values.begin() + std::int64_t{block} * 4, 2, value);
    }
    EXPECT_EQ(hyperplane_matrix_set(m_a, values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, m_a), HYPERPLANE_SUCCESS);
  };
  for (std::string const name : {"jacobi", "ssor", "dilu", "bilu0", "iluk", "ilut"}) {
    m = make(name, name == "jacobi" ? "" : "order=colours");
    values_at(7, 0.0);
    expect_failure(hyperplane_preconditioner_check(m), HYPERPLANE_SINGULAR_PIVOT,
                   "singular pivot at row 7, equation 0");
    values_at(9, std::numeric_limits<double>::infinity());
    expect_failure(hyperplane_preconditioner_check(m), HYPERPLANE_NOT_FINITE, "not finite at row 9");
    EXPECT_EQ(hyperplane_matrix_set(m_a, mesh.values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    factor(m);
    hyperplane_free(m);
  }
}

}  // namespace
}  // namespace hyperplane::test
