// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/c_names.hpp"
#include "tools/command_line.hpp"

namespace hyperplane::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(CommandLine, begins_with_what_x_is_at_first) {
  write("x0.mtx", tools::format_vector(solution));
  auto const outcome = solve("--initial x0.mtx");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, StartsWith("converged after 0 iterations"));
  EXPECT_TRUE(bitwise_equal(tools::read_vector(folder / "x.mtx", grid.size() * n), solution));
  EXPECT_THAT(read("h.json"), HasSubstr("\"initial\": \"x0.mtx\""));
  EXPECT_EQ(solve().status, 0);
  EXPECT_THAT(read("h.json"), Not(HasSubstr("\"initial\"")));
}

TEST_F(CommandLine, refuses_what_x_cannot_be_at_first) {
  write("short.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  expect_refused(solve("--initial short.mtx"), "short.mtx:2: the vector is 3 x 1, expected 120 x 1");
  expect_refused(solve("--initial none.mtx"), "none.mtx: cannot be opened");
}

TEST_F(CommandLine, whole_numbers_may_be_written_as_floating_point_numbers) {
  EXPECT_THAT(solve("--tolerance 0 --method richardson --max-iterations 1e1").output,
              StartsWith("not converged after 10 iterations"));
  EXPECT_THAT(solve("--tolerance 0 --method richardson --max-iterations 2.0").output,
              StartsWith("not converged after 2 iterations"));
  EXPECT_THAT(solve("--tolerance 0 --method fgmres --restart 1e1 --check-interval 1E0 --max-iterations 0.3e1").output,
              StartsWith("not converged after 3 iterations"));
  EXPECT_THAT(run("swept --points 1e2 --steps 3e1 --tile-points 0").output, StartsWith("30 steps to time "));
}

TEST_F(CommandLine, refuses_numbers_that_are_not_whole) {
  expect_refused(solve("--max-iterations 1.5"), "--max-iterations: '1.5' is not a whole number");
  expect_refused(solve("--max-iterations 1e-3"), "--max-iterations: '1e-3' is not a whole number");
  expect_refused(solve("--max-iterations many"), "--max-iterations: 'many' is not a whole number");
  expect_refused(solve("--max-iterations nan"), "--max-iterations: 'nan' is not a whole number");
  expect_refused(solve("--max-iterations 1e300"), "--max-iterations: '1e300' is too large");
  expect_refused(solve("--max-iterations 1e999"), "--max-iterations: '1e999' is too large");
  expect_refused(solve("--max-iterations 1e9"), "--max-iterations: Value 1000000000 not in range");
  expect_refused(solve("--check-interval 2.5"), "--check-interval: '2.5' is not a whole number");
  expect_refused(run("swept --points 1e2 --steps 1.5"), "--steps: '1.5' is not a whole number");
}

TEST_F(CommandLine, refuses_what_is_no_number) {
  for (std::string const option : {"--tolerance", "--absolute-tolerance", "--relaxation", "--alpha"}) {
    for (std::string const text : {"1e-8x", "nan", "abc"}) {
      expect_refused(solve(option + " " + text), option + ": '" + text + "' is not a number");
    }
    expect_refused(solve(option + " ''"), option + ": '' is not a number");
    expect_refused(solve(option + " 1e999"), option + ": '1e999' is not finite");
    expect_refused(solve(option + " inf"), option + ": 'inf' is not finite");
  }
  expect_refused(solve("--tolerance -1"), "--tolerance: -1 is less than 0");
  expect_refused(solve("--absolute-tolerance -1e-9"), "--absolute-tolerance: -1e-09 is less than 0");
  EXPECT_EQ(solve("--tolerance 1e-7 --absolute-tolerance 1e-400").status, 0);
}

TEST_F(CommandLine, names_a_mistyped_command) {
  expect_refused(run("slove A.mtx"), "'slove' is not a command; there are solve, swept, info; did you mean solve?");
  auto const other = run("fly");
  expect_refused(other, "'fly' is not a command; there are solve, swept, info");
  EXPECT_THAT(other.output, Not(HasSubstr("did you mean")));
  expect_refused(run(""), "a command is missing: solve, swept or info");
}

TEST_F(CommandLine, names_a_mistyped_option) {
  expect_refused(run("solve A.mtx --rsh b.mtx --grid 4x3x5 --block-size 2"),
                 "'--rsh' is no option of `hyperplane solve`; did you mean --rhs?");
  expect_refused(solve("--tolerence=1e-3"),
                 "'--tolerence' is no option of `hyperplane solve`; did you mean --tolerance?");
  expect_refused(solve("--max 3"), "'--max' is no option of `hyperplane solve`; did you mean --max-iterations?");
  expect_refused(solve("-x"), "'-x' is no option of `hyperplane solve` (`hyperplane solve --help` has all)");
  expect_refused(run("--versoin"), "'--versoin' is no option of `hyperplane`; did you mean --version?");
  expect_refused(solve("--method bicgsatb"),
                 "'bicgsatb' is not one of richardson|bicgstab|fgmres|fgcrodr; did you mean bicgstab?");
}

TEST_F(CommandLine, names_a_mistyped_variable_whatever_the_command) {
  auto const backends = c_backends();
  auto almost = backends.back();
  std::swap(almost[1], almost[2]);
  for (std::string const command :
       {"info", "swept --points 9 --steps 1", "solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2"}) {
    expect_refused(run(command, "HYPERPLANE_BACKEND=foo "),
                   "HYPERPLANE_BACKEND: 'foo' is not in this build, which has: " + std::string(hyperplane_backends()));
    expect_refused(run(command, "HYPERPLANE_BACKEND=" + almost + " "), "; did you mean " + backends.back() + "?");
    expect_refused(run(command, "HYPERPLANE_DEVICE=abc "), "HYPERPLANE_DEVICE: 'abc' is not the number of a device");
    expect_refused(run(command, "HYPERPLANE_BACKED=serial "),
                   "HYPERPLANE_BACKED is in the environment and nothing reads");
    expect_refused(run(command, "HYPERPLANE_TIMER=stderr "), "; did you mean HYPERPLANE_TIMERS?");
    EXPECT_EQ(run(command, "HYPERPLANE_ROOT=/opt HYPERPLANE_COMMIT=1 ").status, 0);
  }
  expect_refused(solve("--backend " + almost), "--backend: '" + almost + "' is not in this build");
  // What the environment says is what `auto` takes.
  EXPECT_THAT(run("info", "HYPERPLANE_BACKEND=" + backends.front() + " ").output, HasSubstr("(float), taken by auto"));
}

TEST_F(CommandLine, help_says_what_the_exit_status_means) {
  for (std::string const command : {"", "info ", "solve ", "swept "}) {
    auto const help = run(command + "--help");
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.output, AllOf(HasSubstr("Exit status: 0"), HasSubstr(command == "info " ? " 1 " : " 130 ")));
  }
}

TEST_F(CommandLine, help_teaches) {
  EXPECT_THAT(run("swept --help").output,
              AllOf(HasSubstr("heat|ks|euler [heat]"), HasSubstr("hyperplane swept --equation euler --points 1000")));

  auto const help = run("solve --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.output, AllOf(HasSubstr("Example:"), HasSubstr("Exit status:"), HasSubstr("--block-size")));
  EXPECT_THAT(help.output, HasSubstr("\n  hyperplane solve A.mtx --rhs b.mtx --grid 32x16x8 --block-size 5 \\\n"));
  EXPECT_THAT(help.output, HasSubstr("bilu0|lines|sip|ssor|jacobi|none [bilu0]"));
  for (auto const& preconditioner : c_preconditioners()) {
    for (int o = 0; o < preconditioner.description.option_count; ++o) {
      std::string const option = preconditioner.description.options[o].name;
      if (option == "right_hand_sides") continue;
      auto flag = option == "line_directions" ? "--line-direction" : "--" + option;
      std::ranges::replace(flag, '_', '-');
      EXPECT_THAT(help.output, HasSubstr(flag + " ")) << preconditioner.name();
    }
  }
  EXPECT_EQ(run("--version").status, 0);
}

TEST_F(CommandLine, help_says_of_which_preconditioners_an_option_is) {
  // Without the lines and columns.
  std::istringstream words(run("solve --help").output);
  std::string help;
  for (std::string word; words >> word;) help += word + " ";
  EXPECT_THAT(help, HasSubstr("[automatic] Of bilu0, sip and ssor: path --"));
  EXPECT_THAT(
      help,
      HasSubstr("--relaxation X [1] Of lines and ssor: relaxation, more than 0 and less than 2; of lines, ssor and "
                "jacobi without --grid: relaxation, more than 0 and less than 2 --"));
  auto const names = c_names(hyperplane_preconditioners());
  bool const has_another = std::ranges::count(names, "diagonal") > 0;
  EXPECT_THAT(help, HasSubstr(has_another ? "--alpha X Of diagonal: share that is added to the diagonal, at least 0 "
                                            "[0]; of sip: share of the extrapolation, at least 0 and less than 1 [0.9] "
                                          : "--alpha X [0.9] Of sip: share of the extrapolation, at least 0 and less "
                                            "than 1 "));
}

}  // namespace
}  // namespace hyperplane::test
