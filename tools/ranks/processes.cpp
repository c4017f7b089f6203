// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "processes.hpp"

#include <mpi.h>

#include <array>
#include <exception>
#include <executables/session.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <string_view>

#include "launch.hpp"
#include "matrix_market.hpp"
#include "rank_solver.hpp"

namespace hyperplane::tools {

struct Processes::Ranks {
  Ranks(int& argc, char**& argv) : session(argc, argv, "hyperplane"), world(MPI_COMM_WORLD) {}

  executables::Session session;
  Communicator world;
};

Processes::Processes(int& argc, char**& argv) {
  if (find_launch().has_others) m_ranks = std::make_unique<Ranks>(argc, argv);
}
Processes::~Processes() = default;

int Processes::count() const { return m_ranks ? m_ranks->world.size() : 1; }
bool Processes::is_first() const { return !m_ranks || m_ranks->world.rank() == 0; }

int Processes::run(const std::function<int()>& work) const { return m_ranks ? m_ranks->session.run(work) : work(); }

void Processes::on_first(const std::function<void()>& function) const {
  if (!m_ranks) return function();
  std::string error;
  if (is_first()) {
    try {
      function();
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
  }
  error = m_ranks->world.from(0, error);
  if (!error.empty()) throw InputError(error);
}

std::string Processes::from_first(const std::string& text) const {
  return m_ranks ? m_ranks->world.from(0, text) : text;
}

void Processes::complete(SolverSettings& settings) const {
  if (count() > 1) complete_for_ranks(settings, count());
}

SolverReport Processes::solve(const std::string& backend, const SolverSettings& settings, const SystemShape& shape,
                              System* system, const Monitor& monitor) const {
  if (count() == 1) return solve_system(backend, settings, *system, monitor);
  return solve_over_ranks(m_ranks->world, backend, settings, shape, system, monitor);
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  // One of the few functions that there are before MPI is initialized.
  MPI_Get_library_version(text.data(), &length);
  std::string_view const all(text.data());
  return std::string(all.substr(0, all.find_first_of(",\n")));
}

}  // namespace hyperplane::tools
