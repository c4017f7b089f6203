// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/grouped_apply_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The slot of a point: a SIMD group and a lane. Groups are counted over all grid blocks.
struct Slot {
  std::int64_t pack = 0;
  int lane = 0;
  friend KOKKOS_FUNCTION constexpr bool operator==(const Slot& a, const Slot& b) {
    return a.pack == b.pack && a.lane == b.lane;
  }
};

/// The SIMD group of no point: what is left over of the last group of a message.
inline constexpr std::int64_t no_point = -1;

/// A block of the matrix that couples a point to one of another grid block, or of its own across a periodic direction.
struct FaceCoupling {
  Slot donor{};
  int donor_block = 0;
  Direction direction = Direction::center;  ///< of the point's block that is meant
  /// The donor's couplings in another list, of which those to this point are the reverse of this one.
  int reverse_begin = 0;
  int reverse_end = 0;
  int reverse = 0;                     ///< the number of its reverse in a list with couplings the other way
  Direction back = Direction::center;  ///< of the donor's block that couples it to the point
};

/// A point with such couplings: those numbered begin <= c < end.
struct FacePoint {
  Slot slot{};
  int block = 0;
  std::int64_t pack = 0;  ///< the group, counted in its own grid block
  int begin = 0;
  int end = 0;
};

/// Some points of a list, for kernels: one thread has all couplings of a point, so that a point on an edge of its grid
/// block is no race.
struct FacePart {
  const FacePoint* points = nullptr;
  const FaceCoupling* couplings = nullptr;
  std::int64_t size = 0;
};

/// A list of points and their couplings, as it is made on the host.
struct FaceCouplingList {
  std::vector<FacePoint> points;
  std::vector<FaceCoupling> couplings;
};

/// The SIMD groups of its points, for products.
inline std::vector<GroupedPack> grouped_packs(const FaceCouplingList& list, bool late) {
  std::vector<GroupedPack> result;
  result.reserve(list.points.size());
  for (auto const& point : list.points) result.push_back({point.block, point.pack, late});
  return result;
}

/// The same where an execution space has it.
template <ExecutionSpace Exec>
struct FaceCouplings {
  Kokkos::View<FacePoint*, typename Exec::memory_space> points;
  Kokkos::View<FaceCoupling*, typename Exec::memory_space> couplings;

  FacePart part(std::size_t begin, std::size_t end) const {
    return {points.data() + begin, couplings.data(), static_cast<std::int64_t>(end - begin)};
  }
  FacePart all() const { return part(0, points.size()); }
};

/// A coupling and its point, before they are in a list.
struct FaceCouplingEntry {
  FacePoint point;
  FaceCoupling coupling;
};

/// Couplings are numbered by int: throws Error where there are too many.
inline void check_coupling_count(std::size_t count) {
  if (count <= static_cast<std::size_t>(std::numeric_limits<int>::max())) return;
  fail("MultiBlockGrid: " + std::to_string(count) + " couplings across interfaces are too many");
}

/// The point of a slot, of points in the order of their slots. Throws Error where it is not one of them.
inline const FacePoint& find_point(std::span<const FacePoint> points, const Slot& slot) {
  auto const place = [](const Slot& s) { return std::tuple(s.pack, s.lane); };
  auto const found =
      std::ranges::lower_bound(points, place(slot), {}, [&](const FacePoint& p) { return place(p.slot); });
  require(found != points.end() && found->slot == slot,
          "MultiBlockGrid: a coupling across an interface has no reverse");
  return *found;
}

/// The number of the coupling of a point in a direction, among those of a list whose points begin <= p < end have it.
/// Throws Error where it is not one of them.
inline int find_coupling(const FaceCouplingList& list, std::size_t begin, std::size_t end, const Slot& slot,
                         Direction direction) {
  auto const& point = find_point(std::span(list.points).subspan(begin, end - begin), slot);
  for (int number = point.begin; number < point.end; ++number) {
    if (list.couplings[as_size(number)].direction == direction) return number;
  }
  fail("MultiBlockGrid: a coupling across an interface that another process needs is missing");
}

/// Appends couplings, points in the order of their slots. Throws Error where there are too many.
inline void append_face_couplings(std::vector<FaceCouplingEntry> entries, FaceCouplingList& list) {
  std::ranges::sort(entries, {}, [](const FaceCouplingEntry& e) {
    return std::tuple(e.point.slot.pack, e.point.slot.lane, static_cast<int>(e.coupling.direction));
  });
  check_coupling_count(list.couplings.size() + entries.size());
  auto const before = list.points.size();
  for (auto const& entry : entries) {
    if (list.points.size() == before || !(list.points.back().slot == entry.point.slot)) {
      list.points.push_back(entry.point);
      list.points.back().begin = static_cast<int>(list.couplings.size());
    }
    list.couplings.push_back(entry.coupling);
    list.points.back().end = static_cast<int>(list.couplings.size());
  }
}

/// Of each coupling of the first list the number of the one in the second that leads back, among those that it names.
inline std::vector<int> reverse_numbers(const FaceCouplingList& list, const FaceCouplingList& others) {
  std::vector<int> result(list.couplings.size(), -1);
  for (auto const& point : list.points) {
    for (int c = point.begin; c < point.end; ++c) {
      auto const& coupling = list.couplings[as_size(c)];
      for (int r = coupling.reverse_begin; r < coupling.reverse_end; ++r) {
        if (others.couplings[as_size(r)].donor == point.slot) result[as_size(c)] = r;
      }
      require(result[as_size(c)] >= 0, "MultiBlock: a coupling between grid blocks has no reverse");
    }
  }
  return result;
}

/// visit(point, the donor's point) for all points of an interface, i fastest.
template <class Visit>
void for_each_pair(const Interface& interface, const Visit& visit) {
  auto const& [begin, end] = interface.points;
  for (int k = begin.k; k < end.k; ++k) {
    for (int j = begin.j; j < end.j; ++j) {
      for (int i = begin.i; i < end.i; ++i) visit(Point{i, j, k}, interface.donor_point({i, j, k}));
    }
  }
}

/// Where the points of a grid block are.
template <int vector_length>
class BlockSlots {
 public:
  BlockSlots(const MultiBlockGrid& grid, const BlockPacks<vector_length>& packs, int number)
      : BlockSlots(grid.block(number), packs.first(number), number) {}
  /// Of a grid block whose SIMD groups are counted on from a first one.
  BlockSlots(const Grid& grid, std::int64_t first, int number) : m_map(grid), m_first(first), m_number(number) {}

  Slot slot(const Point& p) const { return {m_first + m_map.pack(p.i, p.j, p.k), m_map.lane(p.j)}; }
  /// Without couplings.
  FacePoint face_point(const Point& p) const { return {slot(p), m_number, m_map.pack(p.i, p.j, p.k)}; }

 private:
  SlabMap<vector_length> m_map;
  std::int64_t m_first;
  int m_number;
};

/// Appends the couplings of an interface, of a grid block here to its donor there.
template <int vector_length>
void append_entries(const BlockSlots<vector_length>& here, const BlockSlots<vector_length>& there,
                    const Interface& interface, std::vector<FaceCouplingEntry>& entries) {
  for_each_pair(interface, [&](const Point& p, const Point& q) {
    FaceCoupling coupling{there.slot(q), interface.donor, interface.face};
    coupling.back = interface.donor_face();
    entries.push_back({here.face_point(p), coupling});
  });
}
template <int vector_length>
void append_entries(const MultiBlockGrid& grid, const BlockPacks<vector_length>& packs, const Interface& interface,
                    std::vector<FaceCouplingEntry>& entries) {
  append_entries(BlockSlots<vector_length>(grid, packs, interface.block),
                 BlockSlots<vector_length>(grid, packs, interface.donor), interface, entries);
}

/// The couplings across all interfaces, points in the order of their slots. Throws Error where there are too many.
template <int vector_length>
FaceCouplingList all_face_couplings(const MultiBlockGrid& grid, const BlockPacks<vector_length>& packs) {
  std::vector<FaceCouplingEntry> entries;
  for (auto const& interface : grid.interfaces()) append_entries(grid, packs, interface, entries);
  FaceCouplingList list;
  append_face_couplings(std::move(entries), list);
  return list;
}

/// Waits for the instance.
template <ExecutionSpace Exec>
FaceCouplings<Exec> to_space(const Exec& exec, const FaceCouplingList& list) {
  return {to_space(exec, "Hyperplane::MultiBlockGrid::face_points", list.points),
          to_space(exec, "Hyperplane::MultiBlockGrid::face_couplings", list.couplings)};
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
