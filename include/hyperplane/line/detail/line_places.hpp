// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_layout_ref.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Owner of places: where the values of the points of a layout's lines are in some vector or matrix.
template <Real Scalar, ExecutionSpace Exec>
class LinePlaces {
  using Layout = LineLayout<Scalar, Exec>;
  static constexpr int vector_length = Layout::vector_length;
  static constexpr int slab_length = vector_length_v<Scalar, Exec>;
  using LineStrided = StridedPlaces<vector_length>;
  using SlabStrided = StridedPlaces<slab_length>;
  // The same type on host execution spaces.
  using Variant = std::conditional_t<vector_length == slab_length, std::variant<LineStrided, GatheredPlaces>,
                                     std::variant<LineStrided, SlabStrided, GatheredPlaces>>;

 public:
  /// In the layout's own storage.
  static LinePlaces in_lines(const Layout& layout) {
    LinePlaces places;
    places.m_layout = std::make_shared<const Layout>(layout);
    places.m_places = layout.places();
    return places;
  }

  /// In BlockVector and BlockStencil7, for grid lines.
  static LinePlaces in_slabs(const Exec& exec, const Layout& layout) {
    auto const& tables = layout.tables();
    if (tables.slab_bases.empty()) {
      return gathered(exec, layout, slab_length,
                      [&](std::int64_t line, int position) { return outer_slot(layout.lines(), line, position); });
    }
    LinePlaces places;
    places.m_bases = to_space(exec, tables.slab_bases);
    places.m_full_begins = to_space(exec, tables.slab_full_begins);
    places.m_full_ends = to_space(exec, tables.slab_full_ends);
    places.m_places =
        SlabStrided{places.m_bases.data(), places.m_full_begins.data(), places.m_full_ends.data(), tables.slab_stride};
    return places;
  }

  /// In arrays with a row of n unknowns for each point.
  static LinePlaces in_points(const Exec& exec, const Layout& layout) {
    return gathered(exec, layout, 1,
                    [&](std::int64_t line, int position) { return outer_slot(layout.lines(), line, position); });
  }

  /// Slot `slot_of(line, position)` of packs of `width` lanes, a power of two.
  template <class SlotOf>
  static LinePlaces gathered(const Exec& exec, const Layout& layout, int width, const SlotOf& slot_of) {
    auto const& lines = layout.lines();
    std::vector<int> slots(as_size(layout.items() * vector_length), -1);
    for (std::int64_t line = 0; line < lines.count(); ++line) {
      for (int position = 0; position < lines.length(line); ++position) {
        std::int64_t const slot = slot_of(line, position);
        if (slot > std::numeric_limits<int>::max())
          fail("BlockTridiagonal: there are too many points for lists of them");
        slots[as_size(layout.slot(line, position))] = static_cast<int>(slot);
      }
    }
    LinePlaces places;
    places.m_slots = to_space(exec, slots);
    places.m_places = GatheredPlaces{places.m_slots.data(), std::countr_zero(static_cast<unsigned>(width))};
    return places;
  }

  /// Calls `use(places)` with StridedPlaces or GatheredPlaces.
  template <class Use>
  void visit(const Use& use) const {
    std::visit(use, m_places);
  }

  /// Those of gathered().
  GatheredPlaces gathered_places() const { return std::get<GatheredPlaces>(m_places); }

  /// The slot of a point in vectors on the grid, for grid lines, and in arrays of points.
  static std::int64_t outer_slot(const LineSet& lines, std::int64_t line, int position) {
    if (!lines.grid()) return lines.point(line, position);
    SlabMap<slab_length> const map(*lines.grid());
    auto const p = lines.grid_point(line, position);
    return map.pack(p.i, p.j, p.k) * slab_length + map.lane(p.j);
  }

 private:
  template <class T>
  using Table = Kokkos::View<T*, typename Exec::memory_space>;

  std::shared_ptr<const Layout> m_layout;  ///< whose tables are used
  Table<std::int64_t> m_bases;
  Table<int> m_full_begins;
  Table<int> m_full_ends;
  Table<int> m_slots;
  Variant m_places;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
