// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jacobian.hpp"
#include "residual.hpp"

#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <vector>

namespace implicit_flow {

/// An interface as kernels have it: where the cells behind a face are.
struct Across {
  hyperplane::Point begin;
  hyperplane::Point donor_begin;
  hyperplane::Point outward;
  int axis[directions];  ///< of the donor, along which i, j and k run
  int sign[directions];
  int direction;  ///< the axis across the face
  bool upper;

  explicit Across(const hyperplane::Interface& interface)
      : begin(interface.points.begin), donor_begin(interface.donor_begin), outward(offset(interface.face)) {
    for (std::size_t d = 0; d < directions; ++d) {
      int const given = interface.transform.axes[d];
      axis[d] = (given < 0 ? -given : given) - 1;
      sign[d] = given < 0 ? -1 : 1;
      if (index_along(outward, static_cast<int>(d)) != 0) direction = static_cast<int>(d);
    }
    upper = index_along(outward, direction) > 0;
  }

  int side() const { return 2 * direction + upper; }

  /// The cell of the donor that is `layer` cells behind the face of cell p, from 1 on. The second one is outside of a
  /// donor that is one cell thick, in its ghost cells.
  KOKKOS_FUNCTION hyperplane::Point donor(const hyperplane::Point& p, int layer) const {
    auto const q = shifted(p, direction, (layer - 1) * index_along(outward, direction));
    int result[directions] = {donor_begin.i, donor_begin.j, donor_begin.k};
    for (int d = 0; d < directions; ++d) result[axis[d]] += sign[d] * (index_along(q, d) - index_along(begin, d));
    return {result[0], result[1], result[2]};
  }
};

/// Calls f(cell) for every cell of an interface's layer in one kernel.
template <hyperplane::ExecutionSpace Exec, class F>
void for_each_cell(const Exec& exec, const std::string& label, const hyperplane::Interface& interface, const F& f) {
  hyperplane::Point const begin = interface.points.begin, end = interface.points.end;
  for_each_point(
      exec, label, hyperplane::Grid(end.i - begin.i, end.j - begin.j, end.k - begin.k),
      KOKKOS_LAMBDA(const hyperplane::Point& p) { f(hyperplane::Point{begin.i + p.i, begin.j + p.j, begin.k + p.k}); });
}

/// Fills in the volumes behind the interfaces of all grid blocks. Allocates.
template <hyperplane::ExecutionSpace Exec>
void find_neighbours(const Exec& exec, const hyperplane::MultiBlockGrid& grid, std::vector<Problem<Exec>>& problems) {
  for (auto const& interface : grid.interfaces()) {
    Across const across(interface);
    auto& problem = problems[static_cast<std::size_t>(interface.block)];
    auto& behind = problem.neighbours.volumes[across.side()];
    auto const& cells = problem.metrics.cells;
    if (behind.extent(0) == 0) {
      behind = typename Neighbours<Exec>::Volumes(Kokkos::view_alloc(exec, "volumes behind a side"),
                                                  across.direction == 0 ? cells.nj() : cells.ni(),
                                                  across.direction == 2 ? cells.nj() : cells.nk());
    }
    auto const neighbours = problem.neighbours;
    auto const volumes = problems[static_cast<std::size_t>(interface.donor)].metrics.volumes;
    for_each_cell(
        exec, "implicit_flow::volumes_behind", interface, KOKKOS_LAMBDA(const hyperplane::Point& p) {
          auto const q = across.donor(p, 1);
          neighbours.at(across.direction, across.upper, p) = volumes(q.i, q.j, q.k);
        });
  }
}

/// Copies primitive variables into the ghost cells behind interfaces: first the cells next to them, then the cells
/// behind those, which are ghost cells themselves where a grid block is one cell thick. Asynchronous; two launches for
/// each side of an interface.
template <hyperplane::ExecutionSpace Exec>
void exchange(const Exec& exec, const hyperplane::MultiBlockGrid& grid, const std::vector<Residual<Exec>>& residuals) {
  for (int layer = 1; layer <= ghost_layers; ++layer) {
    for (auto const& interface : grid.interfaces()) {
      Across const across(interface);
      auto const to = residuals[static_cast<std::size_t>(interface.block)].primitive();
      auto const from = residuals[static_cast<std::size_t>(interface.donor)].primitive();
      for_each_cell(
          exec, "implicit_flow::exchange", interface, KOKKOS_LAMBDA(const hyperplane::Point& p) {
            auto const ghost = shifted(p, across.direction, across.upper ? layer : -layer);
            store(to, with_ghosts(ghost), load(from, with_ghosts(across.donor(p, layer))));
          });
    }
  }
}

/// Adds the derivatives of the fluxes through interfaces to a Jacobian that assemble_jacobian() has made for each grid
/// block: those by the neighbour are the blocks that point out of the grid block there. Asynchronous; a launch for each
/// side of an interface, because cells at edges of grid blocks have several.
template <hyperplane::ExecutionSpace Exec>
void assemble_interfaces(const Exec& exec, const std::vector<Problem<Exec>>& problems,
                         const std::vector<Field<Exec>>& conserved,
                         const hyperplane::MultiBlockStencil7<double, equations, Exec>& a) {
  for (auto const& interface : a.grid().interfaces()) {
    Across const across(interface);
    auto const problem = problems[static_cast<std::size_t>(interface.block)];
    auto const here = conserved[static_cast<std::size_t>(interface.block)];
    auto const there = conserved[static_cast<std::size_t>(interface.donor)];
    auto const matrix = a.block(interface.block).ref();
    for_each_cell(
        exec, "implicit_flow::interface_jacobians", interface, KOKKOS_LAMBDA(const hyperplane::Point& p) {
          auto const& [gas, boundary, metrics, neighbours] = problem;
          double const volume = 0.5 * (metrics.volume(p) + neighbours.at(across.direction, across.upper, p));
          auto const f = flux_with_derivatives(gas, load(here, p), load(there, across.donor(p, 1)),
                                               outward_area(metrics, across.direction, across.upper, p), volume);
          auto const outwards = neighbour_direction(across.direction, across.upper);
          for (int c = 0; c < equations; ++c) {
            for (int r = 0; r < equations; ++r) {
              matrix(p, outwards, r, c) = f[r].derivative[equations + c];
              matrix(p, hyperplane::Direction::center, r, c) += f[r].derivative[c];
            }
          }
        });
  }
}

}  // namespace implicit_flow
