// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_layout_ref.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// In what values of the points of lines are: line storage, or vectors on the grid and arrays of points.
enum class LineData { lines, outer };

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
    return LinePlaces(std::make_shared<const Tables>(Tables{.layout = layout, .of = layout.places()}));
  }

  /// In BlockVector and BlockStencil7, for grid lines.
  HYPERPLANE_APART_HOST_FUNCTION static LinePlaces in_slabs(const Exec& exec, const Layout& layout) {
    auto const& from = layout.tables();
    if (from.slab_bases.empty()) return gathered(exec, layout, slab_length, outer_slots(layout.lines()));
    Tables tables{.bases = to_space(exec, from.slab_bases),
                  .full_begins = to_space(exec, from.slab_full_begins),
                  .full_ends = to_space(exec, from.slab_full_ends)};
    tables.of = SlabStrided{tables.bases.data(), tables.full_begins.data(), tables.full_ends.data(), from.slab_stride};
    return LinePlaces(std::make_shared<const Tables>(std::move(tables)));
  }

  /// In arrays with a row of n unknowns for each point.
  HYPERPLANE_APART_HOST_FUNCTION static LinePlaces in_points(const Exec& exec, const Layout& layout) {
    return gathered(exec, layout, 1, outer_slots(layout.lines()));
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
    Tables tables{.slots = to_space(exec, slots)};
    tables.of = GatheredPlaces{tables.slots.data(), std::countr_zero(static_cast<unsigned>(width))};
    return LinePlaces(std::make_shared<const Tables>(std::move(tables)));
  }

  /// Calls `use(places)` with StridedPlaces or GatheredPlaces.
  template <class Use>
  void visit(const Use& use) const {
    std::visit(use, m_tables->of);
  }

  /// Those of gathered().
  GatheredPlaces gathered_places() const { return std::get<GatheredPlaces>(m_tables->of); }

  /// slot_of(line, position): the slot of a point in vectors on the grid or the grids, for grid lines, and in arrays of
  /// points.
  static auto outer_slots(const LineSet& lines) {
    std::int64_t units = 0;
    return [lines, grids = slab_grids<slab_length>(lines, units)](std::int64_t line, int position) {
      if (grids.empty()) return lines.point(line, position);
      auto const& [map, first_pack, first_unit, first_line] = grids[as_size(lines.grid_of(line).first)];
      auto const p = lines.grid_point(line, position);
      return (first_pack + map.pack(p.i, p.j, p.k)) * slab_length + map.lane(p.j);
    };
  }

 private:
  template <class T>
  using Table = Kokkos::View<T*, typename Exec::memory_space>;

  /// Those that the places need, which are shared by all copies.
  struct Tables {
    std::optional<Layout> layout{};
    Table<std::int64_t> bases{};
    Table<int> full_begins{};
    Table<int> full_ends{};
    Table<int> slots{};
    Variant of{};
  };

  explicit LinePlaces(std::shared_ptr<const Tables> tables) : m_tables(std::move(tables)) {}

  std::shared_ptr<const Tables> m_tables;
};

/// Places as the kernels of an execution space take them: on hosts of one kind.
template <Real Scalar, ExecutionSpace Exec, class Places>
auto kernel_places(const Places& places) {
  if constexpr (HostExecutionSpace<Exec>) {
    return EitherPlaces<vector_length_v<Scalar, Exec>>(places);
  } else {
    return places;
  }
}

/// Places in all data that plans take.
template <Real Scalar, ExecutionSpace Exec>
struct LineSides {
  using Places = LinePlaces<Scalar, Exec>;

  Places lines;
  Places outer;

  explicit LineSides(const Places& in_lines, const Places& in_outer) : lines(in_lines), outer(in_outer) {}
  HYPERPLANE_APART_HOST_FUNCTION LineSides(const Exec& exec, const LineLayout<Scalar, Exec>& layout)
      : lines(Places::in_lines(layout)),
        outer(layout.lines().on_grids() ? Places::in_slabs(exec, layout) : Places::in_points(exec, layout)) {}

  const Places& of(LineData where) const { return where == LineData::lines ? lines : outer; }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
