// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/blocks/cut_grid.hpp>

#include <Kokkos_Core.hpp>

#include <new>

#include "mpi/c_mpi_fixture.hpp"

// The C interface over ranks: errors, which all ranks have.
namespace hyperplane::test {
namespace {

TEST_P(CRanks, wrong_grids_are_an_error_of_all_ranks) {
  auto const grid = four_parts();
  auto const grids = c_grids(grid);
  auto const interfaces = c_interfaces(grid);
  hyperplane_mpi_grid made = nullptr;
  auto const create = [&](const std::vector<hyperplane_interface>& those, const int* owners) {
    return hyperplane_mpi_grid_create(context, MPI_COMM_WORLD, grid.block_count(), grids.data(),
                                      static_cast<int>(those.size()), those.data(), owners, &made);
  };
  auto const create_in = [&](hyperplane_context where) {
    return hyperplane_mpi_grid_create(where, MPI_COMM_WORLD, grid.block_count(), grids.data(), 0, nullptr, nullptr,
                                      &made);
  };
  // On the last rank alone.
  int const last = ranks - 1;
  auto wrong = interfaces;
  if (rank == last) wrong[0].end[1] += 1;
  expect_refused(create(wrong, nullptr), "rank " + std::to_string(last) + ": ");
  EXPECT_EQ(made, nullptr);
  auto shapes = grids;
  if (rank == last) shapes[3].nj = 0;
  expect_refused(hyperplane_mpi_grid_create(context, MPI_COMM_WORLD, grid.block_count(), shapes.data(), 0, nullptr,
                                            nullptr, &made),
                 "blocks[3]: ");
  expect_refused(create_in(rank == last ? nullptr : context), "context is NULL", HYPERPLANE_NULL_POINTER);
  std::array<int, 3> const cut{1, 1, 1};
  expect_refused(hyperplane_mpi_grid_cut(context, MPI_COMM_WORLD, {rank == last ? 0 : 4, 4, 4}, cut.data(), nullptr,
                                         nullptr, &made),
                 "the whole grid: ");
  expect_refused(hyperplane_mpi_grid_cut(context, MPI_COMM_WORLD, {4, 4, 4}, rank == last ? nullptr : cut.data(),
                                         nullptr, nullptr, rank == last ? nullptr : &made),
                 "grid is NULL", HYPERPLANE_NULL_POINTER);
  wrong = interfaces;
  if (rank == last) wrong[0].face = 7;
  expect_refused(create(wrong, nullptr), "interfaces[0].face is 7, expected 0 to 6");
  std::vector<int> owners(grid.block_count(), 0);
  if (rank == last) owners[1] = ranks;
  expect_refused(create(interfaces, owners.data()), "hyperplane_mpi_grid_create: rank " + std::to_string(last) +
                                                        ": the owner of grid block 1 is rank " + std::to_string(ranks) +
                                                        ", there are " + std::to_string(ranks));
  if (ranks > 1) {
    owners.assign(grid.block_count(), 0);
    owners[2] = rank == last ? 1 : 0;
    expect_refused(create(interfaces, owners.data()), "owners: rank " + std::to_string(last) + " has others than");
  }
  std::array<int, 3> const too_many{1, 9, 1};
  expect_refused(hyperplane_mpi_grid_cut(context, MPI_COMM_WORLD, hyperplane_grid{4, 7, 5}, too_many.data(), nullptr,
                                         nullptr, &made),
                 "9 parts of 7 points along j");
  expect_refused(hyperplane_mpi_grid_create(context, MPI_COMM_NULL, 1, grids.data(), 0, nullptr, nullptr, &made),
                 "MPI_COMM_NULL");
}

TEST_P(CRanks, what_is_wrong_on_one_rank_is_an_error_of_all) {
  CRankSystem const system(context, four_parts());
  constexpr int n = CRankSystem::n;
  bool const is_last = rank == ranks - 1;
  auto options = bilu0(HYPERPLANE_COUPLING_COLOURED);
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, n, &options);
  COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, n, nullptr);
  expect_refused(hyperplane_preconditioner_factor(m, is_last ? nullptr : static_cast<hyperplane_matrix>(system.a)),
                 "a is NULL", HYPERPLANE_NULL_POINTER);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS);
  hyperplane_krylov_result result;
  expect_refused(hyperplane_krylov_solve(krylov, system.a, m, system.b, system.x, is_last ? nullptr : &result),
                 "result is NULL", HYPERPLANE_NULL_POINTER);
  auto values = system.own(system.rhs);
  auto const count = std::ssize(values) + (is_last ? 1 : 0);
  expect_refused(
      hyperplane_krylov_solve_array(krylov, system.a, m, values.data(), values.data(), count, HYPERPLANE_HOST, &result),
      "count is", HYPERPLANE_SIZE_MISMATCH);
  expect_refused(hyperplane_preconditioner_solve_array(m, 1, values.data(), values.data(), count, HYPERPLANE_HOST),
                 "count is", HYPERPLANE_SIZE_MISMATCH);
  hyperplane_matrix a = nullptr;
  expect_refused(hyperplane_mpi_matrix_create(system.grid, is_last ? 17 : n, &a), "17 is not in this build",
                 HYPERPLANE_NOT_AVAILABLE);
  expect_refused(hyperplane_mpi_matrix_create(system.grid, n, is_last ? nullptr : &a), "matrix is NULL",
                 HYPERPLANE_NULL_POINTER);
  if (ranks == 1) return;
  expect_refused(hyperplane_mpi_matrix_create(system.grid, is_last ? 1 : n, &a), "the numbers of unknowns: rank");
  hyperplane_preconditioner other = nullptr;
  options.kind = is_last ? HYPERPLANE_IDENTITY : HYPERPLANE_BILU0;
  expect_refused(hyperplane_mpi_preconditioner_create(system.grid, n, &options, &other),
                 "the kinds of preconditioners: rank");
  options.kind = HYPERPLANE_SSOR;
  options.relaxation = is_last ? 1.2 : 1.0;
  expect_refused(hyperplane_mpi_preconditioner_create(system.grid, n, &options, &other),
                 "the relaxations of ssor: rank");
  options.kind = HYPERPLANE_SIP;
  options.alpha = is_last ? 0.5 : 0.9;
  expect_refused(hyperplane_mpi_preconditioner_create(system.grid, 1, &options, &other), "the alphas of sip: rank");
  // Of a kind that has neither, they may be anything.
  options.kind = HYPERPLANE_JACOBI;
  options.coupling = HYPERPLANE_COUPLING_NONE;
  EXPECT_EQ(hyperplane_mpi_preconditioner_create(system.grid, n, &options, &other), HYPERPLANE_SUCCESS);
  hyperplane_free(other);
  expect_refused(
      hyperplane_krylov_solve(krylov, system.a, is_last ? nullptr : static_cast<hyperplane_preconditioner>(m), system.b,
                              system.x, &result),
      "the preconditioners: rank");
}

TEST_P(CRanks, narrowed_matrices_are_of_one_process) {
  CRankSystem const system(context, four_parts());
  hyperplane_matrix narrowed = nullptr;
  expect_refused(hyperplane_matrix_create_narrowed(system.a, HYPERPLANE_STORAGE_FLOAT, &narrowed),
                 "a matrix over ranks has no copy in float, one of one process has");
  EXPECT_EQ(narrowed, nullptr);
  expect_refused(hyperplane_matrix_narrow(system.a), "a matrix over ranks has no copy in float");
  COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, CRankSystem::n, nullptr);
  auto const rhs = system.own(system.rhs);
  auto x = rhs;
  hyperplane_krylov_result result;
  expect_refused(hyperplane_krylov_solve_columns(krylov, system.a, nullptr, 1, rhs.data(), x.data(), std::ssize(x),
                                                 HYPERPLANE_HOST, &result),
                 "several right-hand sides are not for objects over ranks");
}

TEST_P(CRanks, wrong_objects_are_refused) {
  CRankSystem const system(context, four_parts());
  hyperplane_preconditioner m = nullptr;
  auto const make = [&](const hyperplane_preconditioner_options& options) {
    return hyperplane_mpi_preconditioner_create(system.grid, CRankSystem::n, &options, &m);
  };
  auto options = bilu0(HYPERPLANE_COUPLING_NONE);
  options.kind = static_cast<hyperplane_preconditioner_kind>(HYPERPLANE_BILU0 + 1);
  expect_refused(make(options), "kind is 6, expected 0 to 5");
  options.kind = HYPERPLANE_SIP;
  expect_refused(make(options), "sip is for one unknown per point, not for 2");
  options = bilu0(rank == ranks - 1 ? HYPERPLANE_COUPLING_COLOURED : HYPERPLANE_COUPLING_NONE);
  options.kind = HYPERPLANE_JACOBI;
  expect_refused(make(options), "jacobi has no coupling coloured");
  options = bilu0(HYPERPLANE_COUPLING_NONE);
  options.parts[0] = 2;
  expect_refused(make(options), "parts is not 1, 1, 1");
  // On one rank alone.
  options = bilu0(rank == ranks - 1 ? static_cast<hyperplane_coupling>(3) : HYPERPLANE_COUPLING_NONE);
  expect_refused(make(options), "coupling is 3, expected 0 to 2");
  hyperplane_matrix a = nullptr;
  expect_refused(hyperplane_mpi_matrix_create(system.grid, 17, &a), "17 is not in this build",
                 HYPERPLANE_NOT_AVAILABLE);
  CRankSystem const other(context, cut_grid(Grid(4, 4, 4), {1, 2, 1}).grid);
  expect_refused(hyperplane_matrix_apply(system.a, other.x, system.x), "x is on 2 grid blocks",
                 HYPERPLANE_SIZE_MISMATCH);
  expect_refused(hyperplane_preconditioner_factor(nullptr, system.a), "NULL", HYPERPLANE_NULL_POINTER);
  COwned<hyperplane_vector> const alone(hyperplane_vector_create, context, hyperplane_grid{2, 2, 2}, CRankSystem::n);
  COwned<hyperplane_matrix> const matrix(hyperplane_matrix_create, context, hyperplane_grid{2, 2, 2}, CRankSystem::n,
                                         HYPERPLANE_STORAGE_DOUBLE);
  expect_refused(hyperplane_matrix_apply(matrix, system.x, alone), "x is over ranks");
  hyperplane_vector gone = nullptr;
  EXPECT_EQ(hyperplane_mpi_vector_create(system.grid, 1, &gone), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_free(gone), HYPERPLANE_SUCCESS);
  expect_refused(hyperplane_mpi_vector_block(gone, 0, &gone), "has been freed", HYPERPLANE_INVALID_HANDLE);
}

TEST_P(CRanks, nothing_is_made_on_no_grid) {
  // A number that is no handle: what is left there would be freed as if it had been made.
  std::uintptr_t const number = 3;
  auto* const left = reinterpret_cast<void*>(number);
  auto vector = static_cast<hyperplane_vector>(left);
  auto matrix = static_cast<hyperplane_matrix>(left);
  auto preconditioner = static_cast<hyperplane_preconditioner>(left);
  auto krylov = static_cast<hyperplane_krylov>(left);
  expect_refused(hyperplane_mpi_vector_create(nullptr, 1, &vector), "grid is NULL", HYPERPLANE_NULL_POINTER);
  expect_refused(hyperplane_mpi_matrix_create(nullptr, 1, &matrix), "grid is NULL", HYPERPLANE_NULL_POINTER);
  expect_refused(hyperplane_mpi_preconditioner_create(nullptr, 1, nullptr, &preconditioner), "grid is NULL",
                 HYPERPLANE_NULL_POINTER);
  expect_refused(hyperplane_mpi_krylov_create(nullptr, 1, nullptr, &krylov), "grid is NULL", HYPERPLANE_NULL_POINTER);
  EXPECT_EQ(vector, nullptr);
  EXPECT_EQ(matrix, nullptr);
  EXPECT_EQ(preconditioner, nullptr);
  EXPECT_EQ(krylov, nullptr);
}

/// All grid blocks are rank 0's: the others have no values that could be in the wrong memory.
TEST_P(CRanks, memory_that_is_not_the_device_s_is_an_error_of_all_ranks) {
  CRankSystem const system(context, four_parts(), std::vector<int>(4, 0));
  constexpr int n = CRankSystem::n;
  auto const options = bilu0(HYPERPLANE_COUPLING_COLOURED);
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, n, &options);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS);
  COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, n, nullptr);
  auto values = system.own(system.rhs);
  std::vector<std::int8_t> const mask(values.size() / n, 1);
  hyperplane_krylov_result result{};
  auto const refuse = [](hyperplane_status status) {
    expect_refused(status, "rank 0: ");
    expect_refused(status, "device memory");
  };
  auto const solve = [&](hyperplane_memory_space space) {
    return hyperplane_krylov_solve_array(krylov, system.a, m, values.data(), values.data(), std::ssize(values), space,
                                         &result);
  };
  auto const precondition = [&](hyperplane_memory_space space) {
    return hyperplane_preconditioner_solve_array(m, 1, values.data(), values.data(), std::ssize(values), space);
  };
  refuse(solve(HYPERPLANE_DEVICE));
  refuse(precondition(HYPERPLANE_DEVICE));
  refuse(hyperplane_matrix_mask(system.a, mask.data(), std::ssize(mask), HYPERPLANE_DEVICE));
  EXPECT_EQ(solve(HYPERPLANE_HOST), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED);
  EXPECT_EQ(precondition(HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  // What products refuse, they refuse on ranks without grid blocks, too.
  expect_refused(hyperplane_matrix_apply(system.a, system.x, system.x), "the result must not be x");
  expect_refused(hyperplane_matrix_residual(system.a, system.b, system.x, system.x), "the result must not be x");
}

TEST_P(CRanks, lack_of_memory_on_one_rank_is_told_to_all) {
  CRankSystem const system(context, four_parts());
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n, nullptr);
  namespace tools = Kokkos::Tools::Experimental;
  if (rank == ranks - 1) {
    tools::set_begin_parallel_for_callback(
        [](const char*, std::uint32_t, std::uint64_t*) -> void { throw std::bad_alloc(); });
  }
  auto const status = hyperplane_preconditioner_factor(m, system.a);
  tools::set_begin_parallel_for_callback(nullptr);
  expect_refused(status, "rank " + std::to_string(ranks - 1) + ": std::bad_alloc", HYPERPLANE_OUT_OF_MEMORY);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
}

/// The library over ranks and the one beside it know of each other's calls.
TEST_P(CRanks, nothing_is_finalized_inside_of_a_call) {
  CRankSystem const system(context, four_parts());
  static hyperplane_status status;
  status = HYPERPLANE_SUCCESS;
  namespace tools = Kokkos::Tools::Experimental;
  tools::set_allocate_data_callback([](const Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t) {
    status = hyperplane_finalize();
  });
  COwned<hyperplane_vector> const y(hyperplane_mpi_vector_create, system.grid, CRankSystem::n);
  tools::set_allocate_data_callback(nullptr);
  EXPECT_EQ(status, HYPERPLANE_INVALID_ARGUMENT);
  EXPECT_EQ(hyperplane_vector_fill(y, 1.0), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
}

}  // namespace
}  // namespace hyperplane::test
