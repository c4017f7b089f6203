// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/jacobian.hpp"

namespace implicit_flow {

/// (dR/dU)^T of the residual R of a grid block without interfaces, of either order, by its conserved variables U: an
/// operator of Krylov methods. A value: kernels copy it.
///
/// Exact, limiter and ghost cells included, and without a matrix, which of second order would have twelve neighbours. A
/// cell differentiates the fluxes that depend on it, of 12 faces between cells and of boundaries, each weighted with
/// the difference of x between the cells that it flows from and to. So nothing is added by several threads.
template <hyperplane::ExecutionSpace Exec>
struct ResidualTransposed {
  Problem<Exec> problem;
  Field<Exec> conserved;
  Order order;

  /// Primitive state of cell q, or of the ghost cell that q is, along `direction`; with its derivatives by `m` of the
  /// conserved variables of cell p, from number `first` on.
  template <int m>
  KOKKOS_FUNCTION Quintet<Dual<m>> state(const hyperplane::Point& q, int direction, const hyperplane::Point& p,
                                         int first) const {
    bool const inside = problem.metrics.cells.contains(q), upper = index_along(q, direction) > 0;
    auto const cell = inside ? q : shifted(q, direction, upper ? -1 : 1);
    auto const values = load(conserved, cell);
    Quintet<Dual<m>> u;
    for (int c = 0; c < equations; ++c) u[c] = cell == p ? Dual<m>::variable(values[c], c - first) : Dual<m>(values[c]);
    auto const w = problem.gas.primitive(u);
    if (inside) return w;
    return ghost_state(problem.boundary.side[2 * direction + upper].at(cell.i), problem.boundary.free_stream, w,
                       unit(outward_area(problem.metrics, direction, upper, cell)));
  }

  /// The flux from the cell before q to q, as residuals have it.
  template <int m>
  KOKKOS_FUNCTION Quintet<Dual<m>> flux(const hyperplane::Point& q, int direction, const hyperplane::Point& p,
                                        int first) const {
    auto const before = shifted(q, direction, -1);
    FaceStates<Dual<m>> states;
    states.left = state<m>(before, direction, p, first);
    states.right = state<m>(q, direction, p, first);
    if (order == Order::second) {
      states.beyond_left = state<m>(shifted(before, direction, -1), direction, p, first);
      states.beyond_right = state<m>(shifted(q, direction, 1), direction, p, first);
    }
    double const volume = 0.5 * (problem.metrics.volume(before) + problem.metrics.volume(q));
    return face_flux(problem.gas, states, order, problem.metrics.area(direction, q), volume);
  }

  /// Adds to `sum`, from number `first` on, what the fluxes along `direction` have of x.
  template <int m, class X>
  KOKKOS_FUNCTION void add(const X& x, int direction, const hyperplane::Point& p, int first,
                           Quintet<double>& sum) const {
    auto const cells = problem.metrics.cells;
    auto const add_flux = [&](const Quintet<Dual<m>>& f, int e, double weight) {
      for (int s = 0; s < m; ++s) sum[first + s] += weight * f[e].derivative[s];
    };
    for (int by = -1; by <= 2; ++by) {
      auto const q = shifted(p, direction, by), before = shifted(q, direction, -1);
      if (!cells.contains(q) || !cells.contains(before)) continue;
      auto const f = flux<m>(q, direction, p, first);
      for (int e = 0; e < equations; ++e) add_flux(f, e, x(before, e) - x(q, e));
    }
    for (int upper = 0; upper < 2; ++upper) {
      if (cells.contains(shifted(p, direction, upper ? 1 : -1))) continue;
      auto const f = boundary_flux(problem.gas, problem.boundary.side[2 * direction + upper].at(p.i),
                                   problem.boundary.free_stream, state<m>(p, direction, p, first),
                                   outward_area(problem.metrics, direction, upper == 1, p), problem.metrics.volume(p));
      for (int e = 0; e < equations; ++e) add_flux(f, e, x(p, e));
    }
  }
};

template <hyperplane::ExecutionSpace Exec>
struct ApplyTransposed {
  ResidualTransposed<Exec> a;
  typename hyperplane::BlockVector<double, equations, Exec>::Ref from;
  typename hyperplane::BlockVector<double, equations, Exec>::Ref to;

  KOKKOS_FUNCTION void operator()(const hyperplane::Point& p) const {
    constexpr int m = columns_at_once<Exec>;
    Quintet<double> sum{};
    for (int direction = 0; direction < directions; ++direction) {
      for (int first = 0; first < equations; first += m) a.template add<m>(from, direction, p, first, sum);
    }
    for (int c = 0; c < equations; ++c) to(p, c) = sum[c];
  }
};

/// y = (dR/dU)^T x. Asynchronous; one launch.
template <hyperplane::ExecutionSpace Exec>
void apply(const Exec& exec, const ResidualTransposed<Exec>& a,
           const hyperplane::BlockVector<double, equations, Exec>& x,
           const hyperplane::BlockVector<double, equations, Exec>& y) {
  for_each_point(exec, "implicit_flow::residual_transposed", x.map(), ApplyTransposed<Exec>{a, x.ref(), y.ref()});
}

}  // namespace implicit_flow
