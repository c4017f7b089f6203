// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../physics/gas.hpp"
#include "groups.hpp"

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace implicit_flow {

/// Values in cells or faces, structure of arrays: (i, j, k, component), i fastest.
template <hyperplane::ExecutionSpace Exec>
using Field = Kokkos::View<double****, Kokkos::LayoutLeft, typename Exec::memory_space>;

/// Layers of ghost cells around fields of cells: the reconstruction at a face reads so many cells on each side of it.
inline constexpr int ghost_layers = 2;

/// A field of cells with ghost cells, zero.
template <hyperplane::ExecutionSpace Exec>
Field<Exec> make_field(const Exec& exec, const std::string& label, const hyperplane::Grid& cells,
                       int components = equations) {
  return Field<Exec>(Kokkos::view_alloc(exec, label), cells.ni() + 2 * ghost_layers, cells.nj() + 2 * ghost_layers,
                     cells.nk() + 2 * ghost_layers, components);
}

/// Where a field of cells has a cell, or a ghost cell.
template <class View>
KOKKOS_FUNCTION auto& value_at(const View& view, const hyperplane::Point& p, int component) {
  return view(p.i + ghost_layers, p.j + ghost_layers, p.k + ghost_layers, component);
}

/// The unknowns of a cell.
template <class View>
KOKKOS_FUNCTION Quintet<double> load(const View& view, const hyperplane::Point& p) {
  return {
      {value_at(view, p, 0), value_at(view, p, 1), value_at(view, p, 2), value_at(view, p, 3), value_at(view, p, 4)}};
}

/// The same of all cells of a group.
template <class View, int lanes>
KOKKOS_FUNCTION Quintet<NumberWith<lanes>> load(const View& view, const Group<lanes>& group) {
  Quintet<NumberWith<lanes>> result;
  for (int c = 0; c < equations; ++c) {
    result[c] = gather(group, [&](const hyperplane::Point& p) -> const double& { return value_at(view, p, c); });
  }
  return result;
}

template <class View>
KOKKOS_FUNCTION void store(const View& view, const hyperplane::Point& p, const Quintet<double>& values) {
  for (int c = 0; c < equations; ++c) value_at(view, p, c) = values[c];
}

}  // namespace implicit_flow
