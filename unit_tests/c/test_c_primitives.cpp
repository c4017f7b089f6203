// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>
#include <numeric>

#include "c/c_fixture.hpp"

namespace hyperplane::test {
namespace {

/// Arrays in host memory, so on host backends.
class CPrimitives : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr int ni = 5, nj = 4, nk = 3, components = 2;
  static constexpr hyperplane_grid grid{ni, nj, nk};
  hyperplane_context context = nullptr;
  std::vector<double> x = std::vector<double>(ni * nj * nk * components), y = x;
  hyperplane_box const inside{{1, 1, 1}, {4, 3, 2}};

  CPrimitives() {
    EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_context_create(GetParam().c_str(), nullptr, &context), HYPERPLANE_SUCCESS);
    std::iota(x.begin(), x.end(), -10.0);
    std::iota(y.begin(), y.end(), 0.0);
  }
  ~CPrimitives() override {
    hyperplane_free(context);
    hyperplane_finalize();
  }

  template <class T>
  static hyperplane_array array(std::vector<T>& data) {
    hyperplane_scalar const scalar = std::is_same_v<T, int>     ? HYPERPLANE_INT
                                     : std::is_same_v<T, float> ? HYPERPLANE_FLOAT
                                                                : HYPERPLANE_DOUBLE;
    hyperplane_array result;
    EXPECT_EQ(hyperplane_array_init(&result, data.data(), scalar, HYPERPLANE_HOST, grid, components),
              HYPERPLANE_SUCCESS);
    return result;
  }

  /// Calls f(element) for the points of `inside`.
  template <class F>
  static void for_inside(const F& f) {
    for (int c = 0; c < components; ++c) {
      for (int j = 1; j < 3; ++j) {
        for (int i = 1; i < 4; ++i) f(i + ni * (j + nj * (1 + nk * c)));
      }
    }
  }

  double reduce(hyperplane_reduction reduction, const hyperplane_array& a) const {
    double result = std::nan("");
    EXPECT_EQ(hyperplane_reduce(context, reduction, inside, &a, &result), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    return result;
  }
};

std::vector<std::string> host_backends() {
  auto names = c_backends();
  std::erase(names, "cuda");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Backends, CPrimitives, ::testing::ValuesIn(host_backends()),
                         [](const auto& backend) { return backend.param; });

TEST_P(CPrimitives, reductions_over_a_box) {
  double sum = 0, least = 1e9, most = -1e9, magnitudes = 0, squares = 0, largest = 0, dot = 0;
  for_inside([&](int e) {
    sum += x[e];
    least = std::min(least, x[e]);
    most = std::max(most, x[e]);
    magnitudes += std::abs(x[e]);
    squares += x[e] * x[e];
    largest = std::max(largest, std::abs(x[e]));
    dot += x[e] * y[e];
  });
  auto const check = [&](auto values) {
    auto a = array(values);
    EXPECT_EQ(reduce(HYPERPLANE_REDUCTION_SUM, a), sum);
    EXPECT_EQ(reduce(HYPERPLANE_REDUCTION_MIN, a), least);
    EXPECT_EQ(reduce(HYPERPLANE_REDUCTION_MAX, a), most);
    EXPECT_EQ(reduce(HYPERPLANE_REDUCTION_NORM_1, a), magnitudes);
    EXPECT_EQ(reduce(HYPERPLANE_REDUCTION_NORM_INF, a), largest);
    if (a.scalar != HYPERPLANE_INT) {
      EXPECT_DOUBLE_EQ(reduce(HYPERPLANE_REDUCTION_NORM_2, a), std::sqrt(squares));
    }
    auto others = values;
    std::iota(others.begin(), others.end(), 0);
    auto const b = array(others);
    double result = 0;
    EXPECT_EQ(hyperplane_dot(context, inside, &a, &b, &result), HYPERPLANE_SUCCESS);
    EXPECT_EQ(result, dot);
  };
  check(x);
  check(std::vector<float>(x.begin(), x.end()));
  check(std::vector<int>(x.begin(), x.end()));
}

TEST_P(CPrimitives, updates_leave_the_rest_alone) {
  auto const a = array(x), b = array(y);
  auto expected = y;
  for_inside([&](int e) { expected[e] = -3.0 * (2.0 * x[e] + (0.5 * x[e] + y[e])); });
  EXPECT_EQ(hyperplane_axpy(context, inside, 0.5, &a, &b), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_axpby(context, inside, 2.0, &a, 1.0, &b), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_scale(context, inside, -3.0, &b), HYPERPLANE_SUCCESS);
  EXPECT_EQ(y, expected);
  for_inside([&](int e) { expected[e] = 2.0 * x[e] - expected[e]; });
  EXPECT_EQ(hyperplane_axpby(context, inside, 2.0, &a, -1.0, &b), HYPERPLANE_SUCCESS);
  EXPECT_EQ(y, expected);
  for_inside([&](int e) { expected[e] = x[e]; });
  EXPECT_EQ(hyperplane_copy(context, inside, &a, &b), HYPERPLANE_SUCCESS);
  EXPECT_EQ(y, expected);
  for_inside([&](int e) { expected[e] = 7.5; });
  EXPECT_EQ(hyperplane_fill(context, inside, 7.5, &b), HYPERPLANE_SUCCESS);
  EXPECT_EQ(y, expected);
}

TEST_P(CPrimitives, strides_and_transposed_copies) {
  // The first component alone, with j fastest in the result.
  auto a = array(x);
  a.components = 1;
  std::vector<double> transposed(ni * nj * nk);
  auto b = a;
  b.data = transposed.data();
  b.extents[0] = nj, b.extents[1] = ni;
  b.strides[1] = nj;
  hyperplane_box all;
  EXPECT_EQ(hyperplane_box_of(&a, &all), HYPERPLANE_SUCCESS);
  int const order[3] = {1, 0, 2}, begin[3] = {0, 0, 0};
  EXPECT_EQ(hyperplane_transposed_copy(context, all, &a, order, begin, &b), HYPERPLANE_SUCCESS);
  for (int k = 0; k < nk; ++k) {
    for (int j = 0; j < nj; ++j) {
      for (int i = 0; i < ni; ++i) EXPECT_EQ(transposed[j + nj * (i + ni * k)], x[i + ni * (j + nj * k)]);
    }
  }
}

TEST_P(CPrimitives, faces_go_through_a_buffer) {
  hyperplane_packed_box packed_boxes[2] = {{array(x), {}, {0, 1, 2}}, {array(x), {}, {1, 0, 2}}};
  hyperplane_box all;
  EXPECT_EQ(hyperplane_box_of(&packed_boxes[0].array, &all), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_box_face(all, HYPERPLANE_EAST, 1, 1, &packed_boxes[0].box), HYPERPLANE_SUCCESS);
  EXPECT_EQ(packed_boxes[0].box.begin[0], ni - 2);
  EXPECT_EQ(packed_boxes[0].box.end[0], ni - 1);
  EXPECT_EQ(hyperplane_box_face(all, HYPERPLANE_TOP, 1, 0, &packed_boxes[1].box), HYPERPLANE_SUCCESS);
  hyperplane_packer packer = nullptr;
  EXPECT_EQ(hyperplane_packer_create(context, packed_boxes, 2, &packer), HYPERPLANE_SUCCESS);
  std::int64_t size = 0;
  EXPECT_EQ(hyperplane_packer_size(packer, &size), HYPERPLANE_SUCCESS);
  EXPECT_EQ(size, components * (nj * nk + ni * nj));
  hyperplane_scalar scalar = HYPERPLANE_INT;
  EXPECT_EQ(hyperplane_packer_scalar(packer, &scalar), HYPERPLANE_SUCCESS);
  EXPECT_EQ(scalar, HYPERPLANE_DOUBLE);
  std::vector<double> buffer(size);
  EXPECT_EQ(hyperplane_packer_pack(packer, buffer.data(), size), HYPERPLANE_SUCCESS);
  EXPECT_EQ(buffer[1], x[ni - 2 + ni]);
  auto const first_of_top = static_cast<std::size_t>(components * nj * nk);
  EXPECT_EQ(buffer[first_of_top + 1], x[ni * (1 + nj * (nk - 1))]);
  auto const before = x;
  std::ranges::fill(x, 0.0);
  EXPECT_EQ(hyperplane_packer_unpack(packer, buffer.data(), size), HYPERPLANE_SUCCESS);
  EXPECT_EQ(x[ni - 2], before[ni - 2]);
  EXPECT_EQ(x[0], 0.0);
  expect_failure(hyperplane_packer_pack(packer, buffer.data(), size - 1), HYPERPLANE_SIZE_MISMATCH, "count is");
  expect_failure(hyperplane_packer_pack(packer, nullptr, size), HYPERPLANE_NULL_POINTER, "buffer is NULL");
  EXPECT_EQ(hyperplane_free(packer), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_packer_size(packer, &size), HYPERPLANE_INVALID_HANDLE, "packer has been freed");
}

TEST_P(CPrimitives, misuse) {
  auto a = array(x), b = array(y);
  double result = 0.0;
  auto const sum = [&](const hyperplane_array* values, hyperplane_box box) {
    return hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, box, values, &result);
  };
  expect_failure(sum(nullptr, inside), HYPERPLANE_NULL_POINTER, "x is NULL");
  expect_failure(hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, inside, &a, nullptr), HYPERPLANE_NULL_POINTER,
                 "result");
  expect_failure(hyperplane_reduce(nullptr, HYPERPLANE_REDUCTION_SUM, inside, &a, &result), HYPERPLANE_NULL_POINTER,
                 "context");
  expect_failure(hyperplane_reduce(context, static_cast<hyperplane_reduction>(6), inside, &a, &result),
                 HYPERPLANE_INVALID_ARGUMENT, "reduction is 6");
  expect_failure(sum(&a, {{0, 0, 0}, {6, 4, 3}}), HYPERPLANE_INVALID_ARGUMENT, "is not inside an array of 5x4x3");
  auto wrong = a;
  wrong.components = 0;
  expect_failure(sum(&wrong, inside), HYPERPLANE_INVALID_ARGUMENT, "0 components");
  wrong = a;
  wrong.data = nullptr;
  expect_failure(sum(&wrong, inside), HYPERPLANE_INVALID_ARGUMENT, "null pointer");
  wrong = a;
  wrong.extents[1] = -1;
  expect_failure(sum(&wrong, inside), HYPERPLANE_INVALID_ARGUMENT, "extent 1 is -1");
  wrong = a;
  wrong.scalar = static_cast<hyperplane_scalar>(7);
  expect_failure(sum(&wrong, inside), HYPERPLANE_INVALID_ARGUMENT, "scalar is 7");
  wrong = a;
  wrong.space = HYPERPLANE_DEVICE;
  expect_failure(sum(&wrong, inside), HYPERPLANE_INVALID_ARGUMENT, "no device memory");
  wrong = a;
  wrong.strides[2] = std::numeric_limits<std::int64_t>::max() / 2;
  expect_failure(sum(&wrong, inside), HYPERPLANE_INVALID_ARGUMENT, "x has a stride of 4611686018427387903");
  auto const init = [&](hyperplane_grid points, int scalar, int space, int count) {
    return hyperplane_array_init(&wrong, x.data(), static_cast<hyperplane_scalar>(scalar),
                                 static_cast<hyperplane_memory_space>(space), points, count);
  };
  expect_failure(init({5, -4, 3}, HYPERPLANE_DOUBLE, HYPERPLANE_HOST, 1), HYPERPLANE_INVALID_ARGUMENT,
                 "extent 1 is -4");
  expect_failure(init(grid, 3, HYPERPLANE_HOST, 1), HYPERPLANE_INVALID_ARGUMENT, "scalar is 3");
  expect_failure(init(grid, HYPERPLANE_INT, 2, 1), HYPERPLANE_INVALID_ARGUMENT, "space is 2");
  expect_failure(init(grid, HYPERPLANE_INT, HYPERPLANE_HOST, 0), HYPERPLANE_INVALID_ARGUMENT, "components is 0");
  int const most = std::numeric_limits<int>::max();
  expect_failure(init({most, most, most}, HYPERPLANE_INT, HYPERPLANE_HOST, 1), HYPERPLANE_INVALID_ARGUMENT,
                 "too large");
  b.scalar = HYPERPLANE_FLOAT;
  expect_failure(hyperplane_dot(context, inside, &a, &b, &result), HYPERPLANE_INVALID_ARGUMENT,
                 "different scalar types");
  b = array(y);
  b.components = 1;
  expect_failure(hyperplane_copy(context, inside, &a, &b), HYPERPLANE_INVALID_ARGUMENT, "components");
  std::vector<int> integers(x.size());
  auto const c = array(integers);
  expect_failure(hyperplane_fill(context, inside, 0.5, &c), HYPERPLANE_INVALID_ARGUMENT, "expected an integer");
  expect_failure(hyperplane_reduce(context, HYPERPLANE_REDUCTION_NORM_2, inside, &c, &result),
                 HYPERPLANE_INVALID_ARGUMENT, "norm_2 is of float and double");
  int const order[3] = {0, 0, 2}, begin[3] = {0, 0, 0};
  b = array(y);
  expect_failure(hyperplane_transposed_copy(context, inside, &a, order, begin, &b), HYPERPLANE_INVALID_ARGUMENT,
                 "order");
  expect_failure(hyperplane_transposed_copy(context, inside, &a, nullptr, begin, &b), HYPERPLANE_NULL_POINTER, "order");
  int const straight[3] = {0, 1, 2}, far[3] = {most, 0, 0};
  expect_failure(hyperplane_transposed_copy(context, inside, &a, straight, far, &b), HYPERPLANE_INVALID_ARGUMENT,
                 "begins at 2147483647");
  hyperplane_box layers;
  int const least = std::numeric_limits<int>::min();
  EXPECT_EQ(hyperplane_box_face({{least, least, least}, {most, most, most}}, HYPERPLANE_WEST, 2, 0, &layers),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(layers.end[0], least + 2);
  expect_failure(hyperplane_box_face(inside, HYPERPLANE_CENTER, 1, 0, &layers), HYPERPLANE_INVALID_ARGUMENT, "center");
  expect_failure(hyperplane_box_face(inside, 7, 1, 0, &layers), HYPERPLANE_INVALID_ARGUMENT, "face is 7");
  expect_failure(hyperplane_box_face(inside, HYPERPLANE_WEST, 4, 0, &layers), HYPERPLANE_INVALID_ARGUMENT, "4 layers");
  // What has no points may be nowhere.
  EXPECT_EQ(hyperplane_array_init(&wrong, nullptr, HYPERPLANE_DOUBLE, HYPERPLANE_HOST, {0, 4, 3}, 1),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(sum(&wrong, {{0, 0, 0}, {0, 4, 3}}), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(result, 0.0);
  hyperplane_packer packer = nullptr;
  hyperplane_packed_box const nothing{wrong, {{0, 0, 0}, {0, 4, 3}}, {0, 1, 2}};
  EXPECT_EQ(hyperplane_packer_create(context, &nothing, 1, &packer), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_packer_pack(packer, nullptr, 0), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_free(packer), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_packer_create(context, nullptr, 0, &packer), HYPERPLANE_INVALID_ARGUMENT, "count is 0");
  expect_failure(hyperplane_packer_create(context, nullptr, 1, &packer), HYPERPLANE_NULL_POINTER,
                 "packed_boxes is NULL");
  EXPECT_EQ(packer, nullptr);
}

TEST_P(CPrimitives, timers_see_them) {
  auto const a = array(x);
  EXPECT_EQ(hyperplane_timers_reset(), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_timers_start(), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_scale(context, inside, 2.0, &a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_timers_stop(), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_scale(context, inside, 2.0, &a), HYPERPLANE_SUCCESS);
  std::size_t length = 0;
  EXPECT_EQ(hyperplane_timers_report(HYPERPLANE_TIMERS_TABLE, nullptr, 0, &length), HYPERPLANE_SUCCESS);
  std::string text(length + 1, 'x');
  EXPECT_EQ(hyperplane_timers_report(HYPERPLANE_TIMERS_JSON, text.data(), 4, &length), HYPERPLANE_SUCCESS);
  EXPECT_EQ(text.substr(0, 4), std::string("{\"t") + '\0');
  text.resize(length + 1);
  EXPECT_EQ(hyperplane_timers_report(HYPERPLANE_TIMERS_JSON, text.data(), text.size(), &length), HYPERPLANE_SUCCESS);
  EXPECT_THAT(text, ::testing::HasSubstr("{\"label\": \"Hyperplane::scale\", \"count\": 1,"));
  expect_failure(hyperplane_timers_report(static_cast<hyperplane_timers_format>(2), text.data(), 1, &length),
                 HYPERPLANE_INVALID_ARGUMENT, "format is 2");
  expect_failure(hyperplane_timers_report(HYPERPLANE_TIMERS_JSON, nullptr, 1, &length), HYPERPLANE_NULL_POINTER,
                 "text");
  expect_failure(hyperplane_timers_report(HYPERPLANE_TIMERS_JSON, text.data(), 1, nullptr), HYPERPLANE_NULL_POINTER,
                 "length");
}

}  // namespace
}  // namespace hyperplane::test
