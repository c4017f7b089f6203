// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/blocks/colours.hpp>
#include <hyperplane/blocks/cut_grid.hpp>

#include <string>
#include <vector>

#include "mpi/c_mpi_fixture.hpp"

// The C interface over ranks: every coupling, for all block sizes that the library has, against the whole matrix.
namespace hyperplane::test {
namespace {

constexpr double relaxation_of_sizes = 1.3;

/// M^-1 b in the order of the coupling.
std::vector<double> reference_of(const CRankSystem& system, const CutGrid& cut, hyperplane_preconditioner_kind kind,
                                 hyperplane_coupling coupling) {
  auto const rows = system.reference.rows([&](const Interface&) { return coupling != HYPERPLANE_COUPLING_NONE; });
  auto const places = coupling == HYPERPLANE_COUPLING_COLOURED ? coloured_places(cut.grid, find_colours(cut.grid))
                                                               : natural_places(cut);
  if (kind == HYPERPLANE_BILU0) return ReferenceOrderedIlu0(rows, places).solve(system.rhs);
  return ReferenceOrderedSsor(rows, places, relaxation_of_sizes).solve(system.rhs);
}

TEST_P(CRanks, every_coupling_of_every_block_size_is_an_order_of_the_whole_matrix) {
  auto const cut = cut_grid(Grid(5, 9, 2), {2, 2, 1});
  for (int const n : c_block_sizes()) {
    CRankSystem const system(context, cut.grid, {}, n);
    for (auto const coupling : {HYPERPLANE_COUPLING_NONE, HYPERPLANE_COUPLING_COLOURED, HYPERPLANE_COUPLING_NATURAL}) {
      for (auto const kind : {HYPERPLANE_BILU0, HYPERPLANE_SSOR}) {
        SCOPED_TRACE("kind " + std::to_string(kind) + ", coupling " + std::to_string(coupling) +
                     ", n = " + std::to_string(n));
        auto options = bilu0(coupling);
        options.kind = kind;
        options.relaxation = relaxation_of_sizes;
        COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, n, &options);
        EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
        EXPECT_EQ(hyperplane_preconditioner_check(m), HYPERPLANE_SUCCESS);
        EXPECT_EQ(hyperplane_preconditioner_solve(m, system.b, system.x), HYPERPLANE_SUCCESS);
        EXPECT_TRUE(near(system.get(system.x), system.own(reference_of(system, cut, kind, coupling)),
                         rounding<double>(100, n)));
      }
    }
  }
}

}  // namespace
}  // namespace hyperplane::test
