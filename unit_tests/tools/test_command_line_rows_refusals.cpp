// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include "tools/command_line_rows.hpp"

// What the command line refuses without a grid.
namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;

TEST_F(CommandLineRows, refuses_options_that_do_not_go_together) {
  auto const refuse = [&](const std::string& options, const std::string& what) {
    expect_refused(solve_rows(options), what);
  };
  refuse("--parts 2x1x1",
         "--parts 2x1x1: needs --grid IxJxK; without it there are --relaxation, --line-sweeps, "
         "--strong-coupling, --drop-tolerance, --row-entries, --order, --pivot-shift and --fill\n");
  refuse("--coupling natural", "--coupling natural: needs --grid IxJxK");
  refuse("--path portable", "--path portable: needs --grid IxJxK");
  refuse("--relaxation 1.5", "--relaxation 1.5: --preconditioner bilu0 does not have it, but lines, ssor and jacobi\n");
  refuse("--preconditioner ssor --relaxation 2", "--relaxation: 2 is not more than 0 and less than 2");
  refuse("--preconditioner jacobi --order rcm",
         "--order rcm: --preconditioner jacobi does not have it, but ilut, iluk, bilu0, dilu and ssor\n");
  refuse("--storage float --preconditioner lines",
         "--storage float: --preconditioner lines does not have it, but ilut, iluk, bilu0, dilu, ssor and jacobi\n");
  refuse("--storage half --preconditioner none", "--storage half: --preconditioner none does not have it, but");
  refuse("--preconditioner sip",
         "--preconditioner sip: needs --grid IxJxK; without it there are lines, ilut, iluk, bilu0, dilu, ssor, jacobi "
         "and none");
  refuse("--preconditioner magic", "--preconditioner: 'magic' is not one of ilut|iluk|");
  refuse("--fill 2", "--fill 2: --preconditioner bilu0 does not have it, but iluk\n");
  refuse("--preconditioner none --order rcm",
         "--order rcm: --preconditioner none does not have it, but ilut, iluk, bilu0, dilu and ssor\n");
  refuse("--preconditioner iluk --fill -1", "--fill: Value -1 not in range [0 - ");
  refuse("--preconditioner iluk --fill 1.5", "--fill: '1.5' is not a whole number");
  refuse("--preconditioner lines --order rcm",
         "--order rcm: --preconditioner lines does not have it, but ilut, iluk, bilu0, dilu and ssor\n");
  refuse("--preconditioner lines --line-direction j", "--line-direction j: needs --grid IxJxK");
  refuse("--preconditioner lines --strong-coupling 0.5", "--strong-coupling: 0.5 is not at least 1");
  refuse("--order given", "--order: 'given' is not one of natural|rcm|colours|lines");
  refuse("--block-size 0", "--block-size: 0 is not in this build");
  refuse("--grid ''", "--grid: '' is not of the form IxJxK");
  expect_refused(solve("--order rcm"), "--order rcm: is for matrices without --grid");
  expect_refused(solve("--preconditioner lines --strong-coupling 2"),
                 "--strong-coupling 2: is for matrices without --grid");
  expect_refused(solve("--fill 1"), "--fill 1: is for matrices without --grid");
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
  refuse("--pivot-shift -1", "--pivot-shift: -1 is not at least 0");
  refuse("--preconditioner none --pivot-shift 0.1",
         "--pivot-shift 0.1: --preconditioner none does not have it, but ilut, iluk, bilu0, dilu, ssor and jacobi\n");
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
