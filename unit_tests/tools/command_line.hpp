// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "matrix_market.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"

namespace hyperplane::test {

struct Outcome {
  int status;
  std::string output;
};

/// The executable as a user runs it, in a folder with a system: files in; files, lines and exit status out.
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

  /// What h.json says of iterations and norms.
  std::string norms_of_history() const {
    auto const text = read("h.json");
    auto const begin = text.find("\"iterations\""), end = text.find("\"seconds\"");
    return begin < end && end != std::string::npos ? text.substr(begin, end - begin) : "none in " + text;
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
        "cd '" + folder.string() + "' && { " + before + "'" HYPERPLANE_EXECUTABLE "' " + arguments + "; } 2>&1";
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
    EXPECT_THAT(outcome.output,
                ::testing::AllOf(::testing::StartsWith("hyperplane: error: "), ::testing::HasSubstr(what)));
    EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
    EXPECT_FALSE(std::filesystem::exists(folder / "x.mtx"));
    EXPECT_FALSE(has_partial_files());
  }

  /// Files that have not got their names yet.
  bool has_partial_files() const {
    for (auto const& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().string().find(".partial-") != std::string::npos) return true;
    }
    return false;
  }

  void expect_matrix_refused(const std::string& text, const std::string& what) const {
    write("bad.mtx", text);
    expect_refused(solve("", "bad.mtx --rhs b.mtx --grid 4x3x5"), what);
  }
};

}  // namespace hyperplane::test
