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

/// a <- (volume / time step) I + d(first-order residual)/d(conserved variables), exact: fluxes and boundary conditions
/// are differentiated automatically. Local time steps of the given CFL number; infinity leaves the Jacobian alone.
///
/// Two launches and no atomics: faces write the two off-diagonal blocks that they own; because whatever leaves one cell
/// enters the next, the diagonal block is then minus the sum of the neighbours' blocks that look back, plus the
/// boundary fluxes' derivatives. Storage may be narrower than double.
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
          using Variable = Dual<2 * equations>;
          auto const q = shifted(p, direction, 1);
          Quintet<Variable> left;
          Quintet<Variable> right;
          for (int c = 0; c < equations; ++c) {
            left[c] = Variable::variable(conserved(p.i, p.j, p.k, c), c);
            right[c] = Variable::variable(conserved(q.i, q.j, q.k, c), equations + c);
          }
          left = problem.gas.primitive(left);
          right = problem.gas.primitive(right);
          Vec3 const area = problem.metrics.area(direction, q);
          auto f = interior_flux(problem.gas, left, right, area);
          if (problem.gas.viscosity > 0) {
            double const volume = 0.5 * (problem.metrics.volume(p) + problem.metrics.volume(q));
            auto const viscous = thin_layer_flux(problem.gas, left, right, area, volume);
            for (int e = 0; e < equations; ++e) f[e] += viscous[e];
          }
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
