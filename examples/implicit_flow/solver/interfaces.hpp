// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jacobian.hpp"
#include "residual.hpp"

#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace implicit_flow {

/// An interface as kernels have it: where the cells behind a face are.
struct Across {
  hyperplane::Point begin;
  hyperplane::Point donor_begin;
  hyperplane::Point outward;
  int axis[directions];  ///< of the donor, along which i, j and k run
  int sign[directions];
  int direction = 0;  ///< the axis across the face
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

/// Values of the cells of an interface's layer, as many numbers for each as `components`, one after the other. Of a
/// device they are in pinned memory of the host, where MPI finds them. A value: kernels copy it.
template <hyperplane::ExecutionSpace Exec>
struct LayerValues {
  using Memory = std::conditional_t<Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible, Kokkos::HostSpace,
                                    Kokkos::SharedHostPinnedSpace>;

  hyperplane::Point begin{};
  hyperplane::Grid layer{1, 1, 1};
  Kokkos::View<double**, Kokkos::LayoutRight, Memory> values{};  ///< by cell, i fastest, and component

  KOKKOS_FUNCTION double& at(const hyperplane::Point& p, int component) const {
    return values(layer.index(p.i - begin.i, p.j - begin.j, p.k - begin.k), component);
  }
};

/// The cells that are behind an interface, by the cells next to it: a grid block of this process has them in a field,
/// or they have come from another process. One type for both, so that kernels are the same code, with the same bits.
template <hyperplane::ExecutionSpace Exec>
class CellsBehind {
 public:
  /// Those `layer` cells away in a field with so many layers of ghost cells.
  CellsBehind(const hyperplane::Interface& interface, int layer, const Field<Exec>& field, int ghosts)
      : m_across(interface), m_layer(layer), m_ghosts(ghosts), m_field(field) {}
  CellsBehind(const hyperplane::Interface& interface, const LayerValues<Exec>& values)
      : m_across(interface), m_has_values(true), m_values(values) {}

  KOKKOS_FUNCTION Quintet<double> operator()(const hyperplane::Point& p) const {
    if (m_has_values) {
      Quintet<double> result;
      for (int c = 0; c < equations; ++c) result[c] = m_values.at(p, c);
      return result;
    }
    auto const q = m_across.donor(p, m_layer);
    return load(m_field, {q.i + m_ghosts, q.j + m_ghosts, q.k + m_ghosts});
  }

 private:
  Across m_across;
  int m_layer = 0, m_ghosts = 0;
  Field<Exec> m_field{};
  bool m_has_values = false;
  LayerValues<Exec> m_values{};
};

/// The volumes of these cells.
template <hyperplane::ExecutionSpace Exec>
class VolumesBehind {
 public:
  VolumesBehind(const hyperplane::Interface& interface, const Metrics<Exec>& donor)
      : m_across(interface), m_volumes(donor.volumes) {}
  VolumesBehind(const hyperplane::Interface& interface, const LayerValues<Exec>& values)
      : m_across(interface), m_has_values(true), m_values(values) {}

  KOKKOS_FUNCTION double operator()(const hyperplane::Point& p) const {
    if (m_has_values) return m_values.at(p, 0);
    auto const q = m_across.donor(p, 1);
    return m_volumes(q.i, q.j, q.k);
  }

 private:
  Across m_across;
  typename Metrics<Exec>::Scalars m_volumes{};
  bool m_has_values = false;
  LayerValues<Exec> m_values{};
};

/// Fills in the volumes behind an interface. Allocates.
template <hyperplane::ExecutionSpace Exec>
void set_volumes_behind(const Exec& exec, const hyperplane::Interface& interface, const VolumesBehind<Exec>& behind,
                        Problem<Exec>& problem) {
  Across const across(interface);
  auto& volumes = problem.neighbours.volumes[across.side()];
  auto const& cells = problem.metrics.cells;
  if (volumes.extent(0) == 0) {
    volumes = typename Neighbours<Exec>::Volumes(Kokkos::view_alloc(exec, "volumes behind a side"),
                                                 across.direction == 0 ? cells.nj() : cells.ni(),
                                                 across.direction == 2 ? cells.nj() : cells.nk());
  }
  auto const neighbours = problem.neighbours;
  for_each_cell(
      exec, "implicit_flow::volumes_behind", interface,
      KOKKOS_LAMBDA(const hyperplane::Point& p) { neighbours.at(across.direction, across.upper, p) = behind(p); });
}

/// The same for all interfaces of a process.
template <hyperplane::ExecutionSpace Exec>
void find_neighbours(const Exec& exec, const hyperplane::MultiBlockGrid& grid, std::vector<Problem<Exec>>& problems) {
  for (auto const& interface : grid.interfaces()) {
    auto const& donor = problems[static_cast<std::size_t>(interface.donor)];
    set_volumes_behind(exec, interface, VolumesBehind<Exec>(interface, donor.metrics),
                       problems[static_cast<std::size_t>(interface.block)]);
  }
}

/// Copies primitive variables into a layer of ghost cells behind an interface.
template <hyperplane::ExecutionSpace Exec>
void set_ghost_cells(const Exec& exec, const hyperplane::Interface& interface, int layer,
                     const CellsBehind<Exec>& behind, const Field<Exec>& primitive) {
  Across const across(interface);
  for_each_cell(
      exec, "implicit_flow::exchange", interface, KOKKOS_LAMBDA(const hyperplane::Point& p) {
        auto const ghost = shifted(p, across.direction, across.upper ? layer : -layer);
        store(primitive, with_ghosts(ghost), behind(p));
      });
}

/// The same for all interfaces of a process.
template <hyperplane::ExecutionSpace Exec>
void exchange_layer(const Exec& exec, const hyperplane::MultiBlockGrid& grid, int layer,
                    const std::vector<Residual<Exec>>& residuals) {
  for (auto const& interface : grid.interfaces()) {
    auto const& donor = residuals[static_cast<std::size_t>(interface.donor)];
    set_ghost_cells(exec, interface, layer, CellsBehind<Exec>(interface, layer, donor.primitive(), ghost_layers),
                    residuals[static_cast<std::size_t>(interface.block)].primitive());
  }
}

/// Copies primitive variables into the ghost cells behind interfaces: first the cells next to them, then the cells
/// behind those, which are ghost cells themselves where a grid block is one cell thick. Asynchronous; two launches for
/// each side of an interface.
template <hyperplane::ExecutionSpace Exec>
void exchange(const Exec& exec, const hyperplane::MultiBlockGrid& grid, const std::vector<Residual<Exec>>& residuals) {
  for (int layer = 1; layer <= ghost_layers; ++layer) exchange_layer(exec, grid, layer, residuals);
}

/// Adds the derivatives of the fluxes through an interface to the Jacobian of a grid block: those by the neighbours are
/// the blocks that point out of it there. `behind` has conserved variables.
template <hyperplane::ExecutionSpace Exec, class Storage>
void assemble_interface(const Exec& exec, const hyperplane::Interface& interface, const Problem<Exec>& problem,
                        const Field<Exec>& conserved, const CellsBehind<Exec>& behind,
                        const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  Across const across(interface);
  auto const matrix = a.ref();
  for_each_cell(
      exec, "implicit_flow::interface_jacobians", interface, KOKKOS_LAMBDA(const hyperplane::Point& p) {
        auto const& [gas, boundary, metrics, neighbours] = problem;
        double const volume = 0.5 * (metrics.volume(p) + neighbours.at(across.direction, across.upper, p));
        auto const area = outward_area(metrics, across.direction, across.upper, p);
        auto const outwards = neighbour_direction(across.direction, across.upper);
        for_each_derivative<Exec>(gas, load(conserved, p), behind(p), area, volume, [&](int r, int c, double value) {
          if (c < equations) {
            matrix(p, hyperplane::Direction::center, r, c) += static_cast<Storage>(value);
          } else {
            matrix(p, outwards, r, c - equations) = static_cast<Storage>(value);
          }
        });
      });
}

/// The same for all interfaces of a process, after assemble_jacobian() for each grid block. Asynchronous; a launch for
/// each side of an interface, because cells at edges of grid blocks have several.
template <hyperplane::ExecutionSpace Exec, class Storage>
void assemble_interfaces(const Exec& exec, const std::vector<Problem<Exec>>& problems,
                         const std::vector<Field<Exec>>& conserved,
                         const hyperplane::MultiBlockStencil7<double, equations, Exec, Storage>& a) {
  for (auto const& interface : a.grid().interfaces()) {
    auto const block = static_cast<std::size_t>(interface.block), donor = static_cast<std::size_t>(interface.donor);
    assemble_interface(exec, interface, problems[block], conserved[block],
                       CellsBehind<Exec>(interface, 1, conserved[donor], 0), a.block(interface.block));
  }
}

}  // namespace implicit_flow
