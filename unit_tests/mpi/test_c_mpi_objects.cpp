// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mpi/c_mpi_fixture.hpp"

// The C interface over ranks: what functions of hyperplane.h do with objects over ranks.
namespace hyperplane::test {
namespace {

TEST_P(CRanks, objects_that_are_left_go_with_the_library) {
  auto const& grid_blocks = four_parts();
  hyperplane_mpi_grid grid = nullptr;
  hyperplane_matrix a = nullptr;
  hyperplane_vector x = nullptr;
  hyperplane_preconditioner m = nullptr;
  hyperplane_krylov krylov = nullptr;
  EXPECT_EQ(CRankSystem::create_on(context, grid_blocks, {}, &grid), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_mpi_matrix_create(grid, 1, &a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_mpi_vector_create(grid, 1, &x), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_mpi_preconditioner_create(grid, 1, nullptr, &m), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_mpi_krylov_create(grid, 1, nullptr, &krylov), HYPERPLANE_SUCCESS);
  // A second grid has a communicator of its own.
  EXPECT_EQ(CRankSystem::create_on(context, grid_blocks, {}, &grid), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_is_initialized(), 0);
  ASSERT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS);
  expect_refused(hyperplane_vector_fill(x, 1.0), "vector has been freed", HYPERPLANE_INVALID_HANDLE);
  expect_refused(hyperplane_mpi_vector_create(grid, 1, &x), "grid has been freed", HYPERPLANE_INVALID_HANDLE);
  EXPECT_EQ(hyperplane_context_create(GetParam().c_str(), nullptr, &context), HYPERPLANE_SUCCESS);
}

TEST_P(CRanks, a_monitor_of_one_rank_stops_all) {
  CRankSystem const system(context, four_parts());
  hyperplane_krylov_options options;
  EXPECT_EQ(hyperplane_krylov_options_init(&options), HYPERPLANE_SUCCESS);
  // The others have none.
  if (rank == ranks - 1) options.monitor = [](int iteration, double, void*) { return iteration == 2 ? 1 : 0; };
  COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, CRankSystem::n, &options);
  hyperplane_krylov_result result{};
  EXPECT_EQ(hyperplane_krylov_solve(krylov, system.a, nullptr, system.b, system.x, &result), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(result.outcome, HYPERPLANE_STOPPED);
  EXPECT_EQ(result.iterations, 2);
}

TEST_P(CRanks, limits_are_those_of_all_ranks) {
  CRankSystem const system(context, four_parts());
  COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, CRankSystem::n, nullptr);
  hyperplane_krylov_limits limits;
  EXPECT_EQ(hyperplane_krylov_get_limits(krylov, &limits), HYPERPLANE_SUCCESS);
  limits.max_iterations = rank == ranks - 1 ? 1 : 2;
  EXPECT_EQ(hyperplane_krylov_set_limits(krylov, &limits), HYPERPLANE_SUCCESS);
  hyperplane_krylov_result result{};
  auto const solve = [&] { return hyperplane_krylov_solve(krylov, system.a, nullptr, system.b, system.x, &result); };
  if (ranks > 1) {
    expect_refused(solve(), "limits: rank " + std::to_string(ranks - 1) + " has others than rank 0");
  }
  limits.max_iterations = 1;
  EXPECT_EQ(hyperplane_krylov_set_limits(krylov, &limits), HYPERPLANE_SUCCESS);
  EXPECT_EQ(solve(), HYPERPLANE_SUCCESS);
  EXPECT_EQ(result.outcome, HYPERPLANE_MAX_ITERATIONS);
  EXPECT_EQ(result.iterations, 1);
}

TEST_P(CRanks, the_identity_is_a_preconditioner) {
  CRankSystem const system(context, four_parts());
  auto options = bilu0(HYPERPLANE_COUPLING_NONE);
  options.kind = HYPERPLANE_IDENTITY;
  COwned<hyperplane_preconditioner> const identity(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n,
                                                   &options);
  // It needs no factors.
  EXPECT_EQ(hyperplane_preconditioner_check(identity), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_solve(identity, system.b, system.x), HYPERPLANE_SUCCESS);
  EXPECT_EQ(system.get(system.x), system.own(system.rhs));
  hyperplane_krylov_options krylov_options;
  EXPECT_EQ(hyperplane_krylov_options_init(&krylov_options), HYPERPLANE_SUCCESS);
  krylov_options.tolerance = 1e-11;
  COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, CRankSystem::n, &krylov_options);
  hyperplane_krylov_result with{}, without{};
  std::pair<hyperplane_preconditioner, hyperplane_krylov_result*> const runs[] = {{identity, &with},
                                                                                  {nullptr, &without}};
  for (auto const& [m, result] : runs) {
    EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_krylov_solve(krylov, system.a, m, system.b, system.x, result), HYPERPLANE_SUCCESS);
    EXPECT_EQ(result->outcome, HYPERPLANE_CONVERGED);
    EXPECT_TRUE(near(system.get(system.x), system.own(system.solution), 1e-7));
  }
  EXPECT_EQ(with.iterations, without.iterations);
}

TEST_P(CRanks, several_vectors_are_solved_for_one_after_the_other) {
  CRankSystem const system(context, four_parts());
  constexpr int n = CRankSystem::n;
  auto const options = bilu0(HYPERPLANE_COUPLING_COLOURED);
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, n, &options);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS);
  COwned<hyperplane_vector> const c(hyperplane_mpi_vector_create, system.grid, n),
      y(hyperplane_mpi_vector_create, system.grid, n);
  system.set(c, system.solution);
  std::vector<double> expected[2];
  EXPECT_EQ(hyperplane_preconditioner_solve(m, system.b, system.x), HYPERPLANE_SUCCESS);
  expected[0] = system.get(system.x);
  EXPECT_EQ(hyperplane_preconditioner_solve(m, c, system.x), HYPERPLANE_SUCCESS);
  expected[1] = system.get(system.x);
  hyperplane_vector const rhs[2] = {system.b, c}, x[2] = {system.x, y};
  EXPECT_EQ(hyperplane_preconditioner_solve_many(m, 2, rhs, x), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_TRUE(bitwise_equal(system.get(system.x), expected[0]));
  EXPECT_TRUE(bitwise_equal(system.get(y), expected[1]));
  // So do two columns of an array.
  auto columns = system.own(system.rhs);
  auto const second = system.own(system.solution);
  columns.insert(columns.end(), second.begin(), second.end());
  EXPECT_EQ(
      hyperplane_preconditioner_solve_array(m, 2, columns.data(), columns.data(), std::ssize(columns), HYPERPLANE_HOST),
      HYPERPLANE_SUCCESS);
  auto both = expected[0];
  both.insert(both.end(), expected[1].begin(), expected[1].end());
  EXPECT_TRUE(bitwise_equal(columns, both));
}

TEST_P(CRanks, what_is_of_one_grid_is_refused_over_ranks) {
  CRankSystem const system(context, four_parts());
  constexpr int n = CRankSystem::n;
  hyperplane_box const box = {{0, 0, 0}, {1, 1, 1}};
  hyperplane_array arrays[7];
  double values[7][n * n] = {};
  for (int d = 0; d < 7; ++d) {
    EXPECT_EQ(hyperplane_array_init(&arrays[d], values[d], HYPERPLANE_DOUBLE, HYPERPLANE_HOST, {1, 1, 1}, n * n),
              HYPERPLANE_SUCCESS);
  }
  std::string const words = "a box of points is of one grid block: take that with hyperplane_mpi_vector_block()";
  expect_refused(hyperplane_matrix_set_box(system.a, box, arrays, nullptr, HYPERPLANE_ROW_MAJOR), words);
  expect_refused(hyperplane_matrix_get_box(system.a, box, arrays, nullptr, HYPERPLANE_ROW_MAJOR), words);
  EXPECT_EQ(hyperplane_array_init(arrays, values[0], HYPERPLANE_DOUBLE, HYPERPLANE_HOST, {1, 1, 1}, n),
            HYPERPLANE_SUCCESS);
  expect_refused(hyperplane_vector_set_box(system.x, box, arrays, nullptr), words);
  expect_refused(hyperplane_vector_get_box(system.x, box, arrays, nullptr), words);
  hyperplane_csr csr;
  EXPECT_EQ(hyperplane_csr_init(&csr), HYPERPLANE_SUCCESS);
  std::vector<int> const offsets(system.own(system.rhs).size() + 1);
  csr.rows = std::ssize(offsets) - 1;
  csr.row_offsets = offsets.data();
  int const column = 0;
  csr.columns = &column;
  csr.values = values[0];
  expect_refused(hyperplane_matrix_set_csr(system.a, &csr, HYPERPLANE_HOST), "compressed rows are of one grid");
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, n, nullptr);
  std::vector<std::int8_t> const mask(system.own(system.rhs).size() / n, 1);
  expect_refused(hyperplane_preconditioner_factor_masked(m, system.a, mask.data(), std::ssize(mask), HYPERPLANE_HOST),
                 "over ranks a mask is the matrix's: leave points out by hyperplane_matrix_mask()");
}

TEST_P(CRanks, objects_of_other_contexts_and_kinds_are_refused) {
  CRankSystem const system(context, four_parts());
  constexpr int n = CRankSystem::n;
  COwned<hyperplane_context> const elsewhere(hyperplane_context_create, GetParam().c_str(), nullptr);
  COwned<hyperplane_mpi_grid> const grid(CRankSystem::create_on, elsewhere, four_parts(), std::vector<int>{});
  COwned<hyperplane_vector> const x(hyperplane_mpi_vector_create, grid, n);
  expect_refused(hyperplane_matrix_apply(system.a, x, system.x), "x belongs to another context");
  COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, n, nullptr);
  hyperplane_krylov_result result;
  expect_refused(hyperplane_krylov_solve(krylov, system.a, nullptr, system.b, x, &result),
                 "x belongs to another context");
  auto const as_vector = reinterpret_cast<hyperplane_vector>(static_cast<hyperplane_matrix>(system.a));
  expect_refused(hyperplane_krylov_solve(krylov, system.a, nullptr, as_vector, system.x, &result),
                 "b is the handle of a matrix, expected that of a vector", HYPERPLANE_INVALID_HANDLE);
  auto const as_grid = reinterpret_cast<hyperplane_mpi_grid>(static_cast<hyperplane_vector>(system.x));
  hyperplane_vector made = system.x;
  expect_refused(hyperplane_mpi_vector_create(as_grid, n, &made),
                 "grid is the handle of a vector, expected that of a grid over ranks", HYPERPLANE_INVALID_HANDLE);
  EXPECT_EQ(made, nullptr);
}

}  // namespace
}  // namespace hyperplane::test
