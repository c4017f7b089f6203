// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdint>
#include <limits>

#include "c/c_fixture.hpp"

// Everything that a caller can do wrong is a status with a message that says what.
namespace hyperplane::test {
namespace {

class CMisuse : public ::testing::TestWithParam<std::string> {
 protected:
  CSystem system{GetParam()};
  std::vector<double> values = std::vector<double>(10000);
};

INSTANTIATE_TEST_SUITE_P(Backends, CMisuse, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

TEST_P(CMisuse, null) {
  hyperplane_krylov_result result;
  std::int64_t count = 0;
  auto const expect_null = [](hyperplane_status status, const std::string& argument) {
    expect_failure(status, HYPERPLANE_NULL_POINTER, argument + " is NULL");
  };
  expect_null(hyperplane_context_create("", nullptr, nullptr), "context");
  expect_null(hyperplane_context_backend(system.context, nullptr), "name");
  expect_null(hyperplane_context_concurrency(system.context, nullptr), "concurrency");
  expect_null(hyperplane_context_fence(nullptr), "context");
  expect_null(hyperplane_retain(nullptr), "handle");
  hyperplane_vector v = nullptr;
  expect_null(hyperplane_vector_create(nullptr, system.c_grid, 2, &v), "context");
  expect_null(hyperplane_vector_create(system.context, system.c_grid, 2, nullptr), "vector");
  expect_null(hyperplane_vector_set(nullptr, values.data(), 1, HYPERPLANE_HOST), "vector");
  expect_null(hyperplane_vector_set(system.b, nullptr, system.size(), HYPERPLANE_HOST), "values");
  expect_null(hyperplane_vector_get(system.b, nullptr, system.size(), HYPERPLANE_HOST), "values");
  expect_null(hyperplane_vector_fill(nullptr, 1.0), "vector");
  expect_null(hyperplane_matrix_create(system.context, system.c_grid, 2, HYPERPLANE_STORAGE_DOUBLE, nullptr), "matrix");
  expect_null(hyperplane_matrix_set(system.a, nullptr, 1, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST), "values");
  expect_null(hyperplane_matrix_get(system.a, nullptr, 1, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST), "values");
  expect_null(hyperplane_matrix_apply(nullptr, system.x, system.b), "a");
  expect_null(hyperplane_matrix_apply(system.a, nullptr, system.b), "x");
  expect_null(hyperplane_matrix_residual(system.a, system.b, system.x, nullptr), "r");
  expect_null(hyperplane_matrix_choose_parts(system.a, 2, nullptr), "parts");
  expect_null(hyperplane_preconditioner_options_init(nullptr), "options");
  expect_null(hyperplane_preconditioner_create(system.context, system.c_grid, 2, nullptr, nullptr), "preconditioner");
  expect_null(hyperplane_preconditioner_factor(system.m, nullptr), "a");
  expect_null(hyperplane_preconditioner_check(nullptr), "preconditioner");
  expect_null(hyperplane_preconditioner_solve(system.m, system.b, nullptr), "x");
  expect_null(hyperplane_krylov_options_init(nullptr), "options");
  expect_null(hyperplane_krylov_create(system.context, system.c_grid, 2, nullptr, nullptr), "krylov");
  expect_null(hyperplane_krylov_solve(nullptr, system.a, system.m, system.b, system.x, &result), "krylov");
  expect_null(hyperplane_krylov_solve(system.krylov, nullptr, system.m, system.b, system.x, &result), "a");
  expect_null(hyperplane_krylov_solve(system.krylov, system.a, system.m, nullptr, system.x, &result), "b");
  expect_null(hyperplane_krylov_solve(system.krylov, system.a, system.m, system.b, system.x, nullptr), "result");
  expect_null(hyperplane_krylov_history(system.krylov, nullptr, 1, &count), "norms");
  expect_null(hyperplane_krylov_history(system.krylov, values.data(), 1, nullptr), "count");
  EXPECT_EQ(hyperplane_free(nullptr), HYPERPLANE_SUCCESS);
}

TEST_P(CMisuse, handles_that_are_none) {
  auto const freed = system.x;
  EXPECT_EQ(hyperplane_free(system.x), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_free(freed), HYPERPLANE_INVALID_HANDLE, "handle has been freed");
  expect_failure(hyperplane_retain(freed), HYPERPLANE_INVALID_HANDLE, "handle has been freed");
  expect_failure(hyperplane_vector_fill(freed, 1.0), HYPERPLANE_INVALID_HANDLE, "vector has been freed");
  expect_failure(hyperplane_matrix_apply(system.a, system.b, freed), HYPERPLANE_INVALID_HANDLE, "y has been freed");
  // One that is made after it has another handle.
  EXPECT_EQ(hyperplane_vector_create(system.context, system.c_grid, 2, &system.x), HYPERPLANE_SUCCESS);
  EXPECT_NE(system.x, freed);
  expect_failure(hyperplane_vector_fill(freed, 1.0), HYPERPLANE_INVALID_HANDLE, "vector has been freed");

  double number = 0.0;
  auto const address = reinterpret_cast<hyperplane_vector>(&number);
  expect_failure(hyperplane_vector_fill(address, 1.0), HYPERPLANE_INVALID_HANDLE,
                 "the argument vector is no handle of this library");
  expect_failure(hyperplane_free(address), HYPERPLANE_INVALID_HANDLE,
                 "the argument handle is no handle of this library");
  auto const of_matrix = reinterpret_cast<hyperplane_vector>(system.a);
  expect_failure(hyperplane_vector_fill(of_matrix, 1.0), HYPERPLANE_INVALID_HANDLE,
                 "vector is the handle of a matrix, expected that of a vector");
  auto const of_vector = reinterpret_cast<hyperplane_context>(system.b);
  expect_failure(hyperplane_context_fence(of_vector), HYPERPLANE_INVALID_HANDLE,
                 "context is the handle of a vector, expected that of a context");
}

TEST_P(CMisuse, sizes_that_differ) {
  auto const size = system.size();
  expect_failure(hyperplane_vector_set(system.b, values.data(), size - 1, HYPERPLANE_HOST), HYPERPLANE_SIZE_MISMATCH,
                 "count is 119, expected 120");
  expect_failure(hyperplane_vector_get(system.b, values.data(), -1, HYPERPLANE_HOST), HYPERPLANE_SIZE_MISMATCH,
                 "count is -1");
  expect_failure(hyperplane_matrix_set(system.a, values.data(), size, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
                 HYPERPLANE_SIZE_MISMATCH, "expected 1680");
  hyperplane_vector other_grid = nullptr, other_size = nullptr;
  EXPECT_EQ(hyperplane_vector_create(system.context, {5, 4, 4}, 2, &other_grid), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_create(system.context, system.c_grid, 1, &other_size), HYPERPLANE_SUCCESS);
  hyperplane_krylov_result result;
  for (auto const other : {other_grid, other_size}) {
    expect_failure(hyperplane_matrix_apply(system.a, other, system.x), HYPERPLANE_SIZE_MISMATCH, "x is 5x4x");
    expect_failure(hyperplane_matrix_residual(system.a, system.b, system.x, other), HYPERPLANE_SIZE_MISMATCH, "r is");
    EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
    expect_failure(hyperplane_preconditioner_solve(system.m, other, system.x), HYPERPLANE_SIZE_MISMATCH,
                   "the right-hand side is 5x4x");
    expect_failure(hyperplane_krylov_solve(system.krylov, system.a, system.m, other, system.x, &result),
                   HYPERPLANE_SIZE_MISMATCH, "b is 5x4x");
    hyperplane_free(other);
  }
  hyperplane_matrix other_matrix = nullptr;
  EXPECT_EQ(hyperplane_matrix_create(system.context, {4, 4, 3}, 2, HYPERPLANE_STORAGE_DOUBLE, &other_matrix),
            HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_preconditioner_factor(system.m, other_matrix), HYPERPLANE_SIZE_MISMATCH, "A is 4x4x3 x 2");
  hyperplane_free(other_matrix);
}

TEST_P(CMisuse, values_out_of_range) {
  hyperplane_vector v = nullptr;
  hyperplane_matrix a = nullptr;
  expect_failure(hyperplane_vector_create(system.context, {0, 4, 3}, 2, &v), HYPERPLANE_INVALID_ARGUMENT, "grid 0x4x3");
  expect_failure(hyperplane_vector_create(system.context, {-1, 4, 3}, 2, &v), HYPERPLANE_INVALID_ARGUMENT, "grid");
  for (int const n : {-1, 0, 17}) {
    expect_failure(hyperplane_vector_create(system.context, system.c_grid, n, &v), HYPERPLANE_NOT_AVAILABLE,
                   "block size: " + std::to_string(n) + " is not in this build, which has: ");
  }
  EXPECT_EQ(v, nullptr);
  expect_failure(hyperplane_matrix_create(system.context, system.c_grid, 2, HYPERPLANE_STORAGE_HALF, &a),
                 HYPERPLANE_INVALID_ARGUMENT, "storage is 2");
  auto const size = system.size();
  expect_failure(hyperplane_vector_set(system.b, values.data(), size, static_cast<hyperplane_memory_space>(-1)),
                 HYPERPLANE_INVALID_ARGUMENT, "space is -1");
  expect_failure(
      hyperplane_matrix_set(system.a, values.data(), 1680, static_cast<hyperplane_block_order>(3), HYPERPLANE_HOST),
      HYPERPLANE_INVALID_ARGUMENT, "order is 3");
  // Host memory is no device memory, on any backend.
  expect_failure(hyperplane_vector_set(system.b, values.data(), size, HYPERPLANE_DEVICE), HYPERPLANE_INVALID_ARGUMENT,
                 "device memory");
  expect_failure(hyperplane_matrix_apply(system.a, system.b, system.b), HYPERPLANE_INVALID_ARGUMENT,
                 "the result must not be x");
  expect_failure(hyperplane_preconditioner_solve(system.m, system.b, system.x), HYPERPLANE_INVALID_ARGUMENT,
                 "hyperplane_preconditioner_solve: called before factor");
  hyperplane_krylov_result result;
  expect_failure(hyperplane_krylov_solve(system.krylov, system.a, system.m, system.b, system.x, &result),
                 HYPERPLANE_INVALID_ARGUMENT, "hyperplane_krylov_solve: called before factor");
  std::int64_t count = 0;
  expect_failure(hyperplane_krylov_history(system.krylov, values.data(), -1, &count), HYPERPLANE_INVALID_ARGUMENT,
                 "capacity is -1");
}

TEST_P(CMisuse, before_factor) {
  for (auto const& preconditioner : c_preconditioners()) {
    hyperplane_preconditioner_options options;
    hyperplane_preconditioner m = nullptr;
    hyperplane_vector x = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
    options.kind = preconditioner.kind;
    EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, 1, &options, &m), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_vector_create(system.context, system.c_grid, 1, &x), HYPERPLANE_SUCCESS);
    std::vector<hyperplane_status> const all = {
        hyperplane_preconditioner_check(m), hyperplane_preconditioner_solve(m, x, x),
        hyperplane_preconditioner_solve_many(m, 1, &x, &x),
        hyperplane_preconditioner_solve_array(m, 1, values.data(), values.data(), 60, HYPERPLANE_HOST)};
    // What does nothing has nothing to factor.
    auto const expected = preconditioner.kind == HYPERPLANE_IDENTITY ? HYPERPLANE_SUCCESS : HYPERPLANE_INVALID_ARGUMENT;
    EXPECT_THAT(all, ::testing::Each(expected)) << preconditioner.name();
    if (expected != HYPERPLANE_SUCCESS) {
      expect_failure(hyperplane_preconditioner_check(m), expected,
                     "hyperplane_preconditioner_check: called before factor");
    }
    EXPECT_EQ(hyperplane_free(x), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
  }
  hyperplane_line_set lines{};
  lines.grid = system.c_grid;
  hyperplane_line_solver solver = nullptr;
  EXPECT_EQ(hyperplane_line_solver_create(system.context, &lines, 1, nullptr, &solver), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_line_solver_check(solver), HYPERPLANE_INVALID_ARGUMENT,
                 "hyperplane_line_solver_check: called before factor");
  EXPECT_EQ(hyperplane_free(solver), HYPERPLANE_SUCCESS);
  hyperplane_stencil const stencil{{-1, -1, -1, 6, -1, -1, -1}, nullptr};
  hyperplane_relaxation relaxation = nullptr;
  EXPECT_EQ(hyperplane_relaxation_create(system.context, system.c_grid, &stencil, nullptr, &relaxation),
            HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_relaxation_check(relaxation), HYPERPLANE_INVALID_ARGUMENT,
                 "hyperplane_relaxation_check: called before factor");
  EXPECT_EQ(hyperplane_free(relaxation), HYPERPLANE_SUCCESS);
}

TEST_P(CMisuse, messages_name_the_function_of_c) {
  hyperplane_vector v = nullptr;
  expect_failure(hyperplane_vector_set(system.b, values.data(), 8, HYPERPLANE_HOST), HYPERPLANE_SIZE_MISMATCH,
                 "hyperplane_vector_set: count is 8, expected 120");
  expect_failure(hyperplane_vector_create(system.context, {0, 4, 3}, 2, &v), HYPERPLANE_INVALID_ARGUMENT,
                 "hyperplane_vector_create: grid 0x4x3: every extent");
  expect_failure(hyperplane_context_create("nonsense", nullptr, &system.context), HYPERPLANE_NOT_AVAILABLE,
                 "hyperplane_context_create: the argument backend: 'nonsense'");
  EXPECT_EQ(system.context, nullptr);
  hyperplane_preconditioner_options options;
  hyperplane_preconditioner m = nullptr;
  EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
  options.kind = HYPERPLANE_SSOR;
  options.relaxation = 3.0;
  hyperplane_context context = nullptr;
  EXPECT_EQ(hyperplane_context_create(GetParam().c_str(), nullptr, &context), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_preconditioner_create(context, system.c_grid, 1, &options, &m), HYPERPLANE_INVALID_ARGUMENT,
                 "hyperplane_preconditioner_create: relaxation is 3, ");
  options.kind = HYPERPLANE_BILU0;
  options.right_hand_sides = 4;
  expect_failure(hyperplane_preconditioner_create(context, system.c_grid, 1, &options, &m), HYPERPLANE_INVALID_ARGUMENT,
                 "hyperplane_preconditioner_create: 4 right-hand sides at a time, expected 1 to 3");
  EXPECT_EQ(hyperplane_free(context), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_matrix_apply(system.a, system.b, system.b), HYPERPLANE_INVALID_ARGUMENT,
                 "hyperplane_matrix_apply: the result must not be x");
}

TEST_P(CMisuse, options_out_of_range) {
  hyperplane_preconditioner m = nullptr;
  hyperplane_krylov krylov = nullptr;
  auto const refused = [&](auto change, const std::string& message) {
    hyperplane_preconditioner_options options;
    hyperplane_preconditioner_options_init(&options);
    change(options);
    expect_failure(hyperplane_preconditioner_create(system.context, system.c_grid, 1, &options, &m),
                   HYPERPLANE_INVALID_ARGUMENT, message);
    EXPECT_EQ(m, nullptr);
  };
  using Options = hyperplane_preconditioner_options;
  refused([](Options& o) { o.struct_size = 0; }, "hyperplane_preconditioner_options_init");
  refused([](Options& o) { o.kind = static_cast<hyperplane_preconditioner_kind>(99); }, "kind is 99");
  refused([](Options& o) { o.kind = HYPERPLANE_SSOR, o.relaxation = 2.0; }, "relaxation is 2");
  refused([](Options& o) { o.kind = HYPERPLANE_SSOR, o.relaxation = std::nan(""); }, "relaxation is nan");
  refused([](Options& o) { o.kind = HYPERPLANE_SIP, o.alpha = 1.0; }, "alpha is 1");
  refused([](Options& o) { o.kind = HYPERPLANE_LINES, o.line_direction_count = 4; }, "line_direction_count is 4");
  refused([](Options& o) { o.kind = HYPERPLANE_LINES, o.line_directions[0] = 3; }, "a line direction is 3");
  refused([](Options& o) { o.kind = HYPERPLANE_LINES, o.line_sweeps = 0; }, "sweeps is 0");
  refused([](Options& o) { o.path = static_cast<hyperplane_path>(4); }, "path is 4, expected 0 to 3");
  refused([](Options& o) { o.kind = HYPERPLANE_SSOR, o.right_hand_sides = 4; }, "4 right-hand sides at a time");
  refused([](Options& o) { o.folded[2] = 2; }, "folded is 2, expected 0 to 1");

  auto const krylov_refused = [&](auto change, const std::string& message) {
    hyperplane_krylov_options options;
    hyperplane_krylov_options_init(&options);
    change(options);
    expect_failure(hyperplane_krylov_create(system.context, system.c_grid, 2, &options, &krylov),
                   HYPERPLANE_INVALID_ARGUMENT, message);
    EXPECT_EQ(krylov, nullptr);
  };
  using KrylovOptions = hyperplane_krylov_options;
  krylov_refused([](KrylovOptions& o) { o.struct_size = 1; }, "hyperplane_krylov_options_init");
  krylov_refused([](KrylovOptions& o) { o.method = static_cast<hyperplane_method>(4); }, "method is 4");
  krylov_refused([](KrylovOptions& o) { o.tolerance = -1.0; }, "tolerance is -1, ");
  krylov_refused([](KrylovOptions& o) { o.max_iterations = -1; }, "max_iterations is -1");
  krylov_refused([](KrylovOptions& o) { o.restart = 0; }, "restart is 0");
  krylov_refused([](KrylovOptions& o) { o.recycled = 1001; }, "recycled is 1001, expected 0 to 1000");
  krylov_refused([](KrylovOptions& o) { o.check_interval = -1; }, "check_interval is -1");
}

TEST_P(CMisuse, objects_that_do_not_belong_together) {
  CSystem other(GetParam());
  hyperplane_krylov_result result;
  expect_failure(hyperplane_matrix_apply(system.a, other.b, system.x), HYPERPLANE_INVALID_ARGUMENT,
                 "x belongs to another context");
  expect_failure(hyperplane_preconditioner_factor(system.m, other.a), HYPERPLANE_INVALID_ARGUMENT,
                 "A belongs to another context");
  EXPECT_EQ(hyperplane_preconditioner_factor(other.m, other.a), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_krylov_solve(system.krylov, system.a, other.m, system.b, system.x, &result),
                 HYPERPLANE_INVALID_ARGUMENT, "the preconditioner belongs to another context");
  hyperplane_matrix narrow = nullptr;
  EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, 2, HYPERPLANE_STORAGE_FLOAT, &narrow),
            HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_preconditioner_factor(system.m, narrow), HYPERPLANE_INVALID_ARGUMENT,
                 "stored in another type");
  hyperplane_free(narrow);
}

TEST_P(CMisuse, streams_of_backends_without_streams) {
  if (GetParam() == "cuda") GTEST_SKIP() << "has streams";
  int no_stream = 0;
  hyperplane_context context = nullptr;
  expect_failure(hyperplane_context_create(GetParam().c_str(), &no_stream, &context), HYPERPLANE_INVALID_ARGUMENT,
                 "backend " + GetParam() + " has no streams");
  EXPECT_EQ(context, nullptr);
}

TEST_P(CMisuse, memory_that_is_not_there) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer ends the program";
#endif
  hyperplane_matrix a = nullptr;
  int const most = 1 << 15;
  EXPECT_EQ(hyperplane_matrix_create(system.context, {most, most, most}, 2, HYPERPLANE_STORAGE_DOUBLE, &a),
            HYPERPLANE_OUT_OF_MEMORY)
      << hyperplane_last_error_message();
  EXPECT_EQ(a, nullptr);
}

}  // namespace
}  // namespace hyperplane::test
