// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <numeric>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// Line solvers of the C interface.
namespace hyperplane::test {
namespace {

class CLines : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr int n = 2;
  hyperplane_context context = nullptr;

  CLines() {
    EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_context_create(GetParam().c_str(), nullptr, &context), HYPERPLANE_SUCCESS);
  }
  ~CLines() override {
    hyperplane_free(context);
    hyperplane_finalize();
  }

  /// Blocks of 3 per point with a heavy diagonal.
  static std::vector<double> random_blocks(std::int64_t points) {
    auto values = random_vector(points * 3 * n * n);
    for (std::int64_t p = 0; p < points; ++p) {
      for (int r = 0; r < n; ++r) values[((p * 3 + 1) * n + r) * n + r] += 6.0;
    }
    return values;
  }

  /// b = M x, or M^T x, along lists of points.
  static std::vector<double> multiply(const std::vector<double>& values,
                                      const std::vector<std::vector<std::int64_t>>& lines, bool is_periodic,
                                      const std::vector<double>& x, std::vector<double> b, bool with_transpose) {
    for (auto const& line : lines) {
      auto const length = static_cast<std::int64_t>(line.size());
      for (auto const p : line) {
        for (int r = 0; r < n; ++r) b[p * n + r] = 0.0;
      }
      for (std::int64_t s = 0; s < length; ++s) {
        auto const p = line[s];
        for (int block = 0; block < 3; ++block) {
          auto other = s + block - 1;
          if (other < 0 || other >= length) {
            if (!is_periodic) continue;
            other = (other + length) % length;
          }
          for (int r = 0; r < n; ++r) {
            for (int c = 0; c < n; ++c) {
              auto row = p * n + r, column = line[other] * n + c;
              double const value = values[((p * 3 + block) * n + r) * n + c];
              if (with_transpose) std::swap(row, column);
              b[row] += value * x[column];
            }
          }
        }
      }
    }
    return b;
  }

  static std::vector<double> transposed(const std::vector<double>& values) {
    auto result = values;
    for (std::size_t b = 0; b < values.size(); b += n * n) std::swap(result[b + 1], result[b + 2]);
    return result;
  }

  void solves(const hyperplane_line_set& set, std::int64_t points,
              const std::vector<std::vector<std::int64_t>>& lines) const {
    auto const values = random_blocks(points);
    for (int columns : {1, 3}) {
      for (auto path : {HYPERPLANE_PATH_AUTOMATIC, HYPERPLANE_PATH_PORTABLE}) {
        hyperplane_line_options options;
        hyperplane_line_solver solver = nullptr;
        EXPECT_EQ(hyperplane_line_options_init(&options), HYPERPLANE_SUCCESS);
        options.columns = columns;
        options.path = path;
        ASSERT_EQ(hyperplane_line_solver_create(context, &set, n, &options, &solver), HYPERPLANE_SUCCESS)
            << hyperplane_last_error_message();
        auto const count = static_cast<std::int64_t>(values.size());
        auto const by_columns = transposed(values);
        EXPECT_EQ(hyperplane_line_solver_factor(solver, columns == 1 ? values.data() : by_columns.data(), count,
                                                columns == 1 ? HYPERPLANE_ROW_MAJOR : HYPERPLANE_COLUMN_MAJOR,
                                                HYPERPLANE_HOST),
                  HYPERPLANE_SUCCESS);
        EXPECT_EQ(hyperplane_line_solver_check(solver), HYPERPLANE_SUCCESS);
        hyperplane_line_solver transpose = nullptr;
        EXPECT_EQ(hyperplane_line_solver_transpose(solver, &transpose), HYPERPLANE_SUCCESS);
        auto const expected = random_vector(columns * points * n);
        for (auto* const each : {solver, transpose}) {
          std::vector<double> rhs;
          for (int v = 0; v < columns; ++v) {
            std::vector<double> const x(expected.begin() + v * points * n, expected.begin() + (v + 1) * points * n);
            // Points on no line are left as they are.
            auto const b = multiply(values, lines, set.ends == HYPERPLANE_ENDS_PERIODIC, x, x, each == transpose);
            rhs.insert(rhs.end(), b.begin(), b.end());
          }
          EXPECT_EQ(hyperplane_line_solver_solve(each, rhs.data(), rhs.data(), columns * points * n, HYPERPLANE_HOST),
                    HYPERPLANE_SUCCESS)
              << hyperplane_last_error_message();
          EXPECT_TRUE(near(rhs, expected, 1e-12)) << columns << ' ' << path;
          // Factors stay while one of both does.
          EXPECT_EQ(hyperplane_free(each), HYPERPLANE_SUCCESS);
        }
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, CLines, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

TEST_P(CLines, of_one_length) {
  std::vector<std::vector<std::int64_t>> lines(7);
  for (int l = 0; l < 7; ++l) {
    for (int p = 0; p < 5; ++p) lines[l].push_back(l * 5 + p);
  }
  for (auto ends : {HYPERPLANE_ENDS_OPEN, HYPERPLANE_ENDS_PERIODIC}) {
    hyperplane_line_set set{};
    set.kind = HYPERPLANE_LINES_OF_LENGTH;
    set.ends = ends;
    set.line_count = 7;
    set.length = 5;
    solves(set, 35, lines);
  }
}

TEST_P(CLines, lists_leave_points_that_are_on_none) {
  std::vector<std::vector<std::int64_t>> const lines = {{3, 1, 4, 0}, {9, 2, 6, 5, 11, 8}};
  std::vector<std::int64_t> const offsets = {0, 4, 10}, points = {3, 1, 4, 0, 9, 2, 6, 5, 11, 8};
  for (auto ends : {HYPERPLANE_ENDS_OPEN, HYPERPLANE_ENDS_PERIODIC}) {
    hyperplane_line_set set{};
    set.kind = HYPERPLANE_LINES_OF_LISTS;
    set.ends = ends;
    set.line_count = 2;
    set.point_count = 13;
    set.offsets = offsets.data();
    set.points = points.data();
    solves(set, 13, lines);
  }
}

TEST_P(CLines, of_a_grid_with_arrays_and_with_objects) {
  CSystem system(GetParam());
  hyperplane_line_set set{};
  set.grid = system.c_grid;
  for (int direction = 0; direction < 3; ++direction) {
    set.direction = direction;
    int const length = direction == 0 ? 5 : direction == 1 ? 4 : 3;
    int const step = direction == 0 ? 1 : direction == 1 ? 5 : 20;
    std::vector<std::vector<std::int64_t>> lines;
    for (int p = 0; p < 60; ++p) {
      if (p / step % length != 0) continue;
      lines.emplace_back();
      for (int s = 0; s < length; ++s) lines.back().push_back(p + s * step);
    }
    set.ends = HYPERPLANE_ENDS_OPEN;
    solves(set, 60, lines);

    // The blocks of A along the lines, once from A and once from an array.
    int const lower[] = {HYPERPLANE_WEST, HYPERPLANE_SOUTH, HYPERPLANE_BOTTOM};
    auto const blocks = system.values(HYPERPLANE_ROW_MAJOR);
    std::vector<double> values;
    for (int p = 0; p < 60; ++p) {
      for (int d : {lower[direction], int{HYPERPLANE_CENTER}, 6 - lower[direction]}) {
        values.insert(values.end(), blocks.begin() + (p * 7 + d) * 4, blocks.begin() + (p * 7 + d + 1) * 4);
      }
    }
    hyperplane_line_solver solver = nullptr;
    EXPECT_EQ(hyperplane_line_solver_create(system.context, &set, n, nullptr, &solver), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_line_solver_factor_matrix(solver, system.a), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_line_solver_solve_vector(solver, system.b, system.x), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_line_solver_factor(solver, values.data(), 60 * 12, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    std::vector<double> x(120);
    EXPECT_EQ(hyperplane_line_solver_solve(solver, system.rhs.data(), x.data(), 120, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    EXPECT_TRUE(near(system.get(system.x), x, 1e-13)) << direction;
    hyperplane_line_solver transpose = nullptr;
    EXPECT_EQ(hyperplane_line_solver_transpose(solver, &transpose), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_line_solver_solve_vector(transpose, system.b, system.x), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_line_solver_solve(transpose, system.rhs.data(), x.data(), 120, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    EXPECT_TRUE(near(system.get(system.x), x, 1e-13)) << direction;
    EXPECT_EQ(hyperplane_free(transpose), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_free(solver), HYPERPLANE_SUCCESS);
  }
}

TEST_P(CLines, transposes_are_not_factored_themselves) {
  CSystem system(GetParam());
  hyperplane_line_set set{};
  set.grid = system.c_grid;
  hyperplane_line_solver solver = nullptr;
  EXPECT_EQ(hyperplane_line_solver_create(system.context, &set, n, nullptr, &solver), HYPERPLANE_SUCCESS);
  std::vector<double> const values(60 * 12);
  hyperplane_line_solver transpose = nullptr;
  expect_failure(hyperplane_line_solver_transpose(solver, nullptr), HYPERPLANE_NULL_POINTER, "transpose is NULL");
  EXPECT_EQ(hyperplane_line_solver_transpose(solver, &transpose), HYPERPLANE_SUCCESS);
  auto const why = "the solver is a transpose: factor the one that it was made of";
  expect_failure(hyperplane_line_solver_factor(transpose, values.data(), 720, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
                 HYPERPLANE_INVALID_ARGUMENT, why);
  expect_failure(hyperplane_line_solver_factor_matrix(transpose, system.a), HYPERPLANE_INVALID_ARGUMENT, why);
  expect_failure(hyperplane_line_solver_check(transpose), HYPERPLANE_INVALID_ARGUMENT, "called before factor");
  hyperplane_free(transpose);
  hyperplane_free(solver);
}

TEST_P(CLines, misuse) {
  CSystem system(GetParam());
  hyperplane_line_solver solver = nullptr;
  hyperplane_line_set set{};
  auto const create = [&](const hyperplane_line_options* options = nullptr) {
    return hyperplane_line_solver_create(system.context, &set, n, options, &solver);
  };
  expect_failure(hyperplane_line_solver_create(system.context, nullptr, n, nullptr, &solver), HYPERPLANE_NULL_POINTER,
                 "lines is NULL");
  expect_failure(create(), HYPERPLANE_INVALID_ARGUMENT, "grid 0x0x0");
  set.kind = static_cast<hyperplane_line_kind>(3);
  expect_failure(create(), HYPERPLANE_INVALID_ARGUMENT, "kind is 3");
  set.kind = HYPERPLANE_LINES_OF_LISTS;
  expect_failure(create(), HYPERPLANE_INVALID_ARGUMENT, "line_count is 0");
  set.line_count = 1;
  expect_failure(create(), HYPERPLANE_NULL_POINTER, "offsets is NULL");
  std::vector<std::int64_t> const offsets = {0, 2}, points = {1, 1};
  set.offsets = offsets.data();
  expect_failure(create(), HYPERPLANE_INVALID_ARGUMENT, "the last offset is 2, but there are 0 points");
  set.point_count = 4;
  expect_failure(create(), HYPERPLANE_NULL_POINTER, "points is NULL");
  set.points = points.data();
  expect_failure(create(), HYPERPLANE_INVALID_ARGUMENT, "is on line 0 and on line 0");
  EXPECT_EQ(solver, nullptr);
  set = {};
  set.grid = system.c_grid;
  hyperplane_line_options options;
  hyperplane_line_options_init(&options);
  options.columns = 0;
  expect_failure(create(&options), HYPERPLANE_INVALID_ARGUMENT, "columns is 0");
  options.columns = 1;
  options.path = HYPERPLANE_PATH_CUDA_GRAPH;
  expect_failure(create(&options), HYPERPLANE_INVALID_ARGUMENT,
                 "path is 3, lines have HYPERPLANE_PATH_AUTOMATIC, _PORTABLE and _STAGED");
  options.path = HYPERPLANE_PATH_PORTABLE;
  options.load_bits = 64;
  expect_failure(create(&options), HYPERPLANE_INVALID_ARGUMENT, "need path staged");

  ASSERT_EQ(create(), HYPERPLANE_SUCCESS);
  std::vector<double> values(60 * 12);
  expect_failure(hyperplane_line_solver_solve_vector(solver, system.b, system.x), HYPERPLANE_INVALID_ARGUMENT,
                 "called before factor");
  expect_failure(hyperplane_line_solver_factor(solver, values.data(), 60, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
                 HYPERPLANE_SIZE_MISMATCH, "expected 720");
  EXPECT_EQ(hyperplane_line_solver_factor(solver, values.data(), 720, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_line_solver_check(solver), HYPERPLANE_SINGULAR_PIVOT, "singular pivot on line 0");
  expect_failure(hyperplane_line_solver_solve(solver, values.data(), nullptr, 120, HYPERPLANE_HOST),
                 HYPERPLANE_NULL_POINTER, "x is NULL");
  EXPECT_EQ(hyperplane_free(solver), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_line_solver_check(solver), HYPERPLANE_INVALID_HANDLE, "solver has been freed");

  set.kind = HYPERPLANE_LINES_OF_LENGTH;
  set.line_count = 12;
  set.length = 5;
  ASSERT_EQ(create(), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_line_solver_factor_matrix(solver, system.a), HYPERPLANE_INVALID_ARGUMENT,
                 "the lines of this solver are not");
  hyperplane_free(solver);
}

}  // namespace
}  // namespace hyperplane::test
