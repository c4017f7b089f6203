// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime.h>

#include <numeric>

#include "c/c_fixture.hpp"
#include "c/device_values.hpp"
#include "support/matchers.hpp"

// Solvers of the C interface with the memory of a CUDA device and a stream of the caller.
namespace hyperplane::test {
namespace {

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

TEST(CCuda, columns_are_on_the_device_too) {
  CSystem const system("cuda");
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  // More than are solved together, and fewer.
  auto const given = random_vector(4 * system.size());
  DeviceArray const b(given), x(std::vector<double>(given.size(), 0.0));
  hyperplane_krylov_result results[4];
  EXPECT_EQ(hyperplane_krylov_solve_columns(system.krylov, system.a, system.m, 4, b.data(), x.data(), x.size(),
                                            HYPERPLANE_DEVICE, results),
            HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_context_fence(system.context), HYPERPLANE_SUCCESS);
  auto const solved = x.to_host();
  for (int v = 0; v < 4; ++v) {
    auto const first = v * system.size(), last = first + system.size();
    EXPECT_EQ(results[v].outcome, HYPERPLANE_CONVERGED) << v;
    EXPECT_TRUE(near(system.reference.apply({solved.begin() + first, solved.begin() + last}),
                     {given.begin() + first, given.begin() + last}, 1e-5))
        << v;
  }
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

TEST(CCuda, masks_of_matrices_and_vectors_are_on_the_device_too) {
  CSystem system("cuda");
  std::vector<std::int8_t> mask(60, 1);
  mask[31] = 0;
  DeviceValues<std::int8_t> const device_mask(mask);
  auto const mask_both = [&](const std::int8_t* points, hyperplane_memory_space space) {
    CSystem::set(system.a, system.values(HYPERPLANE_ROW_MAJOR), HYPERPLANE_ROW_MAJOR);
    EXPECT_EQ(hyperplane_matrix_mask(system.a, points, 60, space), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_vector_fill(system.x, 1.0), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_vector_mask(system.x, points, 60, space), HYPERPLANE_SUCCESS);
    auto const x = system.get(system.x);
    for (int e = 0; e < 120; ++e) EXPECT_EQ(x[e], e / 2 == 31 ? 0.0 : 1.0);
    std::vector<double> values(60 * 28);
    EXPECT_EQ(hyperplane_matrix_get(system.a, values.data(), 60 * 28, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    return values;
  };
  auto const masked = mask_both(mask.data(), HYPERPLANE_HOST);
  EXPECT_TRUE(bitwise_equal(mask_both(device_mask.data(), HYPERPLANE_DEVICE), masked));
  EXPECT_EQ(masked[(31 * 7 + HYPERPLANE_CENTER) * 4], 1.0);
  EXPECT_EQ(masked[(32 * 7 + HYPERPLANE_WEST) * 4], 0.0);
  expect_failure(hyperplane_matrix_mask(system.a, mask.data(), 60, HYPERPLANE_DEVICE), HYPERPLANE_INVALID_ARGUMENT,
                 "device memory");
}

}  // namespace
}  // namespace hyperplane::test
