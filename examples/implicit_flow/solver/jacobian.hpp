// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../physics/dual.hpp"
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

/// Of so many columns of derivatives, those that one pass of automatic differentiation computes: all of them on hosts,
/// whose vector registers they fill. On devices one, since more need more registers than a thread has; whatever does
/// not depend on the column is computed once for all passes all the same, because compilers take it out of the loop.
template <hyperplane::ExecutionSpace Exec, int columns>
inline constexpr int columns_at_once = hyperplane::HostExecutionSpace<Exec> ? columns : 1;

/// Flux through a face between two cells, times its area, with its derivatives by `m` of the conserved variables of
/// both, from number `first` on: those of `left` come first. `area` points from left to right, `volume` is the mean of
/// both.
template <int m>
KOKKOS_FUNCTION Quintet<Dual<m>> flux_with_derivatives(const Gas& gas, const Quintet<double>& left_state,
                                                       const Quintet<double>& right_state, const Vec3& area,
                                                       double volume, int first) {
  using Variable = Dual<m>;
  Quintet<Variable> left;
  Quintet<Variable> right;
  for (int c = 0; c < equations; ++c) {
    left[c] = Variable::variable(left_state[c], c - first);
    right[c] = Variable::variable(right_state[c], equations + c - first);
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

/// Calls set(r, c, derivative of flux r by conserved variable c) for all of both cells: c = 5, 6, ... are the right
/// one's.
template <hyperplane::ExecutionSpace Exec, class Set>
KOKKOS_FUNCTION void for_each_derivative(const Gas& gas, const Quintet<double>& left, const Quintet<double>& right,
                                         const Vec3& area, double volume, const Set& set) {
  constexpr int m = columns_at_once<Exec, 2 * equations>;
  for (int first = 0; first < 2 * equations; first += m) {
    auto const f = flux_with_derivatives<m>(gas, left, right, area, volume, first);
    for (int s = 0; s < m; ++s) {
      for (int r = 0; r < equations; ++r) set(r, first + s, f[r].derivative[s]);
    }
  }
}

/// The two off-diagonal blocks of each face between cells, which belong to the face alone: a launch for each direction.
template <hyperplane::ExecutionSpace Exec, class Storage>
void assemble_fluxes(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved,
                     const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  auto const cells = problem.metrics.cells;
  auto const matrix = a.ref();
  for (int direction = 0; direction < directions; ++direction) {
    if (extent_along(cells, direction) == 1) continue;
    auto const upwards = neighbour_direction(direction, true), downwards = neighbour_direction(direction, false);
    // The face between cells p and q.
    for_each_point(
        exec, "implicit_flow::flux_jacobians", a.map(), KOKKOS_LAMBDA(const hyperplane::Point& p) {
          auto const q = shifted(p, direction, 1);
          if (!cells.contains(q)) return;
          double const volume = 0.5 * (problem.metrics.volume(p) + problem.metrics.volume(q));
          for_each_derivative<Exec>(problem.gas, load(conserved, p), load(conserved, q),
                                    problem.metrics.area(direction, q), volume, [&](int r, int c, double value) {
                                      if (c < equations) {
                                        matrix(q, downwards, r, c) = static_cast<Storage>(-value);
                                      } else {
                                        matrix(p, upwards, r, c - equations) = static_cast<Storage>(value);
                                      }
                                    });
        });
  }
}

/// Diagonal blocks, from the off-diagonal ones and without boundaries: see assemble_jacobian().
template <hyperplane::ExecutionSpace Exec, class Storage>
void assemble_diagonal(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved, double cfl,
                       const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  auto const cells = problem.metrics.cells;
  auto const matrix = a.ref();
  for_each_point(
      exec, "implicit_flow::diagonal", a.map(), KOKKOS_LAMBDA(const hyperplane::Point& p) {
        double diagonal[equations][equations] = {};
        double const inverse_time = spectral_radius(problem, problem.gas.primitive(load(conserved, p)), p) / cfl;
        for (int c = 0; c < equations; ++c) diagonal[c][c] = inverse_time;
        for (int side = 0; side < sides; ++side) {
          int const direction = side / 2;
          bool const upper = side % 2 == 1;
          auto const neighbour = shifted(p, direction, upper ? 1 : -1);
          if (!cells.contains(neighbour)) continue;
          auto const back = neighbour_direction(direction, !upper);
          for (int c = 0; c < equations; ++c) {
            for (int r = 0; r < equations; ++r) diagonal[r][c] -= matrix(neighbour, back, r, c);
          }
        }
        for (int c = 0; c < equations; ++c) {
          for (int r = 0; r < equations; ++r) {
            matrix(p, hyperplane::Direction::center, r, c) = static_cast<Storage>(diagonal[r][c]);
          }
        }
      });
}

/// Adds to columns `first` and following of the diagonal block of cell p the derivatives of the flux out of it through
/// a boundary face by its conserved variables u.
template <int m, hyperplane::ExecutionSpace Exec, class Matrix>
KOKKOS_FUNCTION void add_boundary_derivatives(const Problem<Exec>& problem, const Quintet<double>& u, int side,
                                              const hyperplane::Point& p, int first, const Matrix& matrix) {
  Quintet<Dual<m>> w;
  for (int c = 0; c < equations; ++c) w[c] = Dual<m>::variable(u[c], c - first);
  auto const f = boundary_flux(problem.gas, problem.boundary.side[side].at(p.i), problem.boundary.free_stream,
                               problem.gas.primitive(w), outward_area(problem.metrics, side / 2, side % 2 == 1, p),
                               problem.metrics.volume(p));
  for (int s = 0; s < m; ++s) {
    for (int r = 0; r < equations; ++r) {
      auto& entry = matrix(p, hyperplane::Direction::center, r, first + s);
      entry += static_cast<std::remove_reference_t<decltype(entry)>>(f[r].derivative[s]);
    }
  }
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
        constexpr int m = columns_at_once<Exec, equations>;
        for (int side = 0; side < sides; ++side) {
          int const direction = side / 2;
          bool const upper = side % 2 == 1;
          auto const neighbour = shifted(p, direction, upper ? 1 : -1);
          if (cells.contains(neighbour) || !problem.is_boundary(neighbour)) continue;
          auto const u = load(conserved, p);
          for (int first = 0; first < equations; first += m) {
            add_boundary_derivatives<m>(problem, u, side, p, first, matrix);
          }
        }
      });
}

/// a <- (volume / time step) I + d(first-order residual)/d(conserved variables), exact: fluxes and boundary conditions
/// are differentiated automatically. Local time steps of the given CFL number; infinity leaves the Jacobian alone.
///
/// No atomics: because whatever leaves one cell enters the next, the diagonal block is minus the sum of the neighbours'
/// blocks that look back, plus the boundary fluxes' derivatives. Storage may be narrower than double. What interfaces
/// add, assemble_interfaces() adds. Asynchronous; five launches at most.
template <hyperplane::ExecutionSpace Exec, class Storage>
void assemble_jacobian(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved, double cfl,
                       const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  assemble_fluxes(exec, problem, conserved, a);
  assemble_diagonal(exec, problem, conserved, cfl, a);
  assemble_boundaries(exec, problem, conserved, a);
}

}  // namespace implicit_flow
