// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/krylov/bicgstab.hpp>

#include <limits>
#include <thread>

#include "c/c_fixture.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Backends, CInterface, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

TEST_P(CInterface, context_says_where_it_is) {
  const char* name = nullptr;
  int concurrency = 0;
  EXPECT_EQ(hyperplane_context_backend(system.context, &name), HYPERPLANE_SUCCESS);
  EXPECT_EQ(name, GetParam());
  EXPECT_EQ(hyperplane_context_concurrency(system.context, &concurrency), HYPERPLANE_SUCCESS);
  EXPECT_GE(concurrency, 1);
}

TEST_P(CInterface, vectors_keep_what_they_are_given) {
  EXPECT_TRUE(bitwise_equal(system.get(system.b), system.rhs));
  EXPECT_EQ(hyperplane_vector_fill(system.b, 3.5), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(system.get(system.b), std::vector<double>(system.rhs.size(), 3.5)));
}

TEST_P(CInterface, matrices_take_both_orders_and_multiply) {
  auto const by_rows = system.values(HYPERPLANE_ROW_MAJOR), by_columns = system.values(HYPERPLANE_COLUMN_MAJOR);
  auto const count = static_cast<std::int64_t>(by_rows.size());
  for (auto const& [values, order] :
       {std::pair(by_rows, HYPERPLANE_ROW_MAJOR), std::pair(by_columns, HYPERPLANE_COLUMN_MAJOR)}) {
    CSystem::set(system.a, values, order);
    std::vector<double> read(values.size());
    EXPECT_EQ(hyperplane_matrix_get(system.a, read.data(), count, HYPERPLANE_COLUMN_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    EXPECT_TRUE(bitwise_equal(read, by_columns));
    EXPECT_EQ(hyperplane_matrix_apply(system.a, system.b, system.x), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(near(system.get(system.x), system.reference.apply(system.rhs), 1e-14));
  }
  EXPECT_EQ(hyperplane_vector_set(system.x, system.solution.data(), system.size(), HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  hyperplane_vector r = nullptr;
  EXPECT_EQ(hyperplane_vector_create(system.context, system.c_grid, CSystem::n, &r), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_matrix_residual(system.a, system.b, system.x, r), HYPERPLANE_SUCCESS);
  for (double const entry : system.get(r)) EXPECT_NEAR(entry, 0.0, 1e-14);
  EXPECT_EQ(hyperplane_free(r), HYPERPLANE_SUCCESS);
}

TEST_P(CInterface, every_method_with_every_preconditioner) {
  for (auto const& preconditioner : c_preconditioners()) {
    if (preconditioner.description.largest_block_size < CSystem::n) continue;
    auto const kind = preconditioner.kind;
    for (int method = HYPERPLANE_RICHARDSON; method <= HYPERPLANE_FGCRODR; ++method) {
      for (int storage = HYPERPLANE_STORAGE_DOUBLE; storage <= HYPERPLANE_STORAGE_FLOAT; ++storage) {
        if (kind == HYPERPLANE_IDENTITY && method == HYPERPLANE_RICHARDSON) continue;
        hyperplane_matrix a = nullptr;
        hyperplane_preconditioner m = nullptr;
        hyperplane_krylov krylov = nullptr;
        hyperplane_preconditioner_options options;
        hyperplane_krylov_options krylov_options;
        EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
        EXPECT_EQ(hyperplane_krylov_options_init(&krylov_options), HYPERPLANE_SUCCESS);
        options.kind = kind;
        options.storage = static_cast<hyperplane_storage>(storage);
        options.line_direction_count = 3;
        for (int d = 0; d < 3; ++d) options.line_directions[d] = d;
        krylov_options.method = static_cast<hyperplane_method>(method);
        krylov_options.tolerance = 1e-11;
        EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, CSystem::n, options.storage, &a),
                  HYPERPLANE_SUCCESS);
        CSystem::set(a, system.values(HYPERPLANE_ROW_MAJOR), HYPERPLANE_ROW_MAJOR);
        EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, CSystem::n, &options, &m),
                  HYPERPLANE_SUCCESS);
        EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
        EXPECT_EQ(hyperplane_preconditioner_check(m), HYPERPLANE_SUCCESS);
        EXPECT_EQ(hyperplane_krylov_create(system.context, system.c_grid, CSystem::n, &krylov_options, &krylov),
                  HYPERPLANE_SUCCESS);
        EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
        hyperplane_krylov_result result;
        EXPECT_EQ(hyperplane_krylov_solve(krylov, a, m, system.b, system.x, &result), HYPERPLANE_SUCCESS);
        EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED) << preconditioner.name() << ' ' << method << ' ' << storage;
        double const tolerance = storage == HYPERPLANE_STORAGE_DOUBLE ? 1e-9 : 1e-5;
        EXPECT_TRUE(near(system.get(system.x), system.solution, tolerance)) << preconditioner.name() << ' ' << method;
        hyperplane_free(krylov);
        hyperplane_free(m);
        hyperplane_free(a);
      }
    }
  }
}

TEST_P(CInterface, sip_is_for_one_unknown) {
  hyperplane_preconditioner_options options;
  hyperplane_preconditioner_options_init(&options);
  options.kind = HYPERPLANE_SIP;
  hyperplane_preconditioner sip = nullptr;
  EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, 1, &options, &sip), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_free(sip), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_preconditioner_create(system.context, system.c_grid, 2, &options, &sip),
                 HYPERPLANE_INVALID_ARGUMENT, "one unknown");
  EXPECT_EQ(sip, nullptr);
}

TEST_P(CInterface, threads_work_in_contexts_of_their_own) {
  auto const solve = [&](std::vector<double>& x) {
    CSystem own(GetParam());
    hyperplane_krylov_result result;
    for (int time = 0; time < 20; ++time) {
      EXPECT_EQ(hyperplane_vector_fill(own.x, 0.0), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_preconditioner_factor(own.m, own.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      EXPECT_EQ(hyperplane_krylov_solve(own.krylov, own.a, own.m, own.b, own.x, &result), HYPERPLANE_SUCCESS);
    }
    x = own.get(own.x);
  };
  std::vector<double> alone, first, second;
  solve(alone);
  std::thread one([&] { solve(first); }), other([&] { solve(second); });
  one.join();
  other.join();
  EXPECT_TRUE(bitwise_equal(first, alone));
  EXPECT_TRUE(bitwise_equal(second, alone));
}

TEST_P(CInterface, singular_pivots_are_a_status) {
  auto values = system.values(HYPERPLANE_ROW_MAJOR);
  for (int e = 0; e < 4; ++e) values[HYPERPLANE_CENTER * 4 + e] = 0.0;
  CSystem::set(system.a, values, HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_preconditioner_check(system.m), HYPERPLANE_SINGULAR_PIVOT,
                 "singular pivot at point (0, 0, 0), equation 0");
}

TEST_P(CInterface, other_failures_of_a_factorization_have_statuses_of_their_own) {
  auto values = system.values(HYPERPLANE_ROW_MAJOR);
  auto const regular = values[HYPERPLANE_CENTER * 4];
  values[HYPERPLANE_CENTER * 4] = std::numeric_limits<double>::quiet_NaN();
  CSystem::set(system.a, values, HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_preconditioner_check(system.m), HYPERPLANE_NOT_FINITE,
                 "not finite at point (0, 0, 0): block center");
  values[HYPERPLANE_CENTER * 4] = regular;
  // Of which the inverse is not finite.
  for (int r = 0; r < 2; ++r) {
    for (int c = 0; c < 2; ++c) values[HYPERPLANE_CENTER * 4 + 2 * r + c] = r == c ? 1e-310 : 0.0;
  }
  CSystem::set(system.a, values, HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_preconditioner_check(system.m), HYPERPLANE_OVERFLOW, "overflow at point (0, 0, 0)");
  EXPECT_STREQ(hyperplane_status_name(HYPERPLANE_NOT_FINITE), "HYPERPLANE_NOT_FINITE");
  EXPECT_STREQ(hyperplane_status_name(HYPERPLANE_OVERFLOW), "HYPERPLANE_OVERFLOW");
}

TEST_P(CInterface, objects_live_as_long_as_they_have_owners) {
  EXPECT_EQ(hyperplane_retain(system.b), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_free(system.b), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(system.get(system.b), system.rhs));
  // Objects outlive the handle of their context.
  EXPECT_EQ(hyperplane_free(system.context), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(system.get(system.b), system.rhs));
  system.context = nullptr;
}

/// The C++ interface, with the same bits.
template <class Exec>
class CAndCxx : public ::testing::Test {};
TYPED_TEST_SUITE(CAndCxx, ExecutionSpaces, SpaceNames);

TYPED_TEST(CAndCxx, agree_to_the_last_bit) {
  TypeParam const exec;
  std::string backend = exec.name();
  std::ranges::transform(backend, backend.begin(), [](unsigned char letter) { return std::tolower(letter); });
  if (backend == "threads") GTEST_SKIP() << "the compiled library has no backend for Threads";
  CSystem system(backend);
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  hyperplane_krylov_result result;
  EXPECT_EQ(hyperplane_krylov_solve(system.krylov, system.a, system.m, system.b, system.x, &result),
            HYPERPLANE_SUCCESS);

  auto const a = to_device<double, CSystem::n, double>(exec, system.reference);
  auto const b = to_device<double, CSystem::n>(exec, system.grid, system.rhs);
  BlockVector<double, CSystem::n, TypeParam> const x(exec, system.grid);
  BlockIlu0<double, CSystem::n, TypeParam> ilu(exec, system.grid);
  ilu.factor(exec, a);
  auto const expected =
      BiCgStab<BlockVector<double, CSystem::n, TypeParam>>(exec, system.grid).solve(exec, a, ilu, b, x);
  EXPECT_EQ(result.iterations, expected.iterations);
  EXPECT_EQ(result.residual_norm, expected.residual_norm);
  EXPECT_TRUE(bitwise_equal(system.get(system.x), to_host(exec, x)));
}

}  // namespace
}  // namespace hyperplane::test
