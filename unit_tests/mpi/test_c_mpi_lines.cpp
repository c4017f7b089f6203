// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/line/line_set.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "blocks/multi_block_grids.hpp"
#include "mpi/c_mpi_fixture.hpp"
#include "support/line_implicit_reference.hpp"

// The C interface over ranks: the line-implicit iteration, whose lines end at interfaces.
namespace hyperplane::test {
namespace {

using Directions = std::vector<LineDirection>;

hyperplane_preconditioner_options lines_along(const Directions& directions, int sweeps, double relaxation) {
  hyperplane_preconditioner_options options;
  EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
  options.kind = HYPERPLANE_LINES;
  options.line_direction_count = static_cast<int>(directions.size());
  for (std::size_t d = 0; d < directions.size(); ++d) options.line_directions[d] = static_cast<int>(directions[d]);
  options.line_sweeps = sweeps;
  options.relaxation = relaxation;
  return options;
}

/// The iteration from zero in each grid block by itself.
std::vector<double> reference_lines(const CRankSystem& system, const Directions& directions, int sweeps,
                                    double relaxation) {
  int const n = system.block_size;
  std::vector<double> result;
  for (int b = 0; b < system.whole.block_count(); ++b) {
    auto const first = system.rhs.begin() + system.whole.first_point(b) * n;
    std::vector<double> const rhs(first, first + system.whole.block(b).size() * n);
    std::vector<double> x(rhs.size(), 0.0);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (auto const direction : directions) {
        x = line_implicit_sweep(system.reference.blocks[b], direction, relaxation, rhs, x, solve_exactly);
      }
    }
    result.insert(result.end(), x.begin(), x.end());
  }
  return result;
}

void expect_lines(const CRankSystem& system, const Directions& directions, int sweeps, double relaxation) {
  SCOPED_TRACE(std::to_string(directions.size()) + " directions from " + name(directions.front()));
  auto const options = lines_along(directions, sweeps, relaxation);
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, system.block_size,
                                            &options);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_preconditioner_check(m), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_solve(m, system.b, system.x), HYPERPLANE_SUCCESS);
  auto const found = system.get(system.x);
  EXPECT_TRUE(near(found, system.own(reference_lines(system, directions, sweeps, relaxation)), 1e-12));
  auto values = system.own(system.rhs);
  EXPECT_EQ(
      hyperplane_preconditioner_solve_array(m, 1, values.data(), values.data(), std::ssize(values), HYPERPLANE_HOST),
      HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(values, found)) << "in place";
}

TEST_P(CRanks, lines_of_every_grid_block_end_at_interfaces) {
  using enum LineDirection;
  for (auto const& [name, grid] : awkward_grids()) {
    SCOPED_TRACE(name);
    expect_lines(CRankSystem(context, grid), {k, i, j}, 2, 0.8);
  }
  CRankSystem const system(context, four_parts());
  for (auto const direction : {i, j, k}) expect_lines(system, {direction}, 1, 1.0);
  // The others have none.
  expect_lines(CRankSystem(context, four_parts(), std::vector<int>(4, ranks - 1)), {j, k}, 3, 1.1);
}

TEST_P(CRanks, lines_of_every_block_size_of_the_library) {
  for (int const n : c_block_sizes()) {
    SCOPED_TRACE(n);
    expect_lines(CRankSystem(context, four_parts(), {}, n), {LineDirection::k, LineDirection::j}, 2, 0.9);
  }
}

TEST_P(CRanks, lines_are_a_preconditioner_of_krylov_methods) {
  CRankSystem const system(context, four_parts());
  auto const options = lines_along({LineDirection::j}, 1, 1.0);
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n,
                                            &options);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS);
  hyperplane_krylov_options krylov_options;
  EXPECT_EQ(hyperplane_krylov_options_init(&krylov_options), HYPERPLANE_SUCCESS);
  krylov_options.tolerance = 1e-11;
  for (auto const method : {HYPERPLANE_RICHARDSON, HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES}) {
    krylov_options.method = method;
    COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, CRankSystem::n, &krylov_options);
    EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
    hyperplane_krylov_result result{};
    EXPECT_EQ(hyperplane_krylov_solve(krylov, system.a, m, system.b, system.x, &result), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED) << method;
    EXPECT_TRUE(near(system.get(system.x), system.own(system.solution), 1e-7)) << method;
  }
}

// Points, lines and positions are those of the grid that was cut, or of the grid block, which is named.
TEST_P(CRanks, a_failure_on_a_line_is_at_a_point_of_the_grid) {
  constexpr int n = CRankSystem::n;
  std::array<int, 3> const cut{2, 1, 2};
  auto const parts = cut_grid(Grid(7, 6, 5), cut);
  CRankSystem const system(context, four_parts());
  COwned<hyperplane_mpi_grid> const grid(hyperplane_mpi_grid_cut, context, MPI_COMM_WORLD, hyperplane_grid{7, 6, 5},
                                         cut.data(), nullptr, nullptr);
  COwned<hyperplane_matrix> const a(hyperplane_mpi_matrix_create, grid, n);
  // Point (1, 2, 1) of the last grid block, which begins at (3, 0, 2).
  auto reference = system.reference;
  auto const point = reference.blocks[3].grid.index(1, 2, 1);
  for (auto const d : stencil7_directions) {
    for (int c = 0; c < n; ++c) reference.blocks[3].block(point, d)(1, c) = 0.0;
  }
  auto const expect_failure = [&](LineDirection direction, const std::string& of_whole, const std::string& of_block,
                                  hyperplane_status status) {
    system.set(a, reference);
    system.set(system.a, reference);
    auto const options = lines_along({direction}, 1, 1.0);
    COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, grid, n, &options),
        blocks(hyperplane_mpi_preconditioner_create, system.grid, n, &options);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS);
    expect_refused(hyperplane_preconditioner_check(m), of_whole, status);
    EXPECT_EQ(hyperplane_preconditioner_factor(blocks, system.a), HYPERPLANE_SUCCESS);
    int owner = -1;
    EXPECT_EQ(hyperplane_mpi_grid_owner(system.grid, 3, &owner), HYPERPLANE_SUCCESS);
    expect_refused(hyperplane_preconditioner_check(blocks),
                   "grid block 3 (rank " + std::to_string(owner) + "): " + of_block, status);
  };
  ASSERT_EQ(parts.boxes[3].begin.i, 3);
  ASSERT_EQ(parts.boxes[3].begin.k, 2);
  using enum LineDirection;
  expect_failure(i, "singular pivot on line 20 along i at position 4, point 144 (4, 2, 3), equation 1",
                 "singular pivot on line 8 along i at position 1, point 33 (1, 2, 1), equation 1",
                 HYPERPLANE_SINGULAR_PIVOT);
  expect_failure(j, "singular pivot on line 25 along j at position 2, point 144 (4, 2, 3), equation 1",
                 "singular pivot on line 5 along j at position 2, point 33 (1, 2, 1), equation 1",
                 HYPERPLANE_SINGULAR_PIVOT);
  expect_failure(k, "singular pivot on line 18 along k at position 3, point 144 (4, 2, 3), equation 1",
                 "singular pivot on line 9 along k at position 1, point 33 (1, 2, 1), equation 1",
                 HYPERPLANE_SINGULAR_PIVOT);
  // The block that is not finite is of the position before.
  reference = system.reference;
  reference.blocks[3].block(reference.blocks[3].grid.index(0, 2, 1), Direction::east)(0, 0) =
      std::numeric_limits<double>::infinity();
  expect_failure(i, "not finite on line 20 along i at position 4, point 144 (4, 2, 3): upper block of position 3",
                 "not finite on line 8 along i at position 1, point 33 (1, 2, 1): upper block of position 0",
                 HYPERPLANE_NOT_FINITE);
}

TEST_P(CRanks, lines_that_cannot_be_are_refused) {
  CRankSystem const system(context, four_parts());
  hyperplane_preconditioner m = nullptr;
  auto const refused = [&](const hyperplane_preconditioner_options& options, const std::string& message) {
    expect_refused(hyperplane_mpi_preconditioner_create(system.grid, CRankSystem::n, &options, &m), message);
    EXPECT_EQ(m, nullptr);
  };
  bool const is_last = rank == ranks - 1;
  Directions const along_i{LineDirection::i};
  auto options = lines_along(along_i, 1, 1.0);
  options.coupling = HYPERPLANE_COUPLING_COLOURED;
  refused(options, "lines has no coupling coloured");
  options.coupling = HYPERPLANE_COUPLING_NATURAL;
  refused(options, "lines has no coupling natural");
  options = lines_along(along_i, 1, 1.0);
  options.storage = HYPERPLANE_STORAGE_FLOAT;
  refused(options, "storage is 'float', which lines has not over ranks");
  refused(lines_along(along_i, 0, 1.0), "sweeps is 0, expected 1 or more");
  refused(lines_along(along_i, 1, 2.0), "relaxation is 2, expected more than 0 and less than 2");
  refused(lines_along(along_i, 1, std::nan("")), "relaxation is nan");
  // On one rank alone.
  options = lines_along(along_i, 1, 1.0);
  if (is_last) options.line_direction_count = 4;
  refused(options, "line_direction_count is 4, expected 1 to 3");
  options = lines_along(along_i, 1, 1.0);
  if (is_last) options.line_directions[0] = 3;
  refused(options, "a line direction is 3, expected 0 to 2");
  if (ranks == 1) return;
  refused(lines_along(along_i, 1, is_last ? 0.5 : 1.0), "the relaxations of lines: rank");
  refused(lines_along(along_i, is_last ? 2 : 1, 1.0), "the sweeps of lines: rank");
  refused(lines_along(is_last ? Directions{LineDirection::i, LineDirection::i} : along_i, 1, 1.0),
          "the directions of lines: rank");
}

}  // namespace
}  // namespace hyperplane::test
