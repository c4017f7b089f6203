// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime.h>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// The C interface with the memory of a CUDA device and a stream of the caller.
namespace hyperplane::test {
namespace {

/// Values in device memory.
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<double>& values) : m_size(values.size()) {
    EXPECT_EQ(cudaMalloc(&m_data, m_size * sizeof(double)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(m_data, values.data(), m_size * sizeof(double), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~DeviceArray() { cudaFree(m_data); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  double* data() const { return m_data; }
  std::int64_t size() const { return static_cast<std::int64_t>(m_size); }
  std::vector<double> to_host() const {
    std::vector<double> values(m_size);
    EXPECT_EQ(cudaMemcpy(values.data(), m_data, m_size * sizeof(double), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

 private:
  double* m_data = nullptr;
  std::size_t m_size;
};

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

}  // namespace
}  // namespace hyperplane::test
