// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"
#include "../report/wall_forces.hpp"
#include "../solver/kernels.hpp"
#include "residual_transposed.hpp"

#include <hyperplane/stencil/convert.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace implicit_flow {

/// What the gradient is by.
enum class Parameter {
  mach,   ///< Mach number of the free stream
  angle,  ///< of the wedge's ramp, in degrees: the mesh changes with it
};

struct SubtractAndScale {
  const double* from;
  double factor;
  double* to;

  KOKKOS_FUNCTION void operator()(std::size_t index) const { to[index] = factor * (to[index] - from[index]); }
};

/// A steady flow over the wedge on one grid block and its drag, and what small changes do to both: derivatives of the
/// residual R of its order and of the drag coefficient J, by conserved variables U and by parameters a.
///
/// Where R(U, a) = 0, dJ/da = J_a + J_U dU/da with R_U dU/da = - R_a, or J_a + lambda^T R_a with R_U^T lambda = -
/// J_U^T. All functions wait for the instance.
template <hyperplane::ExecutionSpace Exec>
class LinearizedDrag {
 public:
  using Matrix = hyperplane::BlockStencil7<double, equations, Exec>;
  using Vector = hyperplane::BlockVector<double, equations, Exec>;

  /// By a parameter, of a flow that stays as it is.
  struct ByParameter {
    Vector residual;
    double drag;
  };

  /// `flow` is the steady flow of that order of the case that the options make.
  LinearizedDrag(const Exec& exec, const CaseOptions& options, Order order, const Solution& flow)
      : m_options(options),
        m_order(order),
        m_case(make_case(options)),
        m_flow(flow),
        m_conserved(make_field(exec, "conserved", grid())),
        m_jacobian(exec, grid(), "Jacobian"),
        m_drag_by_flow(exec, grid(), "drag by flow") {
    auto const conserved = Kokkos::create_mirror_view(m_conserved);
    for (std::int64_t number = 0; number < grid().size(); ++number) {
      store(conserved, grid().point(number), m_flow.gas.conserved(m_flow.cells[static_cast<std::size_t>(number)]));
    }
    Kokkos::deep_copy(exec, m_conserved, conserved);
    assemble_jacobian(exec, problem(exec, m_case), m_conserved, std::numeric_limits<double>::infinity(), m_jacobian);
    differentiate_drag(exec);
    exec.fence("implicit_flow::LinearizedDrag");
  }

  double drag() const { return drag(m_case); }
  /// R_U of the first order, whatever the order of the flow.
  const Matrix& jacobian() const { return m_jacobian; }
  /// R_U^T of the order of the flow.
  ResidualTransposed<Exec> residual_transposed(const Exec& exec) const {
    return {problem(exec, m_case), m_conserved, m_order};
  }
  /// J_U.
  const Vector& drag_by_flow() const { return m_drag_by_flow; }

  /// R_a and J_a by central differences, whose step balances their error and rounding.
  ByParameter by(const Exec& exec, Parameter parameter) const {
    double const value = parameter == Parameter::mach ? m_case.mach : m_options.ramp_degrees;
    double const step = std::cbrt(std::numeric_limits<double>::epsilon()) * value;
    auto const more = changed(parameter, value + step), less = changed(parameter, value - step);
    auto const residual = negative_residual(exec, less);
    subtract_and_scale(exec, negative_residual(exec, more), 0.5 / step, residual);
    return {residual, (drag(more) - drag(less)) * (0.5 / step)};
  }

  /// y = factor (y - x)
  static void subtract_and_scale(const Exec& exec, const Vector& x, double factor, const Vector& y) {
    auto const to = y.flat();
    Kokkos::parallel_for("implicit_flow::subtract_and_scale", Kokkos::RangePolicy<Exec>(exec, 0, to.size()),
                         SubtractAndScale{x.flat().data(), factor, to.data()});
    exec.fence("implicit_flow::subtract_and_scale");
  }

 private:
  const hyperplane::Grid& grid() const { return m_case.blocks.cells.block(0); }

  Case changed(Parameter parameter, double value) const {
    auto options = m_options;
    if (parameter == Parameter::mach) {
      options.mach = value;
    } else {
      options.ramp_degrees = value;
    }
    return make_case(options);
  }

  /// With the kinds of boundaries that the flow has: those of a changed case are others on the other side of Mach 1.
  Problem<Exec> problem(const Exec& exec, const Case& of) const {
    auto boundary = m_case.boundary.front();
    boundary.free_stream = of.boundary.front().free_stream;
    return {of.gas, boundary, compute_metrics(exec, of.blocks.meshes.front())};
  }

  Vector negative_residual(const Exec& exec, const Case& of) const {
    Vector const result(exec, grid(), "negative residual");
    Residual<Exec> const residual(exec, problem(exec, of));
    residual.evaluate(exec, m_conserved, m_order, result);
    exec.fence("implicit_flow::negative_residual");
    return result;
  }

  double drag(const Case& of) const {
    return measure_wall_forces({of.blocks.meshes.front(), of.gas, m_flow.cells}, of.mach, of.attack).drag;
  }

  void differentiate_drag(const Exec& exec) const {
    Field<Exec> const values("drag by flow", grid().ni(), grid().nj(), grid().nk(), equations);
    auto const host = Kokkos::create_mirror_view(values);
    Kokkos::deep_copy(host, 0.0);
    for (int k = 0; k < grid().nk(); ++k) {
      for (int i = 0; i < grid().ni(); ++i) {
        auto const state = m_flow.gas.conserved(m_flow.at(i, 0, k));
        Quintet<Dual<equations>> u;
        for (int c = 0; c < equations; ++c) u[c] = Dual<equations>::variable(state[c], c);
        auto const pressure = m_flow.gas.primitive(u)[4];
        double const drag = forces_of_pressure(m_flow.mesh, i, k, m_case.mach, m_case.attack).drag;
        for (int c = 0; c < equations; ++c) host(i, 0, k, c) = drag * pressure.derivative[c];
      }
    }
    Kokkos::deep_copy(exec, values, host);
    pack(exec, values, m_drag_by_flow, {.axes = hyperplane::AxisOrder::ijk});
    exec.fence("implicit_flow::differentiate_drag");
  }

  CaseOptions m_options;
  Order m_order;
  Case m_case;
  Solution m_flow;
  Field<Exec> m_conserved;
  Matrix m_jacobian;
  Vector m_drag_by_flow;
};

}  // namespace implicit_flow
