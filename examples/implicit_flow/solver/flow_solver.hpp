// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "interfaces.hpp"
#include "jacobian.hpp"
#include "kernels.hpp"
#include "linear_comparison.hpp"
#include "linear_solver.hpp"
#include "solution.hpp"
#include "steady.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
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
  /// Starts with the free stream everywhere. Each grid block has its boundary conditions, which hold where it has no
  /// interface. Throws hyperplane::Error where a mesh has a cell without volume.
  FlowSolver(const Exec& exec, const MeshBlocks& blocks, const Gas& gas,
             const std::vector<BoundaryConditions>& boundary, const SteadyOptions& options)
      : m_options(options),
        m_blocks(blocks),
        m_problems(make_problems(exec, blocks, gas, boundary)),
        m_jacobian(exec, grid(), "Jacobian"),
        m_negative_residual(exec, grid(), "negative residual"),
        m_change(exec, grid(), "change"),
        m_linear(exec, grid(), options.linear) {
    if (options.compare) m_comparison.emplace(exec, grid(), options.linear);
    for (auto const& problem : m_problems) {
      auto const& cells = problem.metrics.cells;
      m_residuals.emplace_back(exec, problem);
      m_conserved.emplace_back(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "conserved"), cells.ni(),
                               cells.nj(), cells.nk(), equations);
      fill(exec, m_conserved.back(), cells, gas.conserved(problem.boundary.free_stream));
    }
  }

  const hyperplane::MultiBlockGrid& grid() const { return m_blocks.cells; }

  /// Steps until the residual has fallen far enough or the steps are spent; `report` is called after each of them.
  /// Throws hyperplane::Error when no time step, however small, leads to a physical state.
  SteadyResult run(const Exec& exec, const std::function<void(const StepReport&)>& report) {
    SteadyResult result{false, 0, 1, 0};
    double first = 0;
    double cfl = m_options.cfl;
    double penalty = 1;  // on the CFL number after a step that had to be cut short
    for (;; ++result.steps) {
      evaluate_residual(exec);
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

  /// Copies the flow on each grid block to the host.
  std::vector<Solution> solutions(const Exec& exec) const {
    std::vector<Solution> result;
    for (std::size_t b = 0; b < m_problems.size(); ++b) {
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_conserved[b]);
      exec.fence("implicit_flow::solution");
      Solution solution{m_blocks.meshes[b], m_problems[b].gas, {}};
      auto const& cells = m_problems[b].metrics.cells;
      for (std::int64_t number = 0; number < cells.size(); ++number) {
        solution.cells.push_back(solution.gas.primitive(load(host, cells.point(number))));
      }
      result.push_back(std::move(solution));
    }
    return result;
  }

 private:
  using Vector = typename LinearSolver<Exec>::Vector;

  static std::vector<Problem<Exec>> make_problems(const Exec& exec, const MeshBlocks& blocks, const Gas& gas,
                                                  const std::vector<BoundaryConditions>& boundary) {
    std::vector<Problem<Exec>> result;
    for (std::size_t b = 0; b < blocks.meshes.size(); ++b) {
      try {
        result.push_back({gas, boundary[b], compute_metrics(exec, blocks.meshes[b])});
      } catch (const hyperplane::Error& error) {
        if (blocks.meshes.size() == 1) throw;
        throw hyperplane::Error("grid block " + std::to_string(b) + ": " + error.what());
      }
    }
    find_neighbours(exec, blocks.cells, result);
    return result;
  }

  void evaluate_residual(const Exec& exec) const {
    for (std::size_t b = 0; b < m_problems.size(); ++b) m_residuals[b].compute_primitive(exec, m_conserved[b]);
    exchange(exec, grid(), m_residuals);
    for (std::size_t b = 0; b < m_problems.size(); ++b) {
      m_residuals[b].sum_fluxes(exec, m_options.order, m_negative_residual.block(static_cast<int>(b)));
    }
  }

  void assemble(const Exec& exec, double cfl) const {
    for (std::size_t b = 0; b < m_problems.size(); ++b) {
      assemble_jacobian(exec, m_problems[b], m_conserved[b], cfl, m_jacobian.block(static_cast<int>(b)));
    }
    assemble_interfaces(exec, m_problems, m_conserved, m_jacobian);
  }

  double largest_fraction_of_change(const Exec& exec) const {
    double fraction = 1;
    for (std::size_t b = 0; b < m_problems.size(); ++b) {
      fraction = std::min(
          fraction, largest_fraction(exec, m_problems[b].gas, m_conserved[b], m_change.block(static_cast<int>(b))));
    }
    return fraction;
  }

  /// One implicit step; the CFL number is cut as long as the linear system cannot be solved.
  void take_step(const Exec& exec, StepReport& step) {
    for (int attempt = 0; attempt < 10; ++attempt, step.cfl /= 10) {
      assemble(exec, step.cfl);
      if (m_comparison && attempt == 0) m_comparison->add_system(exec, m_jacobian, m_negative_residual);
      auto const linear = m_linear.solve(exec, m_jacobian, m_negative_residual, m_change);
      step.linear_iterations += linear.iterations;
      if (!linear.usable) continue;
      step.fraction = largest_fraction_of_change(exec);
      if (!(step.fraction > 0.01)) continue;
      for (std::size_t b = 0; b < m_problems.size(); ++b) {
        add_change(exec, m_conserved[b], m_change.block(static_cast<int>(b)), m_options.damping * step.fraction);
      }
      return;
    }
    throw hyperplane::Error("step " + std::to_string(step.step) +
                            ": no time step leads to a state with positive density and pressure; start with a smaller "
                            "CFL number, or look at the grid and the boundary conditions");
  }

  /// Norm that the residual keeps by rounding alone.
  double round_off(const Exec& exec) const {
    double sum = 0;
    for (std::size_t b = 0; b < m_problems.size(); ++b) {
      sum += flux_scale_squared(exec, m_problems[b], m_conserved[b]);
    }
    return 10 * std::numeric_limits<double>::epsilon() * std::sqrt(sum);
  }

  SteadyOptions m_options;
  MeshBlocks m_blocks;
  // One for each grid block.
  std::vector<Problem<Exec>> m_problems;
  std::vector<Residual<Exec>> m_residuals;
  std::vector<Field<Exec>> m_conserved;
  typename LinearSolver<Exec>::Matrix m_jacobian;
  Vector m_negative_residual;
  Vector m_change;
  LinearSolver<Exec> m_linear;
  std::optional<LinearComparison<Exec>> m_comparison;
};

// Compiled once, in flow_solver.cpp.
extern template class FlowSolver<Kokkos::DefaultExecutionSpace>;

}  // namespace implicit_flow
