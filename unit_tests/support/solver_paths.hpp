// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/ilu/comparison_paths.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"

namespace hyperplane::test {

/// A way in which BlockIlu0 and Sip run: a path of theirs, or one to compare with the papers.
class SolverPath {
 public:
  SolverPath(SweepPath path) : m_path(path) {}
  SolverPath(ComparisonPath path) : m_comparison(path) {}

  template <class Solver>
  Solver make(const typename Solver::execution_space& exec, const Grid& grid,
              typename Solver::Options options = {}) const {
    if (m_comparison) return with_comparison_path<Solver>(exec, grid, *m_comparison, options);
    options.path = m_path;
    return Solver(exec, grid, options);
  }
  /// What path() of the solver says.
  SweepPath sweep_path() const { return m_comparison ? SweepPath::comparison : m_path; }
  /// Whether its thread blocks wait for one another across the grid.
  bool needs_residence() const {
    return m_comparison == ComparisonPath::thread_recycling || m_comparison == ComparisonPath::cooperative;
  }

  friend const char* name(const SolverPath& path) {
    return path.m_comparison ? hyperplane::name(*path.m_comparison) : hyperplane::name(path.m_path);
  }

 private:
  SweepPath m_path = SweepPath::automatic;
  std::optional<ComparisonPath> m_comparison;
};

/// All that the execution space can run, the portable one first.
template <class Exec>
std::vector<SolverPath> solver_paths_of() {
  std::vector<SolverPath> paths;
  for (SweepPath const path : paths_of<Exec>()) paths.emplace_back(path);
  if constexpr (CudaExecutionSpace<Exec>) paths.insert(paths.end(), comparison_paths.begin(), comparison_paths.end());
  return paths;
}

}  // namespace hyperplane::test
