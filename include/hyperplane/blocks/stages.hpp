// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The steps in which grid blocks that are coupled by colours are factored and swept: forward from the first stage to
/// the last one, backward from the last one to the first. What is in a stage does not depend on one another.
///
/// Where grid blocks are whole, each colour is a stage. Where they are cut into pieces, of some layers of j each, a
/// piece is in the first stage after the piece before it in its grid block, and after all pieces of lower colours that
/// it is coupled to. So whoever has a neighbour of a higher colour begins when the first pieces are there, and not when
/// all of the lower colour is. Colours still say whose coupling is whose: the order of operations at a point, and with
/// it each bit, does not depend on how grid blocks are cut.
class Stages {
 public:
  /// Layers begin <= j < end of a grid block.
  struct Piece {
    int block = 0;
    int begin = 0;
    int end = 0;
  };

  /// Of whole grid blocks, whose colours are 0, 1, ... without gaps; `count` of them, in other processes, too.
  Stages(const MultiBlockGrid& grid, const std::vector<int>& colours, int count) : m_pieces(as_size(count)) {
    for (int b = 0; b < grid.block_count(); ++b) {
      m_widths.push_back(grid.block(b).nj());
      m_stages.push_back({colours[as_size(b)]});
    }
    list_pieces(grid);
  }

  /// Of grid blocks that are cut into pieces of widths[b] layers, the last one of what is left.
  Stages(const MultiBlockGrid& grid, const std::vector<int>& colours, std::vector<int> widths)
      : m_widths(std::move(widths)), m_stages(m_widths.size()), m_cut(true) {
    std::vector<int> by_colour(colours.size());
    std::iota(by_colour.begin(), by_colour.end(), 0);
    std::ranges::stable_sort(by_colour, {}, [&](int b) { return colours[as_size(b)]; });
    int last = -1;
    for (int const b : by_colour) {
      auto& stages = m_stages[as_size(b)];
      stages.assign(as_size((grid.block(b).nj() - 1) / width(b) + 1), 0);
      for (auto const& interface : grid.interfaces(b)) {
        if (colours[as_size(interface.donor)] >= colours[as_size(b)]) continue;
        for_each_pair(along_j(interface), [&](const Point& p, const Point& q) {
          auto& stage = stages[as_size(p.j / width(b))];
          stage = std::max(stage, of(interface.donor, q.j) + 1);
        });
      }
      for (std::size_t piece = 1; piece < stages.size(); ++piece) {
        stages[piece] = std::max(stages[piece], stages[piece - 1] + 1);
      }
      last = std::max(last, stages.back());
    }
    m_pieces.resize(as_size(last + 1));
    list_pieces(grid);
  }

  /// The same of some of the grid blocks, which `grid` has alone.
  Stages of_some(const MultiBlockGrid& grid, std::span<const int> blocks) const {
    Stages result(*this);
    result.m_widths.clear();
    result.m_stages.clear();
    for (int const b : blocks) {
      result.m_widths.push_back(width(b));
      result.m_stages.push_back(m_stages[as_size(b)]);
    }
    for (auto& pieces : result.m_pieces) pieces.clear();
    result.list_pieces(grid);
    return result;
  }

  int count() const { return static_cast<int>(m_pieces.size()); }
  /// Whether there are pieces.
  bool are_cut() const { return m_cut; }
  /// That of the points of a grid block with this j.
  int of(int block, int j) const { return m_stages[as_size(block)][as_size(j / width(block))]; }
  /// Whether something of a grid block is in a stage.
  bool has(int stage, int block) const { return std::ranges::binary_search(m_stages[as_size(block)], stage); }
  /// The last one of a grid block.
  int last_of(int block) const { return m_stages[as_size(block)].back(); }
  /// What is in a stage, by grid block.
  const std::vector<Piece>& pieces(int stage) const { return m_pieces[as_size(stage)]; }

 private:
  int width(int block) const { return m_widths[as_size(block)]; }

  /// Of an interface, points of all j of the grid block that meet all j of the donor, as few as there are: axes that
  /// are j of neither of them do not count.
  static Interface along_j(Interface interface) {
    constexpr int j = 1;
    auto& [begin, end] = interface.points;
    if (std::abs(interface.transform.axes[0]) - 1 != j) end.i = begin.i + 1;
    if (std::abs(interface.transform.axes[2]) - 1 != j) end.k = begin.k + 1;
    return interface;
  }

  void list_pieces(const MultiBlockGrid& grid) {
    for (int b = 0; b < grid.block_count(); ++b) {
      auto const& stages = m_stages[as_size(b)];
      for (int piece = 0; piece < static_cast<int>(stages.size()); ++piece) {
        int const end = std::min((piece + 1) * width(b), grid.block(b).nj());
        m_pieces[as_size(stages[as_size(piece)])].push_back({b, piece * width(b), end});
      }
    }
  }

  std::vector<int> m_widths;
  std::vector<std::vector<int>> m_stages;  ///< of the pieces of each grid block
  std::vector<std::vector<Piece>> m_pieces;
  bool m_cut = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
