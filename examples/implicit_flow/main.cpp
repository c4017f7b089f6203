// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steady compressible flow with BILU(0), in one process: see README.md. Where there is MPI, ranks/main.cpp is the
// program.
#include "options.hpp"
#include "run.hpp"

#include <Kokkos_Core.hpp>
#include <executables/threads.hpp>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  using namespace implicit_flow;
  using Exec = Kokkos::DefaultExecutionSpace;
  hyperplane::executables::let_waiting_threads_sleep(argv);
  int exit_status = 0;
  auto const options = parse_options(argc, argv, exit_status, Start::alone);
  if (!options) return exit_status;
  try {
    Kokkos::ScopeGuard const kokkos(kokkos_settings(*options));
    auto const flow = make_case(options->flow);
    return run_in_one_process(Exec(), flow, *options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "implicit_flow: error: %s\n", error.what());
    return 1;
  }
}
