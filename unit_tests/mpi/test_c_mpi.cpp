// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>

#include "blocks/multi_block_grids.hpp"
#include "mpi/c_mpi_fixture.hpp"
#include "mpi/c_mpi_whole.hpp"

// The C interface over ranks: products against the whole matrix, preconditioners against those of one process, grid
// blocks as objects of one grid.
namespace hyperplane::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Backends, CRanks, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

TEST_P(CRanks, products_and_residuals_are_those_of_the_whole_matrix) {
  for (auto const& [name, grid] : awkward_grids()) {
    SCOPED_TRACE(name);
    CRankSystem const system(context, grid);
    COwned<hyperplane_vector> const y(hyperplane_mpi_vector_create, system.grid, CRankSystem::n);
    system.set(system.x, system.solution);
    EXPECT_EQ(hyperplane_matrix_apply(system.a, system.x, y), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_TRUE(near(system.get(y), system.own(system.rhs), 1e-12));
    EXPECT_EQ(hyperplane_vector_fill(y, 1.0), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_matrix_residual(system.a, y, system.x, y), HYPERPLANE_SUCCESS);
    auto expected = system.own(system.rhs);
    for (auto& value : expected) value = 1.0 - value;
    EXPECT_TRUE(near(system.get(y), expected, 1e-12));
  }
}

TEST_P(CRanks, every_method_solves_with_every_coupling) {
  CRankSystem const system(context, four_parts());
  for (auto const coupling : {HYPERPLANE_COUPLING_NONE, HYPERPLANE_COUPLING_COLOURED, HYPERPLANE_COUPLING_NATURAL}) {
    auto const options = bilu0(coupling);
    COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n,
                                              &options);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_preconditioner_check(m), HYPERPLANE_SUCCESS);
    for (auto const method : {HYPERPLANE_RICHARDSON, HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES, HYPERPLANE_FGCRODR}) {
      hyperplane_krylov_options krylov_options;
      EXPECT_EQ(hyperplane_krylov_options_init(&krylov_options), HYPERPLANE_SUCCESS);
      krylov_options.method = method;
      krylov_options.tolerance = 1e-11;
      COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, CRankSystem::n,
                                             &krylov_options);
      EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
      hyperplane_krylov_result result;
      EXPECT_EQ(hyperplane_krylov_solve(krylov, system.a, m, system.b, system.x, &result), HYPERPLANE_SUCCESS)
          << hyperplane_last_error_message();
      EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED) << coupling << ", method " << method;
      EXPECT_TRUE(near(system.get(system.x), system.own(system.solution), 1e-7)) << coupling << ", method " << method;
      // Arrays of this rank's rows do the same, and without a preconditioner it takes longer.
      auto const rhs = system.own(system.rhs);
      std::vector<double> x(rhs.size(), 0.0);
      hyperplane_krylov_result of_arrays;
      EXPECT_EQ(hyperplane_krylov_forget(krylov), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_krylov_solve_array(krylov, system.a, m, rhs.data(), x.data(), std::ssize(x), HYPERPLANE_HOST,
                                              &of_arrays),
                HYPERPLANE_SUCCESS);
      EXPECT_EQ(of_arrays.iterations, result.iterations);
      EXPECT_TRUE(bitwise_equal(x, system.get(system.x)));
      if (method == HYPERPLANE_RICHARDSON) continue;
      EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_krylov_forget(krylov), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_krylov_solve(krylov, system.a, nullptr, system.b, system.x, &of_arrays), HYPERPLANE_SUCCESS);
      EXPECT_GT(of_arrays.iterations, result.iterations);
    }
  }
}

TEST_P(CRanks, products_have_the_bits_of_one_process) {
  CRankAndWholeSystem const system(context);
  auto const& rhs = system.rhs;
  COwned<hyperplane_vector> const x(hyperplane_vector_create, context, c_grid(system.grid), CRankSystem::n),
      y(hyperplane_vector_create, context, c_grid(system.grid), CRankSystem::n);
  EXPECT_EQ(hyperplane_vector_set(x, rhs.data(), std::ssize(rhs), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_matrix_apply(system.a, x, y), HYPERPLANE_SUCCESS);
  std::vector<double> product(rhs.size());
  EXPECT_EQ(hyperplane_vector_get(y, product.data(), std::ssize(product), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  auto const& parts = system.over_ranks;
  EXPECT_EQ(hyperplane_matrix_apply(parts.a, parts.b, parts.x), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(parts.get(parts.x), system.own(product)));
}

TEST_P(CRanks, preconditioners_are_those_of_one_process) {
  CRankAndWholeSystem const system(context);
  auto const expect_the_same = [&](hyperplane_preconditioner_kind kind, hyperplane_coupling coupling,
                                   hyperplane_path path = HYPERPLANE_PATH_AUTOMATIC) {
    auto options = bilu0(coupling);
    options.kind = kind;
    options.path = path;
    options.relaxation = 1.2;
    auto const found = preconditioned(system.over_ranks, options);
    // By hyperplanes natural parts have the bits of the whole, which is not cut in one process.
    auto const expected = system.own(system.preconditioned(options));
    EXPECT_TRUE(path == HYPERPLANE_PATH_PORTABLE ? bitwise_equal(found, expected) : near(found, expected, 1e-12))
        << kind << ", " << coupling << ", path " << path;
  };
  for (auto const coupling : {HYPERPLANE_COUPLING_NONE, HYPERPLANE_COUPLING_COLOURED, HYPERPLANE_COUPLING_NATURAL}) {
    expect_the_same(HYPERPLANE_BILU0, coupling);
    expect_the_same(HYPERPLANE_SSOR, coupling);
  }
  expect_the_same(HYPERPLANE_BILU0, HYPERPLANE_COUPLING_NATURAL, HYPERPLANE_PATH_PORTABLE);
  expect_the_same(HYPERPLANE_SSOR, HYPERPLANE_COUPLING_NATURAL, HYPERPLANE_PATH_PORTABLE);
  expect_the_same(HYPERPLANE_JACOBI, HYPERPLANE_COUPLING_NONE);
}

TEST_P(CRanks, a_grid_block_is_an_object_of_one_grid) {
  CRankSystem const system(context, four_parts());
  auto const numbers = system.blocks();
  system.set(system.x, system.solution);
  for (int const number : numbers) {
    COwned<hyperplane_vector> const part(hyperplane_mpi_vector_block, system.x, number);
    COwned<hyperplane_matrix> const block(hyperplane_mpi_matrix_block, system.a, number);
    auto const& grid = system.whole.block(number);
    auto const rows = grid.size() * CRankSystem::n;
    std::vector<double> values(rows);
    EXPECT_EQ(hyperplane_vector_get(part, values.data(), rows, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    auto const first = system.solution.begin() + system.whole.first_point(number) * CRankSystem::n;
    EXPECT_EQ(values, std::vector<double>(first, first + rows));
    // Inside of the grid block alone.
    COwned<hyperplane_vector> const y(hyperplane_vector_create, context, c_grid(grid), CRankSystem::n);
    EXPECT_EQ(hyperplane_matrix_apply(block, part, y), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_vector_get(y, values.data(), rows, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(near(values, system.reference.blocks[number].apply(std::vector<double>(first, first + rows)), 1e-12));
    EXPECT_EQ(hyperplane_vector_fill(part, static_cast<double>(number)), HYPERPLANE_SUCCESS);
    int owner = -1;
    EXPECT_EQ(hyperplane_mpi_grid_owner(system.grid, number, &owner), HYPERPLANE_SUCCESS);
    EXPECT_EQ(owner, rank);
  }
  std::size_t row = 0;
  auto const values = system.get(system.x);
  for (int const number : numbers) {
    for (std::int64_t r = 0; r < system.whole.block(number).size() * CRankSystem::n; ++r, ++row) {
      EXPECT_EQ(values[row], number);
    }
  }
}

TEST_P(CRanks, values_outlive_what_they_are_of) {
  std::array<int, 3> const cut{1, 1, 2};
  hyperplane_mpi_grid grid = nullptr;
  EXPECT_EQ(
      hyperplane_mpi_grid_cut(context, MPI_COMM_WORLD, hyperplane_grid{3, 2, 4}, cut.data(), nullptr, nullptr, &grid),
      HYPERPLANE_SUCCESS);
  int first = -1, count = 0;
  EXPECT_EQ(hyperplane_mpi_grid_blocks(grid, &first, 1, &count), HYPERPLANE_SUCCESS);
  hyperplane_vector x = nullptr, part = nullptr;
  EXPECT_EQ(hyperplane_mpi_vector_create(grid, 1, &x), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_free(grid), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_fill(x, 2.5), HYPERPLANE_SUCCESS);
  if (count > 0) {
    EXPECT_EQ(hyperplane_mpi_vector_block(x, first, &part), HYPERPLANE_SUCCESS);
  }
  EXPECT_EQ(hyperplane_free(x), HYPERPLANE_SUCCESS);
  if (count == 0) return;
  std::vector<double> values(12);
  EXPECT_EQ(hyperplane_vector_get(part, values.data(), 12, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  EXPECT_EQ(values, std::vector<double>(12, 2.5));
  EXPECT_EQ(hyperplane_free(part), HYPERPLANE_SUCCESS);
}

TEST_P(CRanks, masked_vectors_and_what_is_of_one_grid) {
  CRankSystem const system(context, four_parts());
  std::vector<std::int8_t> mask(system.own(system.rhs).size() / CRankSystem::n, 1);
  if (!mask.empty()) mask.back() = 0;
  EXPECT_EQ(hyperplane_vector_mask(system.b, mask.data(), std::ssize(mask), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  auto expected = system.own(system.rhs);
  if (!mask.empty()) std::fill(expected.end() - CRankSystem::n, expected.end(), 0.0);
  EXPECT_EQ(system.get(system.b), expected);
  std::array<int, 3> chosen{};
  expect_refused(hyperplane_matrix_choose_parts(system.a, 2, chosen.data()), "the grid has been cut already");
  hyperplane_vector part = nullptr;
  COwned<hyperplane_vector> const alone(hyperplane_vector_create, context, hyperplane_grid{2, 2, 2}, CRankSystem::n);
  expect_refused(hyperplane_mpi_vector_block(alone, 0, &part), "vector is not over ranks");
  expect_refused(hyperplane_matrix_apply(system.a, alone, system.x), "x is not over ranks");
  expect_refused(hyperplane_mpi_vector_block(system.x, 4, &part), "there is no grid block 4");
  expect_refused(hyperplane_matrix_apply(system.a, system.x, alone), "y is not over ranks");
}

TEST_P(CRanks, masked_matrices_have_the_system_of_the_other_points) {
  CRankSystem const system(context, four_parts());
  constexpr int n = CRankSystem::n;
  auto const points = system.whole.size();
  std::vector<std::int8_t> mask(points);
  for (std::int64_t p = 0; p < points; ++p) mask[p] = p % 3 != 1;
  std::vector<std::int8_t> own;
  for (int const number : system.blocks()) {
    auto const first = mask.begin() + system.whole.first_point(number);
    own.insert(own.end(), first, first + system.whole.block(number).size());
  }
  EXPECT_EQ(hyperplane_matrix_mask(system.a, own.data(), std::ssize(own), HYPERPLANE_HOST), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  auto visible = system.solution, expected = visible;
  for (std::size_t e = 0; e < visible.size(); ++e) {
    if (mask[e / n] == 0) visible[e] = 0;
  }
  system.set(system.x, system.solution);
  EXPECT_EQ(hyperplane_matrix_apply(system.a, system.x, system.b), HYPERPLANE_SUCCESS);
  auto const product = system.reference.rows() * visible;
  for (std::size_t e = 0; e < visible.size(); ++e) expected[e] = mask[e / n] == 0 ? system.solution[e] : product[e];
  EXPECT_TRUE(near(system.get(system.b), system.own(expected), 1e-12));
  if (own.empty()) own.push_back(1);
  // On one rank alone.
  auto const count = std::ssize(own) + (rank == ranks - 1 ? 7 : 0) - (system.own(system.rhs).empty() ? 1 : 0);
  expect_refused(hyperplane_matrix_mask(system.a, own.data(), count, HYPERPLANE_HOST), "count is",
                 HYPERPLANE_SIZE_MISMATCH);
}

}  // namespace
}  // namespace hyperplane::test
