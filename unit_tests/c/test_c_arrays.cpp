// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cmath>

#include "c/c_fixture.hpp"
#include "support/masks.hpp"
#include "support/matchers.hpp"

// Solving for arrays, several right-hand sides and masks.
namespace hyperplane::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Backends, CArrays, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

/// A preconditioner with four right-hand sides, and what single solves give for them.
struct SeveralColumns {
  static constexpr int columns = 4;
  std::int64_t rows;
  hyperplane_preconditioner m = nullptr;
  hyperplane_matrix a = nullptr;
  std::vector<hyperplane_vector> b = std::vector<hyperplane_vector>(columns), x = b;
  std::vector<double> rhs, expected;

  SeveralColumns(const CSystem& system, hyperplane_preconditioner_kind kind, int together, int size = CSystem::n)
      : rows(system.grid.size() * size), rhs(random_vector(rows * columns)), expected(rhs.size()) {
    hyperplane_preconditioner_options options;
    EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
    options.kind = kind;
    options.right_hand_sides = together;
    EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, size, &options, &m), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, size, HYPERPLANE_STORAGE_DOUBLE, &a),
              HYPERPLANE_SUCCESS);
    std::vector<double> values;
    for (auto const& blocks : random_stencil(system.grid, size).blocks) {
      for (auto const& block : blocks) {
        for (int e = 0; e < size * size; ++e) values.push_back(block(e / size, e % size));
      }
    }
    CSystem::set(a, values, HYPERPLANE_ROW_MAJOR);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS);
    for (int v = 0; v < columns; ++v) {
      EXPECT_EQ(hyperplane_vector_create(system.context, system.c_grid, size, &b[v]), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_vector_create(system.context, system.c_grid, size, &x[v]), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_vector_set(b[v], rhs.data() + v * rows, rows, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_preconditioner_solve(m, b[v], x[v]), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_vector_get(x[v], expected.data() + v * rows, rows, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_vector_fill(x[v], 7.0), HYPERPLANE_SUCCESS);
    }
  }
  ~SeveralColumns() {
    for (auto* const vector : b) hyperplane_free(vector);
    for (auto* const vector : x) hyperplane_free(vector);
    hyperplane_free(a);
    hyperplane_free(m);
  }
  SeveralColumns(const SeveralColumns&) = delete;
  SeveralColumns& operator=(const SeveralColumns&) = delete;

  hyperplane_status solve(int count, const double* from, double* to) const {
    return hyperplane_preconditioner_solve_array(m, count, from, to, rows * count, HYPERPLANE_HOST);
  }
};

TEST_P(CArrays, preconditioners_solve_several_right_hand_sides) {
  for (auto const& preconditioner : c_preconditioners()) {
    auto const name = preconditioner.name();
    int const size = std::min(CSystem::n, preconditioner.description.largest_block_size);
    for (int const together : {1, 2, 3}) {
      SeveralColumns const s(system, preconditioner.kind, together, size);
      std::vector<double> found(s.rhs.size()), several(s.rhs.size());
      // One of them in place.
      auto to = s.x;
      to[1] = s.b[1];
      EXPECT_EQ(hyperplane_preconditioner_solve_many(s.m, s.columns, s.b.data(), to.data()), HYPERPLANE_SUCCESS)
          << hyperplane_last_error_message();
      for (int v = 0; v < s.columns; ++v) {
        EXPECT_EQ(hyperplane_vector_get(to[v], several.data() + v * s.rows, s.rows, HYPERPLANE_HOST),
                  HYPERPLANE_SUCCESS);
      }
      EXPECT_TRUE(near(several, s.expected, 1e-13)) << name;
      EXPECT_EQ(s.solve(s.columns, s.rhs.data(), found.data()), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      EXPECT_TRUE(bitwise_equal(found, several)) << name;
      found = s.rhs;
      EXPECT_EQ(s.solve(s.columns, found.data(), found.data()), HYPERPLANE_SUCCESS);
      EXPECT_TRUE(bitwise_equal(found, several)) << name;
      // One column alone.
      EXPECT_EQ(s.solve(1, s.rhs.data(), found.data()), HYPERPLANE_SUCCESS);
      EXPECT_TRUE(bitwise_equal(std::vector<double>(found.begin(), found.begin() + s.rows),
                                std::vector<double>(s.expected.begin(), s.expected.begin() + s.rows)));
      EXPECT_EQ(hyperplane_preconditioner_solve_many(s.m, 0, nullptr, nullptr), HYPERPLANE_SUCCESS);
    }
  }
}

TEST_P(CArrays, several_right_hand_sides_that_are_none) {
  SeveralColumns const s(system, HYPERPLANE_BILU0, 1);
  std::vector<double> found(s.rhs.size());
  auto const many = [&](int count, const hyperplane_vector* from, const hyperplane_vector* to) {
    return hyperplane_preconditioner_solve_many(s.m, count, from, to);
  };
  expect_failure(many(-1, s.b.data(), s.x.data()), HYPERPLANE_INVALID_ARGUMENT, "count is -1");
  expect_failure(many(1, nullptr, s.x.data()), HYPERPLANE_NULL_POINTER, "rhs is NULL");
  expect_failure(many(1, s.b.data(), nullptr), HYPERPLANE_NULL_POINTER, "x is NULL");
  auto to = s.x;
  to[1] = s.b[0];
  expect_failure(many(2, s.b.data(), to.data()), HYPERPLANE_INVALID_ARGUMENT,
                 "x[1] or rhs[1] is the x or rhs of column 0");
  to[1] = nullptr;
  expect_failure(many(2, s.b.data(), to.data()), HYPERPLANE_NULL_POINTER, "x[1] is NULL");
  auto const rows = s.rows;
  expect_failure(hyperplane_preconditioner_solve_array(s.m, 2, s.rhs.data(), found.data(), rows, HYPERPLANE_HOST),
                 HYPERPLANE_SIZE_MISMATCH,
                 "count is " + std::to_string(rows) + ", expected " + std::to_string(2 * rows));
  expect_failure(s.solve(0, s.rhs.data(), found.data()), HYPERPLANE_INVALID_ARGUMENT, "columns is 0");
  expect_failure(s.solve(1, nullptr, found.data()), HYPERPLANE_NULL_POINTER, "rhs is NULL");
  expect_failure(s.solve(1, s.rhs.data(), nullptr), HYPERPLANE_NULL_POINTER, "x is NULL");
  expect_failure(hyperplane_preconditioner_solve_array(s.m, 1, s.rhs.data(), found.data(), rows, HYPERPLANE_DEVICE),
                 HYPERPLANE_INVALID_ARGUMENT, "device memory");
}

TEST_P(CArrays, methods_solve_arrays) {
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  hyperplane_krylov_result expected, result;
  for (auto* const m : {static_cast<hyperplane_preconditioner>(nullptr), system.m}) {
    std::vector<double> x(system.solution.size(), 0.5);
    EXPECT_EQ(hyperplane_vector_set(system.x, x.data(), system.size(), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_krylov_solve(system.krylov, system.a, m, system.b, system.x, &expected), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_krylov_solve_array(system.krylov, system.a, m, system.rhs.data(), x.data(), system.size(),
                                            HYPERPLANE_HOST, &result),
              HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(result.outcome, expected.outcome);
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_EQ(result.residual_norm, expected.residual_norm);
    EXPECT_TRUE(bitwise_equal(x, system.get(system.x)));
  }
  auto const solve = [&](const double* b, double* x, std::int64_t count, hyperplane_krylov_result* to) {
    return hyperplane_krylov_solve_array(system.krylov, system.a, nullptr, b, x, count, HYPERPLANE_HOST, to);
  };
  std::vector<double> x(system.solution.size());
  expect_failure(solve(nullptr, x.data(), system.size(), &result), HYPERPLANE_NULL_POINTER, "b is NULL");
  expect_failure(solve(system.rhs.data(), nullptr, system.size(), &result), HYPERPLANE_NULL_POINTER, "x is NULL");
  expect_failure(solve(system.rhs.data(), x.data(), system.size(), nullptr), HYPERPLANE_NULL_POINTER, "result is NULL");
  expect_failure(solve(system.rhs.data(), x.data(), 60, &result), HYPERPLANE_SIZE_MISMATCH,
                 "count is 60, expected 120");
}

TEST_P(CArrays, sip_leaves_masked_points_out) {
  auto const reference = random_stencil(system.grid, 1);
  std::vector<double> values;
  for (auto const& blocks : reference.blocks) {
    for (auto const& block : blocks) values.push_back(block(0, 0));
  }
  auto masked = values;
  std::vector<std::int8_t> mask(60, 1);
  auto rhs = random_vector(60);
  for (std::int64_t const point : {7, 22, 59}) mask[point] = 0;
  for (std::int64_t number = 0; number < 60; ++number) {
    auto const p = system.grid.point(number);
    for (auto const direction : stencil7_directions) {
      auto const q = neighbour(p, direction);
      if (!system.grid.contains(q)) continue;
      auto const entry = number * 7 + static_cast<int>(direction);
      if (mask[number] == 0 || mask[system.grid.index(q)] == 0) {
        // Whatever is there is ignored; what it stands for are rows of one.
        values[entry] = std::nan("");
        masked[entry] = direction == Direction::center ? 1.0 : 0.0;
      }
    }
    if (mask[number] == 0) rhs[number] = 0.0;
  }
  hyperplane_preconditioner_options options;
  EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
  options.kind = HYPERPLANE_SIP;
  hyperplane_preconditioner sip = nullptr;
  hyperplane_matrix a = nullptr;
  EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, 1, &options, &sip), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, 1, HYPERPLANE_STORAGE_DOUBLE, &a),
            HYPERPLANE_SUCCESS);
  std::vector<double> expected(60), found(60);
  CSystem::set(a, masked, HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_preconditioner_factor(sip, a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_solve_array(sip, 1, rhs.data(), expected.data(), 60, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  CSystem::set(a, values, HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_preconditioner_factor_masked(sip, a, mask.data(), 60, HYPERPLANE_HOST), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_preconditioner_check(sip), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_preconditioner_solve_array(sip, 1, rhs.data(), found.data(), 60, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(found, expected));
  EXPECT_EQ(found[22], 0.0);
  expect_failure(hyperplane_preconditioner_factor_masked(sip, a, mask.data(), 59, HYPERPLANE_HOST),
                 HYPERPLANE_SIZE_MISMATCH, "count is 59, expected 60");
  expect_failure(hyperplane_preconditioner_factor_masked(sip, a, nullptr, 60, HYPERPLANE_HOST), HYPERPLANE_NULL_POINTER,
                 "mask is NULL");
  expect_failure(hyperplane_preconditioner_factor_masked(sip, a, mask.data(), 60, HYPERPLANE_DEVICE),
                 HYPERPLANE_INVALID_ARGUMENT, "device memory");
  expect_failure(hyperplane_preconditioner_factor_masked(system.m, system.a, mask.data(), 60, HYPERPLANE_HOST),
                 HYPERPLANE_INVALID_ARGUMENT, "masks are for SIP alone");
  EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_free(sip), HYPERPLANE_SUCCESS);
}

TEST_P(CArrays, all_solvers_leave_points_out_of_a_masked_matrix) {
  Mask mask(60, 1);
  for (std::int64_t const point : {0, 7, 22, 23, 59}) mask[point] = 0;
  mask[30] = -1;
  std::array<bool, 3> const periodic{true, true, true};
  auto const entries = [](const ReferenceStencil& a) {
    std::vector<double> values;
    for (auto const& blocks : a.blocks) {
      for (auto const& block : blocks) values.insert(values.end(), block.entries.begin(), block.entries.end());
    }
    return values;
  };
  auto const expected = entries(without_masked(system.reference, mask, periodic));
  auto const given = entries(with_nonsense(system.reference, mask, periodic));
  auto const count = static_cast<std::int64_t>(given.size());
  for (auto const storage : {HYPERPLANE_STORAGE_DOUBLE, HYPERPLANE_STORAGE_FLOAT}) {
    hyperplane_matrix a = nullptr;
    EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, 2, storage, &a), HYPERPLANE_SUCCESS);
    CSystem::set(a, given, HYPERPLANE_ROW_MAJOR);
    EXPECT_EQ(hyperplane_matrix_mask(a, mask.data(), 60, HYPERPLANE_HOST), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    std::vector<double> found(given.size());
    EXPECT_EQ(hyperplane_matrix_get(a, found.data(), count, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    if (storage == HYPERPLANE_STORAGE_DOUBLE) {
      EXPECT_TRUE(bitwise_equal(found, expected));
    } else {
      EXPECT_TRUE(near(found, expected, 1e-6));
    }
    EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
  }
  CSystem::set(system.a, given, HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_matrix_mask(system.a, mask.data(), 60, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  // b of a solution that is zero at masked points, and what is no number there.
  auto const solution = with_value(system.solution, mask, 0.0);
  auto const rhs = with_value(without_masked(system.reference, mask).apply(solution), mask, std::nan(""));
  EXPECT_EQ(hyperplane_vector_set(system.b, rhs.data(), system.size(), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_mask(system.b, mask.data(), 60, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  for (auto const* name : {"bilu0", "ssor", "jacobi", "lines"}) {
    hyperplane_preconditioner m = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_create_named(system.context, system.c_grid, 2, name, nullptr, &m),
              HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_check(m), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
    hyperplane_krylov_result result;
    EXPECT_EQ(hyperplane_krylov_solve(system.krylov, system.a, m, system.b, system.x, &result), HYPERPLANE_SUCCESS);
    EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED) << name;
    auto const x = system.get(system.x);
    EXPECT_TRUE(near(x, solution, 1e-4)) << name;
    EXPECT_EQ(x, with_value(x, mask, 0.0)) << name;
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
  }
}

TEST_P(CArrays, masks_that_are_refused) {
  Mask const mask(60, 1);
  expect_failure(hyperplane_matrix_mask(system.a, mask.data(), 59, HYPERPLANE_HOST), HYPERPLANE_SIZE_MISMATCH,
                 "count is 59, expected 60");
  expect_failure(hyperplane_vector_mask(system.x, mask.data(), 120, HYPERPLANE_HOST), HYPERPLANE_SIZE_MISMATCH,
                 "count is 120, expected 60");
  expect_failure(hyperplane_matrix_mask(system.a, nullptr, 60, HYPERPLANE_HOST), HYPERPLANE_NULL_POINTER,
                 "mask is NULL");
  expect_failure(hyperplane_vector_mask(system.x, nullptr, 60, HYPERPLANE_HOST), HYPERPLANE_NULL_POINTER,
                 "mask is NULL");
  expect_failure(hyperplane_matrix_mask(system.a, mask.data(), 60, HYPERPLANE_DEVICE), HYPERPLANE_INVALID_ARGUMENT,
                 "device memory");
  expect_failure(hyperplane_vector_mask(system.x, mask.data(), 60, HYPERPLANE_DEVICE), HYPERPLANE_INVALID_ARGUMENT,
                 "device memory");
  expect_failure(hyperplane_matrix_mask(nullptr, mask.data(), 60, HYPERPLANE_HOST), HYPERPLANE_NULL_POINTER,
                 "matrix is NULL");
}

}  // namespace
}  // namespace hyperplane::test
