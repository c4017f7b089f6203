// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/blocks/cut_grid.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

#include "mpi/c_mpi_fixture.hpp"

// The C interface over ranks: how values come from rank to rank, which is asked for and asked.
namespace hyperplane::test {
namespace {

hyperplane_transport transport_of(hyperplane_matrix a) {
  auto transport = HYPERPLANE_TRANSPORT_AUTOMATIC;
  EXPECT_EQ(hyperplane_mpi_matrix_transport(a, &transport), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  return transport;
}

struct OfPreconditioner {
  hyperplane_transport transport = HYPERPLANE_TRANSPORT_AUTOMATIC;
  int through_devices = -1;
};
OfPreconditioner transport_of(hyperplane_preconditioner m) {
  OfPreconditioner found;
  EXPECT_EQ(hyperplane_mpi_preconditioner_transport(m, &found.transport, &found.through_devices), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  return found;
}

TEST_P(CRanks, values_come_as_the_grid_is_told) {
  constexpr int n = CRankSystem::n;
  CRankSystem const system(context, four_parts());
  auto const coloured = bilu0(HYPERPLANE_COUPLING_COLOURED);
  COwned<hyperplane_preconditioner> const as_chosen(hyperplane_mpi_preconditioner_create, system.grid, n, &coloured);
  auto const chosen = transport_of(system.a);
  EXPECT_EQ(transport_of(as_chosen).transport, chosen);
  EXPECT_NE(chosen, HYPERPLANE_TRANSPORT_AUTOMATIC);
  EXPECT_TRUE(GetParam() == "cuda" || chosen == HYPERPLANE_TRANSPORT_HOST);
  EXPECT_EQ(hyperplane_mpi_grid_set_transport(system.grid, HYPERPLANE_TRANSPORT_HOST), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(transport_of(system.a), chosen) << "what has been made keeps its own";
  COwned<hyperplane_matrix> const a(hyperplane_mpi_matrix_create, system.grid, n);
  EXPECT_EQ(transport_of(a), HYPERPLANE_TRANSPORT_HOST);
  // What is made before and after goes together, with the same bits.
  system.set(a, system.reference);
  system.set(system.x, system.solution);
  auto const product = [&](hyperplane_matrix matrix) {
    EXPECT_EQ(hyperplane_matrix_apply(matrix, system.x, system.b), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    return system.get(system.b);
  };
  EXPECT_TRUE(bitwise_equal(product(a), product(system.a)));
  COwned<hyperplane_matrix> const transposed(hyperplane_matrix_transpose, system.a), at(hyperplane_matrix_transpose, a);
  EXPECT_TRUE(bitwise_equal(product(at), product(transposed)));
  COwned<hyperplane_preconditioner> const through_host(hyperplane_mpi_preconditioner_create, system.grid, n, &coloured);
  auto const solved = [&](hyperplane_preconditioner m) {
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    COwned<hyperplane_preconditioner> const mt(hyperplane_preconditioner_transpose, m);
    EXPECT_EQ(hyperplane_preconditioner_solve(mt, system.x, system.b), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    return system.get(system.b);
  };
  EXPECT_TRUE(bitwise_equal(solved(through_host), solved(as_chosen)));
  for (auto const coupling : {HYPERPLANE_COUPLING_NONE, HYPERPLANE_COUPLING_COLOURED, HYPERPLANE_COUPLING_NATURAL}) {
    auto const options = bilu0(coupling);
    COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, n, &options);
    EXPECT_EQ(transport_of(m).transport, HYPERPLANE_TRANSPORT_HOST);
    EXPECT_EQ(transport_of(m).through_devices, 0);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  }
  hyperplane_preconditioner_options none = bilu0(HYPERPLANE_COUPLING_NONE);
  none.kind = HYPERPLANE_IDENTITY;
  COwned<hyperplane_preconditioner> const identity(hyperplane_mpi_preconditioner_create, system.grid, n, &none);
  EXPECT_EQ(transport_of(identity).transport, HYPERPLANE_TRANSPORT_HOST);
}

TEST_P(CRanks, transports_that_cannot_be_had_are_refused) {
  constexpr int n = CRankSystem::n;
  CRankSystem const system(context, four_parts());
  bool const is_last = rank == ranks - 1;
  expect_refused(hyperplane_mpi_grid_set_transport(
                     system.grid, is_last ? static_cast<hyperplane_transport>(4) : HYPERPLANE_TRANSPORT_HOST),
                 "rank " + std::to_string(ranks - 1) + ": transport is 4, expected 0 to 3");
  if (ranks > 1) {
    expect_refused(hyperplane_mpi_grid_set_transport(
                       system.grid, is_last ? HYPERPLANE_TRANSPORT_AUTOMATIC : HYPERPLANE_TRANSPORT_HOST),
                   "transport: rank " + std::to_string(ranks - 1) + " has others than");
  }
  expect_refused(hyperplane_mpi_grid_set_transport(nullptr, HYPERPLANE_TRANSPORT_HOST), "grid is NULL",
                 HYPERPLANE_NULL_POINTER);
  expect_refused(hyperplane_mpi_matrix_transport(system.a, nullptr), "transport is NULL", HYPERPLANE_NULL_POINTER);
  COwned<hyperplane_matrix> const of_one(hyperplane_matrix_create, context, hyperplane_grid{3, 2, 1}, n,
                                         HYPERPLANE_STORAGE_DOUBLE);
  hyperplane_transport transport{};
  expect_refused(hyperplane_mpi_matrix_transport(of_one, &transport), "a is not over ranks");
  auto const options = bilu0(HYPERPLANE_COUPLING_NATURAL);
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, n, &options);
  expect_refused(hyperplane_mpi_preconditioner_transport(m, &transport, nullptr), "through_devices is NULL",
                 HYPERPLANE_NULL_POINTER);
  if (GetParam() == "cuda") return;
  EXPECT_EQ(hyperplane_mpi_grid_set_transport(system.grid, HYPERPLANE_TRANSPORT_PEER), HYPERPLANE_SUCCESS);
  hyperplane_matrix a = nullptr;
  expect_refused(hyperplane_mpi_matrix_create(system.grid, n, &a),
                 "transport peer cannot be had: it is for CUDA, kernels run on ");
  EXPECT_EQ(a, nullptr);
  hyperplane_preconditioner refused = nullptr;
  expect_refused(hyperplane_mpi_preconditioner_create(system.grid, n, &options, &refused),
                 "transport peer cannot be had: it is for CUDA, kernels run on ");
  auto const uncoupled = bilu0(HYPERPLANE_COUPLING_NONE);
  COwned<hyperplane_preconditioner> const by_itself(hyperplane_mpi_preconditioner_create, system.grid, n, &uncoupled);
}

struct InOne {
  std::vector<double> solution, transposed;
};

/// M^-1 b and M^-T b of a system in one process.
InOne solved_in_one(hyperplane_context context, const Grid& box, const CRankSystem& system,
                    hyperplane_preconditioner_options options) {
  constexpr int n = CRankSystem::n;
  options.coupling = HYPERPLANE_COUPLING_NONE;
  COwned<hyperplane_matrix> const a(hyperplane_matrix_create, context, c_grid(box), n, HYPERPLANE_STORAGE_DOUBLE);
  std::vector<double> values;
  for (auto const& block : system.reference.blocks) {
    auto const part = CRankSystem::values_of(block);
    values.insert(values.end(), part.begin(), part.end());
  }
  EXPECT_EQ(hyperplane_matrix_set(a, values.data(), std::ssize(values), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  COwned<hyperplane_preconditioner> const m(hyperplane_preconditioner_create, context, c_grid(box), n, &options);
  COwned<hyperplane_preconditioner> const mt(hyperplane_preconditioner_transpose, m);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS);
  auto const solved = [&](hyperplane_preconditioner by) {
    std::vector<double> x(system.rhs.size());
    EXPECT_EQ(hyperplane_preconditioner_solve_array(by, 1, system.rhs.data(), x.data(), std::ssize(x), HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    return x;
  };
  return {solved(m), solved(mt)};
}

struct CStack {
  Grid box;
  hyperplane_preconditioner_kind kind;
  int of_rank = 1;  ///< parts
};

// On hosts, and where kernels go through devices.
TEST_P(CRanks, natural_parts_along_k_have_the_bits_of_the_box) {
  constexpr int n = CRankSystem::n;
  for (auto const& [box, kind, of_rank] : {CStack{Grid(5, 4, 2 * ranks), HYPERPLANE_BILU0},
                                           {Grid(9, 17, 3 * ranks + 1), HYPERPLANE_BILU0},
                                           {Grid(40, 33, 5 * ranks + 1), HYPERPLANE_BILU0},
                                           {Grid(9, 5, 2 * ranks + 1), HYPERPLANE_SSOR},
                                           {Grid(5, 4, 4 * ranks + 1), HYPERPLANE_BILU0, 2},
                                           {Grid(5, 4, 4 * ranks), HYPERPLANE_SSOR, 2}}) {
    SCOPED_TRACE(to_string(box) + ", kind " + std::to_string(kind));
    // Parts are one after the other in the order of the box.
    CRankSystem const system(context, cut_grid(box, {1, 1, of_rank * ranks}).grid);
    auto options = bilu0(HYPERPLANE_COUPLING_NATURAL);
    options.kind = kind;
    options.relaxation = 1.2;
    COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, n, &options);
    auto const found = transport_of(m);
#ifdef KOKKOS_ENABLE_CUDA
    if (GetParam() == "cuda") {
      bool const expected =
          ranks > 1 && found.transport == HYPERPLANE_TRANSPORT_PEER && Kokkos::Cuda().cuda_device_prop().major >= 9;
      EXPECT_EQ(found.through_devices, expected ? 1 : 0);
      if (!expected) GTEST_SKIP() << "it takes ranks with devices of their own";
    }
#endif
    EXPECT_TRUE(GetParam() == "cuda" || found.through_devices == 0);
    COwned<hyperplane_preconditioner> const mt(hyperplane_preconditioner_transpose, m);
    auto const in_one = solved_in_one(context, box, system, options);
    auto const expected = system.own(in_one.solution);
    for (int repetition = 0; repetition < 3; ++repetition) {
      EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      EXPECT_EQ(hyperplane_preconditioner_check(m), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      system.set(system.x, system.rhs);
      EXPECT_EQ(hyperplane_preconditioner_solve(m, system.x, system.x), HYPERPLANE_SUCCESS);
      EXPECT_TRUE(bitwise_equal(system.get(system.x), expected));
    }
    // By colours, and on other paths in one process, these are summed in another order.
    EXPECT_EQ(hyperplane_preconditioner_solve(mt, system.b, system.x), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_TRUE(near(system.get(system.x), system.own(in_one.transposed), 1e-12));
    COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, n, nullptr);
    EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
    hyperplane_krylov_result result;
    EXPECT_EQ(hyperplane_krylov_solve(krylov, system.a, m, system.b, system.x, &result), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED);
  }
}

}  // namespace
}  // namespace hyperplane::test
