// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <vector>

namespace hyperplane::test {

/// A field of some components on several grid blocks, as a flow code has it: arrays with layers of ghost points around
/// them, one after the other.
struct GhostFieldLayout {
  static constexpr int ghosts = 3;
  int components;

  KOKKOS_FUNCTION static std::int64_t extent(int points) { return points + 2 * ghosts; }
  KOKKOS_FUNCTION std::int64_t size(const Grid& grid) const {
    return extent(grid.ni()) * extent(grid.nj()) * extent(grid.nk()) * components;
  }
  KOKKOS_FUNCTION std::int64_t place(const Grid& grid, const Point& p, int c) const {
    return (((p.k + ghosts) * extent(grid.nj()) + p.j + ghosts) * extent(grid.ni()) + p.i + ghosts) * components + c;
  }
};

/// What a field has at a point: another value everywhere.
inline double ghost_field_value(int block, const Point& p, int c) {
  return 1e6 * block + 1e4 * p.i + 1e2 * p.j + p.k + 0.125 * c;
}

/// What a ghost point has before something is written there: another value everywhere in a grid block.
KOKKOS_INLINE_FUNCTION double ghost_field_start(std::int64_t place) { return -1.0 - static_cast<double>(place); }

/// On the device.
template <class Exec>
class GhostField {
 public:
  struct Grids {
    const Grid* grids;
    const std::int64_t* offsets;
    GhostFieldLayout layout;
    KOKKOS_FUNCTION std::int64_t place(int block, const Point& p, int c) const {
      return offsets[block] + layout.place(grids[block], p, c);
    }
  };
  struct Read {
    Grids grids;
    const double* values;
    KOKKOS_FUNCTION double operator()(int block, const Point& p, int c) const {
      return values[grids.place(block, p, c)];
    }
  };
  /// Adds: what is written once is the value.
  struct Write {
    Grids grids;
    double* values;
    KOKKOS_FUNCTION void operator()(int block, const Point& p, int c, double value) const {
      values[grids.place(block, p, c)] += value - ghost_field_start(grids.layout.place(grids.grids[block], p, c));
    }
  };

  /// `number_of(block)` is what ghost_field_value() calls a grid block.
  template <class NumberOf>
  GhostField(const Exec& exec, const MultiBlockGrid& grid, int components, const NumberOf& number_of)
      : m_exec(exec), m_grid(grid), m_layout{components} {
    std::vector<std::int64_t> offsets;
    std::vector<double> values;
    for (int b = 0; b < grid.block_count(); ++b) {
      auto const& block = grid.block(b);
      offsets.push_back(static_cast<std::int64_t>(values.size()));
      for (std::int64_t place = 0; place < m_layout.size(block); ++place) values.push_back(ghost_field_start(place));
      for (std::int64_t number = 0; number < block.size(); ++number) {
        Point const p = block.point(number);
        for (int c = 0; c < components; ++c) {
          values[hyperplane::detail::as_size(offsets.back() + m_layout.place(block, p, c))] =
              ghost_field_value(number_of(b), p, c);
        }
      }
    }
    m_host_offsets = offsets;
    m_grids =
        hyperplane::detail::to_space(exec, "grids", std::vector<Grid>(grid.blocks().begin(), grid.blocks().end()));
    m_offsets = hyperplane::detail::to_space(exec, "offsets", offsets);
    m_values = hyperplane::detail::to_space(exec, "values", values);
  }

  Read read() const { return {grids(), m_values.data()}; }
  Write write() const { return {grids(), m_values.data()}; }

  /// All values of a grid block with its ghost points.
  std::vector<double> values_of(int block) const {
    auto const all = hyperplane::detail::to_vector(m_exec, m_values);
    auto const begin = all.begin() + m_host_offsets[hyperplane::detail::as_size(block)];
    return {begin, begin + m_layout.size(m_grid.block(block))};
  }
  const GhostFieldLayout& layout() const { return m_layout; }

 private:
  Grids grids() const { return {m_grids.data(), m_offsets.data(), m_layout}; }

  Exec m_exec;
  MultiBlockGrid m_grid;
  GhostFieldLayout m_layout;
  std::vector<std::int64_t> m_host_offsets;
  Kokkos::View<Grid*, typename Exec::memory_space> m_grids;
  Kokkos::View<std::int64_t*, typename Exec::memory_space> m_offsets;
  Kokkos::View<double*, typename Exec::memory_space> m_values;
};

/// The same on the host, layer by layer: a donor's point that is outside of it is one of its ghost points, of a layer
/// that has been filled before.
inline std::vector<std::vector<double>> expected_ghost_fields(const MultiBlockGrid& grid, int layers, int components) {
  GhostFieldLayout const layout{components};
  std::vector<std::vector<double>> result;
  auto const value = [&](int block, const Point& p, int c) -> double& {
    return result[hyperplane::detail::as_size(block)]
                 [hyperplane::detail::as_size(layout.place(grid.block(block), p, c))];
  };
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const& block = grid.block(b);
    result.emplace_back();
    for (std::int64_t place = 0; place < layout.size(block); ++place)
      result[hyperplane::detail::as_size(b)].push_back(ghost_field_start(place));
    for (std::int64_t number = 0; number < block.size(); ++number) {
      for (int c = 0; c < components; ++c) {
        value(b, block.point(number), c) = ghost_field_value(b, block.point(number), c);
      }
    }
  }
  for (int layer = 1; layer <= layers; ++layer) {
    for (auto const& interface : grid.interfaces()) {
      auto const& [begin, end] = interface.points;
      auto const size = Grid(end.i - begin.i, end.j - begin.j, end.k - begin.k);
      for (std::int64_t number = 0; number < size.size(); ++number) {
        Point const step = size.point(number);
        Point ghost{begin.i + step.i, begin.j + step.j, begin.k + step.k};
        Point donor = interface.donor_point(ghost);
        for (int l = 0; l < layer; ++l) ghost = neighbour(ghost, interface.face);
        for (int l = 1; l < layer; ++l) donor = neighbour(donor, opposite(interface.donor_face()));
        for (int c = 0; c < components; ++c) value(interface.block, ghost, c) = value(interface.donor, donor, c);
      }
    }
  }
  return result;
}

}  // namespace hyperplane::test
