// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/blocks/cut_grid.hpp>

#include "mpi/c_mpi_fixture.hpp"

// The C interface over ranks: grid blocks, and where they meet.
namespace hyperplane::test {
namespace {

TEST_P(CRanks, grid_blocks_of_the_manual_meet) {
  // docs/c.md
  hyperplane_grid const blocks[2] = {{24, 20, 16}, {20, 28, 16}};
  hyperplane_interface const interface = {
      .block = 0,
      .donor = 1,
      .face = HYPERPLANE_EAST,
      .begin = {23, 0, 0},
      .end = {24, 20, 16},
      .donor_begin = {0, 27, 0},
      .transform = {-2, 1, 3},
  };
  COwned<hyperplane_mpi_grid> const grid(hyperplane_mpi_grid_create, context, MPI_COMM_WORLD, 2, blocks, 1, &interface,
                                         nullptr);
  COwned<hyperplane_matrix> const a(hyperplane_mpi_matrix_create, grid, 1);
  COwned<hyperplane_vector> const x(hyperplane_mpi_vector_create, grid, 1), y(hyperplane_mpi_vector_create, grid, 1);
  // y is the eastern neighbour, whose value says which point it is.
  std::vector<double> values, coordinates, expected;
  for (int number = 0; number < 2; ++number) {
    int owner = -1;
    EXPECT_EQ(hyperplane_mpi_grid_owner(grid, number, &owner), HYPERPLANE_SUCCESS);
    if (owner != rank) continue;
    Grid const points(blocks[number].ni, blocks[number].nj, blocks[number].nk);
    for (std::int64_t p = 0; p < points.size(); ++p) {
      auto const [i, j, k] = points.point(p);
      auto const value = [&](int b, int at_i, int at_j) { return at_i + 100.0 * at_j + 1e4 * k + 1e6 * b; };
      for (int d = 0; d < 7; ++d) values.push_back(d == HYPERPLANE_EAST ? 1.0 : 0.0);
      coordinates.push_back(value(number, i, j));
      expected.push_back(i + 1 < points.ni() ? value(number, i + 1, j) : number == 0 ? value(1, j, 27) : 0.0);
    }
  }
  EXPECT_EQ(hyperplane_matrix_set(a, values.data(), std::ssize(values), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_set(x, coordinates.data(), std::ssize(coordinates), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_matrix_apply(a, x, y), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_get(y, coordinates.data(), std::ssize(coordinates), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  EXPECT_EQ(coordinates, expected);
}

TEST_P(CRanks, a_grid_is_cut) {
  std::array<int, 3> const cut{1, 3, 2};
  COwned<hyperplane_mpi_grid> const grid(hyperplane_mpi_grid_cut, context, MPI_COMM_WORLD, hyperplane_grid{4, 7, 5},
                                         cut.data(), nullptr, nullptr);
  auto const expected = cut_grid(Grid(4, 7, 5), cut);
  for (int b = 0; b < 6; ++b) {
    hyperplane_grid size{};
    std::array<int, 3> first{};
    EXPECT_EQ(hyperplane_mpi_grid_size(grid, b, &size), HYPERPLANE_SUCCESS);
    EXPECT_EQ(Grid(size.ni, size.nj, size.nk), expected.grid.block(b));
    EXPECT_EQ(hyperplane_mpi_grid_first(grid, b, first.data()), HYPERPLANE_SUCCESS);
    auto const& begin = expected.boxes[b].begin;
    EXPECT_EQ(first, (std::array{begin.i, begin.j, begin.k}));
  }
  hyperplane_grid size{};
  std::array<int, 3> first{};
  COwned<hyperplane_mpi_grid> const of_blocks(CRankSystem::create_on, context, four_parts(), std::vector<int>{});
  expect_refused(hyperplane_mpi_grid_first(of_blocks, 0, first.data()), "the grid blocks are not those of a cut");
  expect_refused(hyperplane_mpi_grid_first(grid, 6, first.data()), "there is no grid block 6");
  expect_refused(hyperplane_mpi_grid_size(grid, 6, &size), "there is no grid block 6 in 6 grid blocks");
  // A singular point is that of the whole grid.
  COwned<hyperplane_matrix> const a(hyperplane_mpi_matrix_create, grid, 1);
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, grid, 1, nullptr);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS);
  expect_refused(hyperplane_preconditioner_check(m), "singular pivot at point (0, 0, 0)", HYPERPLANE_SINGULAR_PIVOT);
}

TEST_P(CRanks, ends_of_a_periodic_direction_meet) {
  constexpr int n = CRankSystem::n;
  std::array<int, 3> const cut{2, 1, 2}, periodic{1, 0, 1};
  CRankSystem const system(context, cut_grid(Grid(7, 6, 5), cut, {true, false, true}).grid);
  COwned<hyperplane_mpi_grid> const grid(hyperplane_mpi_grid_cut, context, MPI_COMM_WORLD, hyperplane_grid{7, 6, 5},
                                         cut.data(), periodic.data(), nullptr);
  COwned<hyperplane_matrix> const a(hyperplane_mpi_matrix_create, grid, n);
  COwned<hyperplane_vector> const b(hyperplane_mpi_vector_create, grid, n), x(hyperplane_mpi_vector_create, grid, n);
  system.set(a, system.reference);
  system.set(x, system.solution);
  EXPECT_EQ(hyperplane_matrix_apply(a, x, b), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(near(system.get(b), system.own(system.rhs), 1e-12));
  // In the order of the box, too.
  auto const options = bilu0(HYPERPLANE_COUPLING_NATURAL);
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, grid, n, &options),
      given(hyperplane_mpi_preconditioner_create, system.grid, n, &options);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_factor(given, system.a), HYPERPLANE_SUCCESS);
  system.set(b, system.rhs);
  EXPECT_EQ(hyperplane_preconditioner_solve(m, b, x), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_solve(given, system.b, system.x), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(system.get(x), system.get(system.x)));
  // On one rank alone.
  std::array<int, 3> const wrong{1, rank == ranks - 1 ? 2 : 0, 1};
  hyperplane_mpi_grid made = nullptr;
  expect_refused(hyperplane_mpi_grid_cut(context, MPI_COMM_WORLD, hyperplane_grid{7, 6, 5}, cut.data(), wrong.data(),
                                         nullptr, &made),
                 "periodic is 2, expected 0 to 1");
  EXPECT_EQ(made, nullptr);
}

TEST_P(CRanks, a_grid_is_cut_by_its_shape) {
  std::array<int, 3> chosen{};
  EXPECT_EQ(hyperplane_mpi_choose_parts({40, 8, 8}, 4, chosen.data()), HYPERPLANE_SUCCESS);
  EXPECT_EQ(chosen, (std::array{4, 1, 1}));
  expect_refused(hyperplane_mpi_choose_parts({2, 2, 2}, 7, chosen.data()), "cannot be cut into 7 parts");
  expect_refused(hyperplane_mpi_choose_parts({2, 0, 2}, 2, chosen.data()), "the whole grid: ");
}

}  // namespace
}  // namespace hyperplane::test
