// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <executables/session.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/mpi/mpi.hpp>
#include <stdexcept>

// The last rank has an error while the others wait for it, and all have what a flow has: a communicator and a matrix.
int main(int argc, char** argv) {
  hyperplane::executables::Session const session(argc, argv, "implicit_flow");
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return session.run(
      [] {
        using Exec = Kokkos::DefaultExecutionSpace;
        Exec const exec;
        hyperplane::Communicator const world(MPI_COMM_WORLD);
        auto const whole = hyperplane::cut_grid(hyperplane::Grid(4, 4, 4), {2, 1, 1}).grid;
        hyperplane::DistributedGrid const grid(world, whole);
        hyperplane::DistributedStencil7<double, 2, Exec> const a(exec, grid);
        if (world.rank() == world.size() - 1) throw std::runtime_error("out of paper");
        MPI_Barrier(MPI_COMM_WORLD);
        return 0;
      },
      std::chrono::seconds(1));
}
