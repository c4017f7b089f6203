// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../physics/dual.hpp"
#include "../physics/inviscid_derivative.hpp"
#include "group_blocks.hpp"
#include "residual.hpp"

#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <type_traits>

namespace implicit_flow {

/// The neighbour behind the lower or upper face in a grid direction.
KOKKOS_INLINE_FUNCTION hyperplane::Direction neighbour_direction(int direction, bool upper) {
  using enum hyperplane::Direction;
  switch (direction) {
    case 0: return upper ? east : west;
    case 1: return upper ? north : south;
    default: return upper ? top : bottom;
  }
}

/// Sum of the spectral radii of the fluxes through a cell, or each cell of a group, which over the CFL number is volume
/// / time step.
template <hyperplane::ExecutionSpace Exec, class S, class Place>
KOKKOS_FUNCTION S spectral_radius(const Problem<Exec>& problem, const Quintet<S>& w, const Place& p) {
  auto const& metrics = problem.metrics;
  S const c2 = problem.gas.sound_speed_squared(w);
  S sum = 0;
  for (int direction = 0; direction < directions; ++direction) {
    auto const area = 0.5 * (metrics.area(direction, p) + metrics.area(direction, shifted(p, direction, 1)));
    S const size2 = dot(area, area);
    sum += abs(w[1] * area.x + w[2] * area.y + w[3] * area.z) + sqrt(c2 * size2);
    if (problem.gas.viscosity > 0) {
      S const mu = problem.gas.viscosity_at(c2);
      sum += 2.0 * problem.gas.gamma * mu * size2 / (problem.gas.prandtl * w[0] * metrics.volume(p));
    }
  }
  return sum;
}

/// Of the derivatives by the variables of a cell, those that one pass of automatic differentiation computes: all of
/// them on hosts. On devices one, since more need more registers than a thread has; whatever does not depend on the
/// column is computed once for all passes all the same, because compilers take it out of the loop.
template <hyperplane::ExecutionSpace Exec>
inline constexpr int columns_at_once = hyperplane::HostExecutionSpace<Exec> ? equations : 1;

/// Calls set(r, c, derivative of the flux r that flux(w) returns by conserved variable c), where w is the primitive
/// state of the conserved variables u.
template <int m, class S, class Flux, class Set>
KOKKOS_FUNCTION void differentiate_flux(const Gas& gas, const Quintet<S>& u, const Flux& flux, const Set& set) {
  for (int first = 0; first < equations; first += m) {
    Quintet<Dual<m, S>> variables;
    for (int c = 0; c < equations; ++c) variables[c] = Dual<m, S>::variable(u[c], c - first);
    auto const f = flux(gas.primitive(variables));
    for (int s = 0; s < m; ++s) {
      for (int r = 0; r < equations; ++r) set(r, first + s, f[r].derivative[s]);
    }
  }
}

/// Calls set(c, derivatives of the first-order flux out of a cell into its neighbour by conserved variable c of the
/// cell) for each variable. `area` points out of the cell, `volume` is the mean of both.
template <class S, class Set>
KOKKOS_FUNCTION void differentiate_outflow(const Gas& gas, const Quintet<S>& cell, const Quintet<S>& neighbour,
                                           const Vector3<S>& area, const S& volume, const Set& set) {
  auto const behind = gas.primitive(neighbour);
  S const size = norm(area);
  RoeDerivative<S> const inviscid(gas, gas.primitive(cell), behind, unit(area));
  inviscid.by_conserved([&](int c, const Quintet<S>& derivatives) {
    Quintet<S> column;
    for (int e = 0; e < equations; ++e) column[e] = size * derivatives[e];
    if (gas.viscosity > 0) {
      Quintet<Dual<1, S>> variables;
      for (int v = 0; v < equations; ++v) variables[v] = Dual<1, S>::variable(cell[v], v - c);
      auto const viscous = thin_layer_flux(gas, gas.primitive(variables), behind, area, volume);
      for (int e = 0; e < equations; ++e) column[e] += viscous[e].derivative[0];
    }
    set(c, column);
  });
}

template <int lanes, hyperplane::ExecutionSpace Exec, class Storage>
struct AssembleColumns {
  Problem<Exec> problem;
  Field<Exec> conserved;
  double cfl;
  typename hyperplane::BlockStencil7<double, equations, Exec, Storage>::Ref matrix;

  KOKKOS_FUNCTION void operator()(const Group<lanes>& group) const {
    using S = NumberWith<lanes>;
    S diagonal[equations][equations] = {};
    S const inverse_time = spectral_radius(problem, problem.gas.primitive(load(conserved, group)), group) / cfl;
    for (int c = 0; c < equations; ++c) diagonal[c][c] = inverse_time;
    for (int side = 0; side < sides; ++side) {
      int const direction = side / 2;
      bool const upper = side % 2 == 1;
      auto p = group;
      if (!p.keep([&](const hyperplane::Point& cell) {
            return problem.metrics.cells.contains(shifted(cell, direction, upper ? 1 : -1));
          })) {
        continue;
      }
      S const counts = p.points();
      auto const q = shifted(p, direction, upper ? 1 : -1);
      auto const blocks = blocks_of(matrix, q, neighbour_direction(direction, !upper));
      differentiate_outflow(
          problem.gas, load(conserved, p), load(conserved, q), outward_area(problem.metrics, direction, upper, p),
          0.5 * (problem.metrics.volume(p) + problem.metrics.volume(q)), [&](int c, const Quintet<S>& column) {
            for (int r = 0; r < equations; ++r) {
              blocks.set(r, c, -column[r]);
              diagonal[r][c] += counts * column[r];
            }
          });
    }
    auto const blocks = blocks_of(matrix, group, hyperplane::Direction::center);
    for (int c = 0; c < equations; ++c) {
      for (int r = 0; r < equations; ++r) blocks.set(r, c, diagonal[r][c]);
    }
  }
};

/// The derivatives by the variables of a cell of all fluxes between it and its neighbours: in its own row of the matrix
/// their sum, in those of the neighbours what enters them. So a cell has a column of the matrix to itself.
template <int lanes, hyperplane::ExecutionSpace Exec, class Storage>
void assemble_columns(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved, double cfl,
                      const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  for_each_group<lanes>(exec, "implicit_flow::jacobian", a.map(),
                        AssembleColumns<lanes, Exec, Storage>{problem, conserved, cfl, a.ref()});
}

template <hyperplane::ExecutionSpace Exec, class Storage>
struct AssembleBoundaries {
  Problem<Exec> problem;
  Field<Exec> conserved;
  typename hyperplane::BlockStencil7<double, equations, Exec, Storage>::Ref matrix;

  KOKKOS_FUNCTION void operator()(const hyperplane::Point& p) const {
    constexpr int m = columns_at_once<Exec>;
    for (int side = 0; side < sides; ++side) {
      int const direction = side / 2;
      bool const upper = side % 2 == 1;
      auto const neighbour = shifted(p, direction, upper ? 1 : -1);
      if (problem.metrics.cells.contains(neighbour) || !problem.is_boundary(neighbour)) continue;
      differentiate_flux<m>(
          problem.gas, load(conserved, p),
          [&](const Quintet<Dual<m>>& w) {
            return boundary_flux(problem.gas, problem.boundary.side[side].at(p.i), problem.boundary.free_stream, w,
                                 outward_area(problem.metrics, direction, upper, p), problem.metrics.volume(p));
          },
          [&](int r, int c, double value) {
            matrix(p, hyperplane::Direction::center, r, c) += static_cast<Storage>(value);
          });
    }
  }
};

/// What boundaries add to the diagonal blocks. A launch of its own, in which most cells have nothing to do: the other
/// one needs far fewer registers without it.
template <hyperplane::ExecutionSpace Exec, class Storage>
void assemble_boundaries(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved,
                         const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  for_each_point(exec, "implicit_flow::boundary_jacobians", a.map(),
                 AssembleBoundaries<Exec, Storage>{problem, conserved, a.ref()});
}

/// a <- (volume / time step) I + d(first-order residual)/d(conserved variables), exact: viscous fluxes and boundary
/// conditions are differentiated automatically, Roe's flux by RoeDerivative. Local time steps of the given CFL number;
/// infinity leaves the Jacobian alone.
///
/// No atomics: because whatever leaves one cell enters the next, a thread that differentiates the fluxes by the
/// variables of a cell has all blocks of these derivatives, its own and those of the neighbours that look back; those
/// of boundary fluxes follow. A thread works on `lanes` cells at once. Storage may be narrower than double. What
/// interfaces add, assemble_interfaces() adds. Asynchronous; two launches.
template <int lanes, hyperplane::ExecutionSpace Exec, class Storage>
void assemble_jacobian(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved, double cfl,
                       const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  assemble_columns<lanes>(exec, problem, conserved, cfl, a);
  assemble_boundaries(exec, problem, conserved, a);
}
template <hyperplane::ExecutionSpace Exec, class Storage>
void assemble_jacobian(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved, double cfl,
                       const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  assemble_jacobian<lanes_at_once<Exec>>(exec, problem, conserved, cfl, a);
}

}  // namespace implicit_flow
