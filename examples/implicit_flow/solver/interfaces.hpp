// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jacobian.hpp"
#include "residual.hpp"

#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace implicit_flow {

/// Fields of cells of the grid blocks of a process, as kernels that go over all of them read and write. It refers to
/// their memory. A value: kernels copy it.
template <hyperplane::ExecutionSpace Exec>
class BlockFields {
 public:
  /// Of a grid block. Public for nvcc.
  struct Entry {
    double* values;
    hyperplane::Grid extents;  ///< with ghost cells
  };

  /// Waits for the instance.
  BlockFields(const Exec& exec, const std::vector<Field<Exec>>& fields)
      : m_entries(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "fields of grid blocks"), fields.size()) {
    auto const host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, m_entries);
    for (std::size_t b = 0; b < fields.size(); ++b) {
      auto const extent = [&](int axis) { return static_cast<int>(fields[b].extent(axis)); };
      host(b) = {fields[b].data(), {extent(0), extent(1), extent(2)}};
    }
    Kokkos::deep_copy(exec, m_entries, host);
    exec.fence("implicit_flow::BlockFields");
  }

  KOKKOS_FUNCTION double operator()(int block, const hyperplane::Point& p, int component) const {
    return at(block, p, component);
  }
  KOKKOS_FUNCTION void operator()(int block, const hyperplane::Point& p, int component, double value) const {
    at(block, p, component) = value;
  }

 private:
  KOKKOS_FUNCTION double& at(int block, const hyperplane::Point& p, int component) const {
    auto const& entry = m_entries(block);
    auto const cell = entry.extents.index(p.i + ghost_layers, p.j + ghost_layers, p.k + ghost_layers);
    return entry.values[cell + component * entry.extents.size()];
  }

  Kokkos::View<Entry*, typename Exec::memory_space> m_entries;
};

/// Copies values of the cells behind interfaces into the ghost cells of fields, by the ghost points of the library.
/// All processes construct it and call fill() together.
template <class Processes>
class GhostCells {
 public:
  using Exec = typename Processes::execution_space;

  /// Of one field for each grid block of this process. Allocates, and waits for the instance.
  GhostCells(const Exec& exec, const Processes& processes, const std::vector<Field<Exec>>& fields, int layers,
             int components)
      : m_components(components),
        m_ghosts(processes.ghosts(exec, layers, components)),
        m_fields(processes.agree([&] { return BlockFields<Exec>(exec, fields); })) {}

  /// One launch for all interfaces inside of a process, and asynchronous there.
  void fill(const Exec& exec) const { Processes::fill(exec, m_ghosts, m_components, m_fields); }

 private:
  int m_components;
  typename Processes::Ghosts m_ghosts;
  BlockFields<Exec> m_fields;
};

/// Fills in the volumes of the cells behind interfaces, which are boundaries before. Allocates, and waits for the
/// instance.
template <class Processes, hyperplane::ExecutionSpace Exec>
void fill_volumes(const Exec& exec, const Processes& processes, const std::vector<Problem<Exec>>& problems) {
  std::vector<Field<Exec>> volumes;
  for (auto const& problem : problems) volumes.push_back(problem.metrics.volumes);
  GhostCells<Processes> const ghosts(exec, processes, volumes, 1, 1);
  ghosts.fill(exec);
  exec.fence("implicit_flow::fill_volumes");
}

/// For primitive variables, in as many layers of ghost cells as fluxes read.
template <class Processes, hyperplane::ExecutionSpace Exec>
GhostCells<Processes> ghosts_of_primitive(const Exec& exec, const Processes& processes,
                                          const std::vector<Residual<Exec>>& residuals) {
  std::vector<Field<Exec>> primitive;
  for (auto const& residual : residuals) primitive.push_back(residual.primitive());
  return {exec, processes, primitive, ghost_layers, equations};
}

/// For conserved variables, in the layer that the Jacobian reads.
template <class Processes, hyperplane::ExecutionSpace Exec>
GhostCells<Processes> ghosts_of_conserved(const Exec& exec, const Processes& processes,
                                          const std::vector<Field<Exec>>& conserved) {
  return {exec, processes, conserved, 1, equations};
}

template <class F>
struct CallAtCell {
  hyperplane::Point begin;
  F f;

  KOKKOS_FUNCTION void operator()(const hyperplane::Point& p) const {
    f(hyperplane::Point{begin.i + p.i, begin.j + p.j, begin.k + p.k});
  }
};

/// Calls f(cell) for every cell of an interface's layer in one kernel.
template <hyperplane::ExecutionSpace Exec, class F>
void for_each_cell(const Exec& exec, const std::string& label, const hyperplane::Interface& interface, const F& f) {
  hyperplane::Point const begin = interface.points.begin, end = interface.points.end;
  for_each_point(exec, label, hyperplane::Grid(end.i - begin.i, end.j - begin.j, end.k - begin.k),
                 CallAtCell<F>{begin, f});
}

template <hyperplane::ExecutionSpace Exec, class Storage>
struct AssembleInterface {
  hyperplane::Direction face;
  int direction;
  bool upper;
  Problem<Exec> problem;
  Field<Exec> conserved;
  typename hyperplane::BlockStencil7<double, equations, Exec, Storage>::Ref matrix;

  KOKKOS_FUNCTION void operator()(const hyperplane::Point& p) const {
    auto const& metrics = problem.metrics;
    auto const q = neighbour(p, face);
    double const volume = 0.5 * (metrics.volume(p) + metrics.volume(q));
    auto const area = outward_area(metrics, direction, upper, p);
    auto const cell = load(conserved, p), behind = load(conserved, q);
    differentiate_outflow(problem.gas, cell, behind, area, volume, [&](int c, const Quintet<double>& column) {
      for (int r = 0; r < equations; ++r) {
        matrix(p, hyperplane::Direction::center, r, c) += static_cast<Storage>(column[r]);
      }
    });
    differentiate_outflow(problem.gas, behind, cell, -1.0 * area, volume, [&](int c, const Quintet<double>& column) {
      for (int r = 0; r < equations; ++r) matrix(p, face, r, c) = static_cast<Storage>(-column[r]);
    });
  }
};

/// Adds the derivatives of the fluxes through an interface to the Jacobian of a grid block: those by the neighbours are
/// the blocks that point out of it there.
template <hyperplane::ExecutionSpace Exec, class Storage>
void assemble_interface(const Exec& exec, const hyperplane::Interface& interface, const Problem<Exec>& problem,
                        const Field<Exec>& conserved,
                        const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  auto const face = interface.face;
  auto const outward = offset(face);
  int const direction = outward.i != 0 ? 0 : outward.j != 0 ? 1 : 2;
  bool const upper = index_along(outward, direction) > 0;
  for_each_cell(exec, "implicit_flow::interface_jacobians", interface,
                AssembleInterface<Exec, Storage>{face, direction, upper, problem, conserved, a.ref()});
}

/// The same for all interfaces of a grid block, after assemble_jacobian(), with conserved variables in the ghost cells
/// behind them. Asynchronous; a launch for each interface, because cells at edges of grid blocks have several.
template <hyperplane::ExecutionSpace Exec, class Storage>
void assemble_interfaces(const Exec& exec, std::span<const hyperplane::Interface> interfaces,
                         const Problem<Exec>& problem, const Field<Exec>& conserved,
                         const hyperplane::BlockStencil7<double, equations, Exec, Storage>& a) {
  for (auto const& interface : interfaces) assemble_interface(exec, interface, problem, conserved, a);
}

}  // namespace implicit_flow
