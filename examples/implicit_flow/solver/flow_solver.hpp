// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jacobian.hpp"
#include "kernels.hpp"
#include "linear_comparison.hpp"
#include "linear_solver.hpp"
#include "solution.hpp"
#include "steady.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace implicit_flow {

/// Steady flow by implicit pseudo-time steps: (volume / time step I + J1) dU = - R2(U), with the second-order residual
/// R2 and the exact Jacobian J1 of the first-order one (defect correction).
///
/// Local time steps; the CFL number follows the residual by "switched evolution relaxation": W. A. Mulder and B. van
/// Leer, "Experiments with implicit upwind methods for the Euler equations", 1985, DOI 10.1016/0021-9991(85)90144-5.
template <hyperplane::ExecutionSpace Exec>
class FlowSolver {
 public:
  /// Starts with the free stream everywhere. Throws hyperplane::Error where the mesh has a cell without volume.
  FlowSolver(const Exec& exec, const Mesh& mesh, const Gas& gas, const BoundaryConditions& boundary,
             const SteadyOptions& options)
      : m_options(options),
        m_mesh(mesh),
        m_problem{gas, boundary, compute_metrics(exec, mesh)},
        m_residual(exec, m_problem),
        m_conserved(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "conserved"), cells().ni(), cells().nj(),
                    cells().nk(), equations),
        m_jacobian(exec, cells(), "Jacobian"),
        m_negative_residual(exec, cells(), "negative residual"),
        m_change(exec, cells(), "change"),
        m_linear(exec, cells(), options.linear) {
    if (options.compare) m_comparison.emplace(exec, cells(), options.linear);
    fill(exec, m_conserved, cells(), gas.conserved(boundary.free_stream));
  }

  const hyperplane::Grid& cells() const { return m_problem.metrics.cells; }

  /// Steps until the residual has fallen far enough or the steps are spent; `report` is called after each of them.
  /// Throws hyperplane::Error when no time step, however small, leads to a physical state.
  SteadyResult run(const Exec& exec, const std::function<void(const StepReport&)>& report) {
    SteadyResult result{false, 0, 1, 0};
    double first = 0;
    double cfl = m_options.cfl;
    double penalty = 1;  // on the CFL number after a step that had to be cut short
    for (;; ++result.steps) {
      m_residual.evaluate(exec, m_conserved, m_options.order, m_negative_residual);
      double const norm = two_norm(exec, m_negative_residual);
      if (!std::isfinite(norm)) throw hyperplane::Error("the residual is not finite");
      if (result.steps == 0) first = norm;
      result.residual = first > 0 ? norm / first : 0;
      result.converged = result.residual <= m_options.tolerance || norm <= round_off(exec);
      if (result.converged || result.steps == m_options.max_steps) return result;

      double const wanted = penalty * m_options.cfl / result.residual;
      cfl = std::clamp(wanted, cfl / 10, cfl * (result.steps == 0 ? 1 : m_options.max_cfl_growth));
      cfl = std::min(cfl, m_options.max_cfl);
      StepReport step{result.steps + 1, result.residual, cfl, 0, 0};
      take_step(exec, step);
      penalty = std::min(1.0, step.fraction < 1 ? 0.5 * penalty : 2 * penalty);
      cfl = step.cfl;
      result.linear_iterations += step.linear_iterations;
      report(step);
    }
  }

  /// What each preconditioner needed; empty unless the options ask for a comparison.
  std::vector<LinearTotals> comparison() const {
    return m_comparison ? m_comparison->totals() : std::vector<LinearTotals>{};
  }

  /// Copies the flow to the host.
  Solution solution(const Exec& exec) const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_conserved);
    exec.fence("implicit_flow::solution");
    Solution result{m_mesh, m_problem.gas, {}};
    for (std::int64_t number = 0; number < cells().size(); ++number) {
      result.cells.push_back(m_problem.gas.primitive(load(host, cells().point(number))));
    }
    return result;
  }

 private:
  using Vector = typename LinearSolver<Exec>::Vector;

  /// One implicit step; the CFL number is cut as long as the linear system cannot be solved.
  void take_step(const Exec& exec, StepReport& step) {
    for (int attempt = 0; attempt < 10; ++attempt, step.cfl /= 10) {
      assemble_jacobian(exec, m_problem, m_conserved, step.cfl, m_jacobian);
      if (m_comparison && attempt == 0) m_comparison->add_system(exec, m_jacobian, m_negative_residual);
      auto const linear = m_linear.solve(exec, m_jacobian, m_negative_residual, m_change);
      step.linear_iterations += linear.iterations;
      if (!linear.usable) continue;
      step.fraction = largest_fraction(exec, m_problem.gas, m_conserved, m_change);
      if (!(step.fraction > 0.01)) continue;
      add_change(exec, m_conserved, m_change, step.fraction);
      return;
    }
    throw hyperplane::Error("step " + std::to_string(step.step) +
                            ": no time step leads to a state with positive density and pressure; start with a smaller "
                            "CFL number, or look at the grid and the boundary conditions");
  }

  /// Norm that the residual keeps by rounding alone.
  double round_off(const Exec& exec) const {
    return 10 * std::numeric_limits<double>::epsilon() * flux_scale(exec, m_problem, m_conserved);
  }

  SteadyOptions m_options;
  Mesh m_mesh;
  Problem<Exec> m_problem;
  Residual<Exec> m_residual;
  Field<Exec> m_conserved;
  typename LinearSolver<Exec>::Matrix m_jacobian;
  Vector m_negative_residual;
  Vector m_change;
  LinearSolver<Exec> m_linear;
  std::optional<LinearComparison<Exec>> m_comparison;
};

// Compiled once, in flow_solver.cpp.
extern template class FlowSolver<Kokkos::DefaultExecutionSpace>;

}  // namespace implicit_flow
