// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <executables/threads.hpp>

#include "arguments.hpp"
#include "interruption.hpp"
#include "library.hpp"
#include "spelling.hpp"

namespace {

using namespace hyperplane::tools;

int run(int argc, char** argv) {
  Arguments arguments;
  try {
    arguments.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return arguments.exit(wanted);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "hyperplane: error: {}\n", error.what());
    return exit_error;
  }
  handle_signals();
  check_environment();
  Library const library;
  if (arguments.has_command("info")) return run_info();
  return arguments.has_command("swept") ? run_swept(arguments.swept) : run_solve(arguments.solve);
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
