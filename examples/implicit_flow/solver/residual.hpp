// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../physics/boundary.hpp"
#include "metrics.hpp"
#include "steady.hpp"

#include <hyperplane/stencil/block_vector.hpp>

namespace implicit_flow {

/// What is solved on a grid block: gas, boundary conditions, and the mesh, whose volumes say where the sides are no
/// boundaries. A value: kernels copy it.
template <hyperplane::ExecutionSpace Exec>
struct Problem {
  Gas gas;
  BoundaryConditions boundary;
  Metrics<Exec> metrics;

  /// Whether the face between a cell on a side of the grid block and the cell outside of it, p, is a boundary.
  KOKKOS_FUNCTION bool is_boundary(const hyperplane::Point& p) const { return !(metrics.volume(p) > 0); }
};

/// Area vector of a cell's face on the given side, or of each of a group, pointing out of the cell.
template <hyperplane::ExecutionSpace Exec, class Place>
KOKKOS_FUNCTION auto outward_area(const Metrics<Exec>& metrics, int direction, bool upper, const Place& p) {
  return upper ? metrics.area(direction, shifted(p, direction, 1)) : -1.0 * metrics.area(direction, p);
}

/// Flux from one cell to the next through the face between them, times its area: shared by residual and Jacobian.
template <class L, class R>
KOKKOS_FUNCTION Quintet<Either<L, R>> interior_flux(const Gas& gas, const Quintet<L>& left, const Quintet<R>& right,
                                                    const Vector3<Number<L>>& area) {
  auto const size = norm(area);
  auto f = roe_flux(gas, left, right, unit(area));
  for (int e = 0; e < equations; ++e) f[e] = f[e] * size;
  return f;
}

/// Primitive states of the cells that the flux through a face depends on: those beyond the two next to it are for
/// second order.
template <class T>
struct FaceStates {
  Quintet<T> left{};
  Quintet<T> right{};
  Quintet<T> beyond_left{};
  Quintet<T> beyond_right{};
};

/// Differences below this fraction of the free stream's values (density 1, speed of sound 1) are not limited, which
/// keeps round-off from switching the limiter on and off.
inline constexpr double smallest_limited_difference = 0.05;

/// Flux through a face, of either order, times its area: interior_flux() with MUSCL reconstruction, and what viscosity
/// adds. `volume` is the mean of both cells.
template <class T>
KOKKOS_FUNCTION Quintet<T> face_flux(const Gas& gas, const FaceStates<T>& cell, Order order,
                                     const Vector3<Number<T>>& area, const Number<T>& volume) {
  auto left = cell.left;
  auto right = cell.right;
  if (order == Order::second) {
    constexpr double floor = smallest_limited_difference * smallest_limited_difference;
    for (int c = 0; c < equations; ++c) {
      T const middle = cell.right[c] - cell.left[c];
      left[c] += 0.5 * van_albada<T>(cell.left[c] - cell.beyond_left[c], middle, floor);
      right[c] -= 0.5 * van_albada<T>(middle, cell.beyond_right[c] - cell.right[c], floor);
    }
  }
  auto f = interior_flux(gas, left, right, area);
  if (gas.viscosity > 0) {
    auto const viscous = thin_layer_flux(gas, cell.left, cell.right, area, volume);
    for (int e = 0; e < equations; ++e) f[e] += viscous[e];
  }
  return f;
}

/// Whether the face between the cell before p and p, along `direction`, is a boundary.
template <hyperplane::ExecutionSpace Exec>
KOKKOS_FUNCTION bool is_at_boundary(const Problem<Exec>& problem, int direction, const hyperplane::Point& p) {
  int const index = index_along(p, direction);
  if (index == 0) return problem.is_boundary(shifted(p, direction, -1));
  return index == extent_along(problem.metrics.cells, direction) && problem.is_boundary(p);
}

/// The flux from the cell before p to p where the face between them is a boundary.
template <hyperplane::ExecutionSpace Exec>
KOKKOS_FUNCTION Quintet<double> flux_at_boundary(const Problem<Exec>& problem, const Field<Exec>& primitive,
                                                 int direction, const hyperplane::Point& p) {
  bool const upper = index_along(p, direction) > 0;
  auto const cell = upper ? shifted(p, direction, -1) : p;
  double const sign = upper ? 1.0 : -1.0;
  auto f =
      boundary_flux(problem.gas, problem.boundary.side[2 * direction + upper].at(cell.i), problem.boundary.free_stream,
                    load(primitive, cell), sign * problem.metrics.area(direction, p), problem.metrics.volume(cell));
  for (int e = 0; e < equations; ++e) f[e] = f[e] * sign;
  return f;
}

/// The same where there are cells on both sides, for all faces of a group.
template <int lanes, hyperplane::ExecutionSpace Exec>
KOKKOS_FUNCTION Quintet<NumberWith<lanes>> flux_between_cells(const Problem<Exec>& problem,
                                                              const Field<Exec>& primitive, int direction, Order order,
                                                              const Group<lanes>& p) {
  auto const before = shifted(p, direction, -1);
  FaceStates<NumberWith<lanes>> states;
  states.left = load(primitive, before);
  states.right = load(primitive, p);
  if (order == Order::second) {
    states.beyond_left = load(primitive, shifted(before, direction, -1));
    states.beyond_right = load(primitive, shifted(p, direction, 1));
  }
  auto const volume = 0.5 * (problem.metrics.volume(before) + problem.metrics.volume(p));
  return face_flux(problem.gas, states, order, problem.metrics.area(direction, p), volume);
}

template <hyperplane::ExecutionSpace Exec>
struct ComputePrimitive {
  Problem<Exec> problem;
  Field<Exec> conserved;
  Field<Exec> primitive;

  KOKKOS_FUNCTION void operator()(const hyperplane::Point& p) const {
    auto const w = problem.gas.primitive(load(conserved, p));
    store(primitive, p, w);
    for (int side = 0; side < sides; ++side) {
      int const direction = side / 2;
      bool const upper = side % 2 == 1;
      if (index_along(p, direction) != (upper ? extent_along(problem.metrics.cells, direction) - 1 : 0)) continue;
      Vec3 const area = outward_area(problem.metrics, direction, upper, p);
      auto const ghost = ghost_state(problem.boundary.side[side].at(p.i), problem.boundary.free_stream, w, unit(area));
      store(primitive, shifted(p, direction, upper ? 1 : -1), ghost);
    }
  }
};

template <int lanes, hyperplane::ExecutionSpace Exec>
struct ComputeFlux {
  Problem<Exec> problem;
  Field<Exec> primitive;
  int direction;
  Order order;
  Field<Exec> flux;

  KOKKOS_FUNCTION void operator()(const Group<lanes>& faces) const {
    // Cell p is on the upper side of face p.
    auto inside = faces;
    bool const some_inside =
        inside.keep([&](const hyperplane::Point& p) { return !is_at_boundary(problem, direction, p); });
    for (int lane = 0; lane < lanes; ++lane) {
      if (!faces.has[lane] || inside.has[lane]) continue;
      auto const& p = faces.point[lane];
      auto const f = flux_at_boundary(problem, primitive, direction, p);
      for (int e = 0; e < equations; ++e) flux(p.i, p.j, p.k, e) = f[e];
    }
    if (!some_inside) return;
    auto const f = flux_between_cells(problem, primitive, direction, order, inside);
    for (int e = 0; e < equations; ++e) {
      scatter(inside, f[e], [&](const hyperplane::Point& p) -> double& { return flux(p.i, p.j, p.k, e); });
    }
  }
};

template <hyperplane::ExecutionSpace Exec>
struct SumFluxes {
  Field<Exec> flux_i;
  Field<Exec> flux_j;
  Field<Exec> flux_k;
  typename hyperplane::BlockVector<double, equations, Exec>::Ref result;

  KOKKOS_FUNCTION void operator()(const hyperplane::Point& p) const {
    for (int e = 0; e < equations; ++e) {
      result(p, e) = flux_i(p.i, p.j, p.k, e) - flux_i(p.i + 1, p.j, p.k, e) +  //
                     flux_j(p.i, p.j, p.k, e) - flux_j(p.i, p.j + 1, p.k, e) +  //
                     flux_k(p.i, p.j, p.k, e) - flux_k(p.i, p.j, p.k + 1, e);
    }
  }
};

/// Steady residual of the finite-volume equations: for every cell, the sum of all fluxes out of it.
///
/// Second order: MUSCL reconstruction of the primitive variables along grid lines (B. van Leer, "Towards the ultimate
/// conservative difference scheme. V", 1979, DOI 10.1016/0021-9991(79)90145-1) with van Albada's limiter. Owns the
/// fields that it needs (primitive variables with ghost cells, fluxes); nothing but the constructor allocates. With
/// several grid blocks each has one; GhostCells::fill() comes between compute_primitive() and sum_fluxes().
template <hyperplane::ExecutionSpace Exec>
class Residual {
 public:
  Residual(const Exec& exec, const Problem<Exec>& problem)
      : m_problem(problem), m_primitive(make_field(exec, "primitive", cells())) {
    for (int d = 0; d < directions; ++d) {
      auto const faces = faces_along(cells(), d);
      m_flux[d] = Field<Exec>(Kokkos::view_alloc(exec, "flux"), faces.ni(), faces.nj(), faces.nk(), equations);
    }
  }

  const hyperplane::Grid& cells() const { return m_problem.metrics.cells; }

  /// negative_residual = - (sum of the fluxes out of each cell). Asynchronous; five launches.
  void evaluate(const Exec& exec, const Field<Exec>& conserved, Order order,
                const hyperplane::BlockVector<double, equations, Exec>& negative_residual) const {
    compute_primitive(exec, conserved);
    sum_fluxes(exec, order, negative_residual);
  }

  /// Primitive variables of the cells, and of the first layer of ghost cells behind boundaries: these are only read by
  /// the MUSCL reconstruction of the first inner face, boundary faces have boundary_flux().
  void compute_primitive(const Exec& exec, const Field<Exec>& conserved) const {
    for_each_point(exec, "implicit_flow::primitive", cells(),
                   ComputePrimitive<Exec>{m_problem, conserved, m_primitive});
  }

  /// What evaluate() does after compute_primitive().
  void sum_fluxes(const Exec& exec, Order order,
                  const hyperplane::BlockVector<double, equations, Exec>& negative_residual) const {
    for (int direction = 0; direction < directions; ++direction)
      compute_flux<lanes_at_once<Exec>>(exec, direction, order);
    sum_fluxes(exec, negative_residual);
  }

  /// Primitive variables with ghost cells.
  const Field<Exec>& primitive() const { return m_primitive; }

  /// A thread works on `lanes` faces at once.
  template <int lanes>
  void compute_flux(const Exec& exec, int direction, Order order) const {
    for_each_group<lanes>(exec, "implicit_flow::flux", faces_along(cells(), direction),
                          ComputeFlux<lanes, Exec>{m_problem, m_primitive, direction, order, m_flux[direction]});
  }

  void sum_fluxes(const Exec& exec, const hyperplane::BlockVector<double, equations, Exec>& negative_residual) const {
    for_each_point(exec, "implicit_flow::sum_fluxes", cells(),
                   SumFluxes<Exec>{m_flux[0], m_flux[1], m_flux[2], negative_residual.ref()});
  }

 private:
  Problem<Exec> m_problem;
  Field<Exec> m_primitive;
  Field<Exec> m_flux[directions];
};

}  // namespace implicit_flow
