// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime.h>

#include <numeric>
#include <thread>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// The C interface with the memory of a CUDA device and a stream of the caller.
namespace hyperplane::test {
namespace {

/// Values in device memory.
template <class T>
class DeviceValues {
 public:
  explicit DeviceValues(const std::vector<T>& values) : m_size(values.size()) {
    EXPECT_EQ(cudaMalloc(&m_data, m_size * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(m_data, values.data(), m_size * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~DeviceValues() { cudaFree(m_data); }
  DeviceValues(const DeviceValues&) = delete;
  DeviceValues& operator=(const DeviceValues&) = delete;

  T* data() const { return m_data; }
  std::int64_t size() const { return static_cast<std::int64_t>(m_size); }
  std::vector<T> to_host() const {
    std::vector<T> values(m_size);
    EXPECT_EQ(cudaMemcpy(values.data(), m_data, m_size * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

 private:
  T* m_data = nullptr;
  std::size_t m_size;
};
using DeviceArray = DeviceValues<double>;

TEST(CCuda, works_on_a_stream_with_device_memory) {
  CSystem expected("cuda");
  hyperplane_krylov_result expected_result;
  EXPECT_EQ(hyperplane_preconditioner_factor(expected.m, expected.a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_krylov_solve(expected.krylov, expected.a, expected.m, expected.b, expected.x, &expected_result),
            HYPERPLANE_SUCCESS);

  cudaStream_t stream;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  hyperplane_context context = nullptr;
  hyperplane_matrix a = nullptr;
  hyperplane_vector b = nullptr, x = nullptr;
  hyperplane_preconditioner m = nullptr;
  hyperplane_krylov krylov = nullptr;
  auto const grid = expected.c_grid;
  int const n = CSystem::n;
  EXPECT_EQ(hyperplane_context_create("cuda", stream, &context), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_matrix_create(context, grid, n, HYPERPLANE_STORAGE_DOUBLE, &a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_create(context, grid, n, &b), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_create(context, grid, n, &x), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_create(context, grid, n, nullptr, &m), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_krylov_create(context, grid, n, nullptr, &krylov), HYPERPLANE_SUCCESS);

  DeviceArray const values(expected.values(HYPERPLANE_COLUMN_MAJOR)), rhs(expected.rhs);
  DeviceArray const solution(std::vector<double>(expected.rhs.size()));
  EXPECT_EQ(hyperplane_matrix_set(a, values.data(), values.size(), HYPERPLANE_COLUMN_MAJOR, HYPERPLANE_DEVICE),
            HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_vector_set(b, rhs.data(), rhs.size(), HYPERPLANE_DEVICE), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS);
  hyperplane_krylov_result result;
  EXPECT_EQ(hyperplane_krylov_solve(krylov, a, m, b, x, &result), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_get(x, solution.data(), solution.size(), HYPERPLANE_DEVICE), HYPERPLANE_SUCCESS);
  // The caller's stream is the order of all of this.
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(result.iterations, expected_result.iterations);
  EXPECT_TRUE(bitwise_equal(solution.to_host(), expected.get(expected.x)));
  EXPECT_TRUE(near(solution.to_host(), expected.solution, 1e-6));

  for (void* handle : {static_cast<void*>(krylov), static_cast<void*>(m), static_cast<void*>(x), static_cast<void*>(b),
                       static_cast<void*>(a), static_cast<void*>(context)}) {
    EXPECT_EQ(hyperplane_free(handle), HYPERPLANE_SUCCESS);
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

/// Without a copy on the host, and in the order of the stream.
TEST(CCuda, solves_device_arrays) {
  CSystem system("cuda");
  auto const size = system.size();
  std::vector<double> rhs = system.rhs, expected(2 * rhs.size());
  rhs.insert(rhs.end(), system.solution.begin(), system.solution.end());
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_solve_array(system.m, 2, rhs.data(), expected.data(), 2 * size, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  DeviceArray const b(rhs), x(std::vector<double>(rhs.size()));
  EXPECT_EQ(hyperplane_preconditioner_solve_array(system.m, 2, b.data(), x.data(), 2 * size, HYPERPLANE_DEVICE),
            HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_preconditioner_solve_array(system.m, 2, b.data(), b.data(), 2 * size, HYPERPLANE_DEVICE),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_context_fence(system.context), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(x.to_host(), expected));
  EXPECT_TRUE(bitwise_equal(b.to_host(), expected));

  hyperplane_krylov_result result, of_host;
  std::vector<double> on_host(system.rhs.size());
  DeviceArray const one(system.rhs), found(on_host);
  EXPECT_EQ(hyperplane_krylov_solve_array(system.krylov, system.a, system.m, system.rhs.data(), on_host.data(), size,
                                          HYPERPLANE_HOST, &of_host),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_krylov_solve_array(system.krylov, system.a, system.m, one.data(), found.data(), size,
                                          HYPERPLANE_DEVICE, &result),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_context_fence(system.context), HYPERPLANE_SUCCESS);
  EXPECT_EQ(result.iterations, of_host.iterations);
  EXPECT_TRUE(bitwise_equal(found.to_host(), on_host));
}

TEST(CCuda, takes_compressed_rows_on_the_device) {
  CSystem system("cuda");
  int const n = CSystem::n;
  std::vector<std::int64_t> offsets{0}, columns;
  std::vector<double> values;
  for (std::int64_t number = 0; number < system.grid.size(); ++number) {
    for (auto const direction : stencil7_directions) {
      auto const q = neighbour(system.grid.point(number), direction);
      if (!system.grid.contains(q)) continue;
      columns.push_back(system.grid.index(q));
      auto const& block = system.reference.block(number, direction);
      for (int e = 0; e < n * n; ++e) values.push_back(block(e / n, e % n));
    }
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  EXPECT_EQ(hyperplane_matrix_apply(system.a, system.b, system.x), HYPERPLANE_SUCCESS);
  auto const expected = system.get(system.x);
  DeviceValues<std::int64_t> const device_offsets(offsets);
  DeviceArray const device_values(values);
  hyperplane_csr csr;
  EXPECT_EQ(hyperplane_csr_init(&csr), HYPERPLANE_SUCCESS);
  csr.rows = system.grid.size();
  csr.entries = static_cast<std::int64_t>(columns.size());
  csr.block_size = n;
  csr.index_type = HYPERPLANE_INDEX_64;
  csr.row_offsets = device_offsets.data();
  csr.values = device_values.data();
  {
    DeviceValues<std::int64_t> const device_columns(columns);
    csr.columns = device_columns.data();
    EXPECT_EQ(hyperplane_matrix_set_csr(system.a, &csr, HYPERPLANE_DEVICE), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
  }
  EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_matrix_apply(system.a, system.b, system.x), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(system.get(system.x), expected));
  columns[0] = 2;
  DeviceValues<std::int64_t> const wrong(columns);
  csr.columns = wrong.data();
  expect_failure(hyperplane_matrix_set_csr(system.a, &csr, HYPERPLANE_DEVICE), HYPERPLANE_INVALID_ARGUMENT,
                 "entry 0, in row 0 and column 2, couples point (0, 0, 0) with (2, 0, 0)");
  csr.columns = columns.data();
  expect_failure(hyperplane_matrix_set_csr(system.a, &csr, HYPERPLANE_DEVICE), HYPERPLANE_INVALID_ARGUMENT,
                 "device memory");
}

TEST(CCuda, masks_and_boxes_are_on_the_device_too) {
  CSystem system("cuda");
  hyperplane_array array;
  std::vector<double> values(system.rhs.size());
  std::iota(values.begin(), values.end(), 1.0);
  DeviceArray const given(values), back(std::vector<double>(values.size()));
  hyperplane_box const all{{0, 0, 0}, {5, 4, 3}};
  EXPECT_EQ(hyperplane_array_init(&array, given.data(), HYPERPLANE_DOUBLE, HYPERPLANE_DEVICE, system.c_grid, 2),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_set_box(system.x, all, &array, nullptr), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  auto const rows = system.get(system.x);
  for (std::size_t e = 0; e < values.size(); ++e) EXPECT_EQ(rows[e], values[e / 2 + e % 2 * 60]);
  array.data = back.data();
  EXPECT_EQ(hyperplane_vector_get_box(system.x, all, &array, nullptr), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_context_fence(system.context), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(back.to_host(), values));

  hyperplane_preconditioner_options options;
  EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
  options.kind = HYPERPLANE_SIP;
  hyperplane_preconditioner sip = nullptr;
  hyperplane_matrix a = nullptr;
  EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, 1, &options, &sip), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, 1, HYPERPLANE_STORAGE_DOUBLE, &a),
            HYPERPLANE_SUCCESS);
  std::vector<double> coefficients(60 * 7, -1.0), expected(60);
  for (int p = 0; p < 60; ++p) coefficients[p * 7 + HYPERPLANE_CENTER] = 7.0;
  CSystem::set(a, coefficients, HYPERPLANE_ROW_MAJOR);
  std::vector<std::int8_t> mask(60, 1);
  mask[31] = 0;
  DeviceValues<std::int8_t> const device_mask(mask);
  auto const rhs = random_vector(60);
  std::vector<double> found(60);
  EXPECT_EQ(hyperplane_preconditioner_factor_masked(sip, a, mask.data(), 60, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_solve_array(sip, 1, rhs.data(), expected.data(), 60, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_factor_masked(sip, a, device_mask.data(), 60, HYPERPLANE_DEVICE),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_solve_array(sip, 1, rhs.data(), found.data(), 60, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(found, expected));
  EXPECT_EQ(found[31], 0.0);
  EXPECT_EQ(hyperplane_free(sip), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
}

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
