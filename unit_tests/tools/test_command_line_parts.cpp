// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/blocks/detail/parts_that_pay.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include "tools/command_line.hpp"

// The grid in parts on the command line: given, where the matrix says, and as many as pay.
namespace hyperplane::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(CommandLine, cuts_the_grid_into_parts) {
  auto const iterations = [&](const std::string& options) {
    auto const outcome = solve(options + " --method bicgstab --tolerance 1e-10");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    expect_solution();
    // "converged after 4 iterations"
    return std::stoi(outcome.output.substr(std::string("converged after ").size()));
  };
  int const whole = iterations("");
  EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"parts\": \"1x1x1\""), HasSubstr("\"coupling\": \"none\"")));
  auto const solution = read("x.mtx");
  EXPECT_EQ(iterations("--parts 1x1x4 --coupling natural"), whole);
  EXPECT_EQ(read("x.mtx"), solution) << "bit by bit";
  EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"parts\": \"1x1x4\""), HasSubstr("\"coupling\": \"natural\"")));
  EXPECT_EQ(iterations("--parts 4x3x5 --coupling natural"), whole);
  EXPECT_GE(iterations("--parts 2x1x2 --coupling coloured"), whole);
  EXPECT_GE(iterations("--parts 2X1X2"), whole);
  EXPECT_THAT(run("solve --help").output,
              AllOf(HasSubstr("--parts N|IxJxK|automatic [1x1x1]"), HasSubstr("--coupling ")));
}

TEST_F(CommandLine, cuts_the_grid_for_other_preconditioners) {
  auto const converges = [&](const std::string& options) {
    auto const outcome = solve("--method richardson --tolerance 1e-10 " + options);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    expect_solution();
    return read("x.mtx");
  };
  auto const whole = converges("--preconditioner ssor");
  EXPECT_EQ(converges("--preconditioner ssor --parts 2x3x1 --coupling natural"), whole) << "bit by bit";
  EXPECT_NE(converges("--preconditioner ssor --parts 2x3x1 --coupling coloured"), whole);
  EXPECT_NE(converges("--preconditioner ssor --parts 2"), whole);
  EXPECT_EQ(converges("--preconditioner jacobi --parts 2x1x2"), converges("--preconditioner jacobi"));
  EXPECT_EQ(solve("--parts 2x1x2 --coupling coloured --storage float").status, 0);
}

TEST_F(CommandLine, cuts_the_grid_for_richardson_without_a_trace) {
  for (std::string const tolerance : {"1e-3", "1e-10"}) {
    auto const options = "--method richardson --max-iterations 1000 --tolerance " + tolerance;
    EXPECT_EQ(solve(options).status, 0);
    auto const solution = read("x.mtx"), norms = norms_of_history();
    EXPECT_THAT(norms, HasSubstr("\"residual_norms\": [\n"));
    for (std::string const parts : {"2x1x1", "1x2x3", "4x3x5"}) {
      EXPECT_EQ(solve(options + " --coupling natural --parts " + parts).status, 0);
      EXPECT_EQ(read("x.mtx"), solution) << parts << ", until " << tolerance;
      EXPECT_EQ(norms_of_history(), norms) << parts << ", until " << tolerance;
    }
  }
}

TEST_F(CommandLine, cuts_the_grid_where_the_matrix_says) {
  auto const cut_by = [&](const ReferenceStencil& matrix) {
    write("A.mtx", coordinate_file(matrix));
    auto const outcome = solve("--parts 3 --coupling coloured --method bicgstab --max-iterations 1");
    EXPECT_THAT(outcome.output, HasSubstr(" parts)"));
    return outcome.output;
  };
  EXPECT_THAT(cut_by(a), HasSubstr(", 1x1x3 parts)"));
  auto weak = a;
  for (std::size_t p = 0; p < weak.blocks.size(); ++p) {
    for (auto const direction : {Direction::south, Direction::north}) {
      auto& block = weak.block(static_cast<std::int64_t>(p), direction);
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) block(r, c) *= 1e-3;
      }
    }
  }
  EXPECT_THAT(cut_by(weak), HasSubstr(", 1x3x1 parts)"));
  EXPECT_THAT(read("h.json"), HasSubstr("\"parts\": \"1x3x1\""));
  EXPECT_THAT(solve("--parts automatic").output, HasSubstr(", 1x1x1 parts)")) << "so small a grid";
}

/// A matrix of a grid with couplings that are equally strong in all directions, each component by itself.
std::string isotropic_file(const Grid& grid, int n) {
  std::ostringstream entries;
  int count = 0;
  auto const add = [&](std::int64_t point, std::int64_t neighbour, int value) {
    for (int c = 1; c <= n; ++c, ++count) entries << point * n + c << ' ' << neighbour * n + c << ' ' << value << '\n';
  };
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    auto const [i, j, k] = grid.point(p);
    add(p, p, 7);
    if (i > 0) add(p, grid.index(i - 1, j, k), -1);
    if (j > 0) add(p, grid.index(i, j - 1, k), -1);
    if (k > 0) add(p, grid.index(i, j, k - 1), -1);
    if (i + 1 < grid.ni()) add(p, grid.index(i + 1, j, k), -1);
    if (j + 1 < grid.nj()) add(p, grid.index(i, j + 1, k), -1);
    if (k + 1 < grid.nk()) add(p, grid.index(i, j, k + 1), -1);
  }
  return "%%MatrixMarket matrix coordinate real general\n" + std::to_string(grid.size() * n) + ' ' +
         std::to_string(grid.size() * n) + ' ' + std::to_string(count) + '\n' + entries.str();
}

TEST_F(CommandLine, cuts_the_grid_into_as_many_parts_as_pay) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  bool const is_serial = run("info").output.find("backend    openmp") == std::string::npos;
  Grid const slab(32, 4, 32);
  write("slab.mtx", isotropic_file(slab, n));
  write("ones.mtx", tools::format_vector(std::vector<double>(slab.size() * n, 1.0)));
  auto const parts_of = [&](const std::string& preconditioner, int threads) {
    auto const outcome =
        run("solve slab.mtx --rhs ones.mtx --grid 32x4x32 --parts automatic --max-iterations 1 --block-size " +
                std::to_string(n) + " --backend " + (is_serial ? "serial" : "openmp") + " --preconditioner " +
                preconditioner,
            "export OMP_NUM_THREADS=" + std::to_string(threads) + "; ");
    EXPECT_THAT(outcome.output, HasSubstr(" parts)"));
    auto const end = outcome.output.rfind(" parts)");
    return outcome.output.substr(outcome.output.rfind(' ', end - 1) + 1, 5);
  };
  for (int const threads : {1, 2}) {
    detail::PartsMachine const machine{true, is_serial ? 1 : threads, vector_length_v<double, Exec>};
    auto const [i, j, k] = detail::PartsThatPay(slab, n, {1, 1, 1}, machine).choose();
    auto const expected = std::to_string(i) + "x" + std::to_string(j) + "x" + std::to_string(k);
    for (std::string const preconditioner : {"bilu0", "ssor"}) EXPECT_EQ(parts_of(preconditioner, threads), expected);
    EXPECT_EQ(parts_of("jacobi", threads), "1x1x1") << "its parts are the whole";
  }
}

TEST_F(CommandLine, refuses_parts_that_cannot_be) {
  auto const refuse = [&](const std::string& options, const std::string& what) {
    expect_refused(solve(options), what);
  };
  for (std::string const parts : {"0x1x1", "2x2", "many", "1x1x1.5", "0", "-2", "2.5"}) {
    refuse("--parts " + parts,
           "--parts: '" + parts +
               "' is neither automatic, nor a number of parts, nor of the form IxJxK with numbers of at least 1\n");
  }
  refuse("--parts 7", "--parts 7: choose_parts: a grid of 4x3x5 points cannot be cut into 7 parts");
  refuse("--parts 1x4x1", "4 parts of 3 points along j of a grid of 4x3x5 points");
  refuse("--coupling natural", "coupling is 'natural', and parts is not given");
  refuse("--parts 1x1x2 --coupling all", "--coupling: 'all' is not one of none|coloured|natural");
  refuse("--preconditioner lines --parts 1x1x2", "--parts 1x1x2: --preconditioner lines has no parts\n");
  refuse("--preconditioner jacobi --parts 1x1x2 --coupling coloured",
         "jacobi has no coupling coloured; its couplings: none\n");
  refuse("--preconditioner none --coupling natural", "--coupling natural: --preconditioner none has no parts\n");
}

}  // namespace
}  // namespace hyperplane::test
