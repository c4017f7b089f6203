// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tools/command_line.hpp"

namespace hyperplane::test {

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
inline GeneralMatrix general_mesh(int points) {
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

inline double norm_of(const std::vector<double>& v) {
  double sum = 0.0;
  for (double const value : v) sum += value * value;
  return std::sqrt(sum);
}

class CommandLineRows : public CommandLine {
 protected:
  GeneralMatrix const general = general_mesh(30);
  std::vector<double> const rhs = random_vector(60);

  void SetUp() override {
    CommandLine::SetUp();
    write("M.mtx", general.file());
    write("c.mtx", tools::format_vector(rhs));
  }

  Outcome solve_rows(const std::string& more = "", const std::string& system = "M.mtx --rhs c.mtx") const {
    return run("solve " + system + " --solution x.mtx " + more);
  }
  /// Of the history in h.json, as it is written there.
  std::string residual_norms() const {
    auto const history = read("h.json");
    auto const begin = history.find("\"residual_norms\"");
    return history.substr(begin, history.find(']', begin) - begin);
  }
  /// By the residual that is computed here.
  void expect_solved(const GeneralMatrix& matrix, const std::string& more, bool transposed = false) const {
    auto const outcome = solve_rows(more + " --tolerance 1e-9");
    ASSERT_EQ(outcome.status, 0) << more << ": " << outcome.output;
    EXPECT_THAT(outcome.output, ::testing::StartsWith("converged after "));
    auto residual = matrix.apply(tools::read_vector(folder / "x.mtx", matrix.rows), transposed);
    for (std::size_t row = 0; row < residual.size(); ++row) residual[row] -= rhs[row];
    EXPECT_LE(norm_of(residual), 1.1e-9 * norm_of(rhs)) << more;
    std::filesystem::remove(folder / "x.mtx");
  }
};

}  // namespace hyperplane::test
