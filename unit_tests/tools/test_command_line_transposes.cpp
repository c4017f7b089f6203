// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane.h>

#include <string>
#include <vector>

#include "support/transposed_reference.hpp"
#include "tools/command_line.hpp"

// A^T x = b on grids.
namespace hyperplane::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CommandLineTransposes : public CommandLine {
 protected:
  /// Writes A, A^T and the b of A^T x = b for a solution with so many unknowns per point.
  std::vector<double> write_system(int block_size) const {
    auto const matrix = random_stencil(grid, block_size);
    auto const adjoint = transposed_reference(matrix);
    auto const x = random_vector(grid.size() * block_size, 5);
    write("A.mtx", coordinate_file(matrix));
    write("At.mtx", coordinate_file(adjoint));
    write("b.mtx", tools::format_vector(adjoint.apply(x)));
    return x;
  }
  std::vector<double> solve_system(int block_size, const std::string& matrix, const std::string& options) const {
    auto const outcome = run("solve " + matrix + " --rhs b.mtx --grid 4x3x5 --tolerance 1e-9 --solution x.mtx " +
                             "--block-size " + std::to_string(block_size) + ' ' + options);
    EXPECT_EQ(outcome.status, 0) << options << ": " << outcome.output;
    EXPECT_THAT(outcome.output, StartsWith("converged after "));
    return tools::read_vector(folder / "x.mtx", grid.size() * block_size);
  }
};

TEST_F(CommandLineTransposes, are_solved_with_every_preconditioner) {
  for (int const size : {1, 2, 5}) {
    if (hyperplane_has_block_size(size) == 0) continue;
    auto const expected = write_system(size);
    for (std::string const options :
         {"", "--path portable --method fgmres", "--preconditioner ssor --relaxation 1.2", "--preconditioner jacobi",
          "--preconditioner none", "--preconditioner lines --line-direction alternating --line-sweeps 2",
          "--method richardson --max-iterations 1000", "--method fgcrodr --recycled 5"}) {
      EXPECT_TRUE(near(solve_system(size, "A.mtx", "--transpose " + options), expected, 1e-7))
          << size << ' ' << options;
    }
    // The same of a file that has A^T.
    EXPECT_TRUE(near(solve_system(size, "At.mtx", ""), expected, 1e-7)) << size;
    EXPECT_FALSE(near(solve_system(size, "A.mtx", ""), expected, 1e-3)) << size;
  }
  auto const expected = write_system(1);
  EXPECT_TRUE(near(solve_system(1, "A.mtx", "--transpose --preconditioner sip --alpha 0.5"), expected, 1e-7));
}

TEST_F(CommandLineTransposes, are_stored_as_float) {
  auto const expected = write_system(2);
  EXPECT_TRUE(near(solve_system(2, "A.mtx", "--transpose --storage float"), expected, 1e-5));
}

TEST_F(CommandLineTransposes, are_solved_in_parts) {
  auto const expected = write_system(2);
  for (std::string const preconditioner : {"bilu0", "ssor", "jacobi"}) {
    for (std::string const parts : {"2x1x3", "3", "automatic", "1x1x1"}) {
      auto const options = "--transpose --preconditioner " + preconditioner + " --parts " + parts;
      EXPECT_TRUE(near(solve_system(2, "A.mtx", options), expected, 1e-7)) << options;
      if (preconditioner == "jacobi") continue;
      for (std::string const coupling : {" --coupling coloured", " --coupling natural"}) {
        EXPECT_TRUE(near(solve_system(2, "A.mtx", options + coupling), expected, 1e-7)) << options << coupling;
      }
    }
  }
  // In the natural order parts are the whole.
  solve_system(2, "A.mtx", "--transpose --parts 2x3x1 --coupling natural");
  auto const in_parts = read("x.mtx");
  solve_system(2, "A.mtx", "--transpose");
  EXPECT_EQ(read("x.mtx"), in_parts);
}

TEST_F(CommandLineTransposes, are_refused_where_the_preconditioner_has_none) {
  // One that the library was built with.
  if (std::string(hyperplane_preconditioners()).find("diagonal") == std::string::npos) return;
  expect_refused(solve("--transpose --preconditioner diagonal"),
                 "--transpose: the preconditioner has no solve with its transpose\n");
}

TEST_F(CommandLineTransposes, are_in_the_history) {
  write_system(2);
  EXPECT_EQ(solve("--transpose").status, 0);
  EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"grid\""), HasSubstr("\"transpose\": true")));
  EXPECT_EQ(solve().status, 0);
  EXPECT_THAT(read("h.json"), HasSubstr("\"transpose\": false"));
}

}  // namespace
}  // namespace hyperplane::test
