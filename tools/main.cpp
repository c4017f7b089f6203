// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <executables/threads.hpp>

#include "arguments.hpp"
#include "interruption.hpp"
#include "library.hpp"
#include "spelling.hpp"

namespace {

using namespace hyperplane::tools;

int run(int argc, char** argv) {
  auto const arguments = parse_arguments(argc, argv);
  if (!arguments) return EXIT_SUCCESS;
  handle_signals();
  check_environment();
  Library const library;
  switch (arguments->command) {
    case Command::solve: return run_solve(arguments->solve);
    case Command::swept: return run_swept(arguments->swept);
    case Command::info: break;
  }
  return run_info();
}

}  // namespace

int main(int argc, char** argv) {
  hyperplane::executables::let_waiting_threads_sleep(argv);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    // Nothing is thrown where nobody reads it.
    std::fputs(fmt::format("hyperplane: error: {}\n", error.what()).c_str(), stderr);
    return exit_error;
  }
}
