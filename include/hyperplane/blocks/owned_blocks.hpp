// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Throws Error, which names `function`, unless each grid block has an owner, and owners are 0 <= owner < count. `what`
/// they are: "rank", "part".
inline void check_owners(const std::string& function, const std::string& what, const MultiBlockGrid& whole,
                         const std::vector<int>& owners, int count) {
  if (static_cast<int>(owners.size()) != whole.block_count()) {
    fail(function + ": " + std::to_string(owners.size()) + " owners for " + to_string(whole));
  }
  auto const wrong = std::find_if(owners.begin(), owners.end(), [&](int owner) { return owner < 0 || owner >= count; });
  if (wrong == owners.end()) return;
  fail(function + ": the owner of grid block " + std::to_string(wrong - owners.begin()) + " is " + what + " " +
       std::to_string(*wrong) + ", there are " + std::to_string(count));
}

/// The grid blocks that one of several owners has: some, or none.
class OwnedBlocks {
 public:
  /// `owners`: of each grid block.
  OwnedBlocks(const MultiBlockGrid& whole, const std::vector<int>& owners, int owner)
      : m_places(owners.size(), -1), m_grid(MultiBlockGrid::without_blocks()) {
    std::vector<Grid> blocks;
    for (int b = 0; b < whole.block_count(); ++b) {
      if (owners[as_size(b)] != owner) continue;
      m_places[as_size(b)] = static_cast<int>(blocks.size());
      m_numbers.push_back(b);
      blocks.push_back(whole.block(b));
    }
    std::vector<Interface> interfaces;
    for (auto interface : whole.interfaces()) {
      interface.block = place(interface.block);
      interface.donor = place(interface.donor);
      if (interface.block >= 0 && interface.donor >= 0) interfaces.push_back(interface);
    }
    if (!blocks.empty()) m_grid = MultiBlockGrid(std::move(blocks), interfaces);
  }

  /// The numbers that they have in the whole grid.
  const std::vector<int>& numbers() const { return m_numbers; }
  /// The number that a grid block of the whole grid has among these, or -1.
  int place(int number) const { return m_places[as_size(number)]; }
  /// They alone, and the interfaces between them, in the same order.
  const MultiBlockGrid& grid() const { return m_grid; }

 private:
  std::vector<int> m_numbers;
  std::vector<int> m_places;
  MultiBlockGrid m_grid;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
