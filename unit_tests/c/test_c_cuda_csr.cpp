// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include "c/c_csr_fixture.hpp"
#include "c/device_values.hpp"
#include "support/matchers.hpp"

// General matrices of the C interface with the memory of a CUDA device.
namespace hyperplane::test {
namespace {

class CRowsCuda : public CRows {};

INSTANTIATE_TEST_SUITE_P(Backends, CRowsCuda, ::testing::Values("cuda"),
                         [](const auto& backend) { return backend.param; });

TEST_P(CRowsCuda, general_matrices_are_on_the_device_too) {
  auto const rhs = random_vector(rows);
  set(m_b, rhs);
  auto options = standard_options();
  options.kind = HYPERPLANE_CSR_BILU0;
  auto const expected = solved(make(&options));
  DeviceValues<int> const offsets(mesh.offsets), columns(mesh.columns);
  DeviceArray const values(mesh.values), b(rhs), x(std::vector<double>(rhs.size()));
  auto csr = mesh.csr();
  csr.row_offsets = offsets.data();
  csr.columns = columns.data();
  csr.values = values.data();
  hyperplane_matrix a = nullptr;
  EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_DEVICE, &a), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  DeviceArray const found(std::vector<double>(mesh.values.size()));
  EXPECT_EQ(hyperplane_matrix_get(a, found.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_DEVICE),
            HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  hyperplane_preconditioner m = nullptr;
  EXPECT_EQ(hyperplane_csr_preconditioner_create(a, &options, &m), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_preconditioner_solve_array(m, 1, b.data(), x.data(), rows, HYPERPLANE_DEVICE),
            HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_context_fence(context), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(found.to_host(), mesh.values));
  EXPECT_TRUE(bitwise_equal(x.to_host(), expected));
  for (void* handle : {static_cast<void*>(m), static_cast<void*>(a)})
    EXPECT_EQ(hyperplane_free(handle), HYPERPLANE_SUCCESS);
}

TEST_P(CRowsCuda, scalars_and_columns_are_on_the_device_too) {
  // Every entry of the blocks as a scalar, in the order of rows.
  std::vector<int> offsets{0}, columns;
  std::vector<double> values;
  for (int row = 0; row < CRows::rows; ++row) {
    for (int block = mesh.offsets[static_cast<std::size_t>(row / n)];
         block < mesh.offsets[static_cast<std::size_t>(row / n) + 1]; ++block) {
      for (int c = 0; c < n; ++c) {
        columns.push_back(mesh.columns[static_cast<std::size_t>(block)] * n + c);
        values.push_back(mesh.values[static_cast<std::size_t>((block * n + row % n) * n + c)]);
      }
    }
    offsets.push_back(static_cast<int>(columns.size()));
  }
  DeviceValues<int> const device_offsets(offsets), device_columns(columns);
  DeviceArray const device_values(values);
  hyperplane_csr csr;
  EXPECT_EQ(hyperplane_csr_init(&csr), HYPERPLANE_SUCCESS);
  csr.rows = CRows::rows;
  csr.entries = static_cast<std::int64_t>(columns.size());
  csr.unknowns_per_point = n;
  csr.row_offsets = device_offsets.data();
  csr.columns = device_columns.data();
  csr.values = device_values.data();
  hyperplane_matrix a = nullptr;
  EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_DEVICE, &a), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  DeviceArray const back(std::vector<double>(values.size(), 0.0));
  EXPECT_EQ(hyperplane_matrix_get(a, back.data(), back.size(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_DEVICE),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_context_fence(context), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(back.to_host(), values));
  auto* const m = make("bilu0", "");
  EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  // More than are solved together, and fewer.
  auto const given = random_vector(5 * CRows::rows);
  DeviceArray const b(given);
  for (auto const method : {HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES}) {
    DeviceArray const x(std::vector<double>(given.size(), 0.0));
    auto* const krylov = make_krylov(method);
    hyperplane_krylov_result results[5];
    EXPECT_EQ(
        hyperplane_krylov_solve_columns(krylov, a, m, 5, b.data(), x.data(), x.size(), HYPERPLANE_DEVICE, results),
        HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_context_fence(context), HYPERPLANE_SUCCESS);
    auto const solved = x.to_host();
    for (int v = 0; v < 5; ++v) {
      auto const first = v * CRows::rows, last = first + CRows::rows;
      EXPECT_EQ(results[v].outcome, HYPERPLANE_CONVERGED) << v;
      EXPECT_TRUE(near(mesh.apply({solved.begin() + first, solved.begin() + last}),
                       {given.begin() + first, given.begin() + last}, 1e-8))
          << v;
    }
    hyperplane_free(krylov);
  }
  hyperplane_free(m);
  hyperplane_free(a);
}

}  // namespace
}  // namespace hyperplane::test
