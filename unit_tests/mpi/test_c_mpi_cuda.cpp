// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/device_values.hpp"
#include "mpi/c_mpi_fixture.hpp"

// The C interface over ranks with the memory of a CUDA device: what it has from there, with the bits that it has from
// that of the host.
namespace hyperplane::test {
namespace {

class CRanksCuda : public CRanks {};

INSTANTIATE_TEST_SUITE_P(Backends, CRanksCuda, ::testing::Values("cuda"),
                         [](const auto& backend) { return backend.param; });

TEST_P(CRanksCuda, matrices_and_vectors_are_on_the_device) {
  CRankSystem const system(context, four_parts());
  COwned<hyperplane_matrix> const a(hyperplane_mpi_matrix_create, system.grid, CRankSystem::n);
  COwned<hyperplane_vector> const x(hyperplane_mpi_vector_create, system.grid, CRankSystem::n);
  COwned<hyperplane_vector> const y(hyperplane_mpi_vector_create, system.grid, CRankSystem::n);
  std::vector<double> blocks;
  for (int const number : system.blocks()) {
    auto const part = CRankSystem::values_of(system.reference.blocks[number]);
    blocks.insert(blocks.end(), part.begin(), part.end());
  }
  DeviceArray const values(blocks), points(system.own(system.solution));
  DeviceArray const found(std::vector<double>(system.own(system.rhs).size()));
  EXPECT_EQ(hyperplane_matrix_set(a, values.data(), values.size(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_DEVICE),
            HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_vector_set(x, points.data(), points.size(), HYPERPLANE_DEVICE), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_matrix_apply(a, x, y), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_vector_get(y, found.data(), found.size(), HYPERPLANE_DEVICE), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_context_fence(context), HYPERPLANE_SUCCESS);
  system.set(system.x, system.solution);
  EXPECT_EQ(hyperplane_matrix_apply(system.a, system.x, system.b), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(found.to_host(), system.get(system.b)));
}

TEST_P(CRanksCuda, solves_with_arrays_on_the_device) {
  CRankSystem const system(context, four_parts());
  auto const rhs = system.own(system.rhs);
  auto const size = std::ssize(rhs);
  std::vector<double> const zero(rhs.size(), 0.0);
  DeviceArray const b(rhs);
  hyperplane_krylov_options krylov_options;
  EXPECT_EQ(hyperplane_krylov_options_init(&krylov_options), HYPERPLANE_SUCCESS);
  krylov_options.tolerance = 1e-11;
  COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, CRankSystem::n, &krylov_options);
  for (auto const coupling : {HYPERPLANE_COUPLING_NONE, HYPERPLANE_COUPLING_COLOURED, HYPERPLANE_COUPLING_NATURAL}) {
    auto const options = bilu0(coupling);
    COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n,
                                              &options);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    auto expected = zero;
    DeviceArray const found(zero), solution(zero);
    EXPECT_EQ(hyperplane_preconditioner_solve_array(m, 1, rhs.data(), expected.data(), size, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_solve_array(m, 1, b.data(), found.data(), size, HYPERPLANE_DEVICE),
              HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_context_fence(context), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(bitwise_equal(found.to_host(), expected)) << "coupling " << coupling;
    hyperplane_krylov_result result;
    EXPECT_EQ(
        hyperplane_krylov_solve_array(krylov, system.a, m, b.data(), solution.data(), size, HYPERPLANE_DEVICE, &result),
        HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_context_fence(context), HYPERPLANE_SUCCESS);
    EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED) << "coupling " << coupling;
    EXPECT_TRUE(near(solution.to_host(), system.own(system.solution), 1e-7)) << "coupling " << coupling;
  }
}

}  // namespace
}  // namespace hyperplane::test
