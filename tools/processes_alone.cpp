// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "launch.hpp"
#include "matrix_market.hpp"
#include "processes.hpp"

// One process. Ranks have a program of their own beside this one: to load a library of MPI takes longer than a small
// solve, and one process needs none.
namespace hyperplane::tools {

namespace {

/// Makes this process run the program for ranks. Returns what is wrong.
std::string begin_ranks([[maybe_unused]] char** argv) {
#ifdef HYPERPLANE_RANKS_PROGRAM
  std::error_code error;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", error);
  auto const program = error ? HYPERPLANE_RANKS_PROGRAM : (self.parent_path() / HYPERPLANE_RANKS_PROGRAM).string();
  ::execv(program.c_str(), argv);
  return fmt::format("{} cannot be run: {}", program, std::strerror(errno));
#else
  return "this build has no MPI";
#endif
}

}  // namespace

struct Processes::Ranks {};

Processes::Processes(int& /*argc*/, char**& argv) {
  auto const launch = find_launch();
  if (!launch.has_others) return;
  auto const problem = begin_ranks(argv);
  throw InputError(launch.is_first ? fmt::format("a launcher of MPI has started several processes, as {} in the "
                                                 "environment says, and {}",
                                                 launch.variable, problem)
                                   : "");
}
Processes::~Processes() = default;

int Processes::count() const { return 1; }
bool Processes::is_first() const { return true; }

int Processes::run(const std::function<int()>& work) const { return work(); }
void Processes::on_first(const std::function<void()>& function) const { function(); }

std::string Processes::from_first(const std::string& text) const { return text; }

void Processes::complete(SolverSettings& /*settings*/) const {}
SolverReport Processes::solve(const std::string& backend, const SolverSettings& settings, const SystemShape& /*shape*/,
                              System* system, const Monitor& monitor) const {
  return solve_system(backend, settings, *system, monitor);
}

std::string mpi_version() {
#ifdef HYPERPLANE_RANKS_PROGRAM
  return "in " HYPERPLANE_RANKS_PROGRAM ", which is run where mpirun starts several processes";
#else
  return {};
#endif
}

}  // namespace hyperplane::tools
