// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steady compressible flow with BILU(0), in one process or on ranks of MPI: see README.md.
#include "flow_over_ranks.hpp"
#include "options.hpp"
#include "run.hpp"

#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/communicator.hpp>

#include <Kokkos_Core.hpp>
#include <executables/session.hpp>
#include <executables/threads.hpp>

int main(int argc, char** argv) {
  using namespace implicit_flow;
  using Exec = Kokkos::DefaultExecutionSpace;
  hyperplane::executables::let_waiting_threads_sleep(argv);
  hyperplane::executables::Session const session(argc, argv, "implicit_flow");
  int exit_status = 0;
  auto const options = parse_options(argc, argv, exit_status, session.speaks() ? Start::first_rank : Start::other_rank);
  if (!options) return exit_status;
  return session.run([&] {
    Kokkos::ScopeGuard const kokkos(kokkos_settings(*options));
    hyperplane::Communicator const world(MPI_COMM_WORLD);
    if (world.size() == 1) {
      auto const flow = make_case(options->flow);
      return run_in_one_process(Exec(), flow, *options);
    }
    auto const flow = world.agree([&] {
      if (options->storage != Storage::of_double)
        throw hyperplane::Error("--storage is for one process, double is for all");
      if (options->adjoint) throw hyperplane::Error("--adjoint is for one process");
      if (options->write_system) throw hyperplane::Error("--write-system is for one process");
      return make_case(options->flow);
    });
    return run(Exec(), Ranks<Exec>(world, flow.blocks.cells), flow, *options);
  });
}
