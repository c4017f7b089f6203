// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>
#include <vector>

#include "support/folded_order.hpp"

// The packs of hyperplanes of folded orders, which kernels of CUDA go by.
namespace hyperplane::test {
namespace {

template <int W>
void expect_each_point_once(const Grid& grid, const FoldedDirections& folded) {
  FoldedOrder const order(grid, folded);
  detail::FoldedMap<W> const map(order);
  detail::PlanePacks const planes(map);
  ASSERT_EQ(planes.planes(), order.plane_count());
  std::vector<int> found(static_cast<std::size_t>(grid.size()), 0);
  for (int p = 0; p < planes.planes(); ++p) {
    EXPECT_GT(planes.size(p), 0);
    for (auto number = planes.first(p); number < planes.first(p + 1); ++number) {
      auto const pack = planes.packs()[static_cast<std::size_t>(number)];
      bool const second_half = pack.slab >= map.slabs();
      for (int lane = 0; lane < W; ++lane) {
        int const j = pack.slab % map.slabs() * W + lane;
        if (j >= grid.nj()) continue;
        int const level = p - order.j().level(j) - order.k().level(pack.k);
        int i = 0;
        if (level < 0 || level >= order.i().levels() || !order.i().find(level, second_half, i)) continue;
        ++found[static_cast<std::size_t>(grid.index(i, j, pack.k))];
      }
    }
  }
  for (auto const count : found)
    EXPECT_EQ(count, 1) << to_string(grid) << ", folded " << letters(folded) << ", W " << W;
}

TEST(FoldedPacks, have_each_point_once) {
  for (auto const& grid :
       {Grid(1, 1, 1), Grid(2, 2, 2), Grid(5, 4, 3), Grid(4, 9, 5), Grid(17, 2, 9), Grid(3, 8, 1), Grid(6, 17, 4)}) {
    for (auto const& folded : foldings()) {
      expect_each_point_once<4>(grid, folded);
      expect_each_point_once<8>(grid, folded);
    }
  }
}

}  // namespace
}  // namespace hyperplane::test
