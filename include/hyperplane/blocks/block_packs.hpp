// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/grouped_apply.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// From the slots of a grid block, whose groups are counted over all grid blocks, to the numbers of its points.
template <int vector_length>
struct SlotNumbers {
  SlabMap<vector_length> m_map;
  std::int64_t m_first_pack;
  std::int64_t m_first_point;

  /// That of the point in a slot, which has one.
  KOKKOS_FUNCTION std::int64_t number(std::int64_t pack, int lane) const {
    Point p{};
    m_map.find_point(pack - m_first_pack, lane, p);
    return m_first_point + m_map.grid().index(p);
  }
};

/// Where the SIMD groups of each grid block begin, in storage that has one grid block after the other. Without grid
/// blocks there is one group of padding, so that no storage is empty.
template <int vector_length>
class BlockPacks {
 public:
  explicit BlockPacks(const MultiBlockGrid& grid) {
    auto first = std::make_shared<std::vector<std::int64_t>>(1, 0);
    for (auto const& block : grid.blocks())
      first->push_back(first->back() + SlabMap<vector_length>(block).pack_count());
    m_first = std::move(first);
  }

  /// The first group of a grid block.
  std::int64_t first(int number) const { return (*m_first)[as_size(number)]; }
  /// Groups of all grid blocks.
  std::int64_t count() const { return std::max<std::int64_t>(m_first->back(), 1); }

  /// Grid blocks and where their groups begin.
  std::vector<GroupedGrid> grids(const MultiBlockGrid& grid) const {
    std::vector<GroupedGrid> result;
    result.reserve(as_size(grid.block_count()));
    for (int b = 0; b < grid.block_count(); ++b) result.push_back({grid.block(b), first(b)});
    return result;
  }

  /// The numbers of points in slots, by grid block.
  std::vector<SlotNumbers<vector_length>> numbers(const MultiBlockGrid& grid) const {
    std::vector<SlotNumbers<vector_length>> result;
    result.reserve(as_size(grid.block_count()));
    for (int b = 0; b < grid.block_count(); ++b) {
      result.push_back({SlabMap<vector_length>(grid.block(b)), first(b), grid.first_point(b)});
    }
    return result;
  }

  /// The part of a grid block, where a group has `values` values.
  template <class Flat>
  Flat part(const Flat& flat, int number, int values) const {
    auto const end = (*m_first)[as_size(number) + 1];
    return Kokkos::subview(flat, std::pair(as_size(first(number) * values), as_size(end * values)));
  }

 private:
  std::shared_ptr<const std::vector<std::int64_t>> m_first;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
