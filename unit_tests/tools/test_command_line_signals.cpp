// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <sstream>

#include "tools/command_line.hpp"
#include "tools/process.hpp"

namespace hyperplane::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CommandLineSignals : public CommandLine {
 protected:
  /// A system on which the correction iteration without a preconditioner comes no nearer in 100 million iterations.
  std::vector<std::string> endless_solve(int points, const std::vector<std::string>& more) const {
    std::ostringstream matrix;
    matrix << "%%MatrixMarket matrix coordinate real general\n" << points << ' ' << points << ' ' << points << '\n';
    for (int p = 1; p <= points; ++p) matrix << p << ' ' << p << " 1e-12\n";
    write("slow.mtx", matrix.str());
    write("slow_b.mtx", tools::format_vector(random_vector(points)));
    std::vector<std::string> arguments{"solve",
                                       "slow.mtx",
                                       "--rhs",
                                       "slow_b.mtx",
                                       "--grid",
                                       std::to_string(points) + "x1x1",
                                       "--block-size",
                                       "1",
                                       "--method",
                                       "richardson",
                                       "--preconditioner",
                                       "none",
                                       "--max-iterations",
                                       "1e8"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  static std::vector<std::string> endless_swept(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"swept", "--points", "50", "--steps", "1e12"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(CommandLineSignals, solve_stops_with_the_iterate_that_it_has) {
  int const points = 10;
  for (int const signal : {SIGINT, SIGTERM}) {
    Process process(folder, endless_solve(points, {"--tolerance", "0", "--solution", "x.mtx", "--history", "h.json",
                                                   "--progress"}));
    ASSERT_TRUE(process.wait_for("iteration ")) << process.errors();
    process.send(signal);
    EXPECT_EQ(process.wait(), 130);
    std::string const summary = process.output(), begin = "stopped after ";
    ASSERT_THAT(summary, AllOf(StartsWith(begin), HasSubstr(" of the right-hand side; factor ")));
    auto const iterations = summary.substr(begin.size(), summary.find(" iterations") - begin.size());
    EXPECT_THAT(read("h.json"),
                AllOf(HasSubstr("\"outcome\": \"stopped\""), HasSubstr("\"iterations\": " + iterations + ",")));
    EXPECT_FALSE(has_partial_files());
    // Each iteration has added b, as A x is next to nothing.
    auto expected = tools::read_vector(folder / "slow_b.mtx", points);
    for (double& value : expected) value *= std::stod(iterations);
    EXPECT_TRUE(near(tools::read_vector(folder / "x.mtx", points), expected, 1e-3));
  }
}

TEST_F(CommandLineSignals, swept_stops_with_the_state_that_it_has_reached) {
  for (int const signal : {SIGINT, SIGTERM}) {
    Process process(folder, endless_swept({"--output", "u.csv", "--progress"}));
    ASSERT_TRUE(process.wait_for("step ")) << process.errors();
    process.send(signal);
    EXPECT_EQ(process.wait(), 130);
    std::string const summary = process.output(), begin = "stopped after ";
    ASSERT_THAT(summary, AllOf(StartsWith(begin), HasSubstr(" of 1000000000000 steps to time ")));
    EXPECT_FALSE(has_partial_files());
    auto const reached = summary.substr(begin.size(), summary.find(" of ") - begin.size());
    EXPECT_EQ(run("swept --points 50 --output v.csv --steps " + reached).status, 0);
    EXPECT_EQ(read("u.csv"), read("v.csv"));
  }
}

TEST_F(CommandLineSignals, a_signal_while_files_are_read_ends_at_once) {
  for (int const signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove(folder / "pipe.mtx");
    ASSERT_EQ(::mkfifo((folder / "pipe.mtx").c_str(), 0600), 0);
    Process process(folder, {"solve", "pipe.mtx", "--rhs", "b.mtx", "--grid", "4x3x5", "--block-size", "2",
                             "--solution", "x.mtx", "--history", "h.json"});
    auto const give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!has_partial_files() && std::chrono::steady_clock::now() < give_up) ::usleep(1000);
    ASSERT_TRUE(has_partial_files());
    process.send(signal);
    EXPECT_EQ(process.wait(), 130);
    EXPECT_EQ(process.errors(), "hyperplane: stopped by a signal before there was a result\n");
    EXPECT_FALSE(has_partial_files());
    EXPECT_FALSE(std::filesystem::exists(folder / "x.mtx"));
  }
}

TEST_F(CommandLineSignals, a_second_signal_ends_at_once) {
  // What is written is more than a pipe holds, also where all of x is still a zero in a line, and is not read.
  std::vector<std::vector<std::string>> const commands{
      endless_solve(100'000, {"--tolerance", "0", "--solution", "-", "--history", "h.json", "--progress"}),
      {"swept", "--points", "100000", "--steps", "1e12", "--output", "-", "--progress"}};
  for (auto const& arguments : commands) {
    Process process(folder, arguments);
    ASSERT_TRUE(process.wait_for(arguments[0] == "solve" ? "iteration " : "step ")) << process.errors();
    EXPECT_EQ(has_partial_files(), arguments[0] == "solve");
    process.send(SIGINT);
    ASSERT_TRUE(process.wait_for_output());
    process.send(SIGTERM);
    EXPECT_EQ(process.wait_unread(), 130);
    EXPECT_FALSE(has_partial_files());
    EXPECT_FALSE(std::filesystem::exists(folder / "h.json"));
  }
}

TEST_F(CommandLineSignals, progress_on_a_terminal_is_one_line_ten_times_a_second) {
  auto const start = std::chrono::steady_clock::now();
  Process process(folder, endless_solve(10, {"--tolerance", "0"}), Process::Errors::terminal);
  int const lines = 4;
  ASSERT_TRUE(process.wait_for("\r\033[Kiteration ", lines)) << process.errors();
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100) * (lines - 1));
  // The summary's measure: all of the right-hand side is left.
  EXPECT_THAT(process.errors(), HasSubstr("iteration 0: residual 1.000e+00 of the right-hand side, tolerance 0"));
  EXPECT_THAT(process.errors(), Not(HasSubstr("\n")));
}

TEST_F(CommandLineSignals, progress_elsewhere_is_lines_where_it_is_wanted) {
  auto const start = std::chrono::steady_clock::now();
  Process process(folder, endless_solve(10, {"--tolerance", "0", "--progress"}));
  ASSERT_TRUE(process.wait_for("\niteration ")) << process.errors();
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_THAT(process.errors(), StartsWith("iteration 0: residual 1.000e+00 of the right-hand side, tolerance 0\n"));
  EXPECT_THAT(process.errors(), Not(HasSubstr("\033")));

  EXPECT_EQ(run("solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2 > /dev/null").output, "");
  EXPECT_EQ(run("swept --points 9 --steps 100 > /dev/null").output, "");
  EXPECT_EQ(run("swept --points 9 --steps 100 --progress > /dev/null").output, "step 0 of 100\n");
}

}  // namespace
}  // namespace hyperplane::test
