// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tools/command_line_rows.hpp"

// The command line without a grid: general matrices.
namespace hyperplane::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(CommandLineRows, solves_a_general_matrix) {
  expect_solved(general, "");
  for (std::string const size : {"1", "2", "5"}) {
    for (std::string const order : {"natural", "rcm", "colours", "lines"}) {
      auto const options = " --block-size " + size + " --order " + order;
      expect_solved(general, "--preconditioner bilu0 --method fgmres" + options);
      expect_solved(general, "--preconditioner iluk --fill 2" + options);
      expect_solved(general, "--preconditioner ilut" + options);
      expect_solved(general, "--preconditioner ilut --drop-tolerance 3e-2 --row-entries 2 --method fgmres" + options);
      expect_solved(general, "--preconditioner dilu" + options);
      expect_solved(general, "--preconditioner ssor --relaxation 1.25 --method fgmres" + options);
      expect_solved(general, "--transpose" + options, true);
      expect_solved(general, "--transpose --preconditioner dilu --method fgmres" + options, true);
      expect_solved(general, "--transpose --preconditioner ssor" + options, true);
      expect_solved(general, "--transpose --preconditioner iluk --method richardson" + options, true);
      expect_solved(general, "--transpose --preconditioner ilut --drop-tolerance 1e-3" + options, true);
    }
  }
  expect_solved(general, "--preconditioner lines --block-size 2 --method richardson");
  expect_solved(general, "--preconditioner lines --line-sweeps 2 --strong-coupling 1 --relaxation 0.875");
  expect_solved(general, "--preconditioner lines --line-sweeps 2 --transpose", true);
  expect_solved(general, "--preconditioner none");
  expect_solved(general, "--preconditioner none --transpose", true);
  expect_solved(general, "--preconditioner jacobi --block-size 2 --relaxation 0.75 --method richardson");
  expect_solved(general, "--preconditioner jacobi --transpose", true);
  expect_solved(general, "--preconditioner none --method fgcrodr --restart 6 --recycled 3");
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
  for (std::string const method : {"richardson", "bicgstab", "fgmres", "fgcrodr --restart 8 --recycled 3"}) {
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
  solve_rows("--preconditioner ssor --relaxation 7.5e-1 --method fgcrodr --recycled 4e0 --history h.json");
  EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"preconditioner\": \"ssor\""), HasSubstr("\"relaxation\": 0.75"),
                                    HasSubstr("\"method\": \"fgcrodr\""), HasSubstr("\"recycled\": 4"),
                                    HasSubstr("\"order\": \"natural\""), Not(HasSubstr("\"path\""))));
  solve_rows("--preconditioner lines --strong-coupling 1.5 --line-sweeps 2 --history h.json");
  EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"preconditioner\": \"lines\""), HasSubstr("\"strong_coupling\": 1.5"),
                                    HasSubstr("\"line_sweeps\": 2"), Not(HasSubstr("\"order\""))));
  solve_rows("--transpose --history h.json");
  EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"transpose\": true"), HasSubstr("\"points\": 60"),
                                    HasSubstr("\"order\": \"natural\""), Not(HasSubstr("\"fill\""))));
  auto const to_output = run("solve - --rhs c.mtx --solution - 2> /dev/null < M.mtx");
  EXPECT_THAT(to_output.output, StartsWith("%%MatrixMarket matrix array real general\n60 1\n"));
  write("x0.mtx", read("x.mtx"));
  EXPECT_THAT(solve_rows("--transpose --initial x0.mtx").output, StartsWith("converged after 0 iterations"));
}

TEST_F(CommandLineRows, replaces_pivots_where_that_is_asked_for) {
  auto singular = general;
  for (int const point : {0, 2}) {
    for (auto& [place, value] : singular.entries) {
      // What is taken before the point is zero, too, so that nothing is subtracted from its pivot.
      if (place.first / 2 == point && place.second / 2 <= point) value = 0.0;
    }
  }
  write("M.mtx", singular.file());
  for (std::string const preconditioner : {"bilu0", "iluk", "ilut", "dilu", "ssor", "jacobi"}) {
    auto const options = "--block-size 2 --method fgmres --preconditioner " + preconditioner;
    expect_refused(solve_rows(options), "singular pivot at point 0, equation 0");
    expect_solved(singular, options + " --pivot-shift 0.75");
    EXPECT_THAT(solve_rows(options + " --pivot-shift 0.75 --history h.json").output,
                HasSubstr("; 2 pivots were replaced, the first at point 0\n"));
    EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"pivot_shift\": 0.75"), HasSubstr("\"replaced_pivots\": 2"),
                                      HasSubstr("\"first_replaced_point\": 0")));
    std::filesystem::remove(folder / "x.mtx");
  }
  write("M.mtx", general.file());
  EXPECT_THAT(solve_rows("--pivot-shift 0.75 --history h.json").output, Not(HasSubstr("replaced")));
  EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"replaced_pivots\": 0"), Not(HasSubstr("first_replaced"))));
}

TEST_F(CommandLineRows, factors_in_float_may_be_of_a_matrix_that_no_float_can_hold) {
  GeneralMatrix large;
  large.rows = 60;
  for (int row = 0; row < large.rows; ++row) large.entries[{row, row}] = 1e39;
  write("M.mtx", large.file());
  EXPECT_EQ(solve_rows("--preconditioner jacobi --storage float").status, 0);
  std::filesystem::remove(folder / "x.mtx");
  expect_refused(solve_rows("--product-storage float"), "M.mtx has the value 1e+39, which a float cannot hold");
  expect_refused(solve_rows("--product-storage half"), "--product-storage half: needs --grid");
  expect_refused(solve_rows("--block-size 2 --storage quarter --preconditioner dilu"),
                 "--storage quarter: --preconditioner dilu does not have it, but ilut, iluk and bilu0");
}

TEST_F(CommandLineRows, factors_have_the_storage_that_is_asked_for) {
  // Factors that are rounded otherwise leave other residuals.
  for (std::string const preconditioner : {"bilu0", "ssor", "dilu"}) {
    std::set<std::string> histories;
    std::vector<std::string> storages{"double", "float", "half", "bfloat16"};
    if (preconditioner == "bilu0") storages.emplace_back("quarter");
    for (auto const& storage : storages) {
      expect_solved(general, "--block-size 2 --method fgmres --history h.json --preconditioner " + preconditioner +
                                 " --storage " + storage);
      auto const history = read("h.json");
      EXPECT_THAT(history, HasSubstr("\"storage\": \"" + storage + "\""));
      histories.insert(residual_norms());
    }
    EXPECT_EQ(histories.size(), storages.size()) << preconditioner;
  }
  for (std::string const options : {"", "--storage half", "--transpose --method fgmres"}) {
    expect_solved(general, "--block-size 2 --product-storage float " + options, options.starts_with("--transpose"));
  }
  // What products read shows in the residuals, too.
  std::set<std::string> histories;
  for (std::string const storage : {"same", "float"}) {
    expect_solved(general, "--block-size 2 --method fgmres --history h.json --product-storage " + storage);
    histories.insert(residual_norms());
  }
  EXPECT_EQ(histories.size(), 2U);
  solve_rows("--block-size 2 --preconditioner iluk --storage automatic --storage-fraction 0.5 --history h.json");
  EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"storage\": \"automatic\""), HasSubstr("\"storage_fraction\": 0.5"),
                                    HasSubstr("\"chosen_storage\": \"half\"")));
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

}  // namespace
}  // namespace hyperplane::test
