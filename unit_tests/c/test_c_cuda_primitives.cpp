// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime.h>

#include <numeric>
#include <thread>

#include "c/c_fixture.hpp"
#include "c/device_values.hpp"
#include "support/matchers.hpp"

// Primitives and lines of the C interface with the memory of a CUDA device.
namespace hyperplane::test {
namespace {

/// Primitives on device memory.
class CCudaPrimitives : public ::testing::Test {
 protected:
  static constexpr hyperplane_grid grid{5, 4, 3};
  static constexpr int components = 2, size = 120;
  hyperplane_box const inside{{1, 1, 1}, {4, 3, 2}};
  hyperplane_context context = nullptr;
  std::vector<double> x = std::vector<double>(size), y = x;

  CCudaPrimitives() {
    EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_context_create("cuda", nullptr, &context), HYPERPLANE_SUCCESS);
    std::iota(x.begin(), x.end(), -10.0);
    std::iota(y.begin(), y.end(), 0.0);
  }
  ~CCudaPrimitives() override {
    hyperplane_free(context);
    hyperplane_finalize();
  }

  static hyperplane_array array(void* data) {
    hyperplane_array result;
    EXPECT_EQ(hyperplane_array_init(&result, data, HYPERPLANE_DOUBLE, HYPERPLANE_DEVICE, grid, components),
              HYPERPLANE_SUCCESS);
    return result;
  }
  static bool is_inside(int e) {
    int const i = e % 5, j = e / 5 % 4, k = e / 20 % 3;
    return i >= 1 && i < 4 && j >= 1 && j < 3 && k == 1;
  }
};

TEST_F(CCudaPrimitives, work_on_device_memory) {
  DeviceArray const dx(x), dy(y);
  auto const a = array(dx.data()), b = array(dy.data());
  double sum = 0, dot = 0;
  auto expected = y;
  for (int e = 0; e < size; ++e) {
    if (!is_inside(e)) continue;
    sum += x[e];
    dot += x[e] * y[e];
    expected[e] = 0.5 * x[e] + y[e];
  }
  double result = 0;
  EXPECT_EQ(hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, inside, &a, &result), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(result, sum);
  EXPECT_EQ(hyperplane_dot(context, inside, &a, &b, &result), HYPERPLANE_SUCCESS);
  EXPECT_EQ(result, dot);
  EXPECT_EQ(hyperplane_axpy(context, inside, 0.5, &a, &b), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_context_fence(context), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(dy.to_host(), expected));
}

TEST_F(CCudaPrimitives, pack_into_device_memory) {
  DeviceArray const dx(x), buffer(std::vector<double>(12));
  hyperplane_packed_box const packed_box{array(dx.data()), inside, {0, 1, 2}};
  hyperplane_packer packer = nullptr;
  EXPECT_EQ(hyperplane_packer_create(context, &packed_box, 1, &packer), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_packer_pack(packer, buffer.data(), 12), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_context_fence(context), HYPERPLANE_SUCCESS);
  std::vector<double> expected;
  for (int e = 0; e < size; ++e) {
    if (is_inside(e)) expected.push_back(x[e]);
  }
  EXPECT_TRUE(bitwise_equal(buffer.to_host(), expected));
  std::vector<double> on_host(12);
  expect_failure(hyperplane_packer_pack(packer, on_host.data(), 12), HYPERPLANE_INVALID_ARGUMENT, "device memory");
  expect_failure(hyperplane_packer_unpack(packer, on_host.data(), 12), HYPERPLANE_INVALID_ARGUMENT, "device memory");
  EXPECT_EQ(hyperplane_free(packer), HYPERPLANE_SUCCESS);
}

TEST_F(CCudaPrimitives, refuse_memory_of_the_host) {
  auto a = array(x.data());
  double result = 0;
  expect_failure(hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, inside, &a, &result), HYPERPLANE_INVALID_ARGUMENT,
                 "said to be in device memory");
  // An error that the caller has not looked at yet stays.
  EXPECT_NE(cudaMemcpy(nullptr, nullptr, 1, static_cast<cudaMemcpyKind>(77)), cudaSuccess);
  expect_failure(hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, inside, &a, &result), HYPERPLANE_INVALID_ARGUMENT,
                 "said to be in device memory");
  EXPECT_NE(cudaGetLastError(), cudaSuccess);
  a.space = HYPERPLANE_HOST;
  expect_failure(hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, inside, &a, &result), HYPERPLANE_INVALID_ARGUMENT,
                 "take arrays in device memory");
  // What has no points may be nowhere.
  a = array(nullptr);
  EXPECT_EQ(hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, {{1, 1, 1}, {1, 1, 1}}, &a, &result),
            HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(result, 0.0);
}

/// What the backend openmp or serial finds, with arrays on the device.
TEST_F(CCudaPrimitives, find_what_the_host_finds) {
  hyperplane_context host = nullptr;
  EXPECT_EQ(hyperplane_context_create(c_backends().front().c_str(), nullptr, &host), HYPERPLANE_SUCCESS);
  auto const numbers = random_vector(7 * 60), given = random_vector(60);
  auto coefficients = numbers;
  for (int e = 0; e < 60; ++e) coefficients[HYPERPLANE_CENTER * 60 + e] += 8.0;
  auto const run = [&](hyperplane_context where, hyperplane_memory_space space, double* c, double* x, double* y) {
    std::vector<double> found(3);
    hyperplane_array all, seven[7], a, b;
    EXPECT_EQ(hyperplane_array_init(&all, c, HYPERPLANE_DOUBLE, space, grid, 7), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_array_init(&a, x, HYPERPLANE_DOUBLE, space, grid, 1), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_array_init(&b, y, HYPERPLANE_DOUBLE, space, grid, 1), HYPERPLANE_SUCCESS);
    for (int d = 0; d < 7; ++d) EXPECT_EQ(hyperplane_array_component(&all, d, &seven[d]), HYPERPLANE_SUCCESS);
    hyperplane_box const box{{0, 0, 0}, {5, 4, 3}};
    hyperplane_stencil const stencil{{}, seven};
    EXPECT_EQ(hyperplane_stencil_apply(where, box, &stencil, &a, &b), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    hyperplane_array const left[] = {a, b}, right[] = {b, b};
    EXPECT_EQ(hyperplane_dots(where, box, 2, left, right, found.data()), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_axpy_dot(where, box, -0.5, &a, &b, &b, &found[2]), HYPERPLANE_SUCCESS);
    for (int kind = HYPERPLANE_RELAXATION_JACOBI; kind <= HYPERPLANE_RELAXATION_HYPERPLANE; ++kind) {
      hyperplane_relaxation_options options;
      hyperplane_relaxation m = nullptr;
      double sum = 0;
      hyperplane_relaxation_options_init(&options);
      options.kind = static_cast<hyperplane_relaxation_kind>(kind);
      options.sweeps = 3;
      EXPECT_EQ(hyperplane_relaxation_create(where, grid, &stencil, &options, &m), HYPERPLANE_SUCCESS)
          << hyperplane_last_error_message();
      EXPECT_EQ(hyperplane_relaxation_factor(m), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_relaxation_solve(m, &a, &b), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      EXPECT_EQ(hyperplane_dot(where, box, &b, &b, &sum), HYPERPLANE_SUCCESS);
      found.push_back(sum);
      EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
    }
    return found;
  };
  DeviceArray const dc(coefficients), dx(given), dy(given);
  auto on_host = coefficients, hx = given, hy = given;
  auto const expected = run(host, HYPERPLANE_HOST, on_host.data(), hx.data(), hy.data());
  EXPECT_TRUE(near(run(context, HYPERPLANE_DEVICE, dc.data(), dx.data(), dy.data()), expected, 1e-13));
  EXPECT_TRUE(near(dy.to_host(), hy, 1e-13));
  EXPECT_EQ(hyperplane_free(host), HYPERPLANE_SUCCESS);
}

TEST_F(CCudaPrimitives, lines_in_device_memory) {
  hyperplane_line_set lines{};
  lines.grid = grid;
  lines.direction = 1;
  lines.ends = HYPERPLANE_ENDS_PERIODIC;
  auto values = random_vector(60 * 3);
  for (int p = 0; p < 60; ++p) values[p * 3 + 1] += 6.0;
  auto const rhs = random_vector(60);
  std::vector<double> expected(60);
  DeviceArray const dv(values), db(rhs), dx(rhs);
  for (auto const space : {HYPERPLANE_HOST, HYPERPLANE_DEVICE}) {
    bool const on_host = space == HYPERPLANE_HOST;
    hyperplane_line_solver solver = nullptr;
    EXPECT_EQ(hyperplane_line_solver_create(context, &lines, 1, nullptr, &solver), HYPERPLANE_SUCCESS);
    EXPECT_EQ(
        hyperplane_line_solver_factor(solver, on_host ? values.data() : dv.data(), 180, HYPERPLANE_ROW_MAJOR, space),
        HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_line_solver_check(solver), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_line_solver_solve(solver, on_host ? rhs.data() : db.data(),
                                           on_host ? expected.data() : dx.data(), 60, space),
              HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_context_fence(context), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_free(solver), HYPERPLANE_SUCCESS);
  }
  EXPECT_TRUE(bitwise_equal(dx.to_host(), expected));
}

/// A thread that has another device than the contexts of a library that takes HYPERPLANE_DEVICE=1.
TEST_F(CCudaPrimitives, contexts_keep_to_their_device_and_callers_to_theirs) {
  int devices = 0;
  EXPECT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
  for (int device = 0; device < devices; ++device) {
    EXPECT_EQ(cudaSetDevice(device), cudaSuccess);
    cudaStream_t stream;
    EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    // Whose current device is the first.
    std::thread([&] {
      DeviceArray const dx = [&] {
        cudaSetDevice(device);
        return DeviceArray(x);
      }();
      cudaSetDevice(0);
      hyperplane_context on_stream = nullptr;
      EXPECT_EQ(hyperplane_context_create("cuda", stream, &on_stream), HYPERPLANE_SUCCESS)
          << hyperplane_last_error_message();
      auto const a = array(dx.data());
      double result = 0;
      EXPECT_EQ(hyperplane_reduce(on_stream, HYPERPLANE_REDUCTION_MAX, inside, &a, &result), HYPERPLANE_SUCCESS)
          << hyperplane_last_error_message();
      EXPECT_EQ(result, x[93]);
      if (device > 0) {
        expect_failure(hyperplane_reduce(context, HYPERPLANE_REDUCTION_MAX, inside, &a, &result),
                       HYPERPLANE_INVALID_ARGUMENT, "is in memory of device " + std::to_string(device));
      }
      hyperplane_free(on_stream);
      int current = -1;
      EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
      EXPECT_EQ(current, 0);
    }).join();
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
}

}  // namespace
}  // namespace hyperplane::test
