// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// Boxes of vectors and matrices, and solving for arrays, several right-hand sides and masks.
namespace hyperplane::test {
namespace {

class CArrays : public ::testing::TestWithParam<std::string> {
 protected:
  CSystem system{GetParam()};
  static constexpr int n = CSystem::n;
  // A halo of two layers on all sides but k, and components first.
  static constexpr hyperplane_grid wide{9, 8, 3};
  static constexpr int begin[3] = {2, 2, 0};
  hyperplane_box const all{{0, 0, 0}, {5, 4, 3}}, part{{1, 0, 2}, {4, 3, 3}};

  static bool is_in(const hyperplane_box& box, const Point& p) {
    return p.i >= box.begin[0] && p.j >= box.begin[1] && p.k >= box.begin[2] && p.i < box.end[0] && p.j < box.end[1] &&
           p.k < box.end[2];
  }
  template <class T>
  static hyperplane_array components_first(std::vector<T>& values, int components) {
    hyperplane_array array;
    auto const scalar = sizeof(T) == sizeof(double) ? HYPERPLANE_DOUBLE : HYPERPLANE_FLOAT;
    EXPECT_EQ(hyperplane_array_init(&array, values.data(), scalar, HYPERPLANE_HOST, wide, components),
              HYPERPLANE_SUCCESS);
    for (auto& stride : array.strides) stride *= components;
    array.component_stride = 1;
    return array;
  }
  /// Where a point that begins a box at `begin` has its components in an array of `wide`.
  static std::size_t place(const hyperplane_box& box, const Point& p, int components) {
    int const i = p.i - box.begin[0] + begin[0], j = p.j - box.begin[1] + begin[1], k = p.k - box.begin[2] + begin[2];
    return static_cast<std::size_t>((i + 9 * (j + 8 * k)) * components);
  }
};

constexpr int CArrays::begin[3];

INSTANTIATE_TEST_SUITE_P(Backends, CArrays, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

TEST_P(CArrays, boxes_of_vectors) {
  std::vector<double> values(9 * 8 * 3 * n);
  std::iota(values.begin(), values.end(), 0.5);
  auto const given = values;
  auto const array = components_first(values, n);
  for (auto const& box : {all, part}) {
    EXPECT_EQ(hyperplane_vector_set(system.x, system.solution.data(), system.size(), HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_vector_set_box(system.x, box, &array, begin), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    auto expected = system.solution, read = std::vector<double>(values.size(), -1.0), expected_read = read;
    for (std::int64_t number = 0; number < system.grid.size(); ++number) {
      auto const p = system.grid.point(number);
      if (!is_in(box, p)) continue;
      for (int c = 0; c < n; ++c) {
        expected[number * n + c] = given[place(box, p, n) + c];
        expected_read[place(box, p, n) + c] = expected[number * n + c];
      }
    }
    EXPECT_TRUE(bitwise_equal(system.get(system.x), expected));
    // Of the other array nothing but the box is written.
    auto const to = components_first(read, n);
    EXPECT_EQ(hyperplane_vector_get_box(system.x, box, &to, begin), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(bitwise_equal(read, expected_read));
  }
  EXPECT_TRUE(bitwise_equal(values, given));
}

TEST_P(CArrays, boxes_from_floats_and_from_the_first_point_on) {
  std::vector<float> values(9 * 8 * 3 * n, 1.1f);
  auto const array = components_first(values, n);
  EXPECT_EQ(hyperplane_vector_set_box(system.x, all, &array, nullptr), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(system.get(system.x), std::vector<double>(system.rhs.size(), double{1.1f})));
  EXPECT_EQ(hyperplane_vector_fill(system.x, 0.3), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_get_box(system.x, all, &array, nullptr), HYPERPLANE_SUCCESS);
  EXPECT_EQ(values[0], 0.3f);
  EXPECT_EQ(values.back(), 1.1f);
  // Padding stays zero: neighbours outside the grid are nothing.
  EXPECT_EQ(hyperplane_vector_set(system.x, system.solution.data(), system.size(), HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_matrix_apply(system.a, system.x, system.b), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(near(system.get(system.b), system.rhs, 1e-14));
}

TEST_P(CArrays, boxes_of_matrices) {
  int const components = n * n;
  for (auto const storage : {HYPERPLANE_STORAGE_DOUBLE, HYPERPLANE_STORAGE_FLOAT}) {
    hyperplane_matrix a = nullptr;
    EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, n, storage, &a), HYPERPLANE_SUCCESS);
    for (auto const order : {HYPERPLANE_ROW_MAJOR, HYPERPLANE_COLUMN_MAJOR}) {
      auto const before = std::vector<double>(static_cast<std::size_t>(system.size() * 7 * n), 0.25);
      CSystem::set(a, before, order);
      std::vector<std::vector<double>> values(7, std::vector<double>(9 * 8 * 3 * components));
      std::vector<hyperplane_array> arrays;
      for (auto& of_direction : values) {
        // Numbers that a float holds.
        std::iota(of_direction.begin(), of_direction.end(), 1000.0 * static_cast<double>(arrays.size()));
        arrays.push_back(components_first(of_direction, components));
      }
      arrays[HYPERPLANE_NORTH].data = nullptr;
      EXPECT_EQ(hyperplane_matrix_set_box(a, part, arrays.data(), begin, order), HYPERPLANE_SUCCESS)
          << hyperplane_last_error_message();
      auto expected = before;
      for (std::int64_t number = 0; number < system.grid.size(); ++number) {
        auto const p = system.grid.point(number);
        for (int d = 0; is_in(part, p) && d < 7; ++d) {
          for (int e = 0; d != HYPERPLANE_NORTH && e < components; ++e) {
            expected[(number * 7 + d) * components + e] = values[d][place(part, p, components) + e];
          }
        }
      }
      std::vector<double> found(expected.size());
      EXPECT_EQ(hyperplane_matrix_get(a, found.data(), static_cast<std::int64_t>(found.size()), order, HYPERPLANE_HOST),
                HYPERPLANE_SUCCESS);
      EXPECT_TRUE(bitwise_equal(found, expected));
      auto const given = values;
      for (int d = 0; d < 7; ++d) {
        for (std::int64_t number = 0; number < system.grid.size(); ++number) {
          auto const p = system.grid.point(number);
          for (int e = 0; is_in(part, p) && e < components; ++e) values[d][place(part, p, components) + e] = -1.0;
        }
      }
      auto const north = values[HYPERPLANE_NORTH];
      EXPECT_EQ(hyperplane_matrix_get_box(a, part, arrays.data(), begin, order), HYPERPLANE_SUCCESS);
      for (int d = 0; d < 7; ++d) EXPECT_TRUE(bitwise_equal(values[d], d == HYPERPLANE_NORTH ? north : given[d])) << d;
    }
    EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
  }
}

TEST_P(CArrays, boxes_that_are_not_there) {
  std::vector<double> values(9 * 8 * 3 * n);
  auto const array = components_first(values, n);
  auto const refused = [&](hyperplane_box box, const hyperplane_array& a, const int* first, hyperplane_status status,
                           const std::string& message) {
    expect_failure(hyperplane_vector_set_box(system.x, box, &a, first), status, message);
    expect_failure(hyperplane_vector_get_box(system.x, box, &a, first), status, message);
  };
  auto const invalid = HYPERPLANE_INVALID_ARGUMENT;
  refused({{0, 0, 0}, {6, 4, 3}}, array, nullptr, invalid,
          "box [0, 6) x [0, 4) x [0, 3) is not inside a grid of 5x4x3 points");
  refused({{0, -1, 0}, {5, 4, 3}}, array, nullptr, invalid, "is not inside a grid");
  int const late[3] = {5, 0, 0}, negative[3] = {0, 0, -1}, far[3] = {std::numeric_limits<int>::max(), 0, 0};
  refused(all, array, late, invalid, "begins at (5, 0, 0) of the array, is not inside its 9x8x3 points");
  refused(all, array, negative, invalid, "begins at (0, 0, -1) of the array");
  refused(all, array, far, invalid, "of the array, is not inside");
  auto changed = array;
  changed.components = 1;
  refused(all, changed, nullptr, HYPERPLANE_SIZE_MISMATCH, "the array has 1 components, expected 2");
  changed = array;
  changed.scalar = HYPERPLANE_INT;
  refused(all, changed, nullptr, invalid, "is of float and double arrays");
  changed = array;
  changed.data = nullptr;
  refused(all, changed, nullptr, invalid, "null pointer");
  changed = array;
  changed.space = HYPERPLANE_DEVICE;
  refused(all, changed, nullptr, invalid, "device memory");
  // No points of it.
  EXPECT_EQ(hyperplane_vector_set_box(system.x, {{9, 9, 9}, {9, 9, 9}}, &array, late), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_vector_set_box(system.x, all, nullptr, nullptr), HYPERPLANE_NULL_POINTER, "values is NULL");
  expect_failure(hyperplane_matrix_set_box(system.a, all, nullptr, nullptr, HYPERPLANE_ROW_MAJOR),
                 HYPERPLANE_NULL_POINTER, "blocks is NULL");
  std::vector<hyperplane_array> const seven(7, array);
  expect_failure(hyperplane_matrix_get_box(system.a, all, seven.data(), nullptr, HYPERPLANE_ROW_MAJOR),
                 HYPERPLANE_SIZE_MISMATCH, "the array has 2 components, expected 4");
  expect_failure(
      hyperplane_matrix_set_box(system.a, all, seven.data(), nullptr, static_cast<hyperplane_block_order>(5)), invalid,
      "order is 5");
}

TEST_P(CArrays, boxes_of_matrices_are_copied_from_all_arrays_or_none) {
  auto const values = std::vector<double>(static_cast<std::size_t>(system.size() * 7 * n), 0.25);
  CSystem::set(system.a, values, HYPERPLANE_ROW_MAJOR);
  std::vector<double> given(9 * 8 * 3 * n * n, 1.0);
  std::vector<hyperplane_array> arrays(7, components_first(given, n * n));
  auto& last = arrays[HYPERPLANE_TOP];
  auto const expect_unchanged = [&](hyperplane_status status, const std::string& message) {
    expect_failure(hyperplane_matrix_set_box(system.a, all, arrays.data(), nullptr, HYPERPLANE_ROW_MAJOR), status,
                   message);
    std::vector<double> found(values.size());
    EXPECT_EQ(hyperplane_matrix_get(system.a, found.data(), static_cast<std::int64_t>(found.size()),
                                    HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    EXPECT_TRUE(bitwise_equal(found, values)) << message;
    last = arrays[HYPERPLANE_BOTTOM];
  };
  last.components = 1;
  expect_unchanged(HYPERPLANE_SIZE_MISMATCH, "the array has 1 components, expected 4");
  last.scalar = HYPERPLANE_INT;
  expect_unchanged(HYPERPLANE_INVALID_ARGUMENT, "is of float and double arrays");
  last.space = HYPERPLANE_DEVICE;
  expect_unchanged(HYPERPLANE_INVALID_ARGUMENT, "device memory");
}

/// A preconditioner with four right-hand sides, and what single solves give for them.
struct SeveralColumns {
  static constexpr int columns = 4;
  std::int64_t rows;
  hyperplane_preconditioner m = nullptr;
  hyperplane_matrix a = nullptr;
  std::vector<hyperplane_vector> b = std::vector<hyperplane_vector>(columns), x = b;
  std::vector<double> rhs, expected;

  SeveralColumns(const CSystem& system, hyperplane_preconditioner_kind kind, int together, int size = CSystem::n)
      : rows(system.grid.size() * size), rhs(random_vector(rows * columns)), expected(rhs.size()) {
    hyperplane_preconditioner_options options;
    EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
    options.kind = kind;
    options.right_hand_sides = together;
    EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, size, &options, &m), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, size, HYPERPLANE_STORAGE_DOUBLE, &a),
              HYPERPLANE_SUCCESS);
    std::vector<double> values;
    for (auto const& blocks : random_stencil(system.grid, size).blocks) {
      for (auto const& block : blocks) {
        for (int e = 0; e < size * size; ++e) values.push_back(block(e / size, e % size));
      }
    }
    CSystem::set(a, values, HYPERPLANE_ROW_MAJOR);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS);
    for (int v = 0; v < columns; ++v) {
      EXPECT_EQ(hyperplane_vector_create(system.context, system.c_grid, size, &b[v]), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_vector_create(system.context, system.c_grid, size, &x[v]), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_vector_set(b[v], rhs.data() + v * rows, rows, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_preconditioner_solve(m, b[v], x[v]), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_vector_get(x[v], expected.data() + v * rows, rows, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_vector_fill(x[v], 7.0), HYPERPLANE_SUCCESS);
    }
  }
  ~SeveralColumns() {
    for (auto* const vector : b) hyperplane_free(vector);
    for (auto* const vector : x) hyperplane_free(vector);
    hyperplane_free(a);
    hyperplane_free(m);
  }
  SeveralColumns(const SeveralColumns&) = delete;
  SeveralColumns& operator=(const SeveralColumns&) = delete;

  hyperplane_status solve(int count, const double* from, double* to) const {
    return hyperplane_preconditioner_solve_array(m, count, from, to, rows * count, HYPERPLANE_HOST);
  }
};

TEST_P(CArrays, preconditioners_solve_several_right_hand_sides) {
  for (auto const& preconditioner : c_preconditioners()) {
    auto const name = preconditioner.name();
    int const size = std::min(CSystem::n, preconditioner.description.largest_block_size);
    for (int const together : {1, 2, 3}) {
      SeveralColumns const s(system, preconditioner.kind, together, size);
      std::vector<double> found(s.rhs.size()), several(s.rhs.size());
      // One of them in place.
      auto to = s.x;
      to[1] = s.b[1];
      EXPECT_EQ(hyperplane_preconditioner_solve_many(s.m, s.columns, s.b.data(), to.data()), HYPERPLANE_SUCCESS)
          << hyperplane_last_error_message();
      for (int v = 0; v < s.columns; ++v) {
        EXPECT_EQ(hyperplane_vector_get(to[v], several.data() + v * s.rows, s.rows, HYPERPLANE_HOST),
                  HYPERPLANE_SUCCESS);
      }
      EXPECT_TRUE(near(several, s.expected, 1e-13)) << name;
      EXPECT_EQ(s.solve(s.columns, s.rhs.data(), found.data()), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      EXPECT_TRUE(bitwise_equal(found, several)) << name;
      found = s.rhs;
      EXPECT_EQ(s.solve(s.columns, found.data(), found.data()), HYPERPLANE_SUCCESS);
      EXPECT_TRUE(bitwise_equal(found, several)) << name;
      // One column alone.
      EXPECT_EQ(s.solve(1, s.rhs.data(), found.data()), HYPERPLANE_SUCCESS);
      EXPECT_TRUE(bitwise_equal(std::vector<double>(found.begin(), found.begin() + s.rows),
                                std::vector<double>(s.expected.begin(), s.expected.begin() + s.rows)));
      EXPECT_EQ(hyperplane_preconditioner_solve_many(s.m, 0, nullptr, nullptr), HYPERPLANE_SUCCESS);
    }
  }
}

TEST_P(CArrays, several_right_hand_sides_that_are_none) {
  SeveralColumns const s(system, HYPERPLANE_BILU0, 1);
  std::vector<double> found(s.rhs.size());
  auto const many = [&](int count, const hyperplane_vector* from, const hyperplane_vector* to) {
    return hyperplane_preconditioner_solve_many(s.m, count, from, to);
  };
  expect_failure(many(-1, s.b.data(), s.x.data()), HYPERPLANE_INVALID_ARGUMENT, "count is -1");
  expect_failure(many(1, nullptr, s.x.data()), HYPERPLANE_NULL_POINTER, "rhs is NULL");
  expect_failure(many(1, s.b.data(), nullptr), HYPERPLANE_NULL_POINTER, "x is NULL");
  auto to = s.x;
  to[1] = s.b[0];
  expect_failure(many(2, s.b.data(), to.data()), HYPERPLANE_INVALID_ARGUMENT,
                 "x[1] or rhs[1] is the x or rhs of column 0");
  to[1] = nullptr;
  expect_failure(many(2, s.b.data(), to.data()), HYPERPLANE_NULL_POINTER, "x[1] is NULL");
  auto const rows = s.rows;
  expect_failure(hyperplane_preconditioner_solve_array(s.m, 2, s.rhs.data(), found.data(), rows, HYPERPLANE_HOST),
                 HYPERPLANE_SIZE_MISMATCH,
                 "count is " + std::to_string(rows) + ", expected " + std::to_string(2 * rows));
  expect_failure(s.solve(0, s.rhs.data(), found.data()), HYPERPLANE_INVALID_ARGUMENT, "columns is 0");
  expect_failure(s.solve(1, nullptr, found.data()), HYPERPLANE_NULL_POINTER, "rhs is NULL");
  expect_failure(s.solve(1, s.rhs.data(), nullptr), HYPERPLANE_NULL_POINTER, "x is NULL");
  expect_failure(hyperplane_preconditioner_solve_array(s.m, 1, s.rhs.data(), found.data(), rows, HYPERPLANE_DEVICE),
                 HYPERPLANE_INVALID_ARGUMENT, "device memory");
}

TEST_P(CArrays, methods_solve_arrays) {
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  hyperplane_krylov_result expected, result;
  for (auto* const m : {static_cast<hyperplane_preconditioner>(nullptr), system.m}) {
    std::vector<double> x(system.solution.size(), 0.5);
    EXPECT_EQ(hyperplane_vector_set(system.x, x.data(), system.size(), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_krylov_solve(system.krylov, system.a, m, system.b, system.x, &expected), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_krylov_solve_array(system.krylov, system.a, m, system.rhs.data(), x.data(), system.size(),
                                            HYPERPLANE_HOST, &result),
              HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(result.outcome, expected.outcome);
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_EQ(result.residual_norm, expected.residual_norm);
    EXPECT_TRUE(bitwise_equal(x, system.get(system.x)));
  }
  auto const solve = [&](const double* b, double* x, std::int64_t count, hyperplane_krylov_result* to) {
    return hyperplane_krylov_solve_array(system.krylov, system.a, nullptr, b, x, count, HYPERPLANE_HOST, to);
  };
  std::vector<double> x(system.solution.size());
  expect_failure(solve(nullptr, x.data(), system.size(), &result), HYPERPLANE_NULL_POINTER, "b is NULL");
  expect_failure(solve(system.rhs.data(), nullptr, system.size(), &result), HYPERPLANE_NULL_POINTER, "x is NULL");
  expect_failure(solve(system.rhs.data(), x.data(), system.size(), nullptr), HYPERPLANE_NULL_POINTER, "result is NULL");
  expect_failure(solve(system.rhs.data(), x.data(), 60, &result), HYPERPLANE_SIZE_MISMATCH,
                 "count is 60, expected 120");
}

TEST_P(CArrays, sip_leaves_masked_points_out) {
  auto const reference = random_stencil(system.grid, 1);
  std::vector<double> values;
  for (auto const& blocks : reference.blocks) {
    for (auto const& block : blocks) values.push_back(block(0, 0));
  }
  auto masked = values;
  std::vector<std::int8_t> mask(60, 1);
  auto rhs = random_vector(60);
  for (std::int64_t const point : {7, 22, 59}) mask[point] = 0;
  for (std::int64_t number = 0; number < 60; ++number) {
    auto const p = system.grid.point(number);
    for (auto const direction : stencil7_directions) {
      auto const q = neighbour(p, direction);
      if (!system.grid.contains(q)) continue;
      auto const entry = number * 7 + static_cast<int>(direction);
      if (mask[number] == 0 || mask[system.grid.index(q)] == 0) {
        // Whatever is there is ignored; what it stands for are rows of one.
        values[entry] = std::nan("");
        masked[entry] = direction == Direction::center ? 1.0 : 0.0;
      }
    }
    if (mask[number] == 0) rhs[number] = 0.0;
  }
  hyperplane_preconditioner_options options;
  EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
  options.kind = HYPERPLANE_SIP;
  hyperplane_preconditioner sip = nullptr;
  hyperplane_matrix a = nullptr;
  EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, 1, &options, &sip), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, 1, HYPERPLANE_STORAGE_DOUBLE, &a),
            HYPERPLANE_SUCCESS);
  std::vector<double> expected(60), found(60);
  CSystem::set(a, masked, HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_preconditioner_factor(sip, a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_solve_array(sip, 1, rhs.data(), expected.data(), 60, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  CSystem::set(a, values, HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_preconditioner_factor_masked(sip, a, mask.data(), 60, HYPERPLANE_HOST), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_preconditioner_check(sip), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_preconditioner_solve_array(sip, 1, rhs.data(), found.data(), 60, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(found, expected));
  EXPECT_EQ(found[22], 0.0);
  expect_failure(hyperplane_preconditioner_factor_masked(sip, a, mask.data(), 59, HYPERPLANE_HOST),
                 HYPERPLANE_SIZE_MISMATCH, "count is 59, expected 60");
  expect_failure(hyperplane_preconditioner_factor_masked(sip, a, nullptr, 60, HYPERPLANE_HOST), HYPERPLANE_NULL_POINTER,
                 "mask is NULL");
  expect_failure(hyperplane_preconditioner_factor_masked(sip, a, mask.data(), 60, HYPERPLANE_DEVICE),
                 HYPERPLANE_INVALID_ARGUMENT, "device memory");
  expect_failure(hyperplane_preconditioner_factor_masked(system.m, system.a, mask.data(), 60, HYPERPLANE_HOST),
                 HYPERPLANE_INVALID_ARGUMENT, "masks are for SIP alone");
  EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_free(sip), HYPERPLANE_SUCCESS);
}

}  // namespace
}  // namespace hyperplane::test
