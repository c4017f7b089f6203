// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/assemble.hpp"

#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <Kokkos_Macros.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hyperplane::perf {

/// What a box of a random system's points has of it.
struct PartOfSystem {
  RandomSystem whole;
  Point begin{};

  KOKKOS_FUNCTION Point moved(const Point& p) const { return {begin.i + p.i, begin.j + p.j, begin.k + p.k}; }
  KOKKOS_FUNCTION double coefficient(const Point& p, Direction direction, int r, int c) const {
    return whole.coefficient(moved(p), direction, r, c);
  }
  KOKKOS_FUNCTION double rhs(const Point& p, int c) const { return whole.rhs(moved(p), c); }
};

/// Grid blocks, and the random systems of which each has a part: a system of its own, or that of the box that it was
/// cut out of.
class BlockCase {
 public:
  /// Grid blocks that meet no other.
  BlockCase(std::string name, const std::vector<Grid>& blocks);
  /// The parts of a box. Its name is that of the box and, if there is more than one part, "/2x2x2".
  BlockCase(const Grid& box, const std::array<int, 3>& parts);

  const std::string& name() const { return m_name; }
  const MultiBlockGrid& grid() const { return m_grid; }
  /// The systems of blocks of n unknowns.
  std::vector<RandomSystem> systems(int n) const;
  PartOfSystem part(int block, int n) const;

  /// Where the points of a grid block are among those of all systems, system after system.
  std::vector<std::int64_t> places(int block) const;

 private:
  struct Origin {
    int system;
    Point begin;
  };

  std::string m_name;
  MultiBlockGrid m_grid;
  std::vector<Grid> m_systems;
  std::vector<Origin> m_origins;  ///< of grid blocks
};

/// Grid blocks that meet no other, of one size and of many shapes; of a host those that take seconds.
std::vector<BlockCase> block_lists(bool smoke, bool on_device);

/// A box, and in how many parts it is cut.
struct BoxCuts {
  Grid box;
  std::vector<std::array<int, 3>> parts;
};
std::vector<BoxCuts> box_cuts(bool smoke, bool on_device);

}  // namespace hyperplane::perf
