// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/session.hpp"

#include <mpi.h>

#include <chrono>
#include <stdexcept>

// The last rank has an error while the others wait for it.
int main(int argc, char** argv) {
  implicit_flow::Session const session(argc, argv);
  return session.run(
      [] {
        int rank = 0, size = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (rank == size - 1) throw std::runtime_error("out of paper");
        MPI_Barrier(MPI_COMM_WORLD);
        return 0;
      },
      std::chrono::seconds(1));
}
