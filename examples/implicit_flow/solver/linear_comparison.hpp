// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "linear_solver.hpp"

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace implicit_flow {

/// Solves systems with every preconditioner, one after the other, from zero and with the same method and tolerance, and
/// keeps count.
template <class Processes>
class LinearComparison {
 public:
  using Exec = typename Processes::execution_space;
  using Matrix = typename Processes::Matrix;
  using Vector = typename Processes::Vector;

  LinearComparison(const Exec& exec, const typename Processes::Grid& grid, const LinearOptions& options)
      : m_x(exec, grid, "x of the comparison") {
    auto const add = [&](const std::string& name, const LinearOptions& variant) {
      m_candidates.push_back({{.preconditioner = name}, LinearSolver<Processes>(exec, grid, variant)});
    };
    auto variant = options;
    variant.relaxation = 1;
    variant.preconditioner = Preconditioner::bilu0;
    add("BILU(0)", variant);
    variant.coupling = hyperplane::Coupling::none;  // the others have no other one
    variant.parts.reset();
    variant.folded = {.i = true, .j = true, .k = true};
    variant.path = hyperplane::SweepPath::automatic;
    // Factors of 8 bits have no folded directions: these are as the matrix.
    bool const is_quarter = variant.factor_storage == hyperplane::StorageKind::quarter;
    if (is_quarter) variant.factor_storage.reset();
    add(is_quarter ? "BILU(0), folded, not quarter" : "BILU(0), folded", variant);
    variant.folded = {};
    variant.path = options.path;
    variant.preconditioner = Preconditioner::lines;
    variant.line_sweeps = 1;
    variant.line_direction = LineDirections::j;
    add("lines along j", variant);
    variant.line_direction = LineDirections::i;
    add("lines along i", variant);
    variant.line_direction = LineDirections::alternating;
    add("lines alternating", variant);
    variant.line_direction = LineDirections::j;
    variant.line_sweeps = 2;
    add("lines along j, 2 sweeps", variant);
    variant.preconditioner = Preconditioner::ssor;
    variant.factor_storage = options.factor_storage;
    add("SSOR", variant);
    variant.preconditioner = Preconditioner::jacobi;
    add("block Jacobi", variant);
  }

  /// Waits for the instance.
  void add_system(const Exec& exec, const Matrix& a, const Vector& b) {
    for (auto& candidate : m_candidates) {
      exec.fence("implicit_flow::comparison");
      Kokkos::Timer const timer;
      auto const report = candidate.solver.solve(exec, a, b, m_x);
      exec.fence("implicit_flow::comparison");
      candidate.totals.seconds += timer.seconds();
      ++candidate.totals.systems;
      candidate.totals.unsolved += !report.converged;
      candidate.totals.iterations += report.iterations;
    }
  }

  std::vector<LinearTotals> totals() const {
    std::vector<LinearTotals> result;
    for (auto const& candidate : m_candidates) result.push_back(candidate.totals);
    return result;
  }

 private:
  struct Candidate {
    LinearTotals totals;
    LinearSolver<Processes> solver;
  };

  Vector m_x;
  std::vector<Candidate> m_candidates;
};

}  // namespace implicit_flow
