// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/command_line_ranks.hpp"

namespace hyperplane::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(CommandLineRanks, refuse_with_one_error) {
  write("short.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  expect_refused_on_ranks(system("A.mtx --rhs b.mtx --grid 4x3x5 --parts 1x4x1"),
                          "--parts 1x4x1: cut_grid: 4 parts of 3 points along j of a grid of 4x3x5 points");
  expect_refused_on_ranks(system("none.mtx --rhs b.mtx --grid 4x3x5"), "none.mtx: cannot be opened");
  expect_refused_on_ranks(system("A.mtx --rhs short.mtx --grid 4x3x5"),
                          "short.mtx:2: the vector is 3 x 1, expected 120 x 1");
  expect_refused_on_ranks(system("A.mtx --rhs b.mtx --grid 4x3x5 --colour red"),
                          "'--colour' is no option of `hyperplane solve`");
  expect_refused_on_ranks(
      system("A.mtx --rhs b.mtx --grid 4x3x5 --parts 1x1x2 --coupling natural --path portable --transpose"),
      "on this path, coupling natural has M^-T in one process, and not over ranks");
  expect_refused_on_ranks(system("A.mtx --rhs b.mtx"), "solve without --grid runs in one process, there are 2");
  // Where the library was built with more.
  for (auto const& other : c_preconditioners()) {
    if (other.kind <= HYPERPLANE_BILU0) continue;
    expect_refused_on_ranks(system("A.mtx --rhs b.mtx --grid 4x3x5 --preconditioner " + other.name()),
                            "--preconditioner " + other.name() +
                                ": others than bilu0, ssor, sip, lines, jacobi and none are for one process alone");
  }
  expect_refused_on_ranks(system("A.mtx --rhs b.mtx --grid 4x3x5 --preconditioner jacobi --coupling natural"),
                          "rank 0: jacobi has no coupling natural");
}

TEST_F(CommandLineRanks, refuse_more_with_one_error) {
  if (all_ranks().size() == 1) GTEST_SKIP() << "where there is more time";
  auto const refuse = [&](const std::string& options, const std::string& what) {
    expect_refused_on_ranks(system("A.mtx --rhs b.mtx --grid 4x3x5 " + options), what);
  };
  expect_refused_on_ranks(system("A.mtx --rhs b.mtx --grid 1x1x1"),
                          "--parts 2, as there are 2 ranks: choose_parts: a grid of 1x1x1 points cannot be cut into 2");
  refuse("--history no/such/h.json", "no/such/h.json: cannot be written");
  refuse("--coupling all", "--coupling: 'all' is not one of none|coloured|natural");
  for (std::string const other : {"lines", "none"}) {
    refuse("--storage float --preconditioner " + other,
           "--storage float with --preconditioner " + other + ": that is for one process alone, and there are 2");
  }
  refuse("--product-storage float", "--product-storage float: is for one process, there are 2");
  refuse("--storage half --coupling coloured", "rank 0: bilu0 has no coupling coloured with storage half");
  refuse("--preconditioner none --coupling natural", "--coupling natural: --preconditioner none has no parts");
  expect_refused_on_ranks("swept --points 10 --steps 1", "swept runs in one process, there are 2");
}

TEST_F(CommandLineRanks, name_a_singular_pivot_as_one_process_does) {
  auto singular = a;
  for (auto& block : singular.blocks[static_cast<std::size_t>(grid.index({2, 1, 3}))]) block = DenseMatrix(n);
  write("A.mtx", coordinate_file(singular));
  auto const one = solve_on(1, "--parts 1x1x2");
  EXPECT_EQ(one.status, 1);
  EXPECT_THAT(one.output, HasSubstr("singular pivot at point (2, 1, 3)"));
  auto const error = one.output.substr(std::string("hyperplane: error: ").size());
  expect_refused_on_ranks(system("A.mtx --rhs b.mtx --grid 4x3x5 --parts 1x1x2"), error);
}

TEST_F(CommandLineRanks, name_the_point_whose_factors_overflow_their_storage) {
  auto large = a;
  large.block(grid.index({2, 1, 3}), Direction::west)(1, 0) = 1e40;
  for (auto& entry : large.block(grid.index({1, 1, 3}), Direction::east).entries) entry = 0;
  write("A.mtx", coordinate_file(large));
  expect_refused_on_ranks(system("A.mtx --rhs b.mtx --grid 4x3x5 --parts 1x1x2 --storage float"),
                          "overflow at point (2, 1, 3): its factors have values that are too large for their type");
}

TEST_F(CommandLineRanks, several_processes_without_a_program_for_them_are_an_error) {
  std::filesystem::copy(HYPERPLANE_EXECUTABLE, folder / "hyperplane");
  // The copy runs, and not the program that would come behind it.
  auto const start = [&](const std::string& environment) {
    return run("", "env " + environment + " ./hyperplane info; : ");
  };
  for (std::string const launcher :
       {"OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=", "PMI_SIZE=3 PMI_RANK=", "PMIX_RANK="}) {
    EXPECT_THAT(start(launcher + '0').output,
                AllOf(HasSubstr("hyperplane: error: a launcher of MPI has started several processes, as "),
                      HasSubstr("hyperplane-ranks cannot be run: No such file or directory\n")));
    EXPECT_EQ(start(launcher + '1').output, "");
  }
  for (std::string const launcher : {"OMPI_COMM_WORLD_SIZE=1 PMIX_RANK=0", "PMI_SIZE=1 PMI_RANK=0"}) {
    EXPECT_THAT(start(launcher).output, Not(HasSubstr("launcher")));
  }
}

}  // namespace
}  // namespace hyperplane::test
