// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// What Krylov methods tell and are told: norms, monitors, limits, breakdowns.
namespace hyperplane::test {
namespace {

TEST_P(CInterface, history_and_monitor_see_the_same_norms) {
  std::vector<double> seen;
  hyperplane_krylov_options options;
  hyperplane_krylov_options_init(&options);
  options.monitor = [](int, double norm, void* data) {
    static_cast<std::vector<double>*>(data)->push_back(norm);
    return 0;
  };
  options.monitor_data = &seen;
  hyperplane_krylov krylov = nullptr;
  EXPECT_EQ(hyperplane_krylov_create(system.context, system.c_grid, CSystem::n, &options, &krylov), HYPERPLANE_SUCCESS);
  hyperplane_krylov_result result;
  // No preconditioner.
  EXPECT_EQ(hyperplane_krylov_solve(krylov, system.a, nullptr, system.b, system.x, &result), HYPERPLANE_SUCCESS);
  std::vector<double> history(1000);
  std::int64_t count = 0;
  EXPECT_EQ(hyperplane_krylov_history(krylov, history.data(), 1000, &count), HYPERPLANE_SUCCESS);
  EXPECT_EQ(count, result.iterations + 1);
  history.resize(count);
  EXPECT_TRUE(bitwise_equal(history, seen));
  double first = 0.0;
  EXPECT_EQ(hyperplane_krylov_history(krylov, &first, 1, &count), HYPERPLANE_SUCCESS);
  EXPECT_EQ(first, seen[0]);
  EXPECT_EQ(hyperplane_krylov_history(krylov, nullptr, 0, &count), HYPERPLANE_SUCCESS);
  EXPECT_EQ(count, result.iterations + 1);
  hyperplane_free(krylov);
}

TEST_P(CInterface, monitors_do_not_finalize) {
  hyperplane_status status = HYPERPLANE_SUCCESS;
  hyperplane_krylov_options options;
  hyperplane_krylov_options_init(&options);
  options.monitor = [](int, double, void* data) {
    *static_cast<hyperplane_status*>(data) = hyperplane_finalize();
    return 0;
  };
  options.monitor_data = &status;
  hyperplane_krylov krylov = nullptr;
  EXPECT_EQ(hyperplane_krylov_create(system.context, system.c_grid, CSystem::n, &options, &krylov), HYPERPLANE_SUCCESS);
  hyperplane_krylov_result result;
  EXPECT_EQ(hyperplane_krylov_solve(krylov, system.a, nullptr, system.b, system.x, &result), HYPERPLANE_SUCCESS);
  EXPECT_EQ(status, HYPERPLANE_INVALID_ARGUMENT);
  hyperplane_free(krylov);
}

TEST_P(CInterface, monitors_stop_a_solve) {
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  hyperplane_krylov_options options;
  hyperplane_krylov_options_init(&options);
  options.tolerance = 0.0;
  options.monitor = [](int iteration, double, void*) { return iteration == 2 ? 1 : 0; };
  for (int method = 0; method <= HYPERPLANE_FGCRODR; ++method) {
    options.method = static_cast<hyperplane_method>(method);
    hyperplane_krylov krylov = nullptr;
    EXPECT_EQ(hyperplane_krylov_create(system.context, system.c_grid, CSystem::n, &options, &krylov),
              HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
    hyperplane_krylov_result result;
    EXPECT_EQ(hyperplane_krylov_solve(krylov, system.a, system.m, system.b, system.x, &result), HYPERPLANE_SUCCESS);
    EXPECT_EQ(result.outcome, HYPERPLANE_STOPPED);
    EXPECT_EQ(result.iterations, 2);
    EXPECT_EQ(result.breakdown, HYPERPLANE_NO_BREAKDOWN);
    hyperplane_free(krylov);
  }
}

TEST_P(CInterface, monitors_do_not_solve_with_the_object_that_calls_them) {
  struct Inner {
    CSystem& m_system;
    hyperplane_krylov m_krylov = nullptr;
    hyperplane_status m_status = HYPERPLANE_SUCCESS;
  } inner{system};
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  hyperplane_krylov_options options;
  hyperplane_krylov_options_init(&options);
  options.monitor_data = &inner;
  options.monitor = [](int, double, void* data) {
    auto& [own, krylov, status] = *static_cast<Inner*>(data);
    hyperplane_krylov_result result;
    status = hyperplane_krylov_solve(krylov, own.a, own.m, own.b, own.x, &result);
    return 0;
  };
  EXPECT_EQ(hyperplane_krylov_create(system.context, system.c_grid, CSystem::n, &options, &inner.m_krylov),
            HYPERPLANE_SUCCESS);
  hyperplane_krylov_result result;
  EXPECT_EQ(hyperplane_krylov_solve(inner.m_krylov, system.a, system.m, system.b, system.x, &result),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED);
  EXPECT_EQ(inner.m_status, HYPERPLANE_INVALID_ARGUMENT);
  EXPECT_THAT(hyperplane_last_error_message(), ::testing::HasSubstr("monitor"));
  hyperplane_free(inner.m_krylov);
}

TEST_P(CInterface, limits_change_without_a_new_object) {
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  hyperplane_krylov_limits limits;
  EXPECT_EQ(hyperplane_krylov_get_limits(system.krylov, &limits), HYPERPLANE_SUCCESS);
  hyperplane_krylov_limits const standard = limits;
  auto const solve = [&](const hyperplane_krylov_limits& with) {
    EXPECT_EQ(hyperplane_krylov_set_limits(system.krylov, &with), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
    hyperplane_krylov_result result;
    EXPECT_EQ(hyperplane_krylov_solve(system.krylov, system.a, system.m, system.b, system.x, &result),
              HYPERPLANE_SUCCESS);
    return result;
  };
  limits.max_iterations = 1;
  EXPECT_EQ(solve(limits).outcome, HYPERPLANE_MAX_ITERATIONS);
  EXPECT_EQ(solve(standard).outcome, HYPERPLANE_CONVERGED);
  limits = standard;
  limits.tolerance = 0.0;
  limits.absolute_tolerance = 1e-3;
  auto const absolute = solve(limits);
  EXPECT_EQ(absolute.outcome, HYPERPLANE_CONVERGED);
  EXPECT_LE(absolute.residual_norm, 1e-3);
  limits.tolerance = -1.0;
  EXPECT_EQ(hyperplane_krylov_set_limits(system.krylov, &limits), HYPERPLANE_INVALID_ARGUMENT);
  limits = standard;
  limits.struct_size = 0;
  EXPECT_EQ(hyperplane_krylov_set_limits(system.krylov, &limits), HYPERPLANE_INVALID_ARGUMENT);
  EXPECT_EQ(hyperplane_krylov_set_limits(system.krylov, nullptr), HYPERPLANE_NULL_POINTER);
}

TEST_P(CInterface, right_hand_sides_of_any_scale) {
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  for (double const scale : {1e200, 1e-200}) {
    auto b = system.rhs, x = system.rhs, expected = system.solution;
    for (auto& value : b) value *= scale;
    EXPECT_EQ(hyperplane_vector_set(system.b, b.data(), system.size(), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
    hyperplane_krylov_result result;
    EXPECT_EQ(hyperplane_krylov_solve(system.krylov, system.a, system.m, system.b, system.x, &result),
              HYPERPLANE_SUCCESS);
    EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED);
    EXPECT_GT(result.iterations, 0);
    EXPECT_EQ(hyperplane_vector_get(system.x, x.data(), system.size(), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    for (auto& value : x) value /= scale;
    EXPECT_TRUE(near(x, expected, 1e-6));
  }
}

TEST_P(CInterface, a_breakdown_says_on_what) {
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_fill(system.b, std::numeric_limits<double>::infinity()), HYPERPLANE_SUCCESS);
  hyperplane_krylov_result result;
  EXPECT_EQ(hyperplane_krylov_solve(system.krylov, system.a, system.m, system.b, system.x, &result),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(result.outcome, HYPERPLANE_BREAKDOWN);
  EXPECT_EQ(result.breakdown, HYPERPLANE_BREAKDOWN_RIGHT_HAND_SIDE);
  EXPECT_THAT(hyperplane_breakdown_message(result.breakdown), ::testing::HasSubstr("right-hand side"));
}

}  // namespace
}  // namespace hyperplane::test
