// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../channel.hpp"
#include "equation.hpp"
#include "momentum.hpp"
#include "pressure.hpp"
#include "solution.hpp"
#include "steady.hpp"

#include <hyperplane/stencil/convert.hpp>

#include <vector>

namespace backward_facing_step {

template <hyperplane::ExecutionSpace Exec>
struct SetStart {
  Channel c;
  double rate;
  typename Field<Exec>::Ref u;

  KOKKOS_FUNCTION void operator()(int i, int j) const {
    double const eta = c.y(j + 0.5) / Channel::height;
    bool const before = i <= c.inlet_cells;
    u(i, j, 0, 0) = before ? c.inflow(j) : 6 * eta * (1 - eta) * rate / Channel::height;
  }
};

/// The inflow's flow rate everywhere, in the profile of a plane channel behind the step.
template <hyperplane::ExecutionSpace Exec>
void set_start(const Exec& exec, const Channel& c, const typename Field<Exec>::Ref& u) {
  for_each_point(exec, "backward_facing_step::set_start", c.u_faces(), SetStart<Exec>{c, c.flow_rate(), u});
}

/// Steady laminar flow of an incompressible fluid by SIMPLEC (J. P. Van Doormaal, G. D. Raithby, "Enhancements of the
/// SIMPLE method for predicting incompressible fluid flows", doi:10.1080/01495728408961817) on a staggered grid. All
/// fields stay in the memory of the execution space.
template <hyperplane::ExecutionSpace Exec>
class SimpleSolver {
 public:
  SimpleSolver(const Exec& exec, const Channel& channel, const SteadyOptions& options)
      : m_channel(channel),
        m_options(options),
        m_u(exec, channel.u_faces()),
        m_v(exec, channel.v_faces()),
        m_p(exec, channel.cells()),
        m_response_u(exec, channel.u_faces()),
        m_response_v(exec, channel.v_faces()),
        m_correction(exec, channel.cells()),
        m_equation_u(exec, channel.u_faces(), options.momentum),
        m_equation_v(exec, channel.v_faces(), options.momentum),
        m_equation_p(exec, channel.cells(), options.pressure) {
    if (!(options.relaxation > 0 && options.relaxation < 1)) {
      throw hyperplane::Error("the relaxation must be more than 0 and less than 1");
    }
    set_start(exec, channel, m_u.ref());
  }

  /// Iterates until the flow is steady, or as often as is allowed; report(SimpleReport) after each iteration.
  template <class Report>
  SteadyResult run(const Exec& exec, const Report& report) {
    SteadyResult result{false, {}};
    for (int i = 1; i <= m_options.max_iterations && !result.converged; ++i) {
      result.last = iterate(exec);
      result.last.iteration = i;
      report(result.last);
      result.converged = result.last.largest() < m_options.tolerance;
    }
    return result;
  }

  /// Those of the last iteration.
  const Equation<Exec>& equation_u() const { return m_equation_u; }
  const Equation<Exec>& equation_v() const { return m_equation_v; }
  const Equation<Exec>& equation_p() const { return m_equation_p; }

  /// Waits for the instance.
  Solution solution(const Exec& exec) const {
    return {m_channel, on_host(exec, m_u), on_host(exec, m_v), on_host(exec, m_p)};
  }

 private:
  SimpleReport iterate(const Exec& exec) {
    FlowRef<Exec> const flow{m_u.ref(), m_v.ref(), m_p.ref()};
    auto const target = [&](const Equation<Exec>& equation, const Field<Exec>& response) {
      return MomentumTarget<Exec>{equation.matrix().ref(), equation.rhs().ref(), response.ref(), m_options.relaxation};
    };
    double const rate = m_channel.flow_rate();
    double const momentum = rate * rate / (Channel::height - m_channel.y(m_channel.step_cells));
    SimpleReport report{};

    assemble_u(exec, m_channel, flow, target(m_equation_u, m_response_u));
    assemble_v(exec, m_channel, flow, target(m_equation_v, m_response_v));
    report.u = m_equation_u.imbalance(exec, m_u) / momentum;
    report.v = m_equation_v.imbalance(exec, m_v) / momentum;
    m_equation_u.improve(exec, m_u);
    m_equation_v.improve(exec, m_v);

    assemble_pressure(exec, m_channel, flow, m_response_u.ref(), m_response_v.ref(), m_equation_p);
    report.mass = one_norm(exec, m_equation_p.rhs()) / rate;
    Kokkos::deep_copy(exec, m_correction.flat(), 0.0);
    m_equation_p.improve(exec, m_correction);
    correct(exec, m_channel, flow, m_response_u.ref(), m_response_v.ref(), m_correction.ref());
    return report;
  }

  static std::vector<double> on_host(const Exec& exec, const Field<Exec>& field) {
    Kokkos::View<double*, Exec> const values("backward_facing_step::values", field.grid().size());
    hyperplane::unpack(exec, field, values);
    std::vector<double> result(values.size());
    Kokkos::View<double*, Kokkos::HostSpace> const target(result.data(), result.size());
    Kokkos::deep_copy(exec, target, values);
    exec.fence("backward_facing_step::solution");
    return result;
  }

  Channel m_channel;
  SteadyOptions m_options;
  Field<Exec> m_u;
  Field<Exec> m_v;
  Field<Exec> m_p;
  Field<Exec> m_response_u;
  Field<Exec> m_response_v;
  Field<Exec> m_correction;
  Equation<Exec> m_equation_u;
  Equation<Exec> m_equation_v;
  Equation<Exec> m_equation_p;
};

}  // namespace backward_facing_step
