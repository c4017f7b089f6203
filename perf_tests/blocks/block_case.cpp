// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "block_case.hpp"

#include <hyperplane/blocks/cut_grid.hpp>

#include <cstddef>
#include <utility>

namespace hyperplane::perf {

BlockCase::BlockCase(std::string name, const std::vector<Grid>& blocks)
    : m_name(std::move(name)), m_grid(blocks), m_systems(blocks) {
  for (std::size_t b = 0; b < blocks.size(); ++b) m_origins.push_back({static_cast<int>(b), {0, 0, 0}});
}

BlockCase::BlockCase(const Grid& box, const std::array<int, 3>& parts)
    : m_name(to_string(box)), m_grid(std::vector{box}), m_systems{box} {
  auto const cut = cut_grid(box, parts);
  m_grid = cut.grid;
  for (auto const& part : cut.boxes) m_origins.push_back({0, part.begin});
  if (m_origins.size() > 1) m_name += "/" + to_string(Grid(parts[0], parts[1], parts[2]));
}

std::vector<RandomSystem> BlockCase::systems(int n) const {
  std::vector<RandomSystem> result;
  for (auto const& grid : m_systems) {
    result.push_back({.grid = grid, .n = n, .seed = 1 + static_cast<unsigned>(result.size())});
  }
  return result;
}

PartOfSystem BlockCase::part(int block, int n) const {
  auto const& origin = m_origins.at(static_cast<std::size_t>(block));
  return {systems(n).at(static_cast<std::size_t>(origin.system)), origin.begin};
}

std::vector<std::int64_t> BlockCase::places(int block) const {
  auto const& origin = m_origins.at(static_cast<std::size_t>(block));
  std::int64_t first = 0;
  for (int s = 0; s < origin.system; ++s) first += m_systems[static_cast<std::size_t>(s)].size();
  auto const& box = m_systems[static_cast<std::size_t>(origin.system)];
  auto const& own = m_grid.block(block);
  std::vector<std::int64_t> result;
  for (std::int64_t number = 0; number < own.size(); ++number) {
    Point const p = own.point(number);
    result.push_back(first + box.index(origin.begin.i + p.i, origin.begin.j + p.j, origin.begin.k + p.k));
  }
  return result;
}

namespace {

BlockCase equal_blocks(int count, const Grid& block) {
  return {std::to_string(count) + "_of_" + to_string(block), std::vector<Grid>(static_cast<std::size_t>(count), block)};
}

/// Grid blocks of the smallest shape to the largest, which are the first and the last; extents of the others between
/// them vary independently of one another.
BlockCase mixed_blocks(int count, const Grid& smallest, const Grid& largest) {
  std::vector<Grid> blocks;
  for (int b = 0; b + 1 < count; ++b) {
    auto const between = [&](int low, int high, int stride) {
      return low + (high - low) * (stride * b % count) / count;
    };
    blocks.emplace_back(between(smallest.ni(), largest.ni(), 7), between(smallest.nj(), largest.nj(), 11),
                        between(smallest.nk(), largest.nk(), 17));
  }
  blocks.push_back(largest);
  return {std::to_string(count) + "_mixed", blocks};
}

}  // namespace

std::vector<BlockCase> block_lists(bool smoke, bool on_device) {
  if (smoke) return {equal_blocks(3, Grid(7, 5, 6)), mixed_blocks(4, Grid(3, 1, 2), Grid(9, 6, 5))};
  std::vector<BlockCase> lists{equal_blocks(64, Grid(15, 15, 15)), mixed_blocks(40, Grid(9, 13, 21), Grid(64, 40, 33))};
  if (on_device) {
    lists.push_back(equal_blocks(27, Grid(29, 29, 29)));
    lists.push_back(equal_blocks(8, Grid(55, 55, 55)));
    lists.push_back(equal_blocks(1, Grid(55, 55, 55)));
  }
  return lists;
}

std::vector<BoxCuts> box_cuts(bool smoke, bool on_device) {
  if (smoke) return {{Grid(13, 6, 7), {{2, 2, 2}, {3, 2, 1}}}};
  std::vector<std::array<int, 3>> const cube{{2, 2, 2}, {4, 4, 4}}, flat{{8, 8, 1}};
  if (on_device)
    return {{Grid(128, 128, 128), cube}, {Grid(600, 400, 4), flat}, {Grid(150, 100, 4), {{4, 4, 1}, {8, 8, 1}}}};
  return {{Grid(64, 64, 64), cube}, {Grid(300, 200, 4), flat}};
}

}  // namespace hyperplane::perf
