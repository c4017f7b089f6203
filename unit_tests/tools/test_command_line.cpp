// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "backends.hpp"
#include "matrix_market.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"

// The executable as a user runs it: files in, files, lines and exit status out.
namespace hyperplane::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Outcome {
  int status;
  std::string output;
};

class CommandLine : public ::testing::Test {
 protected:
  static constexpr int n = 2;
  Grid const grid{4, 3, 5};
  ReferenceStencil const a = random_stencil(grid, n);
  std::vector<double> const solution = random_vector(grid.size() * n);
  std::filesystem::path const folder =
      std::filesystem::path(::testing::TempDir()) /
      ("hyperplane_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));

  void SetUp() override {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    write("A.mtx", coordinate_file(a));
    write("b.mtx", tools::format_vector(a.apply(solution)));
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder / name).rdbuf();
    return text.str();
  }

  static std::string coordinate_file(const ReferenceStencil& matrix, bool symmetric = false) {
    std::ostringstream entries;
    entries.precision(17);
    int count = 0;
    auto const dense = matrix.dense();
    for (int c = 0; c < dense.n; ++c) {
      for (int r = symmetric ? c : 0; r < dense.n; ++r) {
        if (dense(r, c) == 0.0) continue;
        ++count;
        entries << r + 1 << ' ' << c + 1 << ' ' << dense(r, c) << '\n';
      }
    }
    std::ostringstream file;
    file << "%%MatrixMarket matrix coordinate real " << (symmetric ? "symmetric" : "general") << "\n% a comment\n"
         << dense.n << ' ' << dense.n << ' ' << count << '\n'
         << entries.str();
    return file.str();
  }

  Outcome run(const std::string& arguments, const std::string& before = "") const {
    std::string const command =
        "cd '" + folder.string() + "' && " + before + "'" HYPERPLANE_EXECUTABLE "' " + arguments + " 2>&1";
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    Outcome outcome{};
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
      outcome.output.append(buffer.data(), got);
    }
    outcome.status = WEXITSTATUS(::pclose(pipe));
    return outcome;
  }

  Outcome solve(const std::string& more = "", const std::string& system = "A.mtx --rhs b.mtx --grid 4x3x5") const {
    return run("solve " + system + " --block-size 2 --solution x.mtx --history h.json " + more);
  }

  void expect_solution() const {
    EXPECT_TRUE(near(tools::read_vector(folder / "x.mtx", grid.size() * n), solution, 1e-6));
  }

  /// One line that says what is wrong, and where.
  void expect_refused(const Outcome& outcome, const std::string& what) const {
    EXPECT_EQ(outcome.status, 1) << outcome.output;
    EXPECT_THAT(outcome.output, AllOf(::testing::StartsWith("hyperplane: error: "), HasSubstr(what)));
    EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
    EXPECT_FALSE(std::filesystem::exists(folder / "x.mtx"));
    for (auto const& file : std::filesystem::directory_iterator(folder)) {
      EXPECT_THAT(file.path().string(), ::testing::Not(HasSubstr("partial"))) << "temporary files are removed";
    }
  }

  void expect_matrix_refused(const std::string& text, const std::string& what) const {
    write("bad.mtx", text);
    expect_refused(solve("", "bad.mtx --rhs b.mtx --grid 4x3x5"), what);
  }
};

TEST_F(CommandLine, solves_with_every_method_preconditioner_and_storage) {
  for (std::string const method : {"richardson", "bicgstab", "fgmres"}) {
    for (std::string const preconditioner : {"bilu0", "lines", "ssor", "jacobi"}) {
      for (std::string const storage : {"double", "float"}) {
        auto const outcome =
            solve("--method " + method + " --preconditioner " + preconditioner + " --storage " + storage);
        EXPECT_EQ(outcome.status, 0) << outcome.output;
        EXPECT_THAT(outcome.output, ::testing::StartsWith("converged after "));
        if (storage == "double") expect_solution();
      }
    }
  }
  EXPECT_EQ(solve("--preconditioner none").status, 0);
  auto const scalar = random_stencil(grid, 1);
  write("A1.mtx", coordinate_file(scalar));
  write("b1.mtx", tools::format_vector(scalar.apply(random_vector(grid.size()))));
  EXPECT_EQ(
      run("solve A1.mtx --rhs b1.mtx --grid 4x3x5 --block-size 1 --preconditioner sip --alpha 0.5 --history h.json")
          .status,
      0);
  EXPECT_THAT(read("h.json"), HasSubstr("\"alpha\": 0.5"));
  EXPECT_EQ(solve("--preconditioner ssor --relaxation 1.2").status, 0);
  EXPECT_THAT(read("h.json"), HasSubstr("\"relaxation\": 1.2"));
  for (std::string const direction : {"i", "j", "k", "alternating"}) {
    EXPECT_EQ(solve("--preconditioner lines --line-sweeps 2 --line-direction " + direction).status, 0);
    expect_solution();
    EXPECT_THAT(read("h.json"), HasSubstr("\"line_direction\": \"" + direction + "\""));
  }
  expect_solution();
}

TEST_F(CommandLine, every_backend_of_the_build) {
  auto const info = run("info");
  EXPECT_EQ(info.status, 0);
  EXPECT_THAT(info.output, AllOf(HasSubstr("Hyperplane "), HasSubstr("Kokkos "), HasSubstr("vector length")));
  for (std::string const backend : {"auto", "serial", "openmp", "cuda"}) {
    auto const outcome = solve("--backend " + backend);
    if (backend == "auto" || info.output.find("backend    " + backend) != std::string::npos) {
      EXPECT_EQ(outcome.status, 0) << outcome.output;
    } else {
      EXPECT_EQ(outcome.status, 1);
      EXPECT_THAT(outcome.output, AllOf(HasSubstr("'" + backend + "' is not in this build, which has: ")));
    }
  }
}

TEST_F(CommandLine, the_environment_says_where_to_run) {
  std::string const arguments = "solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2";
  auto const available = run_time::backend_names();
  for (std::string const backend : {"serial", "openmp", "cuda"}) {
    auto const outcome = run(arguments, "HYPERPLANE_BACKEND=" + backend + " ");
    if (std::ranges::find(available, backend) != available.end()) {
      EXPECT_EQ(outcome.status, 0) << outcome.output;
      EXPECT_THAT(outcome.output, HasSubstr("(" + backend + ", "));
    } else {
      expect_refused(outcome, "HYPERPLANE_BACKEND: '" + backend + "' is not in this build, which has: ");
    }
  }
  for (std::string const nothing : {"", "auto"}) {
    EXPECT_THAT(run(arguments, "HYPERPLANE_BACKEND=" + nothing + " ").output, HasSubstr("(" + available.back() + ", "));
  }
  expect_refused(run(arguments, "HYPERPLANE_BACKEND=nonsense "),
                 "HYPERPLANE_BACKEND: 'nonsense' is not in this build, which has: " + run_time::backend_list());
  expect_refused(run("swept --points 9 --steps 1", "HYPERPLANE_BACKEND=nonsense "), "HYPERPLANE_BACKEND: 'nonsense'");
  // What the command says wins.
  EXPECT_EQ(run(arguments + " --backend " + available.front(), "HYPERPLANE_BACKEND=nonsense ").status, 0);
  expect_refused(run(arguments, "HYPERPLANE_DEVICE=first "),
                 "HYPERPLANE_DEVICE: 'first' is not the number of a device");
  expect_refused(run(arguments, "HYPERPLANE_DEVICE=-1 "), "HYPERPLANE_DEVICE: '-1' is not the number of a device");
}

TEST_F(CommandLine, the_environment_says_whether_kernels_are_timed) {
  auto const outcome = solve("", "A.mtx --rhs b.mtx --grid 4x3x5");
  EXPECT_EQ(run("solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2", "HYPERPLANE_TIMERS=t.json ").output.substr(0, 9),
            outcome.output.substr(0, 9));
  EXPECT_THAT(read("t.json"), HasSubstr("\"label\": \"Hyperplane::BlockIlu0::solve"));
  EXPECT_THAT(run("solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2", "HYPERPLANE_TIMERS=stderr ").output,
              HasSubstr("Hyperplane::BiCgStab::update"));
  EXPECT_EQ(run("info", "HYPERPLANE_TIMERS=no/such/t.json ").status, 1);
}

TEST_F(CommandLine, one_correction_is_one_application) {
  auto const outcome = solve("--tolerance 0 --max-iterations 1 --method richardson");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, ::testing::StartsWith("not converged after 1 iterations"));
  auto const expected = ReferenceIlu0(a).solve(a.apply(solution));
  EXPECT_TRUE(near(tools::read_vector(folder / "x.mtx", grid.size() * n), expected, 1e-13));
}

TEST_F(CommandLine, writes_the_history) {
  EXPECT_EQ(solve().status, 0);
  auto const history = read("h.json");
  for (std::string const key :
       {"\"residual_norms\": [", "\"seconds\": {", "\"setup\":", "\"factor\":", "\"preconditioner_solves\": [",
        "\"backend\":", "\"threads\":", "\"versions\": {", "\"kokkos\":", "\"outcome\": \"converged\""}) {
    EXPECT_THAT(history, HasSubstr(key));
  }
}

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
  expect_matrix_refused("%%MatrixMarket matrix coordinate real symmetric\n120 120 1\n1 2 1.0\n",
                        "bad.mtx:3: entry (1, 2) is above the diagonal");
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
  expect_refused(solve("--method magic"), "--method: 'magic' is not one of richardson|bicgstab|fgmres");
  expect_refused(solve("--preconditioner sip"), "--preconditioner sip: takes --block-size 1, not 2");
  expect_refused(solve("--preconditioner sip --alpha 1"), "--alpha: 1 is not at least 0 and less than 1");
  expect_refused(solve("--preconditioner ssor --relaxation 2"), "--relaxation: 2 is not more than 0 and less than 2");
  expect_refused(solve("--line-direction ij"), "--line-direction: 'ij' is not one of i|j|k|alternating");
  expect_refused(solve("--preconditioner 2"), "--preconditioner: '2' is not one of bilu0|lines|sip|ssor|jacobi|none");
  expect_refused(solve("--tolerance -1"), "tolerance");
  expect_refused(run("fly"), "");
  expect_refused(run("solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2 --solution x.mtx --history ./x.mtx"),
                 "--solution and --history: both are ./x.mtx");
  auto huge = a;
  huge.block(0, Direction::center)(0, 0) = 1e39;
  write("huge.mtx", coordinate_file(huge));
  expect_refused(solve("--storage float", "huge.mtx --rhs b.mtx --grid 4x3x5"), "huge.mtx has the value 1e+39");
  auto singular = a;
  for (auto const d : {Direction::center, Direction::west, Direction::south, Direction::bottom}) {
    auto& block = singular.block(grid.index(2, 1, 3), d);
    for (int c = 0; c < n; ++c) block(1, c) = 0.0;
  }
  write("singular.mtx", coordinate_file(singular));
  expect_refused(solve("", "singular.mtx --rhs b.mtx --grid 4x3x5"), "singular pivot at point (2, 1, 3), equation 1");
}

TEST_F(CommandLine, writes_what_it_has_when_it_does_not_converge) {
  EXPECT_EQ(solve("--max-iterations 1 --preconditioner none").status, 2);
  EXPECT_TRUE(std::filesystem::exists(folder / "x.mtx"));
  EXPECT_THAT(read("h.json"), HasSubstr("\"outcome\": \"max_iterations\""));
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

TEST_F(CommandLine, advances_equations_and_writes_them) {
  struct Equation {
    std::string name, header, first;
  };
  for (auto const& [name, header, first] :
       {Equation{"heat", "x,temperature\n", "\n0,"}, Equation{"ks", "x,u\n", "\n0,"},
        Equation{"euler", "x,density,momentum,energy\n", "\n0.0025000000000000001,"}}) {
    auto const outcome = run("swept --equation " + name + " --points 200 --steps 30 --variant shared --output u.csv");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_THAT(outcome.output, AllOf(::testing::StartsWith("30 steps to time "), HasSubstr("shared")));
    auto const file = read("u.csv");
    EXPECT_THAT(file, AllOf(::testing::StartsWith(header), HasSubstr(first)));
    EXPECT_EQ(std::count(file.begin(), file.end(), '\n'), 201);
    // The other variant gives the same digits.
    EXPECT_EQ(run("swept --equation " + name + " --points 200 --steps 30 --variant classic --output v.csv").status, 0);
    EXPECT_EQ(read("v.csv"), file);
  }
}

TEST_F(CommandLine, swept_refuses_what_it_cannot_do) {
  expect_refused(run("swept --points 0 --steps 1"), "--points");
  expect_refused(run("swept --points 10 --steps -1"), "--steps");
  expect_refused(run("swept --points 10"), "--steps");
  expect_refused(run("swept --points 10 --steps 1 --equation waves"), "waves");
  expect_refused(run("swept --points 10 --steps 1 --variant fast"), "fast");
  // The first backend is a host's.
  expect_refused(
      run("swept --points 10 --steps 1 --backend " + run_time::backend_names().front() + " --variant resident"),
      "resident");
  expect_refused(run("swept --points 10 --steps 1 --output no/such/folder.csv"), "no/such/folder.csv");
}

TEST_F(CommandLine, help_teaches) {
  EXPECT_THAT(run("swept --help").output,
              AllOf(HasSubstr("heat|ks|euler [heat]"), HasSubstr("hyperplane swept --equation euler --points 1000")));

  auto const help = run("solve --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.output, AllOf(HasSubstr("Example:"), HasSubstr("Exit status:"), HasSubstr("--block-size")));
  EXPECT_THAT(help.output, HasSubstr("\n  hyperplane solve A.mtx --rhs b.mtx --grid 32x16x8 --block-size 5 \\\n"));
  EXPECT_THAT(help.output, HasSubstr("bilu0|lines|sip|ssor|jacobi|none [bilu0]"));
  EXPECT_EQ(run("--version").status, 0);
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
