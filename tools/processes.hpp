// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "solver.hpp"

namespace hyperplane::tools {

/// The processes that do the work together: this one alone, or the ranks of MPI that a launcher, as mpirun, has
/// started. The first of them reads, writes and says what there is to say. All of them make one, and call its functions
/// together.
///
/// MPI is initialized where the environment says that a launcher has started several processes, and not otherwise: one
/// process needs neither its time nor a machine on which MPI is set up. So the program that is called, `hyperplane`, is
/// for one process, and runs another one in its place where there are several.
class Processes {
 public:
  /// Throws InputError where there are several processes, and this build has no program for them; the text is empty in
  /// all of them but one.
  Processes(int& argc, char**& argv);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int count() const;
  bool is_first() const;
  /// Calls work() in all processes, and returns what it returns. Where it throws in one of several, it returns 1 in
  /// all, and one says why; where others wait for that one, MPI ends all of them.
  int run(const std::function<int()>& work) const;
  /// Calls the function in the first process. Where it throws, all throw InputError with its text.
  void on_first(const std::function<void()>& function) const;

  /// The text that the first process has.
  std::string from_first(const std::string& text) const;

  /// Throws InputError where several processes have no such solver, and adds the number of parts to the settings where
  /// it is not given: as many as processes. Not collective.
  void complete(SolverSettings& settings) const;
  /// As solve_system(), of a system that the first process has; others give null. Several processes take the matrix
  /// out of it. Each has a monitor, and gets the report.
  SolverReport solve(const std::string& backend, const SolverSettings& settings, const SystemShape& shape,
                     System* system, const Monitor& monitor) const;

 private:
  struct Ranks;
  std::unique_ptr<Ranks> m_ranks;
};

/// What there is of MPI, as "Open MPI v5.0.7"; empty where this build has none.
std::string mpi_version();

}  // namespace hyperplane::tools
