// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/ilu/detail/block_ilu0_cuda_factor_shape.hpp>
#include <hyperplane/sweep/group_order_cuda.hpp>
#include <hyperplane/sweep/slab_shape_cuda.hpp>
#include <vector>

// In which order CUDA takes the tiles of several grids: a pure function, so tested wherever there is no such device.
namespace hyperplane::detail {
namespace {

using Map = SlabMap<8>;

std::vector<std::vector<Map>> groups() {
  std::vector<Map> mixed;
  for (auto const& grid : {Grid(1, 1, 1), Grid(64, 40, 33), Grid(9, 13, 21), Grid(1, 100, 1), Grid(3, 2, 50)}) {
    mixed.emplace_back(grid);
  }
  return {{Map(Grid(1, 1, 1))}, {Map(Grid(17, 30, 9))}, std::vector<Map>(64, Map(Grid(15, 15, 15))), mixed};
}

/// Every tile once, and after those that it depends on.
void expect_topological(const std::vector<Map>& maps, int layers, const std::vector<CudaGroupTile>& order, bool both) {
  std::vector<std::vector<int>> place(maps.size());
  std::size_t tiles = 0;
  for (std::size_t g = 0; g < maps.size(); ++g) {
    int const of_sweep = (maps[g].grid().nk() + layers - 1) / layers * maps[g].slabs();
    place[g].assign((both ? 2 : 1) * of_sweep, -1);
    tiles += place[g].size();
  }
  ASSERT_EQ(order.size(), tiles);
  for (std::size_t ticket = 0; ticket < order.size(); ++ticket) {
    auto& here = place.at(order[ticket].grid).at(order[ticket].number);
    EXPECT_EQ(here, -1) << "drawn twice";
    here = static_cast<int>(ticket);
  }
  for (std::size_t g = 0; g < maps.size(); ++g) {
    int const slabs = maps[g].slabs();
    int const of_sweep = static_cast<int>(place[g].size()) / (both ? 2 : 1);
    for (int number = 0; number < static_cast<int>(place[g].size()); ++number) {
      int const tile = number % of_sweep;
      std::vector<int> before;
      if (tile % slabs > 0) before.push_back(number - 1);
      if (tile >= slabs) before.push_back(number - slabs);
      for (int forward = 0; number >= of_sweep && forward < of_sweep; ++forward) before.push_back(forward);
      for (int const other : before) EXPECT_LT(place[g][other], place[g][number]);
    }
  }
}

TEST(CudaGroupOrder, is_topological_whatever_the_grids) {
  for (auto const& maps : groups()) {
    for (int const layers : {1, 4, 32}) {
      for (int const clusters : {1, 7, 132}) {
        CudaGroupOrder<8> const order(maps, layers, clusters);
        expect_topological(maps, layers, order.list(false), false);
        expect_topological(maps, layers, order.list(true), true);
      }
    }
  }
}

TEST(CudaGroupOrder, of_one_grid_is_its_own_order) {
  Map const map(Grid(17, 30, 9));
  auto const order = CudaGroupOrder<8>({map}, 2, 132).list(false);
  auto const expected = cuda_slab_order(map, 5, 8, 2);
  ASSERT_EQ(order.size(), expected.size());
  for (std::size_t e = 0; e < order.size(); ++e) EXPECT_EQ(order[e], (CudaGroupTile{0, expected[e]}));
}

// Where each multiprocessor can have a tile that waits for nothing, it does.
TEST(CudaGroupOrder, begins_with_what_waits_for_nothing) {
  std::vector<Map> const maps(40, Map(Grid(15, 15, 15)));
  auto const order = CudaGroupOrder<8>(maps, 4, 40).list(true);
  for (int ticket = 0; ticket < 40; ++ticket) EXPECT_EQ(order[ticket].number, 0);
}

TEST(CudaGroupShape, has_longer_clusters_where_there_are_fewer_slabs) {
  CudaSlabMemory const memory{9600, 6000, 4000};
  auto const shape = [&](int count, const Grid& grid) {
    return choose_cuda_group_shape(std::vector<Map>(count, Map(grid)), memory, 132, 232448);
  };
  EXPECT_EQ(shape(64, Grid(15, 15, 15)).blocks, 1);
  EXPECT_GT(shape(4, Grid(64, 64, 64)).blocks, shape(8, Grid(55, 55, 55)).blocks);
  for (auto const& maps : groups()) {
    auto const chosen = choose_cuda_group_shape(maps, memory, 132, 232448);
    EXPECT_LE(memory.total(chosen.layers, chosen.stages), 232448u);
    EXPECT_GE(chosen.layers, 1);
    EXPECT_GE(chosen.stages, 1);
    auto const of_factor = choose_cuda_group_factor_shape(maps, 132);
    EXPECT_GE(of_factor.blocks, 1);
    EXPECT_LE(of_factor.blocks, cuda_slab_max_blocks);
  }
  EXPECT_EQ(shape(300, Grid(100, 100, 1)).blocks, 1) << "there is one layer";
}

TEST(CudaGroupShape, has_tall_thread_blocks_where_grids_have_many_rows_under_way_together) {
  CudaSlabMemory const memory{8000, 6400, 3600};
  auto const layers = [&](int count, const Grid& grid) {
    return choose_cuda_group_shape(std::vector<Map>(count, Map(grid)), memory, 132, 232448, 10).layers;
  };
  EXPECT_EQ(layers(8, Grid(96, 96, 96)), cuda_slab_tall_layers);
  EXPECT_EQ(layers(1, Grid(96, 96, 96)), cuda_slab_max_layers);
  EXPECT_EQ(layers(64, Grid(15, 15, 15)), cuda_slab_max_layers);
  EXPECT_EQ(layers(1000, Grid(90, 90, 17)), cuda_slab_max_layers) << "few layers";
}

TEST(CudaGroupFactorShape, leaves_few_blocks_without_a_row) {
  EXPECT_EQ(choose_cuda_group_factor_shape(std::vector<Map>(3, Map(Grid(30, 30, 1))), 132).blocks, 1);
  EXPECT_EQ(choose_cuda_group_factor_shape(std::vector<Map>(3, Map(Grid(30, 30, 2))), 132).blocks, 2);
  EXPECT_EQ(choose_cuda_group_factor_shape(std::vector<Map>(3, Map(Grid(30, 30, 5))), 132).blocks, 1);
  EXPECT_EQ(choose_cuda_group_factor_shape(std::vector<Map>(3, Map(Grid(30, 30, 64))), 132).blocks, 8);
}

}  // namespace
}  // namespace hyperplane::detail
