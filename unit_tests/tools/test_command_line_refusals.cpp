// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/c_names.hpp"
#include "tools/command_line.hpp"

namespace hyperplane::test {
namespace {

TEST_F(CommandLine, refuses_malformed_matrices_with_file_and_line) {
  std::string const head = "%%MatrixMarket matrix coordinate real general\n120 120 2\n";
  expect_matrix_refused("", "bad.mtx:1: not a Matrix Market file");
  expect_matrix_refused("hello\n", "bad.mtx:1: not a Matrix Market file");
  expect_matrix_refused("%%MatrixMarket matrix coordinate complex general\n", "bad.mtx:1: field 'complex'");
  expect_matrix_refused("%%MatrixMarket matrix coordinate real hermitian\n", "bad.mtx:1: symmetry 'hermitian'");
  expect_matrix_refused("%%MatrixMarket matrix coordinate real general\n% only\n", "the file ends before");
  expect_matrix_refused("%%MatrixMarket matrix coordinate real general\n120 x 2\n",
                        "bad.mtx:2: the number of columns 'x'");
  expect_matrix_refused("%%MatrixMarket matrix coordinate real general\n10 10 1\n1 1 1\n",
                        "10 x 10, but a grid of 4x3x5");
  expect_matrix_refused("%%MatrixMarket matrix array real general\n9000000000 9000000000\n", "is too large");
  expect_matrix_refused(head + "1 1 1.0\n", "bad.mtx:3: the file ends after 1 of 2 entries");
  expect_matrix_refused(head + "1 1 1.0\n2 2 1.0\n3 3 1.0\n", "bad.mtx:5: more lines than the 2 entries");
  expect_matrix_refused(head + "1 1 1.0\n2 2 abc\n", "bad.mtx:4: value 'abc' is not a number");
  expect_matrix_refused(head + "1 1 1.0\n2 2 \x1b[2J" + std::string(1000, 'z') + "\n",
                        "bad.mtx:4: value '?[2J" + std::string(36, 'z') + "...' is not a number");
  expect_matrix_refused(head + "1 1 1.0\n2 2 +-5\n", "bad.mtx:4: value '+-5' is not a number");
  expect_matrix_refused(head + "1 1 1.0\n2 2 nan\n", "bad.mtx:4: value 'nan' is not finite");
  expect_matrix_refused(head + "1 1 1.0\n2 2 -inf\n", "bad.mtx:4: value '-inf' is not finite");
  expect_matrix_refused(head + "1 1 1.0\n2 2 1e999\n", "bad.mtx:4: value '1e999' is not finite");
  expect_matrix_refused(head + "1 1 1.0\n2 2\n", "bad.mtx:4: a value is missing");
  expect_matrix_refused(head + "1 1 1.0\n2 2 1.0 7\n", "bad.mtx:4: unexpected '7'");
  expect_matrix_refused(head + "1 1 1.0\n121 2 1.0\n", "bad.mtx:4: row 121 is not in 1..120");
  expect_matrix_refused(head + "1 1 1.0\n2 0 1.0\n", "bad.mtx:4: column 0 is not in 1..120");
  expect_matrix_refused(head + "1 1 1.0\n1 1 2.0\n", "bad.mtx:4: entry (1, 1) is there twice");
  expect_matrix_refused(head + "1 1 1.0\n1 5 2.0\n", "bad.mtx:4: entry (1, 5) couples point (0, 0, 0) with (2, 0, 0)");
  expect_matrix_refused(head + "1 1 1.0\n1 5 2.0\n", "neighbours of the point are: east (1, 0, 0), north (0, 1, 0)");
  expect_matrix_refused("%%MatrixMarket matrix coordinate real symmetric\n120 120 1\n1 2 1.0\n",
                        "bad.mtx:3: entry (1, 2) is above the diagonal");
}

TEST_F(CommandLine, ends_with_its_status_where_no_message_can_be_written) {
  EXPECT_EQ(solve("2> /dev/full", "none.mtx --rhs b.mtx --grid 4x3x5").status, 1);
  EXPECT_FALSE(has_partial_files());
}

TEST_F(CommandLine, refuses_other_bad_input_with_one_line) {
  write("short.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  expect_refused(solve("", "A.mtx --rhs short.mtx --grid 4x3x5"), "short.mtx:2: the vector is 3 x 1, expected 120 x 1");
  expect_refused(solve("", "none.mtx --rhs b.mtx --grid 4x3x5"), "none.mtx: cannot be opened");
  expect_refused(solve("", ". --rhs b.mtx --grid 4x3x5"), "is a directory");
  expect_refused(solve("", "A.mtx --rhs b.mtx --grid 4x3"), "--grid: '4x3'");
  expect_refused(solve("", "A.mtx --rhs b.mtx --grid 4x3x0"), "--grid: '4x3x0'");
  expect_refused(solve("", "A.mtx --rhs b.mtx --grid 5x3x4x1"), "--grid: '5x3x4x1'");
  expect_refused(run("solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 17 --solution x.mtx"), "--block-size: 17");
  expect_refused(run("solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2 --solution no/such/x.mtx"),
                 "no/such/x.mtx: cannot be written");
  expect_refused(run("solve A.mtx --grid 4x3x5 --block-size 2"), "--rhs");
  expect_refused(solve("--method magic"), "--method: 'magic' is not one of richardson|bicgstab|fgmres|fgcrodr");
  expect_refused(solve("--preconditioner sip"), "--preconditioner sip: takes --block-size 1, not 2");
  expect_refused(solve("--preconditioner sip --alpha 1"), "--alpha: 1 is not at least 0 and less than 1");
  expect_refused(solve("--preconditioner ssor --relaxation 2"), "--relaxation: 2 is not more than 0 and less than 2");
  expect_refused(solve("--line-direction ij"), "--line-direction: 'ij' is not one of i|j|k|alternating");
  expect_refused(solve("--preconditioner 2"), "--preconditioner: '2' is not one of ");
  expect_refused(solve("--tolerance -1"), "tolerance");
  expect_refused(run("fly"), "");
  expect_refused(run("solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2 --solution x.mtx --history ./x.mtx"),
                 "--solution and --history: both are ./x.mtx");
  auto huge = a;
  huge.block(0, Direction::center)(0, 0) = 1e39;
  write("huge.mtx", coordinate_file(huge));
  expect_refused(solve("--storage float", "huge.mtx --rhs b.mtx --grid 4x3x5"), "huge.mtx has the value 1e+39");
  for (std::string const system : {"huge.mtx --rhs b.mtx --grid 4x3x5", "huge.mtx --rhs b.mtx"}) {
    expect_refused(solve("--product-storage float", system),
                   "--product-storage float: huge.mtx has the value 1e+39, which a float cannot hold");
  }
  auto singular = a;
  for (auto const d : {Direction::center, Direction::west, Direction::south, Direction::bottom}) {
    auto& block = singular.block(grid.index(2, 1, 3), d);
    for (int c = 0; c < n; ++c) block(1, c) = 0.0;
  }
  write("singular.mtx", coordinate_file(singular));
  expect_refused(solve("", "singular.mtx --rhs b.mtx --grid 4x3x5"), "singular pivot at point (2, 1, 3), equation 1");
}

TEST_F(CommandLine, swept_refuses_what_it_cannot_do) {
  expect_refused(run("swept --points 0 --steps 1"), "--points");
  expect_refused(run("swept --points 10 --steps -1"), "--steps");
  expect_refused(run("swept --points 10"), "--steps");
  expect_refused(run("swept --points 10 --steps 1 --equation waves"), "waves");
  expect_refused(run("swept --points 10 --steps 1 --variant fast"), "fast");
  // The first backend is a host's.
  expect_refused(run("swept --points 10 --steps 1 --backend " + c_backends().front() + " --variant resident"),
                 "resident");
  expect_refused(run("swept --points 10 --steps 1 --output no/such/folder.csv"), "no/such/folder.csv");
}

}  // namespace
}  // namespace hyperplane::test
