// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../physics/numbers.hpp"
#include "for_each.hpp"

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace implicit_flow {

/// How many points a thread works on at once: as many as a vector register has lanes on hosts, one on devices.
template <hyperplane::ExecutionSpace Exec>
inline constexpr int lanes_at_once =
    hyperplane::HostExecutionSpace<Exec> ? hyperplane::vector_length_v<double, Exec> : 1;

/// The number with a lane for each of them.
template <int lanes>
using NumberWith = std::conditional_t<lanes == 1, double, hyperplane::Pack<double, lanes>>;

/// Points that a thread works on at once, one in each lane. A lane without one repeats a point of another, so that
/// kernels read and compute there what they do elsewhere, and write nothing.
template <int lanes>
struct Group {
  hyperplane::Point point[lanes];
  bool has[lanes];
  bool is_row;  ///< consecutive along i, none missing

  /// Takes away the points for which the condition does not hold; false where none is left.
  template <class Condition>
  KOKKOS_FUNCTION bool keep(const Condition& holds) {
    int kept = -1;
    bool all = true;
    for (int lane = 0; lane < lanes; ++lane) {
      has[lane] = has[lane] && holds(point[lane]);
      if (has[lane]) {
        kept = lane;
      } else {
        all = false;
      }
    }
    if (kept < 0 || all) return all;
    is_row = false;
    for (int lane = 0; lane < lanes; ++lane) {
      if (!has[lane]) point[lane] = point[kept];
    }
    return true;
  }

  /// 1 where there is a point, 0 in lanes without.
  KOKKOS_FUNCTION NumberWith<lanes> points() const {
    return number_of<NumberWith<lanes>>([&](int lane) { return has[lane] ? 1.0 : 0.0; });
  }

  /// The neighbours.
  friend KOKKOS_FUNCTION Group shifted(Group group, int direction, int by) {
    for (auto& p : group.point) p = shifted(p, direction, by);
    return group;
  }
};

/// The number with value at(point) in each lane, where at() refers to values that lie consecutively along i.
template <int lanes, class At>
KOKKOS_FUNCTION NumberWith<lanes> gather(const Group<lanes>& group, const At& at) {
  using S = NumberWith<lanes>;
  if constexpr (lanes > 1) {
    if (group.is_row) {
      S result;
      std::memcpy(&result, &at(group.point[0]), sizeof(S));
      return result;
    }
  }
  return number_of<S>([&](int lane) { return at(group.point[lane]); });
}

/// Where there are points, at(point) = value.
template <int lanes, class At>
KOKKOS_FUNCTION void scatter(const Group<lanes>& group, const NumberWith<lanes>& value, const At& at) {
  if constexpr (lanes > 1) {
    if (group.is_row) {
      std::memcpy(&at(group.point[0]), &value, sizeof(value));
      return;
    }
  }
  for (int lane = 0; lane < lanes; ++lane) {
    if (group.has[lane]) at(group.point[lane]) = lane_of(value, lane);
  }
}

/// For the points along i whose place the point `number` takes.
template <int lanes, class F>
struct CallForRow {
  hyperplane::Grid grid;
  F f;

  KOKKOS_FUNCTION void operator()(const hyperplane::Point& number) const {
    Group<lanes> group;
    for (int lane = 0; lane < lanes; ++lane) {
      int const i = number.i * lanes + lane;
      group.has[lane] = i < grid.ni();
      group.point[lane] = {group.has[lane] ? i : grid.ni() - 1, number.j, number.k};
    }
    group.is_row = group.has[lanes - 1];
    f(group);
  }
};

/// Calls f(Group) for groups of consecutive points along i that are all points of the grid, in one kernel.
template <int lanes, hyperplane::ExecutionSpace Exec, class F>
void for_each_group(const Exec& exec, const std::string& label, const hyperplane::Grid& grid, const F& f) {
  // Groups take the place of points.
  hyperplane::Grid const groups((grid.ni() + lanes - 1) / lanes, grid.nj(), grid.nk());
  for_each_point(exec, label, groups, CallForRow<lanes, F>{grid, f});
}

template <int lanes, int vector_length, class F>
struct CallForSlots {
  hyperplane::SlabMap<vector_length> map;
  F f;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    std::int64_t const slot = number * lanes;
    Group<lanes> group;
    for (int lane = 0; lane < lanes; ++lane) {
      int const at = static_cast<int>(slot % vector_length) + lane;
      group.has[lane] = map.find_point(slot / vector_length, at, group.point[lane]);
    }
    group.is_row = false;
    if (group.keep([](const hyperplane::Point&) { return true; })) f(group);
  }
};

/// The same in the order of the memory of a matrix or a vector with this map, for its SIMD groups or parts of them, so
/// that threads read and write values of it that lie side by side.
template <int lanes, hyperplane::ExecutionSpace Exec, int vector_length, class F>
void for_each_group(const Exec& exec, const std::string& label, const hyperplane::SlabMap<vector_length>& map,
                    const F& f) {
  static_assert(vector_length % lanes == 0);
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, map.pack_count() * (vector_length / lanes)),
                       CallForSlots<lanes, vector_length, F>{map, f});
}

}  // namespace implicit_flow
