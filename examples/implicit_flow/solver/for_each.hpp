// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace implicit_flow {

template <class F>
struct CallAtPoint {
  hyperplane::Grid grid;
  F f;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const { f(grid.point(number)); }
};

/// Calls f(Point) for every point of the grid in one kernel, on the given instance.
template <hyperplane::ExecutionSpace Exec, class F>
void for_each_point(const Exec& exec, const std::string& label, const hyperplane::Grid& grid, const F& f) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, grid.size()), CallAtPoint<F>{grid, f});
}

template <int vector_length, class F>
struct CallAtSlot {
  hyperplane::SlabMap<vector_length> map;
  F f;

  KOKKOS_FUNCTION void operator()(std::int64_t slot) const {
    hyperplane::Point p;
    if (map.find_point(slot / vector_length, static_cast<int>(slot % vector_length), p)) f(p);
  }
};

/// The same in the order of the memory of a matrix or a vector with this map, so that neighbouring threads of a device
/// read and write neighbouring values of it.
template <hyperplane::ExecutionSpace Exec, int vector_length, class F>
void for_each_point(const Exec& exec, const std::string& label, const hyperplane::SlabMap<vector_length>& map,
                    const F& f) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, map.pack_count() * vector_length),
                       CallAtSlot<vector_length, F>{map, f});
}

/// Grid directions i, j, k as numbers 0, 1, 2.
inline constexpr int directions = 3;

KOKKOS_INLINE_FUNCTION constexpr int index_along(const hyperplane::Point& p, int direction) {
  return direction == 0 ? p.i : direction == 1 ? p.j : p.k;
}

KOKKOS_INLINE_FUNCTION constexpr int extent_along(const hyperplane::Grid& grid, int direction) {
  return direction == 0 ? grid.ni() : direction == 1 ? grid.nj() : grid.nk();
}

KOKKOS_INLINE_FUNCTION constexpr hyperplane::Point shifted(const hyperplane::Point& p, int direction, int by) {
  return {p.i + (direction == 0 ? by : 0), p.j + (direction == 1 ? by : 0), p.k + (direction == 2 ? by : 0)};
}

/// Faces whose normal runs along `direction`: one more than cells that way. Face p is the lower face of cell p.
inline hyperplane::Grid faces_along(const hyperplane::Grid& cells, int direction) {
  return {cells.ni() + (direction == 0), cells.nj() + (direction == 1), cells.nk() + (direction == 2)};
}

}  // namespace implicit_flow
