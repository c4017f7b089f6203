// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.hpp"

#include <hyperplane/core/error.hpp>

#include <unistd.h>

#include <cstdio>

namespace implicit_flow {

Progress::Progress(const std::filesystem::path& history, bool may_have_terminal)
    : m_terminal(may_have_terminal && isatty(STDOUT_FILENO) == 1), m_history(history) {
  if (!m_history) throw hyperplane::Error(history.string() + ": cannot be written");
  m_history << "step,residual,cfl,linear_iterations,fraction\n";
}

void Progress::show(const StepReport& step) {
  m_history << step.step << ',' << step.residual << ',' << step.cfl << ',' << step.linear_iterations << ','
            << step.fraction << '\n';
  if (!m_terminal && step.step != 1 && step.step % 10 != 0) return;
  std::printf("%sstep %4d   residual %9.3e   CFL %9.3e   linear iterations %3d%s", m_terminal ? "\r" : "", step.step,
              step.residual, step.cfl, step.linear_iterations, m_terminal ? "   " : "\n");
  std::fflush(stdout);
}

void Progress::finish(const SteadyResult& result, double seconds) {
  std::printf("%s%s after %d steps: residual %.3e of the first, %lld linear iterations, %.1f s\n",
              m_terminal ? "\r\033[K" : "", result.converged ? "steady" : "not steady", result.steps, result.residual,
              static_cast<long long>(result.linear_iterations), seconds);
}

void print(const std::vector<LinearTotals>& comparison) {
  if (comparison.empty()) return;
  std::printf("\nlinear systems of the steps   %10s %12s %10s %10s\n", "systems", "iterations", "unsolved", "seconds");
  for (auto const& totals : comparison) {
    std::printf("%-29s %10d %12lld %10d %10.2f\n", totals.preconditioner.c_str(), totals.systems,
                static_cast<long long>(totals.iterations), totals.unsolved, totals.seconds);
  }
}

}  // namespace implicit_flow
