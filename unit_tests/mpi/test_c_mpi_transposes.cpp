// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "blocks/multi_block_grids.hpp"
#include "mpi/c_mpi_fixture.hpp"
#include "mpi/c_mpi_whole.hpp"

// The C interface over ranks: A^T and M^T, for adjoint systems.
namespace hyperplane::test {
namespace {

struct Coupled {
  hyperplane_preconditioner_kind kind;
  hyperplane_coupling coupling;
  hyperplane_storage storage = HYPERPLANE_STORAGE_DOUBLE;
};

hyperplane_preconditioner_options options_of(const Coupled& coupled) {
  hyperplane_preconditioner_options options;
  EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
  options.kind = coupled.kind;
  options.coupling = coupled.coupling;
  options.storage = coupled.storage;
  options.relaxation = 1.1;
  options.alpha = 0.7;
  options.line_direction_count = 2;
  options.line_directions[1] = 2;
  return options;
}

/// The sum over all ranks.
double global_product(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// Whether four_parts() have no ghost points in the natural order: on slabs of hosts. They are cut along i, too, and so
/// go through no devices.
bool has_natural_transposes(const std::string& backend) { return backend != "cuda"; }

TEST_P(CRanks, products_with_the_transpose_are_those_of_the_whole_matrix) {
  for (auto const& [name, grid] : awkward_grids()) {
    SCOPED_TRACE(name);
    CRankSystem const system(context, grid);
    COwned<hyperplane_matrix> const at(hyperplane_matrix_transpose, system.a), again(hyperplane_matrix_transpose, at);
    COwned<hyperplane_vector> const y(hyperplane_mpi_vector_create, system.grid, CRankSystem::n);
    system.set(system.x, system.solution);
    EXPECT_EQ(hyperplane_matrix_apply(at, system.x, y), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    auto expected = system.own(system.reference.rows().transposed() * system.solution);
    EXPECT_TRUE(near(system.get(y), expected, 1e-12));
    EXPECT_EQ(hyperplane_vector_fill(y, 1.0), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_matrix_residual(at, y, system.x, y), HYPERPLANE_SUCCESS);
    for (auto& value : expected) value = 1.0 - value;
    EXPECT_TRUE(near(system.get(y), expected, 1e-12));
    // That of A^T is A.
    EXPECT_EQ(hyperplane_matrix_apply(system.a, system.x, y), HYPERPLANE_SUCCESS);
    auto const product = system.get(y);
    EXPECT_EQ(hyperplane_matrix_apply(again, system.x, y), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(bitwise_equal(system.get(y), product));
  }
}

TEST_P(CRanks, solves_with_the_transpose_have_the_bits_of_one_process) {
  CRankAndWholeSystem const system(context);
  for (auto const& coupled : {Coupled{HYPERPLANE_BILU0, HYPERPLANE_COUPLING_NONE},
                              {HYPERPLANE_BILU0, HYPERPLANE_COUPLING_COLOURED},
                              {HYPERPLANE_BILU0, HYPERPLANE_COUPLING_COLOURED, HYPERPLANE_STORAGE_BFLOAT16},
                              {HYPERPLANE_BILU0, HYPERPLANE_COUPLING_COLOURED, HYPERPLANE_STORAGE_AUTOMATIC},
                              {HYPERPLANE_BILU0, HYPERPLANE_COUPLING_NATURAL},
                              {HYPERPLANE_SSOR, HYPERPLANE_COUPLING_COLOURED},
                              {HYPERPLANE_SSOR, HYPERPLANE_COUPLING_NATURAL},
                              {HYPERPLANE_JACOBI, HYPERPLANE_COUPLING_NONE}}) {
    bool const is_natural = coupled.coupling == HYPERPLANE_COUPLING_NATURAL;
    if (is_natural && !has_natural_transposes(GetParam())) continue;
    auto const options = options_of(coupled);
    COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.over_ranks.grid,
                                              CRankSystem::n, &options);
    // It has the factors of later factorizations.
    COwned<hyperplane_preconditioner> const mt(hyperplane_preconditioner_transpose, m);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.over_ranks.a), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_check(mt), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    auto const found = applied(system.over_ranks, mt);
    auto const expected = system.own(system.preconditioned(options, true));
    // In one process natural parts are the whole, which is not cut: sums at cuts differ by rounding.
    EXPECT_TRUE(is_natural ? near(found, expected, 1e-12) : bitwise_equal(found, expected))
        << "kind " << coupled.kind << ", coupling " << coupled.coupling << ", storage " << coupled.storage;
  }
}

/// <M^-1 u, v> = <u, M^-T v>.
TEST_P(CRanks, solves_with_the_transpose_are_adjoint) {
  auto const expect_adjoint = [&](const MultiBlockGrid& grid, int n, const Coupled& coupled) {
    SCOPED_TRACE("kind " + std::to_string(coupled.kind) + ", coupling " + std::to_string(coupled.coupling));
    CRankSystem const system(context, grid, {}, n);
    auto const options = options_of(coupled);
    COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, n, &options);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    COwned<hyperplane_preconditioner> const mt(hyperplane_preconditioner_transpose, m);
    auto const u = system.own(system.rhs), v = system.own(random_vector(grid.size() * n, 7));
    auto const of_u = applied(system, m);
    system.set(system.b, random_vector(grid.size() * n, 7));
    EXPECT_EQ(hyperplane_preconditioner_solve(mt, system.b, system.x), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    auto const of_v = system.get(system.x);
    double const size = std::sqrt(global_product(of_u, of_u) * global_product(v, v));
    EXPECT_NEAR(global_product(of_u, v), global_product(u, of_v), 1e-12 * size);
  };
  for (auto const& [name, grid] : awkward_grids()) {
    SCOPED_TRACE(name);
    expect_adjoint(grid, 2, {HYPERPLANE_BILU0, HYPERPLANE_COUPLING_COLOURED});
    expect_adjoint(grid, 1, {HYPERPLANE_SIP, HYPERPLANE_COUPLING_COLOURED});
  }
  expect_adjoint(four_parts(), 2, {HYPERPLANE_LINES, HYPERPLANE_COUPLING_NONE});
  expect_adjoint(four_parts(), 2, {HYPERPLANE_IDENTITY, HYPERPLANE_COUPLING_NONE});
}

TEST_P(CRanks, adjoint_systems_are_solved) {
  CRankSystem const system(context, four_parts());
  auto const options = bilu0(HYPERPLANE_COUPLING_COLOURED);
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n,
                                            &options);
  COwned<hyperplane_matrix> const at(hyperplane_matrix_transpose, system.a);
  COwned<hyperplane_preconditioner> const mt(hyperplane_preconditioner_transpose, m);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS);
  system.set(system.b, system.reference.rows().transposed() * system.solution);
  hyperplane_krylov_options krylov_options;
  EXPECT_EQ(hyperplane_krylov_options_init(&krylov_options), HYPERPLANE_SUCCESS);
  krylov_options.tolerance = 1e-11;
  COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, CRankSystem::n, &krylov_options);
  hyperplane_krylov_result with{}, without{};
  EXPECT_EQ(hyperplane_preconditioner_measure(mt), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_krylov_solve(krylov, at, mt, system.b, system.x, &with), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(with.outcome, HYPERPLANE_CONVERGED);
  EXPECT_TRUE(near(system.get(system.x), system.own(system.solution), 1e-7));
  std::int64_t count = 0;
  EXPECT_EQ(hyperplane_preconditioner_seconds(mt, nullptr, 0, &count), HYPERPLANE_SUCCESS);
  EXPECT_GE(count, with.iterations);
  EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_krylov_solve(krylov, at, nullptr, system.b, system.x, &without), HYPERPLANE_SUCCESS);
  EXPECT_GT(without.iterations, with.iterations);
  if (ranks == 1) return;
  std::string const words = "the transposes: rank " + std::to_string(ranks - 1) + " has others than rank 0";
  bool const is_last = rank == ranks - 1;
  expect_refused(hyperplane_krylov_solve(krylov, is_last ? system.a : at, mt, system.b, system.x, &with), words);
  expect_refused(hyperplane_krylov_solve(krylov, at, is_last ? m : mt, system.b, system.x, &with), words);
}

TEST_P(CRanks, transposes_have_no_values_of_their_own) {
  CRankSystem const system(context, four_parts());
  COwned<hyperplane_matrix> const at(hyperplane_matrix_transpose, system.a);
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n, nullptr);
  COwned<hyperplane_preconditioner> const mt(hyperplane_preconditioner_transpose, m);
  std::string const words = "the matrix is a transpose, which has no blocks of its own";
  std::vector<double> blocks(system.own(system.rhs).size() * 7 * CRankSystem::n);
  auto const count = std::ssize(blocks);
  expect_refused(hyperplane_matrix_set(at, blocks.data(), count, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST), words);
  expect_refused(hyperplane_matrix_get(at, blocks.data(), count, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST), words);
  std::vector<std::int8_t> const mask(system.own(system.rhs).size() / CRankSystem::n, 1);
  expect_refused(hyperplane_matrix_mask(at, mask.data(), std::ssize(mask), HYPERPLANE_HOST), words);
  if (auto const numbers = system.blocks(); !numbers.empty()) {
    hyperplane_matrix part = nullptr;
    expect_refused(hyperplane_mpi_matrix_block(at, numbers.front(), &part), words);
    EXPECT_EQ(part, nullptr);
  }
  expect_refused(hyperplane_preconditioner_factor(m, at), words);
  expect_refused(hyperplane_preconditioner_factor(mt, system.a),
                 "the preconditioner is a transpose: factor the one that it was made of");
  expect_refused(hyperplane_preconditioner_solve(mt, system.b, system.x), "called before factor");
  EXPECT_EQ(hyperplane_vector_fill(system.x, 1.0), HYPERPLANE_SUCCESS);
  expect_refused(hyperplane_matrix_apply(at, system.x, system.x), "the result must not be x");
}

/// On all ranks, those without grid blocks among them.
TEST_P(CRanks, natural_parts_with_ghost_points_have_no_solve_with_the_transpose) {
  for (auto const& owners : {std::vector<int>{}, std::vector<int>(4, ranks - 1)}) {
    CRankSystem const system(context, four_parts(), owners);
    auto options = bilu0(HYPERPLANE_COUPLING_NATURAL);
    options.path = HYPERPLANE_PATH_PORTABLE;
    COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n,
                                              &options);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    COwned<hyperplane_matrix> const at(hyperplane_matrix_transpose, system.a);
    COwned<hyperplane_preconditioner> const mt(hyperplane_preconditioner_transpose, m);
    std::string const words = "on this path, coupling natural has M^-T in one process, and not over ranks";
    expect_refused(hyperplane_preconditioner_solve(mt, system.b, system.x), words);
    COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, CRankSystem::n, nullptr);
    hyperplane_krylov_result result;
    expect_refused(hyperplane_krylov_solve(krylov, at, mt, system.b, system.x, &result), words);
    EXPECT_EQ(hyperplane_preconditioner_solve(m, system.b, system.x), HYPERPLANE_SUCCESS);
  }
}

}  // namespace
}  // namespace hyperplane::test
