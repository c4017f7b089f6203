// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The map (p, q) -> (i, j, k) in closed form against a table of all points in the order of the hyperplanes: one launch
// for each plane, as the portable solvers use it. The two are compared point by point before they are timed.

#include "support/harness.hpp"

#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/hyperplane_map.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace hyperplane::perf {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Numbers = Kokkos::View<std::int64_t*, Exec::memory_space>;
using Table = Kokkos::View<Point*, Exec::memory_space>;

/// Writes the number of every point, in the order of the planes.
template <class PointOf>
void enumerate(const Exec& exec, const HyperplaneMap& map, const Numbers& numbers, const PointOf& point_of) {
  for (int p = 0; p < map.plane_count(); ++p) {
    auto const offset = map.plane_offset(p);
    auto const grid = map.grid();
    Kokkos::parallel_for(
        "Hyperplane::perf::enumerate",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, map.plane_size(p)),
        KOKKOS_LAMBDA(std::int64_t q) { numbers(offset + q) = grid.index(point_of(p, offset, q)); });
  }
}

struct ClosedForm {
  HyperplaneMap m_map;
  KOKKOS_FUNCTION Point operator()(int p, std::int64_t, std::int64_t q) const { return m_map.point(p, q); }
};

struct FromTable {
  Table m_table;
  KOKKOS_FUNCTION Point operator()(int, std::int64_t offset, std::int64_t q) const { return m_table(offset + q); }
};

/// All points plane by plane, found by walking through each plane: independent of the closed form.
Table make_table(const Exec& exec, const Grid& grid) {
  Table const table("table", grid.size());
  auto const host = Kokkos::create_mirror_view(table);
  std::int64_t next = 0;
  for (int p = 0; p <= grid.ni() + grid.nj() + grid.nk() - 3; ++p) {
    for (int k = 0; k < grid.nk(); ++k) {
      for (int j = 0; j < grid.nj(); ++j) {
        Point const point{p - j - k, j, k};
        if (grid.contains(point)) host(next++) = point;
      }
    }
  }
  Kokkos::deep_copy(exec, table, host);
  exec.fence();
  return table;
}

void require_equal(const Exec& exec, const Numbers& a, const Numbers& b) {
  std::int64_t different = 0;
  Kokkos::parallel_reduce(
      "Hyperplane::perf::compare", Kokkos::RangePolicy<Exec>(exec, 0, a.size()),
      KOKKOS_LAMBDA(std::size_t i, std::int64_t& sum) { sum += a(i) != b(i); }, different);
  if (different != 0)
    throw std::runtime_error("closed form and table differ in " + std::to_string(different) + " points");
}

template <class PointOf>
void time_map(benchmark::State& state, const Exec& exec, const HyperplaneMap& map, const PointOf& point_of) {
  Numbers const numbers("numbers", map.grid().size());
  Samples times;
  for (auto _ : state) {
    times.add(seconds_of(exec, [&] { enumerate(exec, map, numbers, point_of); }));
    state.SetIterationTime(times.seconds().back());
  }
  state.counters["best_ms"] = 1e3 * times.best();
  state.counters["median_ms"] = 1e3 * times.median();
  state.counters["ns/point"] = 1e9 * times.best() / static_cast<double>(map.grid().size());
}

std::shared_ptr<void> register_maps(const Settings& settings) {
  Exec const exec;
  for (auto const& grid : grids_of(settings)) {
    HyperplaneMap const map(grid);
    Numbers const from_closed_form("closed form", grid.size());
    Numbers const from_table("table", grid.size());
    enumerate(exec, map, from_closed_form, ClosedForm{map});
    enumerate(exec, map, from_table, FromTable{make_table(exec, grid)});
    require_equal(exec, from_closed_form, from_table);
    auto const add = [&](const std::string& kind, const std::function<void(benchmark::State&)>& body) {
      add_benchmark(settings, "map/" + std::string(Exec::name()) + "/" + kind + "/" + to_string(grid), body);
    };
    add("closed_form", [=](benchmark::State& state) { time_map(state, exec, map, ClosedForm{map}); });
    add("table", [=](benchmark::State& state) { time_map(state, exec, map, FromTable{make_table(exec, map.grid())}); });
  }
  return nullptr;
}

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  return hyperplane::perf::run_benchmarks(argc, argv, hyperplane::perf::register_maps);
}
