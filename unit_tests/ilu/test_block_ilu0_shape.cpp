// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_factor_shape.hpp>
#include <hyperplane/sweep/slab_shape_cuda.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

// How the CUDA slab path cuts a grid: a pure function, so tested wherever there is no such device.
namespace hyperplane::detail {
namespace {

constexpr std::size_t shared_bytes = 232448;
constexpr int multiprocessors = 132;
/// About that of blocks of n x n in double.
CudaSlabMemory memory(int n) {
  std::size_t const values = std::size_t{8} * n * 8;
  return {4 * n * values + values, 17 * values, 9 * values};
}

TEST(CudaSlabShape, spreads_few_rows_over_many_blocks) {
  auto const few = choose_cuda_slab_shape(Grid(15, 15, 15), 8, memory(6), multiprocessors, shared_bytes);
  auto const many = choose_cuda_slab_shape(Grid(128, 128, 128), 8, memory(6), multiprocessors, shared_bytes);
  EXPECT_LT(few.layers, many.layers);
  EXPECT_GE(few.blocks, many.blocks);
}

TEST(CudaSlabShape, has_the_clusters_that_were_fastest_when_they_were_measured) {
  auto const blocks = [](const Grid& grid, bool by_slabs) {
    return choose_cuda_slab_shape(grid, 8, memory(5), multiprocessors, shared_bytes, by_slabs).blocks;
  };
  EXPECT_EQ(blocks(Grid(64, 64, 64), false), 8);
  EXPECT_EQ(blocks(Grid(96, 96, 96), false), 4);
  EXPECT_EQ(blocks(Grid(128, 128, 128), false), 2);
  EXPECT_EQ(blocks(Grid(256, 256, 256), true), 8);
}

TEST(CudaSlabShape, has_tall_thread_blocks_where_they_were_fastest_when_they_were_measured) {
  auto const is_tall = [](const Grid& grid, int n, std::size_t bytes, bool by_slabs = false) {
    std::size_t const block = n * n * bytes;
    CudaSlabMemory const narrow{4 * 8 * block + 400, 6400, 3600};
    auto const shape = choose_cuda_slab_shape(grid, 8, narrow, multiprocessors, shared_bytes, by_slabs,
                                              cuda_slab_tall_from(n, bytes, 2 * n));
    EXPECT_EQ(shape.layers, shape.layers > cuda_slab_max_layers ? cuda_slab_tall_layers : cuda_slab_max_layers);
    EXPECT_TRUE(shape.layers <= cuda_slab_max_layers || shape.blocks == 1);
    return shape.layers > cuda_slab_max_layers;
  };
  for (std::size_t const bytes : {2, 4}) {
    EXPECT_TRUE(is_tall(Grid(128, 128, 128), 2, bytes));
    EXPECT_FALSE(is_tall(Grid(96, 96, 96), 2, bytes));
    EXPECT_FALSE(is_tall(Grid(128, 128, 128), 5, bytes));
    EXPECT_TRUE(is_tall(Grid(192, 192, 192), 5, bytes));
    EXPECT_TRUE(is_tall(Grid(256, 256, 256), 6, bytes));
    EXPECT_TRUE(is_tall(Grid(100, 300, 300), 5, bytes));
    EXPECT_FALSE(is_tall(Grid(64, 64, 512), 5, bytes)) << "few rows under way";
  }
  EXPECT_TRUE(is_tall(Grid(192, 192, 192), 3, 8));
  EXPECT_FALSE(is_tall(Grid(128, 128, 128), 4, 2)) << "not measured";
  EXPECT_FALSE(is_tall(Grid(256, 256, 256), 1, 2)) << "not measured";
  EXPECT_FALSE(is_tall(Grid(2000, 2000, 17), 5, 2)) << "few layers";
  EXPECT_FALSE(is_tall(Grid(256, 256, 256), 4, 8)) << "registers";
  EXPECT_FALSE(is_tall(Grid(256, 256, 256), 5, 2, true)) << "slab after slab";
}

TEST(CudaSlabShape, takes_slab_after_slab_where_that_was_fastest_when_it_was_measured) {
  constexpr std::size_t of_double = 7 * 25 * 8, of_float = 7 * 25 * 4;
  auto const by_slabs = [](const Grid& grid, std::size_t bytes) {
    return cuda_tiles_by_slabs(grid, 8, bytes, multiprocessors);
  };
  EXPECT_TRUE(by_slabs(Grid(192, 128, 128), of_double));
  EXPECT_TRUE(by_slabs(Grid(256, 256, 256), of_double));
  EXPECT_FALSE(by_slabs(Grid(256, 256, 256), of_float));
  EXPECT_FALSE(by_slabs(Grid(160, 160, 160), of_double));
  EXPECT_FALSE(by_slabs(Grid(64, 64, 512), of_double)) << "lines shorter than there are layers";
  EXPECT_FALSE(by_slabs(Grid(600, 400, 4), of_double)) << "few rows";
}

TEST(CudaSlabShape, fits_every_block_size_and_grid) {
  for (int n = 1; n <= 16; ++n) {
    for (auto const& grid : {Grid(1, 1, 1), Grid(100, 1, 1), Grid(1, 100, 1), Grid(1, 1, 100), Grid(9, 17, 5),
                             Grid(200, 200, 1), Grid(128, 128, 128), Grid(3, 2, 1000)}) {
      auto const shape = choose_cuda_slab_shape(grid, 8, memory(n), multiprocessors, shared_bytes);
      EXPECT_GE(shape.layers, 1);
      EXPECT_LE(shape.layers, cuda_slab_max_layers);
      EXPECT_GE(shape.stages, 1);
      EXPECT_GE(shape.blocks, 1);
      EXPECT_LE(shape.blocks, cuda_slab_max_blocks);
      EXPECT_LE(memory(n).total(shape.layers, shape.stages), shared_bytes) << to_string(grid) << ", n = " << n;
    }
  }
}

TEST(CudaSlabShape, has_no_more_layers_than_the_grid) {
  auto const flat = choose_cuda_slab_shape(Grid(500, 500, 1), 8, memory(5), multiprocessors, shared_bytes);
  EXPECT_EQ(flat.layers, 1);
  EXPECT_EQ(flat.blocks, 1);
  auto const thin = choose_cuda_slab_shape(Grid(500, 5000, 3), 8, memory(5), multiprocessors, shared_bytes);
  EXPECT_LT((thin.blocks - 1) * thin.layers, 4);
}

TEST(CudaSlabShape, counts_the_multiprocessors_that_it_may_use) {
  Grid const grid(64, 64, 64);
  EXPECT_EQ(choose_cuda_slab_shape(grid, 8, memory(3), 1000, shared_bytes).layers, 2);
  EXPECT_EQ(choose_cuda_slab_shape(grid, 8, memory(3), 100, shared_bytes).layers, cuda_slab_max_layers);
}

TEST(CudaFactorShape, has_no_more_layers_than_the_grid) {
  for (int layers = 1; layers <= 20; ++layers) {
    auto const shape = choose_cuda_factor_shape(Grid(9, 40, layers), 8, multiprocessors);
    EXPECT_GE(shape.blocks, 1);
    EXPECT_LE(shape.blocks, cuda_slab_max_blocks);
    EXPECT_LT(shape.blocks / 2, layers);
  }
}

TEST(CudaFactorShape, tells_the_next_slab_less_often_where_memory_is_busy) {
  EXPECT_EQ(choose_cuda_factor_shape(Grid(15, 15, 15), 8, multiprocessors).steps_to_slab, 1);
  EXPECT_GT(choose_cuda_factor_shape(Grid(128, 128, 128), 8, multiprocessors).steps_to_slab, 1);
}

/// Scalars have kernels of their own.
SweepPath choose_path(const Grid& grid, int n, std::size_t bytes, bool slab_suits, bool planes_overlap) {
  return choose_cuda_path(grid, n, bytes, n == 1, slab_suits, planes_overlap, cuda_slab_tall_from(n, bytes, 2 * n) > 0);
}

TEST(CudaPath, is_a_graph_where_the_device_cannot_run_slabs) {
  for (int const n : {1, 6, 16}) {
    for (auto const& grid : {Grid(1, 1, 1), Grid(15, 15, 15), Grid(256, 256, 256)}) {
      EXPECT_EQ(choose_path(grid, n, 8, false, true), SweepPath::cuda_graph);
    }
  }
}

TEST(CudaPath, is_a_graph_where_the_factorization_cannot_run_slabs) {
  auto const lacks = [] { return true; };
  auto const has = [] { return false; };
  EXPECT_EQ(sweep_path_for_factor(SweepPath::automatic, lacks), SweepPath::cuda_graph);
  EXPECT_EQ(sweep_path_for_factor(SweepPath::automatic, has), SweepPath::automatic) << "the sweeps choose";
  int asked = 0;
  for (SweepPath const path : sweep_paths) {
    if (path == SweepPath::automatic) continue;
    EXPECT_EQ(sweep_path_for_factor(path, [&] { return ++asked > 0; }), path) << name(path) << " at its word";
  }
  EXPECT_EQ(asked, 0) << "the device is asked for nothing";
}

TEST(CudaPath, is_the_one_that_was_faster_when_it_was_measured) {
  Grid const cube(128, 128, 128), large(192, 192, 192), larger(256, 256, 256), flat(100, 300, 300);
  for (int const n : {1, 2, 3, 4, 5, 6}) {
    EXPECT_EQ(choose_path(Grid(15, 15, 15), n, 8, true, true), SweepPath::slab);
    EXPECT_EQ(choose_path(cube, n, 8, true, true), SweepPath::slab);
    EXPECT_EQ(choose_path(cube, n, 4, true, true), SweepPath::slab);
    for (std::size_t const bytes : {8, 4}) {
      EXPECT_EQ(choose_path(large, n, bytes, true, true), SweepPath::slab);
      EXPECT_EQ(choose_path(flat, n, bytes, true, true), SweepPath::slab);
    }
  }
  EXPECT_EQ(choose_path(larger, 1, 8, true, true), SweepPath::slab);
  EXPECT_EQ(choose_path(larger, 2, 8, true, true), SweepPath::slab);
  EXPECT_EQ(choose_path(larger, 2, 4, true, true), SweepPath::cuda_graph);
  EXPECT_EQ(choose_path(larger, 5, 4, true, true), SweepPath::slab);
}

TEST(CudaPath, of_16_bits_is_the_one_that_was_faster_when_it_was_measured) {
  auto const expect_graph = [](int points, int n, bool of_half, bool of_bfloat16) {
    Grid const cube(points, points, points);
    bool const tall = n > 1;
    EXPECT_EQ(choose_cuda_path(cube, n, cuda_graph_bytes<Half>, false, true, true, tall) == SweepPath::cuda_graph,
              of_half)
        << points << ", n = " << n;
    bool const has_recursion = n == 1;
    EXPECT_EQ(
        choose_cuda_path(cube, n, cuda_graph_bytes<BFloat16>, has_recursion, true, true, tall) == SweepPath::cuda_graph,
        of_bfloat16)
        << points << ", n = " << n;
  };
  for (int const n : {1, 2, 3, 4, 5, 6}) {
    for (int const points : {55, 128, 144}) expect_graph(points, n, false, false);
    expect_graph(256, n, n == 1, n == 2);
  }
}

TEST(CudaPath, is_slab_where_planes_follow_one_another_without_overlap) {
  for (int const n : {1, 2, 3, 6}) {
    for (auto const& grid : {Grid(1, 1, 1), Grid(100, 300, 300), Grid(256, 256, 256)}) {
      EXPECT_EQ(choose_path(grid, n, 4, true, false), SweepPath::slab);
      EXPECT_EQ(choose_path(grid, n, 4, false, false), SweepPath::cuda_graph);
    }
  }
}

}  // namespace
}  // namespace hyperplane::detail
