// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <mpi.h>
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/mpi/communicator.hpp>

namespace {

/// Where MPI does not run there is no communicator.
bool is_refused() {
  try {
    hyperplane::Communicator const world(MPI_COMM_WORLD);
    return false;
  } catch (const hyperplane::Error&) {
    return true;
  }
}

}  // namespace

// All ranks run all tests; what fails on one of them is a failure of the program.
int main(int argc, char** argv) {
  bool const refused_before = is_refused();
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0, failed = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // Of the others, failures.
  if (rank != 0) GTEST_FLAG_SET(brief, true);
  ::testing::InitGoogleTest(&argc, argv);
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    hyperplane::detail::least_team_bytes = 0;
    failed = RUN_ALL_TESTS();
  }
  int any_failed = 0;
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  if (refused_before && is_refused()) return any_failed;
  std::fprintf(stderr, "Communicator: made before MPI was initialized or after it was finalized\n");
  return 1;
}
