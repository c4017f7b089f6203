// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/check_interfaces.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Grid blocks, each a box of points of its own, and the interfaces where they meet one to one, as CGNS has them.
///
/// Points are numbered grid block after grid block, in each as Grid does. A value on the host, of which copies share
/// the lists.
class MultiBlockGrid {
 public:
  /// An interface may be given from one side or from both. Throws Error, which names the grid block, the face and the
  /// range, unless there is a grid block, every range is a layer of points inside its grid block and on its face, its
  /// donors are inside theirs, sides that are both given agree, and no face of a point is in two interfaces.
  explicit MultiBlockGrid(std::vector<Grid> blocks, const std::vector<Interface>& interfaces = {})
      : m_lists(std::make_shared<Lists>(Lists{std::move(blocks)})) {
    auto& lists = *m_lists;
    if (lists.blocks.empty()) fail("MultiBlockGrid: there is no grid block");
    for (auto const& block : lists.blocks) lists.first_points.push_back(lists.first_points.back() + block.size());
    lists.interfaces = detail::both_sides(lists.blocks, interfaces);
    lists.first_interfaces.resize(lists.blocks.size() + 1);
    for (auto const& interface : lists.interfaces) ++lists.first_interfaces[detail::as_size(interface.block) + 1];
    std::partial_sum(lists.first_interfaces.begin(), lists.first_interfaces.end(), lists.first_interfaces.begin());
  }

  /// No grid blocks: what a process has where others have them all. Vectors and matrices on it are padding alone.
  static MultiBlockGrid without_blocks() {
    MultiBlockGrid result({Grid(1, 1, 1)});
    result.m_lists = std::make_shared<Lists>(Lists{{}, {}, {0}, {0}});
    return result;
  }

  /// Number of grid blocks.
  int block_count() const { return static_cast<int>(m_lists->blocks.size()); }
  const Grid& block(int number) const { return m_lists->blocks.at(as_index(number)); }
  std::span<const Grid> blocks() const& { return m_lists->blocks; }
  /// All interfaces, from both sides, by grid block.
  std::span<const Interface> interfaces() const& { return m_lists->interfaces; }
  /// Those of a grid block.
  std::span<const Interface> interfaces(int number) const& {
    auto const place = as_index(number);
    auto const begin = m_lists->first_interfaces[place], end = m_lists->first_interfaces[place + 1];
    return std::span<const Interface>(m_lists->interfaces).subspan(begin, end - begin);
  }
  // They are lists of the object, or of a copy.
  std::span<const Grid> blocks() const&& = delete;
  std::span<const Interface> interfaces() const&& = delete;
  std::span<const Interface> interfaces(int) const&& = delete;

  /// Number of points of all grid blocks.
  std::int64_t size() const { return m_lists->first_points.back(); }
  /// Number of the first point of a grid block.
  std::int64_t first_point(int number) const { return m_lists->first_points.at(as_index(number)); }

  friend bool operator==(const MultiBlockGrid& a, const MultiBlockGrid& b) {
    return a.m_lists == b.m_lists ||
           (a.m_lists->blocks == b.m_lists->blocks && a.m_lists->interfaces == b.m_lists->interfaces);
  }

  /// "3 grid blocks (8x6x4, 8x6x4, 5x5x5)"; of more than four the first three.
  friend std::string to_string(const MultiBlockGrid& grid) {
    std::size_t const count = grid.m_lists->blocks.size(), named = count > 4 ? 3 : count;
    std::string result = std::to_string(count) + (count == 1 ? " grid block" : " grid blocks");
    if (count == 0) return result;
    for (std::size_t b = 0; b < named; ++b) result += (b == 0 ? " (" : ", ") + to_string(grid.m_lists->blocks[b]);
    return result + (named < count ? ", ...)" : ")");
  }

 private:
  struct Lists {
    std::vector<Grid> blocks;
    std::vector<Interface> interfaces{};
    std::vector<std::int64_t> first_points{0};
    std::vector<std::size_t> first_interfaces{};
  };
  std::size_t as_index(int number) const {
    if (number < 0 || number >= block_count()) {
      fail("MultiBlockGrid: there is no grid block " + std::to_string(number) + " in " + to_string(*this));
    }
    return detail::as_size(number);
  }

  std::shared_ptr<Lists> m_lists;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
