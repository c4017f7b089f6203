// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../physics/dual.hpp"
#include "residual.hpp"

#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

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

/// Sum of the spectral radii of the fluxes through a cell, which over the CFL number is volume / time step.
template <hyperplane::ExecutionSpace Exec>
KOKKOS_FUNCTION double spectral_radius(const Problem<Exec>& problem, const Quintet<double>& w,
                                       const hyperplane::Point& p) {
  auto const& metrics = problem.metrics;
  double const c2 = problem.gas.sound_speed_squared(w);
  double sum = 0;
  for (int direction = 0; direction < directions; ++direction) {
    Vec3 const area = 0.5 * (metrics.area(direction, p) + metrics.area(direction, shifted(p, direction, 1)));
    double const size2 = dot(area, area);
    sum += Kokkos::abs(w[1] * area.x + w[2] * area.y + w[3] * area.z) + Kokkos::sqrt(c2 * size2);
    if (problem.gas.viscosity > 0) {
      double const mu = problem.gas.viscosity_at(c2);
      sum += 2 * problem.gas.gamma * mu * size2 / (problem.gas.prandtl * w[0] * metrics.volume(p));
    }
  }
  return sum;
}

/// Flux through a face between two cells, times its area, with its derivatives by the conserved variables of both:
/// those of `left` come first. `area` points from left to right, `volume` is the mean of both.
KOKKOS_INLINE_FUNCTION Quintet<Dual<2 * equations>> flux_with_derivatives(const Gas& gas,
                                                                          const Quintet<double>& left_state,
                                                                          const Quintet<double>& right_state,
                                                                          const Vec3& area, double volume) {
  using Variable = Dual<2 * equations>;
  Quintet<Variable> left;
  Quintet<Variable> right;
  for (int c = 0; c < equations; ++c) {
    left[c] = Variable::variable(left_state[c], c);
    right[c] = Variable::variable(right_state[c], equations + c);
  }
  left = gas.primitive(left);
  right = gas.primitive(right);
  auto f = interior_flux(gas, left, right, area);
  if (gas.viscosity > 0) {
    auto const viscous = thin_layer_flux(gas, left, right, area, volume);
    for (int e = 0; e < equations; ++e) f[e] += viscous[e];
  }
  return f;
}

/// a <- (volume / time step) I + d(first-order residual)/d(conserved variables), exact: fluxes and boundary conditions
/// are differentiated automatically. Local time steps of the given CFL number; infinity leaves the Jacobian alone.
///
/// Two launches and no atomics: faces write the two off-diagonal blocks that they own; because whatever leaves one cell
/// enters the next, the diagonal block is then minus the sum of the neighbours' blocks that look back, plus the
/// boundary fluxes' derivatives. Storage may be narrower than double. What interfaces add, assemble_interfaces() adds.
template <hyperplane::ExecutionSpace Exec, class Storage>
void assemble_jacobian(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved, double cfl,
                       const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  auto const cells = problem.metrics.cells;
  auto const matrix = a.ref();

  for (int direction = 0; direction < directions; ++direction) {
    if (extent_along(cells, direction) == 1) continue;
    // Face number p is the one between cells p and p + 1.
    auto inner = shifted({cells.ni(), cells.nj(), cells.nk()}, direction, -1);
    for_each_point(
        exec, "implicit_flow::flux_jacobians", hyperplane::Grid(inner.i, inner.j, inner.k),
        KOKKOS_LAMBDA(const hyperplane::Point& p) {
          auto const q = shifted(p, direction, 1);
          double const volume = 0.5 * (problem.metrics.volume(p) + problem.metrics.volume(q));
          auto const f = flux_with_derivatives(problem.gas, load(conserved, p), load(conserved, q),
                                               problem.metrics.area(direction, q), volume);
          for (int c = 0; c < equations; ++c) {
            for (int r = 0; r < equations; ++r) {
              matrix(p, neighbour_direction(direction, true), r, c) =
                  static_cast<Storage>(f[r].derivative[equations + c]);
              matrix(q, neighbour_direction(direction, false), r, c) = static_cast<Storage>(-f[r].derivative[c]);
            }
          }
        });
  }

  for_each_point(
      exec, "implicit_flow::diagonal", cells, KOKKOS_LAMBDA(const hyperplane::Point& p) {
        auto const u = load(conserved, p);
        double diagonal[equations][equations] = {};
        double const inverse_time = spectral_radius(problem, problem.gas.primitive(u), p) / cfl;
        for (int c = 0; c < equations; ++c) diagonal[c][c] = inverse_time;
        for (int side = 0; side < sides; ++side) {
          int const direction = side / 2;
          bool const upper = side % 2 == 1;
          auto const neighbour = shifted(p, direction, upper ? 1 : -1);
          if (cells.contains(neighbour)) {
            auto const back = neighbour_direction(direction, !upper);
            for (int c = 0; c < equations; ++c) {
              for (int r = 0; r < equations; ++r) diagonal[r][c] -= matrix(neighbour, back, r, c);
            }
            continue;
          }
          if (problem.neighbours.volume(direction, upper, p) > 0) continue;
          using Variable = Dual<equations>;
          Quintet<Variable> w;
          for (int c = 0; c < equations; ++c) w[c] = Variable::variable(u[c], c);
          w = problem.gas.primitive(w);
          auto const f =
              boundary_flux(problem.gas, problem.boundary.side[side].at(p.i), problem.boundary.free_stream, w,
                            outward_area(problem.metrics, direction, upper, p), problem.metrics.volume(p));
          for (int c = 0; c < equations; ++c) {
            for (int r = 0; r < equations; ++r) diagonal[r][c] += f[r].derivative[c];
          }
        }
        for (int c = 0; c < equations; ++c) {
          for (int r = 0; r < equations; ++r) {
            matrix(p, hyperplane::Direction::center, r, c) = static_cast<Storage>(diagonal[r][c]);
          }
        }
      });
}

}  // namespace implicit_flow
