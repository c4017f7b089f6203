// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.hpp"

#include <hyperplane/core/error.hpp>

#include <unistd.h>

#include <cstdio>

namespace backward_facing_step {

Progress::Progress(const std::filesystem::path& history) : m_terminal(isatty(STDOUT_FILENO) == 1), m_history(history) {
  if (!m_history) throw hyperplane::Error(history.string() + ": cannot be written");
  m_history << "iteration,u,v,mass\n";
}

void Progress::show(const SimpleReport& report) {
  m_history << report.iteration << ',' << report.u << ',' << report.v << ',' << report.mass << '\n';
  int const interval = m_terminal ? 10 : 100;
  if (report.iteration != 1 && report.iteration % interval != 0) return;
  std::printf("%siteration %5d   imbalance of u %9.3e   v %9.3e   mass %9.3e%s", m_terminal ? "\r" : "",
              report.iteration, report.u, report.v, report.mass, m_terminal ? "   " : "\n");
  std::fflush(stdout);
}

void Progress::finish(const SteadyResult& result, double seconds) {
  std::printf("%s%s after %d iterations: imbalance of u %.2e, v %.2e, mass %.2e; %.1f s\n",
              m_terminal ? "\r\033[K" : "", result.converged ? "steady" : "not steady", result.last.iteration,
              result.last.u, result.last.v, result.last.mass, seconds);
}

}  // namespace backward_facing_step
