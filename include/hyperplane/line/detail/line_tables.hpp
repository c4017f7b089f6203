// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/line/line_set.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The tables of a LineLayout on the host; LineLayoutRef says what they mean.
struct LineTables {
  std::int64_t packs = 0;
  std::vector<std::int64_t> first_items;
  std::vector<int> begins, ends;
  std::vector<std::int64_t> ordinals;
  std::vector<std::int64_t> slots;

  /// Where grid lines along i and k are in the packs of BlockVector: StridedPlaces. Empty otherwise.
  std::vector<std::int64_t> slab_bases;
  std::vector<int> slab_full_begins, slab_full_ends;
  std::int64_t slab_stride = 0;

  /// Steps of each pack.
  std::vector<int> lengths() const {
    std::vector<int> result;
    for (std::size_t pack = 0; pack + 1 < first_items.size(); ++pack) {
      result.push_back(static_cast<int>(first_items[pack + 1] - first_items[pack]));
    }
    return result;
  }
};

/// A table in the memory of the execution space. Waits for the instance.
template <ExecutionSpace Exec, class T>
Kokkos::View<T*, typename Exec::memory_space> to_space(const Exec& exec, const std::vector<T>& values) {
  return to_space(exec, "Hyperplane::LineLayout::table", values);
}

template <int vector_length>
LineTables empty_line_tables(std::int64_t packs, std::int64_t lines) {
  LineTables tables;
  tables.packs = packs;
  auto const lanes = as_size(packs * vector_length);
  tables.begins.assign(lanes, 0);
  tables.ends.assign(lanes, 0);
  tables.ordinals.assign(lanes, -1);
  tables.slots.assign(as_size(lines), -1);
  return tables;
}

/// Puts a line into a lane, from a step on.
inline void place_line(LineTables& tables, const LineSet& lines, std::int64_t line, std::int64_t slot, int begin) {
  auto const lane = as_size(slot);
  tables.begins[lane] = begin;
  tables.ends[lane] = begin + lines.length(line);
  tables.ordinals[lane] = lines.first(line);
  tables.slots[as_size(line)] = slot;
}

template <int vector_length>
void count_items(LineTables& tables) {
  tables.first_items.assign(1, 0);
  for (std::int64_t pack = 0; pack < tables.packs; ++pack) {
    auto const first = tables.ends.begin() + pack * vector_length;
    tables.first_items.push_back(tables.first_items.back() + *std::max_element(first, first + vector_length));
  }
}

/// Lines one after the other, the longest first.
template <int vector_length>
LineTables make_sorted_line_tables(const LineSet& lines) {
  auto tables = empty_line_tables<vector_length>((lines.count() + vector_length - 1) / vector_length, lines.count());
  std::vector<std::int64_t> order(as_size(lines.count()));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (!lines.of_one_length()) {
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return lines.length(a) > lines.length(b); });
  }
  for (std::int64_t slot = 0; slot < lines.count(); ++slot) place_line(tables, lines, order[as_size(slot)], slot, 0);
  count_items<vector_length>(tables);
  return tables;
}

/// The line of a lane, and the step of its first point.
struct SlabLane {
  std::int64_t line;
  int begin;
};

/// Calls `body(unit, base, lane, SlabLane)` for each line along i: a unit is a layer of a slab, in which
/// lane l is l steps behind.
template <int W, class Body>
void for_lines_along_i(const SlabMap<W>& map, const Body& body) {
  auto const& grid = map.grid();
  for (int j = 0; j < grid.nj(); ++j) {
    int const slab = j / W;
    for (int k = 0; k < grid.nk(); ++k) {
      body(std::int64_t{slab} * grid.nk() + k, map.first_pack(slab, k), j % W,
           SlabLane{j + std::int64_t{grid.nj()} * k, j % W});
    }
  }
}

/// The same along k: a unit is a step of a slab in its first layer, and what follows it a pitch, two, ... later.
/// Where a lane has not reached its row of points, it is at the end of the row of the layer before, one layer behind.
template <int W, class Body>
void for_lines_along_k(const SlabMap<W>& map, const Body& body) {
  auto const& grid = map.grid();
  for (int slab = 0; slab < map.slabs(); ++slab) {
    for (int step = 0; step < map.pitch(); ++step) {
      for (int lane = 0; lane < W; ++lane) {
        int const j = slab * W + lane;
        bool const behind = step < lane;
        int const i = step - lane + (behind ? static_cast<int>(map.pitch()) : 0);
        if (j >= grid.nj() || i >= grid.ni()) continue;
        body(slab * map.pitch() + step, map.first_pack(slab) + step, lane,
             SlabLane{i + std::int64_t{grid.ni()} * j, behind ? 1 : 0});
      }
    }
  }
}

/// A grid of several, whose slabs follow one another.
template <int W>
struct SlabGrid {
  SlabMap<W> map;
  std::int64_t first_pack;
  std::int64_t first_unit;
  std::int64_t first_line;
};

/// The slabs of the grids of grid lines; `units`: the number of all units.
template <int W>
std::vector<SlabGrid<W>> slab_grids(const LineSet& lines, std::int64_t& units) {
  std::vector<SlabGrid<W>> result;
  std::int64_t packs = 0;
  std::int64_t count = 0;
  units = 0;
  for (auto const& of_grid : lines.of_grids()) {
    SlabMap<W> const map(*of_grid.grid());
    result.push_back({map, packs, units, count});
    packs += map.pack_count();
    count += of_grid.count();
    units += map.slabs() * (lines.direction() == LineDirection::i ? std::int64_t{map.grid().nk()} : map.pitch());
  }
  return result;
}

/// Whether the values of a line are equally far apart, and as far as those of all others.
template <int W>
bool has_one_stride(const LineSet& lines) {
  auto const grids = lines.of_grids();
  if (grids.empty() || lines.direction() == LineDirection::j) return false;
  auto const pitch = [](const LineSet& of_grid) { return SlabMap<W>(*of_grid.grid()).pitch(); };
  return lines.direction() == LineDirection::i ||
         std::ranges::all_of(grids, [&](const LineSet& other) { return pitch(other) == pitch(grids.front()); });
}

/// Grid lines along i and k as skewed slabs of W lanes have them.
template <int vector_length, int W>
LineTables make_slab_line_tables(const LineSet& lines) {
  constexpr int groups = vector_length / W;
  bool const along_i = lines.direction() == LineDirection::i;
  std::int64_t units = 0;
  auto const grids = slab_grids<W>(lines, units);
  auto tables = empty_line_tables<vector_length>((units + groups - 1) / groups, lines.count());
  tables.slab_stride = along_i ? 1 : grids.front().map.pitch();
  auto const table_size = as_size(tables.packs * groups);
  tables.slab_bases.assign(table_size, 0);
  // The padding around lines along k belongs to no other line: a pack is accessed as a whole from its first point to
  // its last. Along i it may hold points of the rows before and after.
  tables.slab_full_begins.assign(table_size, along_i ? 0 : std::numeric_limits<int>::max());
  tables.slab_full_ends.assign(table_size, along_i ? std::numeric_limits<int>::max() : 0);
  auto const place = [&](const SlabGrid<W>& grid, std::int64_t unit_of_grid, std::int64_t base, int lane,
                         const SlabLane& of) {
    auto const unit = grid.first_unit + unit_of_grid;
    auto const line = grid.first_line + of.line;
    place_line(tables, lines, line, unit * W + lane, of.begin);
    tables.slab_bases[as_size(unit)] = grid.first_pack + base;
    int const end = of.begin + lines.length(line);
    auto& full_begin = tables.slab_full_begins[as_size(unit)];
    auto& full_end = tables.slab_full_ends[as_size(unit)];
    full_begin = along_i ? std::max(full_begin, of.begin) : std::min(full_begin, of.begin);
    full_end = along_i ? std::min(full_end, end) : std::max(full_end, end);
  };
  for (auto const& grid : grids) {
    auto const place_in = [&](std::int64_t unit, std::int64_t base, int lane, const SlabLane& of) {
      place(grid, unit, base, lane, of);
    };
    along_i ? for_lines_along_i(grid.map, place_in) : for_lines_along_k(grid.map, place_in);
  }
  // A unit without a line is accessed in no step.
  for (auto& end : tables.slab_full_ends) {
    if (end == std::numeric_limits<int>::max()) end = 0;
  }
  count_items<vector_length>(tables);
  return tables;
}

template <int vector_length, int W>
LineTables make_line_tables(const LineSet& lines) {
  if (has_one_stride<W>(lines)) return make_slab_line_tables<vector_length, W>(lines);
  return make_sorted_line_tables<vector_length>(lines);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
