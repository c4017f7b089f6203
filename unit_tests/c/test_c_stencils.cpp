// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/field/field_jacobi.hpp>
#include <hyperplane/field/field_ssor.hpp>

#include <cmath>
#include <numeric>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// Fused reductions, stencils and relaxations of the C interface on arrays in host memory.
namespace hyperplane::test::c_stencils {
namespace {

class CStencils : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr int ni = 6, nj = 5, nk = 4, size = ni * nj * nk;
  static constexpr hyperplane_grid grid{ni, nj, nk};
  hyperplane_context context = nullptr;
  hyperplane_box const all{{0, 0, 0}, {ni, nj, nk}}, inside{{1, 1, 1}, {5, 4, 3}};
  std::vector<double> x = random_vector(size), y = random_vector(size), z = random_vector(size);
  std::vector<double> coefficients = random_vector(7 * size);

  CStencils() {
    EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_context_create(GetParam().c_str(), nullptr, &context), HYPERPLANE_SUCCESS);
    for (int e = 0; e < size; ++e) coefficients[HYPERPLANE_CENTER * size + e] = 8.0 + 0.01 * e;
  }
  ~CStencils() override {
    hyperplane_free(context);
    hyperplane_finalize();
  }

  template <class T>
  static hyperplane_array array(std::vector<T>& data, int components = 1) {
    hyperplane_array result;
    EXPECT_EQ(
        hyperplane_array_init(&result, data.data(), std::is_same_v<T, float> ? HYPERPLANE_FLOAT : HYPERPLANE_DOUBLE,
                              HYPERPLANE_HOST, grid, components),
        HYPERPLANE_SUCCESS);
    return result;
  }
  static bool is_inside(int e) {
    int const i = e % ni, j = e / ni % nj, k = e / (ni * nj);
    return i >= 1 && i < 5 && j >= 1 && j < 4 && k >= 1 && k < 3;
  }
  std::vector<hyperplane_array> seven() {
    auto const whole = array(coefficients, 7);
    std::vector<hyperplane_array> result(7);
    for (int d = 0; d < 7; ++d) {
      EXPECT_EQ(hyperplane_array_component(&whole, d, &result[d]), HYPERPLANE_SUCCESS);
    }
    return result;
  }
  double coefficient(int d, int e) const { return coefficients[d * size + e]; }
  /// (A x) at element e, with the seven arrays.
  double product(const std::vector<double>& values, int e) const {
    int const i = e % ni, j = e / ni % nj, k = e / (ni * nj);
    double sum = coefficient(HYPERPLANE_CENTER, e) * values[e];
    auto const add = [&](int d, bool is_there, int distance) {
      if (is_there) sum += coefficient(d, e) * values[e + distance];
    };
    add(HYPERPLANE_WEST, i > 0, -1);
    add(HYPERPLANE_EAST, i < ni - 1, 1);
    add(HYPERPLANE_SOUTH, j > 0, -ni);
    add(HYPERPLANE_NORTH, j < nj - 1, ni);
    add(HYPERPLANE_BOTTOM, k > 0, -ni * nj);
    add(HYPERPLANE_TOP, k < nk - 1, ni * nj);
    return sum;
  }
};

std::vector<std::string> host_backends() {
  auto names = c_backends();
  std::erase(names, "cuda");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Backends, CStencils, ::testing::ValuesIn(host_backends()),
                         [](const auto& backend) { return backend.param; });

TEST_P(CStencils, dots_are_those_of_single_calls) {
  hyperplane_array const a = array(x), b = array(y), c = array(z);
  hyperplane_array const lefts[4] = {a, a, b, c}, rights[4] = {a, b, c, c};
  for (int count = 1; count <= 4; ++count) {
    double results[4] = {};
    EXPECT_EQ(hyperplane_dots(context, inside, count, lefts, rights, results), HYPERPLANE_SUCCESS);
    for (int p = 0; p < count; ++p) {
      double single = 0;
      EXPECT_EQ(hyperplane_dot(context, inside, &lefts[p], &rights[p], &single), HYPERPLANE_SUCCESS);
      EXPECT_EQ(results[p], single);
    }
  }
  double result = 0;
  expect_failure(hyperplane_dots(context, inside, 0, lefts, rights, &result), HYPERPLANE_INVALID_ARGUMENT,
                 "count is 0");
  expect_failure(hyperplane_dots(context, inside, 5, lefts, rights, &result), HYPERPLANE_INVALID_ARGUMENT,
                 "count is 5");
  expect_failure(hyperplane_dots(context, inside, 1, nullptr, rights, &result), HYPERPLANE_NULL_POINTER, "x is NULL");
  expect_failure(hyperplane_dots(context, inside, 1, lefts, rights, nullptr), HYPERPLANE_NULL_POINTER, "results");
}

TEST_P(CStencils, updates_with_dot_products) {
  auto new_y = y, new_x = x, new_z = z;
  double dot = 0, squares = 0, found = 0;
  for (int e = 0; e < size; ++e) {
    if (!is_inside(e)) continue;
    new_y[e] += 0.5 * x[e];
    dot += new_y[e] * z[e];
  }
  auto a = array(x), b = array(y), c = array(z);
  EXPECT_EQ(hyperplane_axpy_dot(context, inside, 0.5, &a, &b, &c, &found), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(near(y, new_y, 1e-15));
  EXPECT_NEAR(found, dot, 1e-14);
  std::vector<double> p = random_vector(size), q = p;
  for (int e = 0; e < size; ++e) {
    if (!is_inside(e)) continue;
    new_x[e] += 0.25 * p[e];
    new_z[e] -= 0.25 * q[e];
    squares += new_z[e] * new_z[e];
  }
  auto const ap = array(p), aq = array(q);
  EXPECT_EQ(hyperplane_update_dot(context, inside, 0.25, &ap, &aq, &a, &c, &found), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(near(x, new_x, 1e-15));
  EXPECT_TRUE(near(z, new_z, 1e-15));
  EXPECT_NEAR(found, squares, 1e-14);
  a.scalar = b.scalar = c.scalar = HYPERPLANE_INT;
  expect_failure(hyperplane_axpy_dot(context, inside, 0.5, &a, &b, &c, &found), HYPERPLANE_INVALID_ARGUMENT,
                 "axpy_dot is of float and double");
}

TEST_P(CStencils, apply) {
  auto const arrays = seven();
  hyperplane_stencil stencil{{}, arrays.data()};
  auto const a = array(x), b = array(y);
  auto expected = y;
  for (int e = 0; e < size; ++e) {
    if (is_inside(e)) expected[e] = product(x, e);
  }
  EXPECT_EQ(hyperplane_stencil_apply(context, inside, &stencil, &a, &b), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(near(y, expected, 1e-14));
  // At the faces of the array too, with one number for each direction, in float.
  stencil = {{1, 2, 3, -4, 5, 6, 7}, nullptr};
  for (int d = 0; d < 7; ++d) {
    std::fill_n(coefficients.begin() + d * size, size, stencil.values[d]);
  }
  std::vector<float> fx(x.begin(), x.end()), fy(size);
  std::vector<double> const rounded(fx.begin(), fx.end());
  auto const fa = array(fx), fb = array(fy);
  EXPECT_EQ(hyperplane_stencil_apply(context, all, &stencil, &fa, &fb), HYPERPLANE_SUCCESS);
  for (int e = 0; e < size; ++e) EXPECT_NEAR(fy[e], product(rounded, e), 1e-5);
  expect_failure(hyperplane_stencil_apply(context, all, nullptr, &a, &b), HYPERPLANE_NULL_POINTER, "a is NULL");
  stencil.arrays = arrays.data();
  expect_failure(hyperplane_stencil_apply(context, all, &stencil, &fa, &fb), HYPERPLANE_INVALID_ARGUMENT,
                 "different scalar types");
  hyperplane_array part;
  expect_failure(hyperplane_array_component(&a, 1, &part), HYPERPLANE_INVALID_ARGUMENT, "c is 1");
}

/// With the bits of the C++ classes.
TEST_P(CStencils, relaxations) {
  auto const arrays = seven();
  hyperplane_stencil const stencil{{}, arrays.data()};
  auto const r = array(x), result = array(z);
  for (int kind = HYPERPLANE_RELAXATION_JACOBI; kind <= HYPERPLANE_RELAXATION_HYPERPLANE; ++kind) {
    hyperplane_relaxation_options options;
    hyperplane_relaxation m = nullptr;
    EXPECT_EQ(hyperplane_relaxation_options_init(&options), HYPERPLANE_SUCCESS);
    options.kind = static_cast<hyperplane_relaxation_kind>(kind);
    options.relaxation = 0.9;
    options.sweeps = 2;
    EXPECT_EQ(hyperplane_relaxation_create(context, grid, &stencil, &options, &m), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    expect_failure(hyperplane_relaxation_solve(m, &r, &result), HYPERPLANE_INVALID_ARGUMENT, "called before factor");
    EXPECT_EQ(hyperplane_relaxation_factor(m), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_relaxation_check(m), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_relaxation_solve(m, &r, &result), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    if (kind == HYPERPLANE_RELAXATION_JACOBI) {
      // Two sweeps from zero: z1 = w D^-1 r, z2 = z1 + w D^-1 (r - A z1).
      std::vector<double> first(size), second(size);
      for (int e = 0; e < size; ++e) first[e] = 0.9 * x[e] / coefficient(HYPERPLANE_CENTER, e);
      for (int e = 0; e < size; ++e) {
        second[e] = first[e] + 0.9 * (x[e] - product(first, e)) / coefficient(HYPERPLANE_CENTER, e);
      }
      EXPECT_TRUE(near(z, second, 1e-14));
    } else {
      // The residual of x = M^-1 b is smaller than b.
      double before = 0, after = 0;
      for (int e = 0; e < size; ++e) {
        before += x[e] * x[e];
        after += std::pow(x[e] - product(z, e), 2);
      }
      EXPECT_LT(after, 0.1 * before) << kind;
    }
    expect_failure(hyperplane_relaxation_solve(m, &r, &r), HYPERPLANE_INVALID_ARGUMENT, "must not be");
    auto part = r;
    part.extents[0] = 5;
    expect_failure(hyperplane_relaxation_solve(m, &part, &result), HYPERPLANE_INVALID_ARGUMENT,
                   "r is not a contiguous array of 6x5x4 points");
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
    options.relaxation = 2.0;
    expect_failure(hyperplane_relaxation_create(context, grid, &stencil, &options, &m), HYPERPLANE_INVALID_ARGUMENT,
                   "relaxation");
    EXPECT_EQ(m, nullptr);
  }
  hyperplane_relaxation m = nullptr;
  hyperplane_stencil const zero{{}, nullptr};
  hyperplane_relaxation_options options;
  hyperplane_relaxation_options_init(&options);
  options.kind = HYPERPLANE_RELAXATION_HYPERPLANE;
  EXPECT_EQ(hyperplane_relaxation_create(context, grid, &zero, &options, &m), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_relaxation_factor(m), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_relaxation_check(m), HYPERPLANE_SINGULAR_PIVOT, "singular pivot at point (0, 0, 0)");
  hyperplane_free(m);
  expect_failure(hyperplane_relaxation_create(context, {7, 5, 4}, &stencil, nullptr, &m), HYPERPLANE_INVALID_ARGUMENT,
                 "has less than 7x5x4 points");
  options.scalar = HYPERPLANE_INT;
  expect_failure(hyperplane_relaxation_create(context, grid, &zero, &options, &m), HYPERPLANE_INVALID_ARGUMENT,
                 "relaxation is of float and double");
}

}  // namespace
}  // namespace hyperplane::test::c_stencils
