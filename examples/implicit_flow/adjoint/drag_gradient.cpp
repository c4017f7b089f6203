// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "drag_gradient.hpp"

#include "linearized_drag.hpp"

#include <hyperplane/core/error.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>

#include <cstdio>
#include <fstream>
#include <string>

namespace implicit_flow {

void check_drag_gradient(const CaseOptions& options) {
  if (options.kind != CaseKind::wedge || !options.grid_file.empty()) {
    throw hyperplane::Error("--adjoint: it is for the wedge on its own grid, which the ramp's angle changes");
  }
  if (int const count = options.parts[0] * options.parts[1] * options.parts[2]; count > 1) {
    throw hyperplane::Error("--adjoint: it is for one grid block, and there are " + std::to_string(count));
  }
}

DragGradient drag_gradient(const Kokkos::DefaultExecutionSpace& exec, const CaseOptions& options, Order order,
                           const Solution& flow) {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Vector = LinearizedDrag<Exec>::Vector;
  LinearizedDrag<Exec> const linearized(exec, options, order, flow);
  auto const& a = linearized.jacobian();
  hyperplane::BlockIlu0<double, equations, Exec> m(exec, a.grid());
  m.factor(exec, a);
  hyperplane::require(m.status(exec).ok(), "the adjoint system: the factorization of its matrix is singular");
  // The solution is - lambda.
  Vector const adjoint(exec, a.grid(), "adjoint");
  hyperplane::Fgmres<Vector> const fgmres(exec, a.grid(), {.tolerance = 1e-12, .max_iterations = 2000, .restart = 60});
  auto const solve = [&](const auto& a_transposed) {
    return fgmres.solve(exec, a_transposed, transposed(m), linearized.drag_by_flow(), adjoint);
  };
  auto const result = order == Order::first ? solve(transposed(a)) : solve(linearized.residual_transposed(exec));
  hyperplane::require(result.converged(), "the adjoint system: " + result.message());
  auto const by = [&](Parameter parameter) {
    auto const [residual, drag] = linearized.by(exec, parameter);
    return drag - dot(exec, adjoint, residual);
  };
  return {linearized.drag(), by(Parameter::mach), by(Parameter::angle), result.iterations};
}

void report(const DragGradient& gradient, const std::filesystem::path& folder) {
  std::printf("\nadjoint system: %d iterations of FGMRES\n", gradient.iterations);
  std::printf(
      "drag coefficient %.8f, its derivatives %.8f by the Mach number and %.8f by the ramp's angle, per degree\n",
      gradient.drag, gradient.by_mach, gradient.by_angle);
  auto const file = folder / gradient_file;
  std::ofstream out(file);
  out.precision(16);
  out << "quantity,value\ndrag coefficient," << gradient.drag << "\nby Mach number," << gradient.by_mach
      << "\nby angle [1/degrees]," << gradient.by_angle << '\n';
  out.close();
  if (!out) throw hyperplane::Error(file.string() + ": cannot be written");
}

}  // namespace implicit_flow
