// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include "tools/command_line.hpp"

namespace hyperplane::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(CommandLine, reads_other_forms_of_the_same_system) {
  // Dense arrays, a right-hand side with coordinates, a symmetric matrix, CRLF and capital letters.
  std::ostringstream dense, sparse;
  dense.precision(17);
  sparse.precision(17);
  auto const matrix = a.dense();
  dense << "%%MatrixMarket MATRIX Array REAL General\r\n" << matrix.n << ' ' << matrix.n << "\r\n";
  for (int c = 0; c < matrix.n; ++c) {
    for (int r = 0; r < matrix.n; ++r) dense << matrix(r, c) << "\r\n";
  }
  auto const b = a.apply(solution);
  sparse << "%%MatrixMarket matrix coordinate real general\n" << b.size() << " 1 " << b.size() << '\n';
  for (std::size_t r = b.size(); r-- > 0;) sparse << r + 1 << " 1 " << b[r] << '\n';
  write("dense.mtx", dense.str());
  write("sparse.mtx", sparse.str());
  EXPECT_EQ(solve("", "dense.mtx --rhs sparse.mtx --grid 4x3x5").status, 0);
  expect_solution();

  ReferenceStencil symmetric(grid, n);
  auto values = a.dense();
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      Point const other = neighbour(grid.point(p), d);
      if (!grid.contains(other)) continue;
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          auto const row = static_cast<int>(p * n + r), column = static_cast<int>(grid.index(other) * n + c);
          symmetric.block(p, d)(r, c) = values(row, column) + values(column, row);
        }
      }
    }
  }
  write("symmetric.mtx", coordinate_file(symmetric, true));
  write("bs.mtx", tools::format_vector(symmetric.apply(solution)));
  EXPECT_EQ(solve("", "symmetric.mtx --rhs bs.mtx --grid 4x3x5").status, 0);
  expect_solution();
}

TEST_F(CommandLine, reads_from_a_pipe) {
  // A comment that is longer than what is read at once.
  auto const rhs = read("b.mtx");
  auto const end_of_first_line = rhs.find('\n');
  write("b.txt", rhs.substr(0, end_of_first_line) + "\n%" + std::string(3 << 20, 'x') + rhs.substr(end_of_first_line));
  auto const outcome = run("solve A.mtx --rhs /dev/stdin --grid 4x3x5 --block-size 2 --solution x.mtx", "cat b.txt | ");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  expect_solution();
}

TEST_F(CommandLine, writes_through_links_and_into_devices) {
  write("target.mtx", "old");
  std::filesystem::create_symlink("target.mtx", folder / "link.mtx");
  EXPECT_EQ(run("solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2 --solution link.mtx --history /dev/null").status,
            0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.mtx"));
  EXPECT_TRUE(near(tools::read_vector(folder / "target.mtx", grid.size() * n), solution, 1e-6));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(CommandLine, a_file_that_is_a_dash_is_the_standard_input_or_output) {
  std::string const system = "solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2 ";
  auto outcome =
      run("solve - --rhs b.mtx --grid 4x3x5 --block-size 2 --solution - --history h.json > x.mtx", "cat A.mtx | ");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, ::testing::StartsWith("converged after "));
  expect_solution();
  EXPECT_FALSE(std::filesystem::exists(folder / "-"));

  outcome = run(system + "--history - 2> summary.txt");
  EXPECT_THAT(outcome.output, AllOf(::testing::StartsWith("{\n"), ::testing::EndsWith("}\n")));
  EXPECT_THAT(read("summary.txt"), ::testing::StartsWith("converged after "));

  outcome = run("swept --points 5 --steps 1 --output - 2> summary.txt");
  EXPECT_THAT(outcome.output, ::testing::StartsWith("x,temperature\n0,"));
  EXPECT_THAT(read("summary.txt"), ::testing::StartsWith("1 steps to time "));

  std::filesystem::remove(folder / "x.mtx");
  expect_refused(run(system + "--solution - --history -"), "--solution and --history: both are -");
  expect_refused(run("solve - --rhs - --grid 4x3x5 --block-size 2", "cat A.mtx | "),
                 "A and --rhs: both are -, and there is one standard input");
  expect_refused(run("solve A.mtx --rhs - --initial - --grid 4x3x5 --block-size 2", "cat b.mtx | "),
                 "--rhs and --initial: both are -, and there is one standard input");
  expect_refused(run(system + "--solution - > /dev/full"), "standard output: cannot be written: No space left");
}

TEST_F(CommandLine, overwrites_nothing_that_it_reads) {
  auto const matrix = read("A.mtx"), rhs = read("b.mtx");
  std::filesystem::create_symlink("b.mtx", folder / "link.mtx");
  std::string const system = "solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2 ";
  for (std::string const option : {"--solution", "--history"}) {
    expect_refused(run(system + option + " A.mtx"), "A and " + option + ": both are A.mtx");
    expect_refused(run(system + option + " ./b.mtx"), "--rhs and " + option + ": both are ./b.mtx");
    expect_refused(run(system + option + " link.mtx"), "--rhs and " + option + ": both are link.mtx");
    expect_refused(run("solve - --rhs b.mtx --grid 4x3x5 --block-size 2 " + option + " A.mtx < A.mtx"),
                   "A and " + option + ": both are A.mtx");
  }
  EXPECT_EQ(read("A.mtx"), matrix);
  EXPECT_EQ(read("b.mtx"), rhs);

  // What x is at first may become what x is.
  write("x0.mtx", tools::format_vector(std::vector<double>(solution.size(), 1.0)));
  expect_refused(run(system + "--initial x0.mtx --history x0.mtx"), "--initial and --history: both are x0.mtx");
  EXPECT_EQ(run(system + "--initial x0.mtx --solution x0.mtx").status, 0);
  EXPECT_TRUE(near(tools::read_vector(folder / "x0.mtx", grid.size() * n), solution, 1e-6));
}

TEST_F(CommandLine, an_empty_name_is_no_file) {
  for (std::string const option : {"--solution", "--history", "--initial"}) {
    auto const refused = option + ": the name of the file is empty";
    expect_refused(run("solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2 " + option + " \"$NOTHING\""), refused);
    expect_refused(run("solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2 " + option + "="), option + ": ");
  }
  expect_refused(run("solve A.mtx --rhs '' --grid 4x3x5 --block-size 2"), "--rhs: the name of the file is empty");
  expect_refused(run("swept --points 9 --steps 1 --output ''"), "--output: the name of the file is empty");
}

TEST_F(CommandLine, ends_where_nobody_reads_its_output) {
  // More than a pipe holds.
  auto const outcome = run("swept --points 1e5 --steps 0 --output - | true");
  EXPECT_THAT(outcome.output, HasSubstr("standard output: cannot be written: Broken pipe"));
}

TEST_F(CommandLine, finds_bad_outputs_before_it_reads) {
  for (std::string const option : {"--solution", "--history"}) {
    auto const command = "solve none.mtx --rhs none.mtx --grid 4x3x5 --block-size 2 " + option;
    expect_refused(run(command + " no/such/file"), "no/such/file: cannot be written: No such file or directory");
    expect_refused(run(command + " ."), ".: is a directory");
    // The superuser may write anywhere.
    write("read_only.txt", "old");
    std::filesystem::permissions(folder / "read_only.txt", std::filesystem::perms::owner_read);
    if (::geteuid() != 0)
      expect_refused(run(command + " read_only.txt"), "read_only.txt: cannot be written: Permission");
    EXPECT_EQ(read("read_only.txt"), "old");
  }
}

TEST(MatrixMarket, vectors_read_back_to_the_same_bits) {
  auto const path = std::filesystem::path(::testing::TempDir()) / "hyperplane_round_trip.mtx";
  auto x = random_vector(100);
  x.push_back(1.0 / 3.0);
  x.push_back(-0.0);
  x.push_back(5e-324);
  x.push_back(1.7976931348623157e308);
  std::ofstream(path) << tools::format_vector(x);
  EXPECT_TRUE(bitwise_equal(tools::read_vector(path, static_cast<std::int64_t>(x.size())), x));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace hyperplane::test
