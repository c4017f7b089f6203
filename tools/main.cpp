// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <executables/threads.hpp>

#include "arguments.hpp"
#include "interruption.hpp"
#include "library.hpp"
#include "processes.hpp"
#include "spelling.hpp"

namespace {

using namespace hyperplane::tools;

int run(int argc, char** argv, const Processes& processes) {
  auto const arguments = parse_arguments(argc, argv, processes.is_first());
  if (!arguments) return EXIT_SUCCESS;
  handle_signals(processes.is_first());
  SilentInTheEnd const silent;
  check_environment();
  Library const library;
  switch (arguments->command) {
    case Command::solve: return run_solve(arguments->solve, processes);
    case Command::swept:
      if (processes.count() == 1) return run_swept(arguments->swept);
      throw InputError(fmt::format("swept runs in one process, there are {}", processes.count()));
    case Command::info: break;
  }
  return processes.is_first() ? run_info() : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  hyperplane::executables::let_waiting_threads_sleep(argv);
  try {
    Processes const processes(argc, argv);
    return processes.run([&] { return run(argc, argv, processes); });
  } catch (const std::exception& error) {
    // Nothing is thrown where nobody reads it.
    if (error.what()[0] != 0) std::fputs(fmt::format("hyperplane: error: {}\n", error.what()).c_str(), stderr);
    return exit_error;
  }
}
