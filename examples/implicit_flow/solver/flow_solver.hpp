// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "interfaces.hpp"
#include "jacobian.hpp"
#include "kernels.hpp"
#include "linear_comparison.hpp"
#include "linear_solver.hpp"
#include "one_process.hpp"
#include "solution.hpp"
#include "steady.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
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
///
/// Processes says where the grid blocks are. What all processes do together is all but comparison().
template <hyperplane::ExecutionSpace Exec, class Processes = OneProcess<Exec>>
class FlowSolver {
 public:
  /// Starts with the free stream everywhere. Each grid block has its boundary conditions, which hold where it has no
  /// interface. Throws hyperplane::Error where a mesh has a cell without volume.
  FlowSolver(const Exec& exec, const Processes& processes, const MeshBlocks& blocks, const Gas& gas,
             const std::vector<BoundaryConditions>& boundary, const SteadyOptions& options)
      : m_options(options),
        m_blocks(blocks),
        m_gas(gas),
        m_processes(processes),
        m_numbers(processes.blocks()),
        m_problems(make_problems(exec, gas, boundary)),
        m_residuals(make_residuals(exec)),
        m_conserved(make_conserved(exec)),
        m_values(exec, m_problems.size()),
        m_ghosts_of_primitive(ghosts_of_primitive(exec, processes, m_residuals)),
        m_ghosts_of_conserved(ghosts_of_conserved(exec, processes, m_conserved)),
        m_jacobian(exec, processes.grid(), "Jacobian"),
        m_negative_residual(exec, processes.grid(), "negative residual"),
        m_change(exec, processes.grid(), "change"),
        m_linear(exec, processes.grid(), options.linear) {
    if (options.compare) m_comparison.emplace(exec, processes.grid(), options.linear);
  }
  /// In one process.
  FlowSolver(const Exec& exec, const MeshBlocks& blocks, const Gas& gas,
             const std::vector<BoundaryConditions>& boundary, const SteadyOptions& options)
    requires std::same_as<Processes, OneProcess<Exec>>
      : FlowSolver(exec, OneProcess<Exec>(blocks.cells), blocks, gas, boundary, options) {}

  /// Steps until the residual has fallen far enough or the steps are spent; `report` is called after each of them.
  /// Throws hyperplane::Error when no time step, however small, leads to a physical state.
  SteadyResult run(const Exec& exec, const std::function<void(const StepReport&)>& report) {
    SteadyResult result{false, 0, 1, 0};
    double first = 0;
    double cfl = m_options.cfl;
    double penalty = 1;  // on the CFL number after a step that had to be cut short
    for (;; ++result.steps) {
      evaluate_residual(exec);
      double const norm = std::sqrt(m_processes.sum(dot(exec, m_negative_residual, m_negative_residual)));
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

  /// Of the last step, and the residual after it.
  const typename Processes::Matrix& jacobian() const { return m_jacobian; }
  const typename Processes::Vector& negative_residual() const { return m_negative_residual; }

  /// Copies the flow on each grid block to the host of the process that speaks; elsewhere there is nothing.
  std::vector<Solution> solutions(const Exec& exec) const {
    std::vector<std::vector<Quintet<double>>> own;
    for (std::size_t b = 0; b < m_problems.size(); ++b) {
      own.push_back(primitive_states(exec, m_problems[b], m_conserved[b]));
    }
    std::vector<Solution> result;
    for (auto& cells : m_processes.gather(std::move(own))) {
      result.push_back({m_blocks.meshes[result.size()], m_gas, std::move(cells)});
    }
    return result;
  }

 private:
  using Vector = typename Processes::Vector;

  std::vector<Problem<Exec>> make_problems(const Exec& exec, const Gas& gas,
                                           const std::vector<BoundaryConditions>& boundary) const {
    std::vector<Problem<Exec>> result;
    m_processes.agree([&] {
      for (int const number : m_numbers) {
        auto const b = static_cast<std::size_t>(number);
        try {
          result.push_back({gas, boundary[b], compute_metrics(exec, m_blocks.meshes[b])});
        } catch (const hyperplane::Error& error) {
          if (m_blocks.meshes.size() == 1) throw;
          throw hyperplane::Error("grid block " + std::to_string(b) + ": " + error.what());
        }
      }
    });
    fill_volumes(exec, m_processes, result);
    return result;
  }
  std::vector<Residual<Exec>> make_residuals(const Exec& exec) const {
    return m_processes.agree([&] {
      std::vector<Residual<Exec>> result;
      for (auto const& problem : m_problems) result.emplace_back(exec, problem);
      return result;
    });
  }
  /// The free stream everywhere.
  std::vector<Field<Exec>> make_conserved(const Exec& exec) const {
    return m_processes.agree([&] {
      std::vector<Field<Exec>> result;
      for (auto const& problem : m_problems) {
        auto const& cells = problem.metrics.cells;
        result.push_back(make_field(exec, "conserved", cells));
        fill(exec, result.back(), cells, m_gas.conserved(problem.boundary.free_stream));
      }
      return result;
    });
  }

  void evaluate_residual(const Exec& exec) const {
    for (std::size_t b = 0; b < m_problems.size(); ++b) m_residuals[b].compute_primitive(exec, m_conserved[b]);
    m_ghosts_of_primitive.fill(exec);
    for (std::size_t b = 0; b < m_problems.size(); ++b) {
      m_residuals[b].sum_fluxes(exec, m_options.order, m_negative_residual.block(m_numbers[b]));
    }
  }

  void assemble(const Exec& exec, double cfl) const {
    m_ghosts_of_conserved.fill(exec);
    auto const& grid = Processes::all_blocks(m_processes.grid());
    for (std::size_t b = 0; b < m_problems.size(); ++b) {
      int const number = m_numbers[b];
      assemble_jacobian(exec, m_problems[b], m_conserved[b], cfl, m_jacobian.block(number));
      assemble_interfaces(exec, grid.interfaces(number), m_problems[b], m_conserved[b], m_jacobian.block(number));
    }
  }

  double largest_fraction_of_change(const Exec& exec) const {
    for (std::size_t b = 0; b < m_problems.size(); ++b) {
      largest_fraction(exec, m_problems[b].gas, m_conserved[b], m_change.block(m_numbers[b]), m_values.at(b));
    }
    double fraction = 1;
    for (double const value : m_values.read(exec)) fraction = std::min(fraction, value);
    return m_processes.least(fraction);
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
        add_change(exec, m_conserved[b], m_change.block(m_numbers[b]), m_options.damping * step.fraction);
      }
      return;
    }
    throw hyperplane::Error("step " + std::to_string(step.step) +
                            ": no time step leads to a state with positive density and pressure; start with a smaller "
                            "CFL number, or look at the grid and the boundary conditions");
  }

  /// Norm that the residual keeps by rounding alone.
  double round_off(const Exec& exec) const {
    for (std::size_t b = 0; b < m_problems.size(); ++b) {
      flux_scale_squared(exec, m_problems[b], m_conserved[b], m_values.at(b));
    }
    double sum = 0;
    for (double const value : m_values.read(exec)) sum += value;
    return 10 * std::numeric_limits<double>::epsilon() * std::sqrt(m_processes.sum(sum));
  }

  SteadyOptions m_options;
  MeshBlocks m_blocks;
  Gas m_gas;
  Processes m_processes;
  /// Those of the grid blocks of this process, of which each has one of the following.
  std::vector<int> m_numbers;
  std::vector<Problem<Exec>> m_problems;
  std::vector<Residual<Exec>> m_residuals;
  std::vector<Field<Exec>> m_conserved;
  BlockValues<Exec> m_values;
  GhostCells<Processes> m_ghosts_of_primitive;
  GhostCells<Processes> m_ghosts_of_conserved;
  typename Processes::Matrix m_jacobian;
  Vector m_negative_residual;
  Vector m_change;
  LinearSolver<Processes> m_linear;
  std::optional<LinearComparison<Processes>> m_comparison;
};

// Compiled once, in flow_solver.cpp.
extern template class FlowSolver<Kokkos::DefaultExecutionSpace>;
// In flow_solver_float.cpp.
extern template class FlowSolver<Kokkos::DefaultExecutionSpace, OneProcess<Kokkos::DefaultExecutionSpace, float>>;

}  // namespace implicit_flow
