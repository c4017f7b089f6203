// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <numeric>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// Boxes of vectors and matrices.
namespace hyperplane::test {
namespace {

constexpr int n = CSystem::n;
// Arrays have two ghost layers on all sides but those of k, and components first.
constexpr hyperplane_grid wide{9, 8, 3};
constexpr int begin[3] = {2, 2, 0};
constexpr hyperplane_box all{{0, 0, 0}, {5, 4, 3}}, part{{1, 0, 2}, {4, 3, 3}};

bool is_in(const hyperplane_box& box, const Point& p) {
  return p.i >= box.begin[0] && p.j >= box.begin[1] && p.k >= box.begin[2] && p.i < box.end[0] && p.j < box.end[1] &&
         p.k < box.end[2];
}
template <class T>
hyperplane_array components_first(std::vector<T>& values, int components) {
  hyperplane_array array;
  auto const scalar = sizeof(T) == sizeof(double) ? HYPERPLANE_DOUBLE : HYPERPLANE_FLOAT;
  EXPECT_EQ(hyperplane_array_init(&array, values.data(), scalar, HYPERPLANE_HOST, wide, components),
            HYPERPLANE_SUCCESS);
  for (auto& stride : array.strides) stride *= components;
  array.component_stride = 1;
  return array;
}
/// Where a point that begins a box at `begin` has its components in an array of `wide`.
std::size_t place(const hyperplane_box& box, const Point& p, int components) {
  int const i = p.i - box.begin[0] + begin[0], j = p.j - box.begin[1] + begin[1], k = p.k - box.begin[2] + begin[2];
  return static_cast<std::size_t>((i + 9 * (j + 8 * k)) * components);
}

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
  hyperplane_matrix transpose = nullptr;
  EXPECT_EQ(hyperplane_matrix_transpose(system.a, &transpose), HYPERPLANE_SUCCESS);
  for (auto* const copy : {hyperplane_matrix_set_box, hyperplane_matrix_get_box}) {
    expect_failure(copy(transpose, all, seven.data(), nullptr, HYPERPLANE_ROW_MAJOR), invalid,
                   "the matrix is a transpose, which has no blocks of its own");
  }
  hyperplane_free(transpose);
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

}  // namespace
}  // namespace hyperplane::test
