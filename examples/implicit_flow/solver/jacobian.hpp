// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../physics/dual.hpp"
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

/// Flux of first order through a face between two cells, times its area, of their primitive states. `area` points from
/// left to right, `volume` is the mean of both.
template <class L, class R>
KOKKOS_FUNCTION Quintet<Either<L, R>> first_order_flux(const Gas& gas, const Quintet<L>& left, const Quintet<R>& right,
                                                       const Vector3<Number<L>>& area, const Number<L>& volume) {
  auto f = interior_flux(gas, left, right, area);
  if (gas.viscosity > 0) {
    auto const viscous = thin_layer_flux(gas, left, right, area, volume);
    for (int e = 0; e < equations; ++e) f[e] += viscous[e];
  }
  return f;
}

/// Calls set_left(r, c, derivative of flux r by conserved variable c) for those of the left cell, and set_right for the
/// right one's. One cell after the other: what depends on the other alone then has no derivatives.
template <hyperplane::ExecutionSpace Exec, class S, class SetLeft, class SetRight>
KOKKOS_FUNCTION void differentiate_first_order_flux(const Gas& gas, const Quintet<S>& left, const Quintet<S>& right,
                                                    const Vector3<S>& area, const S& volume, const SetLeft& set_left,
                                                    const SetRight& set_right) {
  constexpr int m = columns_at_once<Exec>;
  auto const left_state = gas.primitive(left), right_state = gas.primitive(right);
  differentiate_flux<m>(
      gas, left,
      [&](const Quintet<Dual<m, S>>& state) { return first_order_flux(gas, state, right_state, area, volume); },
      set_left);
  differentiate_flux<m>(
      gas, right,
      [&](const Quintet<Dual<m, S>>& state) { return first_order_flux(gas, left_state, state, area, volume); },
      set_right);
}

/// The two off-diagonal blocks of each face between cells, which belong to the face alone: a launch for each direction.
template <int lanes, hyperplane::ExecutionSpace Exec, class Storage>
void assemble_fluxes(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved,
                     const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  auto const cells = problem.metrics.cells;
  auto const matrix = a.ref();
  for (int direction = 0; direction < directions; ++direction) {
    if (extent_along(cells, direction) == 1) continue;
    auto const upwards = neighbour_direction(direction, true), downwards = neighbour_direction(direction, false);
    // The faces between cells p and q.
    for_each_group<lanes>(
        exec, "implicit_flow::flux_jacobians", a.map(), KOKKOS_LAMBDA(const Group<lanes>& all) {
          auto p = all;
          if (!p.keep([&](const hyperplane::Point& cell) { return cells.contains(shifted(cell, direction, 1)); })) {
            return;
          }
          auto const q = shifted(p, direction, 1);
          auto const volume = 0.5 * (problem.metrics.volume(p) + problem.metrics.volume(q));
          auto const of_p = blocks_of(matrix, p, upwards), of_q = blocks_of(matrix, q, downwards);
          differentiate_first_order_flux<Exec>(
              problem.gas, load(conserved, p), load(conserved, q), problem.metrics.area(direction, q), volume,
              [&](int r, int c, const NumberWith<lanes>& value) { of_q.set(r, c, -value); },
              [&](int r, int c, const NumberWith<lanes>& value) { of_p.set(r, c, value); });
        });
  }
}

/// Diagonal blocks, from the off-diagonal ones and without boundaries: see assemble_jacobian().
template <int lanes, hyperplane::ExecutionSpace Exec, class Storage>
void assemble_diagonal(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved, double cfl,
                       const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  auto const cells = problem.metrics.cells;
  auto const matrix = a.ref();
  for_each_group<lanes>(
      exec, "implicit_flow::diagonal", a.map(), KOKKOS_LAMBDA(const Group<lanes>& p) {
        NumberWith<lanes> diagonal[equations][equations] = {};
        auto const inverse_time = spectral_radius(problem, problem.gas.primitive(load(conserved, p)), p) / cfl;
        for (int c = 0; c < equations; ++c) diagonal[c][c] = inverse_time;
        for (int side = 0; side < sides; ++side) {
          int const direction = side / 2;
          bool const upper = side % 2 == 1;
          auto neighbours = p;
          if (!neighbours.keep([&](const hyperplane::Point& cell) {
                return cells.contains(shifted(cell, direction, upper ? 1 : -1));
              })) {
            continue;
          }
          auto const blocks =
              blocks_of(matrix, shifted(neighbours, direction, upper ? 1 : -1), neighbour_direction(direction, !upper));
          for (int c = 0; c < equations; ++c) {
            for (int r = 0; r < equations; ++r) diagonal[r][c] -= blocks.get(r, c);
          }
        }
        auto const blocks = blocks_of(matrix, p, hyperplane::Direction::center);
        for (int c = 0; c < equations; ++c) {
          for (int r = 0; r < equations; ++r) blocks.set(r, c, diagonal[r][c]);
        }
      });
}

/// What boundaries add to the diagonal blocks. A launch of its own, in which most cells have nothing to do: the other
/// one needs far fewer registers without it.
template <hyperplane::ExecutionSpace Exec, class Storage>
void assemble_boundaries(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved,
                         const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  auto const cells = problem.metrics.cells;
  auto const matrix = a.ref();
  for_each_point(
      exec, "implicit_flow::boundary_jacobians", a.map(), KOKKOS_LAMBDA(const hyperplane::Point& p) {
        constexpr int m = columns_at_once<Exec>;
        for (int side = 0; side < sides; ++side) {
          int const direction = side / 2;
          bool const upper = side % 2 == 1;
          auto const neighbour = shifted(p, direction, upper ? 1 : -1);
          if (cells.contains(neighbour) || !problem.is_boundary(neighbour)) continue;
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
      });
}

/// a <- (volume / time step) I + d(first-order residual)/d(conserved variables), exact: fluxes and boundary conditions
/// are differentiated automatically. Local time steps of the given CFL number; infinity leaves the Jacobian alone.
///
/// No atomics: because whatever leaves one cell enters the next, the diagonal block is minus the sum of the neighbours'
/// blocks that look back, plus the boundary fluxes' derivatives. A thread works on `lanes` faces or cells at once.
/// Storage may be narrower than double. What interfaces add, assemble_interfaces() adds. Asynchronous; five launches at
/// most.
template <int lanes, hyperplane::ExecutionSpace Exec, class Storage>
void assemble_jacobian(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved, double cfl,
                       const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  assemble_fluxes<lanes>(exec, problem, conserved, a);
  assemble_diagonal<lanes>(exec, problem, conserved, cfl, a);
  assemble_boundaries(exec, problem, conserved, a);
}
template <hyperplane::ExecutionSpace Exec, class Storage>
void assemble_jacobian(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved, double cfl,
                       const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  assemble_jacobian<lanes_at_once<Exec>>(exec, problem, conserved, cfl, a);
}

}  // namespace implicit_flow
