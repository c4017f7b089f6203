// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/command_line_ranks.hpp"

#include <string>
#include <utility>
#include <vector>

#include "support/transposed_reference.hpp"

namespace hyperplane::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(CommandLineRanks, solve_as_one_process_does) {
  for (std::string const options :
       {"--parts 2x1x3 --coupling natural", "--parts 1x3x2 --coupling coloured --method fgmres",
        "--parts 2x2x2 --method richardson", "--parts 1x3x2 --preconditioner ssor --coupling coloured --relaxation 1.2",
        "--parts 2x2x2 --preconditioner jacobi"}) {
    int const expected = iterations_on(1, options);
    EXPECT_THAT(read("h.json"), HasSubstr("\"ranks\": 1,"));
    auto const one = tools::read_vector(folder / "x.mtx", grid.size() * n);
    for (int const ranks : all_ranks()) {
      EXPECT_EQ(iterations_on(ranks, options), expected) << ranks << " ranks, " << options;
      expect_solution();
      EXPECT_TRUE(near(tools::read_vector(folder / "x.mtx", grid.size() * n), one, 1e-12));
      EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"ranks\": " + std::to_string(ranks) + ','),
                                        HasSubstr("\"parts\": \"" + options.substr(8, 5) + '"')));
    }
  }
}

TEST_F(CommandLineRanks, transposes_are_solved_as_one_process_does) {
  auto const adjoint = transposed_reference(random_stencil(grid, n));
  auto const expected = random_vector(grid.size() * n, 5);
  write("A.mtx", coordinate_file(random_stencil(grid, n)));
  write("b.mtx", tools::format_vector(adjoint.apply(expected)));
  std::vector<std::string> const systems{"--parts 1x1x2 --coupling coloured",
                                         "--parts 2x1x3 --coupling natural" + on_host(),
                                         "--parts 2x2x2 --preconditioner jacobi --method fgmres"};
  for (auto const& options : systems) {
    int const iterations = iterations_on(1, "--transpose " + options);
    for (int const ranks : all_ranks()) {
      EXPECT_EQ(iterations_on(ranks, "--transpose " + options), iterations) << ranks << " ranks, " << options;
      EXPECT_TRUE(near(tools::read_vector(folder / "x.mtx", grid.size() * n), expected, 1e-6)) << options;
      EXPECT_THAT(read("h.json"), HasSubstr("\"transpose\": true"));
    }
  }
}

TEST_F(CommandLineRanks, lines_end_where_parts_do) {
  std::string const options = "--preconditioner lines --line-direction alternating --line-sweeps 2 --relaxation 0.9 ";
  int const expected = iterations_on(1, options);
  auto const one = tools::read_vector(folder / "x.mtx", grid.size() * n);
  for (int const ranks : all_ranks()) {
    EXPECT_EQ(iterations_on(ranks, options + "--parts 1x1x1"), expected) << ranks << " ranks";
    EXPECT_TRUE(near(tools::read_vector(folder / "x.mtx", grid.size() * n), one, 1e-12));
    EXPECT_THAT(read("h.json"), HasSubstr("\"line_direction\": \"alternating\""));
    EXPECT_GT(iterations_on(ranks, options + "--parts 2x3x5"), expected) << ranks << " ranks";
    expect_solution();
  }
}

TEST_F(CommandLineRanks, parts_are_those_that_are_given_or_as_many_as_ranks) {
  for (int const ranks : all_ranks()) {
    auto const outcome = solve_on(ranks, on_host());
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(", " + std::to_string(ranks) + " ranks of 1 thread, "));
    std::string const parts = ranks == 4 ? "2x1x2" : "1x1x" + std::to_string(ranks);
    EXPECT_THAT(outcome.output, HasSubstr(" of 1 thread, " + parts + " parts)"));
    EXPECT_THAT(read("h.json"), HasSubstr("\"parts\": \"" + parts + '"'));
    expect_solution();
    // All but one have nothing to do.
    EXPECT_EQ(solve_on(ranks, "--parts 1x1x1 --coupling natural").status, 0);
    expect_solution();
    EXPECT_EQ(solve_on(ranks, "--parts 4x1x1 --preconditioner none").status, 0);
    EXPECT_THAT(read("h.json"), HasSubstr("\"parts\": \"4x1x1\""));
    expect_solution();
  }
}

TEST_F(CommandLineRanks, richardson_has_the_same_bits_on_any_number_of_ranks) {
  for (auto const& backend : c_backends()) {
    std::string first;
    for (int const ranks : {1, 2, 3}) {
      // In one process parts are those of the preconditioner alone: the product is that of the whole.
      iterations_on(ranks, "--parts 2x2x2 --coupling coloured --method richardson --backend " + backend);
      auto const solution = read("x.mtx");
      if (first.empty()) first = solution;
      EXPECT_EQ(solution, first) << ranks << " ranks, " << backend;
    }
  }
}

// On every backend, whether ranks share a device or not.
TEST_F(CommandLineRanks, natural_parts_by_hyperplanes_have_the_bits_of_the_whole) {
  for (auto const& [preconditioner, size] : {std::pair{"bilu0", 1}, {"bilu0", 2}, {"bilu0", 5}, {"ssor", 2}}) {
    write("A.mtx", coordinate_file(random_stencil(grid, size)));
    write("b.mtx", tools::format_vector(random_vector(grid.size() * size)));
    for (auto const& backend : c_backends()) {
      auto const solve = [&](int ranks, const std::string& options) {
        auto const outcome =
            run("solve A.mtx --rhs b.mtx --grid 4x3x5 --solution x.mtx --history h.json --path "
                "portable --method richardson --preconditioner " +
                    std::string(preconditioner) + " --backend " + backend + " --block-size " + std::to_string(size) +
                    options,
                ranks == 1 ? "" : on_ranks(ranks));
        EXPECT_EQ(outcome.status, 0) << outcome.output;
        return std::pair(read("x.mtx"), norms_of_history());
      };
      auto const whole = solve(1, "");
      for (std::string const parts : {"4x1x1", "1x3x1", "1x1x4", "2x2x1"}) {
        for (int const ranks : all_ranks()) {
          EXPECT_EQ(solve(ranks, " --parts " + parts + " --coupling natural"), whole)
              << backend << ", " << parts << ", " << ranks << " ranks, " << preconditioner << ", n = " << size;
        }
      }
    }
  }
}

// Of one process that cuts nothing, too: parts in the natural order are the whole.
TEST_F(CommandLineRanks, richardson_in_natural_parts_has_the_bits_of_the_whole) {
  auto const expect_same = [&](int ranks, const std::string& options, const std::string& solution,
                               const std::string& norms) {
    iterations_on(ranks, options);
    EXPECT_EQ(read("x.mtx"), solution) << options << ", " << ranks << " ranks";
    EXPECT_EQ(norms_of_history(), norms) << options << ", " << ranks << " ranks";
  };
  for (auto const& backend : c_backends()) {
    for (auto const& options : {" --backend " + backend, " --tolerance 1e-3 --backend " + backend}) {
      iterations_on(1, "--method richardson" + options);
      auto const solution = read("x.mtx"), norms = norms_of_history();
      EXPECT_THAT(norms, HasSubstr("\"rhs_norm\""));
      for (std::string const parts : {"1x1x4", "2x3x1", "4x1x1", "2x2x2"}) {
        auto const in_parts = "--parts " + parts + " --coupling natural --method richardson" + options;
        expect_same(1, in_parts, solution, norms);
        for (int const ranks : all_ranks()) expect_same(ranks, in_parts, solution, norms);
      }
    }
  }
}

// Where ranks have CUDA devices of their own with access to one another's memory, kernels go on from one to the next.
// The first iterate is M^-1 b, without a sum over ranks. In four parts ranks have two that follow one another.
TEST_F(CommandLineRanks, natural_parts_go_through_devices) {
  if (!devices_meet()) GTEST_SKIP() << "it takes two CUDA devices with access to one another's memory";
  auto const words = "through the devices";
  std::string const natural = " --coupling natural --backend cuda ";
  for (std::string const options : {"", "--transpose ", "--preconditioner ssor --relaxation 1.2 "}) {
    auto const first = options + "--method richardson --max-iterations 1 --tolerance 1e-14";
    EXPECT_EQ(solve_on(1, first + " --backend cuda").status, 2);
    auto const whole = read("x.mtx");
    for (std::string const parts : {"1x1x2", "1x1x4"}) {
      auto const outcome = solve_on(2, "--parts " + parts + natural + first);
      EXPECT_EQ(outcome.status, 2) << outcome.output;
      EXPECT_EQ(count(outcome.output, words), 1) << options << parts << ": " << outcome.output;
      EXPECT_THAT(read("h.json"), HasSubstr("\"through_devices\": true"));
      EXPECT_EQ(read("x.mtx"), whole) << options << parts;
    }
  }
  EXPECT_EQ(count(solve_on(2, "--parts 1x2x1" + natural).output, words), 0);
  EXPECT_THAT(read("h.json"), HasSubstr("\"through_devices\": false"));
}

TEST_F(CommandLineRanks, ssor_in_natural_parts_has_the_bits_of_the_whole) {
  iterations_on(1, "--preconditioner ssor --method richardson" + on_host());
  auto const whole = read("x.mtx");
  for (int const ranks : all_ranks()) {
    iterations_on(ranks, "--preconditioner ssor --parts 2x3x1 --coupling natural --method richardson" + on_host());
    EXPECT_EQ(read("x.mtx"), whole) << ranks << " ranks";
  }
}

TEST_F(CommandLineRanks, sip_is_that_of_one_process) {
  auto const scalar = random_stencil(grid, 1);
  write("A.mtx", coordinate_file(scalar));
  write("b.mtx", tools::format_vector(random_vector(grid.size())));
  auto const solve = [&](int ranks) {
    auto const outcome =
        run("solve A.mtx --rhs b.mtx --grid 4x3x5 --preconditioner sip --alpha 0.5 --parts 2x1x2 --coupling coloured "
            "--method richardson --solution x.mtx" +
                on_host(),
            ranks == 1 ? "" : on_ranks(ranks));
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    return read("x.mtx");
  };
  auto const one = solve(1);
  EXPECT_EQ(solve(2), one);
}

TEST_F(CommandLineRanks, factors_of_16_bits_are_those_of_one_process) {
  for (std::string const options :
       {"--parts 2x2x2 --storage half", "--parts 1x3x2 --storage bfloat16 --coupling coloured",
        "--parts 2x1x3 --storage bfloat16 --coupling natural --preconditioner ssor",
        "--parts 2x2x2 --storage half --preconditioner jacobi", "--parts 2x2x2 --storage automatic"}) {
    int const expected = iterations_on(1, options);
    auto const one = tools::read_vector(folder / "x.mtx", grid.size() * n);
    for (int const ranks : all_ranks()) {
      EXPECT_EQ(iterations_on(ranks, options), expected) << ranks << " ranks, " << options;
      EXPECT_TRUE(near(tools::read_vector(folder / "x.mtx", grid.size() * n), one, 1e-12)) << options;
      expect_solution();
    }
  }
  EXPECT_THAT(read("h.json"),
              AllOf(HasSubstr("\"storage\": \"automatic\""), HasSubstr("\"chosen_storage\": \"half\"")));
}

// A is stored as double: in one process it is not.
TEST_F(CommandLineRanks, factors_of_float_are_of_a_matrix_of_doubles) {
  for (int const ranks : all_ranks()) {
    auto const outcome = solve_on(ranks, "--parts 1x1x4 --storage float --coupling natural --tolerance 1e-12");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_THAT(read("h.json"), HasSubstr("\"storage\": \"float\""));
    EXPECT_TRUE(near(a.apply(tools::read_vector(folder / "x.mtx", grid.size() * n)),
                     tools::read_vector(folder / "b.mtx", grid.size() * n), 1e-10));
    EXPECT_THAT(solve_on(ranks, "--parts 1x1x4 --storage automatic --storage-fraction 1e-5").output,
                HasSubstr(", factors as float)"));
  }
}

TEST_F(CommandLineRanks, automatic_parts_are_as_many_as_ranks) {
  auto const outcome = solve_on(2, "--parts automatic --preconditioner ssor" + on_host());
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr(" of 1 thread, 1x1x2 parts)"));
}

TEST_F(CommandLineRanks, say_when_they_have_not_converged) {
  auto const outcome = solve_on(2, "--max-iterations 1 --tolerance 1e-14");
  EXPECT_EQ(outcome.status, 2) << outcome.output;
  EXPECT_EQ(count(outcome.output, "not converged after 1 iterations"), 1) << outcome.output;
  EXPECT_TRUE(std::filesystem::exists(folder / "x.mtx"));
}

TEST_F(CommandLineRanks, a_signal_to_one_of_them_ends_all_with_a_result) {
  std::ostringstream matrix;
  matrix << "%%MatrixMarket matrix coordinate real general\n60 60 60\n";
  for (int p = 1; p <= 60; ++p) matrix << p << ' ' << p << " 1e-12\n";
  write("slow.mtx", matrix.str());
  write("slow_b.mtx", tools::format_vector(random_vector(60)));
  write("rank.sh", "echo $$ > pid${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\nexec '" HYPERPLANE_EXECUTABLE "' \"$@\"\n");
  write("stop.sh",
        on_ranks(2) +
            "sh rank.sh solve slow.mtx --rhs slow_b.mtx --grid 5x3x2 --block-size 2 --preconditioner none "
            "--method richardson --max-iterations 1e8 --solution x.mtx --progress > log 2>&1 &\n"
            "while ! grep -q iteration log && kill -0 $!; do sleep 0.1; done\nkill -TERM $(cat pid1)\nwait $!\n"
            "status=$?\ncat log\nexit $status\n");
  auto const outcome = run("", "sh stop.sh; exit; ");
  EXPECT_EQ(outcome.status, 130) << outcome.output;
  EXPECT_EQ(count(outcome.output, "stopped after "), 1) << outcome.output;
  EXPECT_TRUE(std::filesystem::exists(folder / "x.mtx"));
  EXPECT_FALSE(has_partial_files());
}

TEST_F(CommandLineRanks, one_of_them_says_what_there_is_to_say) {
  auto const say_once = [&](const std::string& arguments, const std::string& what) {
    auto const outcome = run(arguments, on_ranks(2));
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_EQ(count(outcome.output, what), 1) << outcome.output;
  };
  say_once("info", "MPI        ");
  say_once("--help", "hyperplane solve --help");
}

}  // namespace
}  // namespace hyperplane::test
