// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tools/command_line.hpp"

// The command line without a grid: general matrices.
namespace hyperplane::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Entries by row and column, counted from 0.
struct GeneralMatrix {
  int rows = 0;
  std::map<std::pair<int, int>, double> entries;

  std::vector<double> apply(const std::vector<double>& x, bool transposed = false) const {
    std::vector<double> y(static_cast<std::size_t>(rows), 0.0);
    for (auto const& [place, value] : entries) {
      auto const [r, c] = transposed ? std::pair(place.second, place.first) : place;
      y[static_cast<std::size_t>(r)] += value * x[static_cast<std::size_t>(c)];
    }
    return y;
  }
  std::string file(const std::string& symmetry = "general") const {
    std::ostringstream text;
    text.precision(17);
    text << "%%MatrixMarket matrix coordinate real " << symmetry << '\n'
         << rows << ' ' << rows << ' ' << entries.size() << '\n';
    for (auto const& [place, value] : entries) {
      text << place.first + 1 << ' ' << place.second + 1 << ' ' << value << '\n';
    }
    return text.str();
  }
};

/// Points with neighbours that no grid has, not the same to and fro, in blocks of 2 with holes.
GeneralMatrix mesh(int points) {
  GeneralMatrix a;
  a.rows = 2 * points;
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> value(-0.5, 0.5);
  for (int point = 0; point < points; ++point) {
    for (int const other : {(point + 1) % points, (point * 7 + 3) % points, (point * 5 + 11) % points}) {
      if (other == point) continue;
      a.entries[{2 * point, 2 * other + 1}] = value(engine);
      a.entries[{2 * point + 1, 2 * other}] = value(engine);
    }
    a.entries[{2 * point, 2 * point}] = 4.0 + value(engine);
    a.entries[{2 * point, 2 * point + 1}] = value(engine);
    a.entries[{2 * point + 1, 2 * point + 1}] = 4.0 + value(engine);
  }
  return a;
}

double norm(const std::vector<double>& v) {
  double sum = 0.0;
  for (double const value : v) sum += value * value;
  return std::sqrt(sum);
}

class CommandLineRows : public CommandLine {
 protected:
  GeneralMatrix const general = mesh(30);
  std::vector<double> const rhs = random_vector(60);

  void SetUp() override {
    CommandLine::SetUp();
    write("M.mtx", general.file());
    write("c.mtx", tools::format_vector(rhs));
  }

  Outcome solve_rows(const std::string& more = "", const std::string& system = "M.mtx --rhs c.mtx") const {
    return run("solve " + system + " --solution x.mtx " + more);
  }
  /// By the residual that is computed here.
  void expect_solved(const GeneralMatrix& matrix, const std::string& more, bool transposed = false) const {
    auto const outcome = solve_rows(more + " --tolerance 1e-9");
    ASSERT_EQ(outcome.status, 0) << more << ": " << outcome.output;
    EXPECT_THAT(outcome.output, StartsWith("converged after "));
    auto residual = matrix.apply(tools::read_vector(folder / "x.mtx", matrix.rows), transposed);
    for (std::size_t row = 0; row < residual.size(); ++row) residual[row] -= rhs[row];
    EXPECT_LE(norm(residual), 1.1e-9 * norm(rhs)) << more;
    std::filesystem::remove(folder / "x.mtx");
  }
};

TEST_F(CommandLineRows, solves_a_general_matrix) {
  expect_solved(general, "");
  for (std::string const size : {"1", "2", "5"}) {
    for (std::string const order : {"natural", "rcm", "colours"}) {
      auto const options = " --block-size " + size + " --order " + order;
      expect_solved(general, "--preconditioner bilu0 --method fgmres" + options);
      expect_solved(general, "--preconditioner iluk --fill 2" + options);
      expect_solved(general, "--preconditioner ilut" + options);
      expect_solved(general, "--preconditioner ilut --drop-tolerance 3e-2 --row-entries 2 --method fgmres" + options);
      expect_solved(general, "--transpose" + options, true);
      expect_solved(general, "--transpose --preconditioner iluk --method richardson" + options, true);
      expect_solved(general, "--transpose --preconditioner ilut --drop-tolerance 1e-3" + options, true);
    }
  }
  expect_solved(general, "--preconditioner none");
  expect_solved(general, "--preconditioner none --transpose", true);
}

TEST_F(CommandLineRows, with_enough_fill_the_factorization_is_exact) {
  for (std::string const preconditioner : {"iluk --fill 60", "ilut --drop-tolerance 0 --row-entries 60"}) {
    for (std::string const transpose : {"", " --transpose"}) {
      auto const options = "--preconditioner " + preconditioner + " --block-size 2 --method richardson" + transpose;
      EXPECT_THAT(solve_rows(options).output, StartsWith("converged after 1 iterations")) << options;
      expect_solved(general, options, !transpose.empty());
    }
  }
}

TEST_F(CommandLineRows, solves_a_matrix_on_a_grid_as_the_grid_does) {
  for (std::string const method : {"richardson", "bicgstab", "fgmres"}) {
    auto const options = "--block-size 2 --tolerance 1e-11 --solution x.mtx --history h.json --method " + method;
    auto const on_grid = run("solve A.mtx --rhs b.mtx --grid 4x3x5 " + options);
    auto const expected = tools::read_vector(folder / "x.mtx", grid.size() * n);
    auto const outcome = run("solve A.mtx --rhs b.mtx " + options);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    // "converged after 4 iterations"
    auto const words = std::string("converged after ").size() + 2;
    EXPECT_EQ(outcome.output.substr(0, words), on_grid.output.substr(0, words));
    EXPECT_TRUE(near(tools::read_vector(folder / "x.mtx", grid.size() * n), expected, 1e-9));
    expect_solution();
  }
}

TEST_F(CommandLineRows, takes_dense_and_symmetric_files) {
  GeneralMatrix lower;
  lower.rows = 60;
  for (int row = 0; row < lower.rows; ++row) {
    lower.entries[{row, row}] = 3.0;
    if (row >= 7) lower.entries[{row, row - 7}] = -0.5 - row * 0.01;
  }
  auto all = lower;
  for (auto const& [place, value] : lower.entries) all.entries[{place.second, place.first}] = value;
  write("M.mtx", lower.file("symmetric"));
  expect_solved(all, "--block-size 2");
  std::ostringstream dense;
  dense.precision(17);
  dense << "%%MatrixMarket matrix array real general\n60 60\n";
  for (int column = 0; column < 60; ++column) {
    for (int row = 0; row < 60; ++row) {
      auto const entry = general.entries.find({row, column});
      dense << (entry == general.entries.end() ? 0.0 : entry->second) << '\n';
    }
  }
  write("M.mtx", dense.str());
  expect_solved(general, "");
  // Zeros of a dense file are no entries: the factorization is that of the others.
  auto const from_dense = solve_rows("--max-iterations 1 --method richardson");
  auto const x = read("x.mtx");
  write("M.mtx", general.file());
  EXPECT_EQ(from_dense.output.substr(0, 60), solve_rows("--max-iterations 1 --method richardson").output.substr(0, 60));
  EXPECT_EQ(read("x.mtx"), x);
}

TEST_F(CommandLineRows, history_and_summary_say_what_was_solved) {
  auto const outcome = solve_rows("--block-size 2 --preconditioner iluk --fill 2e0 --order rcm --history h.json");
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr(" iterations: residual "), HasSubstr(" of the right-hand side; factor ")));
  EXPECT_THAT(read("h.json"),
              AllOf(HasSubstr("\"points\": 30"), HasSubstr("\"transpose\": false"), HasSubstr("\"block_size\": 2"),
                    HasSubstr("\"preconditioner\": \"iluk\""), HasSubstr("\"fill\": 2"),
                    HasSubstr("\"order\": \"rcm\""), Not(HasSubstr("\"grid\"")), Not(HasSubstr("\"parts\""))));
  solve_rows("--preconditioner ilut --drop-tolerance 2.5e-1 --row-entries 3e0 --history h.json");
  EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"preconditioner\": \"ilut\""), HasSubstr("\"drop_tolerance\": 0.25"),
                                    HasSubstr("\"row_entries\": 3"), Not(HasSubstr("\"fill\""))));
  solve_rows("--transpose --history h.json");
  EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"transpose\": true"), HasSubstr("\"points\": 60"),
                                    HasSubstr("\"order\": \"natural\""), Not(HasSubstr("\"fill\""))));
  auto const to_output = run("solve - --rhs c.mtx --solution - 2> /dev/null < M.mtx");
  EXPECT_THAT(to_output.output, StartsWith("%%MatrixMarket matrix array real general\n60 1\n"));
  write("x0.mtx", read("x.mtx"));
  EXPECT_THAT(solve_rows("--transpose --initial x0.mtx").output, StartsWith("converged after 0 iterations"));
}

TEST_F(CommandLineRows, a_grid_has_one_unknown_per_point_unless_said_otherwise) {
  GeneralMatrix diagonal;
  diagonal.rows = 60;
  for (int row = 0; row < diagonal.rows; ++row) diagonal.entries[{row, row}] = 2.0;
  write("M.mtx", diagonal.file());
  EXPECT_EQ(solve_rows("--grid 5x4x3 --history h.json").status, 0);
  EXPECT_THAT(read("h.json"), HasSubstr("\"block_size\": 1"));
  std::filesystem::remove(folder / "x.mtx");
  expect_refused(solve_rows("--grid 5x4x2"), "a grid of 5x4x2 points with block size 1 needs 40 x 40");
}

TEST_F(CommandLineRows, refuses_options_that_do_not_go_together) {
  auto const refuse = [&](const std::string& options, const std::string& what) {
    expect_refused(solve_rows(options), what);
  };
  refuse(
      "--parts 2x1x1",
      "--parts 2x1x1: needs --grid IxJxK; without it there are --drop-tolerance, --row-entries, --order and --fill\n");
  refuse("--coupling natural", "--coupling natural: needs --grid IxJxK");
  refuse("--path portable", "--path portable: needs --grid IxJxK");
  refuse("--relaxation 1.5", "--relaxation 1.5: needs --grid IxJxK");
  refuse("--storage float", "--storage float: needs --grid IxJxK");
  refuse("--preconditioner sip",
         "--preconditioner sip: needs --grid IxJxK; without it there are ilut, iluk, bilu0 and none");
  refuse("--preconditioner magic", "--preconditioner: 'magic' is not one of ilut|iluk|");
  refuse("--fill 2", "--fill 2: --preconditioner bilu0 does not have it, but iluk\n");
  refuse("--preconditioner none --order rcm",
         "--order rcm: --preconditioner none does not have it, but ilut, iluk and bilu0\n");
  refuse("--preconditioner iluk --fill -1", "--fill: Value -1 not in range [0 - ");
  refuse("--preconditioner iluk --fill 1.5", "--fill: '1.5' is not a whole number");
  refuse("--order given", "--order: 'given' is not one of natural|rcm|colours");
  refuse("--block-size 0", "--block-size: 0 is not in this build");
  refuse("--grid ''", "--grid: '' is not of the form IxJxK");
  expect_refused(solve("--order rcm"), "--order rcm: is for matrices without --grid");
  expect_refused(solve("--fill 1"), "--fill 1: is for matrices without --grid");
  expect_refused(solve("--transpose"), "--transpose: is for matrices without --grid");
  expect_refused(solve("--preconditioner iluk"),
                 "--preconditioner iluk: is for matrices without --grid; with it there");
}

TEST_F(CommandLineRows, refuses_thresholds_that_cannot_be) {
  auto const refuse = [&](const std::string& options, const std::string& what) {
    expect_refused(solve_rows(options), what);
  };
  refuse("--preconditioner ilut --drop-tolerance -0.5", "--drop-tolerance: -0.5 is not at least 0");
  refuse("--preconditioner ilut --drop-tolerance inf", "--drop-tolerance: 'inf' is not finite");
  refuse("--preconditioner ilut --drop-tolerance nan", "--drop-tolerance: 'nan' is not a number");
  refuse("--preconditioner ilut --drop-tolerance little", "--drop-tolerance: 'little' is not a number");
  refuse("--preconditioner ilut --row-entries -1", "--row-entries: Value -1 not in range [0 - ");
  refuse("--preconditioner ilut --row-entries 2.5", "--row-entries: '2.5' is not a whole number");
  refuse("--preconditioner ilut --fill 2", "--fill 2: --preconditioner ilut does not have it, but iluk\n");
  refuse("--drop-tolerance 0.1", "--drop-tolerance 0.1: --preconditioner bilu0 does not have it, but ilut\n");
  refuse("--preconditioner iluk --row-entries 5",
         "--row-entries 5: --preconditioner iluk does not have it, but ilut\n");
  expect_refused(solve("--drop-tolerance 0.1"), "--drop-tolerance 0.1: is for matrices without --grid");
  expect_refused(solve("--row-entries 5"), "--row-entries 5: is for matrices without --grid");
  expect_refused(solve("--preconditioner ilut"), "--preconditioner ilut: is for matrices without --grid");
}

TEST_F(CommandLineRows, takes_numbers_however_they_are_written) {
  auto const history_of = [&](const std::string& text) {
    auto const outcome = solve_rows("--preconditioner ilut --history h.json --drop-tolerance " + text);
    EXPECT_EQ(outcome.status, 0) << text << ": " << outcome.output;
    return read("h.json");
  };
  for (std::string const text : {"0.25", "+.25", "2.5e-1", "0x1p-2"}) {
    EXPECT_THAT(history_of(text), HasSubstr("\"drop_tolerance\": 0.25,")) << text;
  }
  // Less than the smallest number that has all digits, and than any.
  EXPECT_THAT(history_of("1e-320"), HasSubstr("\"drop_tolerance\": 1e-320,"));
  EXPECT_THAT(history_of("1e-400"), HasSubstr("\"drop_tolerance\": 0.0,"));
}

TEST_F(CommandLineRows, refuses_bad_matrices) {
  auto const refuse = [&](const std::string& text, const std::string& what, const std::string& options = "") {
    write("bad.mtx", text);
    expect_refused(solve_rows(options, "bad.mtx --rhs c.mtx"), what);
  };
  std::string const head = "%%MatrixMarket matrix coordinate real general\n";
  refuse(head + "60 61 0\n", "bad.mtx:2: the matrix is 60 x 61, expected as many rows as columns");
  refuse(head + "61 61 0\n", "bad.mtx:2: the matrix is 61 x 61, which is no multiple of --block-size 2",
         "--block-size 2");
  refuse(head + "60 60 3\n1 1 1.0\n2 2 1.0\n1 1 2.0\n", "bad.mtx:5: entry (1, 1) is there twice");
  refuse("%%MatrixMarket matrix coordinate real symmetric\n60 60 3\n2 1 1.0\n2 2 1.0\n2 1 2.0\n",
         "bad.mtx:5: entry (2, 1) is there twice", "--block-size 2");
  refuse(head + "60 60 1\n1 61 1.0\n", "bad.mtx:3: column 61 is not in 1..60");
  expect_refused(solve_rows("", "M.mtx --rhs b.mtx"), "b.mtx:2: the vector is 120 x 1, expected 60 x 1");

  auto no_diagonal = general;
  no_diagonal.entries.erase({5, 5});
  refuse(no_diagonal.file(), "bad.mtx: row 6 has no entry on the diagonal, which --preconditioner bilu0 needs; none");
  no_diagonal.entries.erase({4, 4});
  no_diagonal.entries.erase({4, 5});
  refuse(no_diagonal.file(),
         "bad.mtx: rows 5 to 6 have no entry in the block on the diagonal, which --preconditioner "
         "iluk needs; none does without\n",
         "--block-size 2 --preconditioner iluk");

  auto singular = general;
  for (auto& [place, value] : singular.entries) {
    if (place.first == 0) value = 0.0;
  }
  refuse(singular.file(), "singular pivot at point 0, equation 0: ", "--block-size 2");
  EXPECT_EQ(solve_rows("--preconditioner none --max-iterations 2", "bad.mtx --rhs c.mtx").status, 2);
}

}  // namespace
}  // namespace hyperplane::test
