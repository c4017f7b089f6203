// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What brings words of 128 bits, which packets are.
inline constexpr int cuda_slab_capability = 70;
/// Parts of a box, whose devices write into one another's memory, have run on none that is older.
inline constexpr int cuda_part_capability = 90;
/// Rows of a block of threads, at most: as many as leave each of its 16 warps 128 registers per thread.
inline constexpr int cuda_slab_max_layers = 4;
inline constexpr int cuda_slab_max_threads = 512;
/// The same of a kernel whose 22 warps have 80 registers per thread, for blocks that are small or narrow.
inline constexpr int cuda_slab_tall_layers = 6;
inline constexpr int cuda_slab_tall_threads = 704;
/// Blocks of a cluster, at most: what every device of compute capability 9.0 can start. Older ones have one.
inline constexpr int cuda_slab_max_blocks = 8;

/// Bytes of shared memory of a block of the slab solve.
struct CudaSlabMemory {
  std::size_t stage;  ///< for each row and stage
  std::size_t row;    ///< for each row
  std::size_t block;  ///< for each block

  constexpr std::size_t total(int layers, int stages) const { return layers * (stages * stage + row) + block; }
  friend constexpr bool operator==(const CudaSlabMemory&, const CudaSlabMemory&) = default;
};

/// How the rows of a grid are put together: `layers` to a block of threads, `blocks` to a cluster, and for each row
/// `stages` chunks of factors in shared memory or under way.
struct CudaSlabShape {
  int layers;
  int stages;
  int blocks;
  friend constexpr bool operator==(const CudaSlabShape&, const CudaSlabShape&) = default;
};

/// As few layers and blocks as suffice for `nk` layers, and as many layers and stages as there is memory for.
constexpr CudaSlabShape fit_cuda_slab_shape(CudaSlabShape shape, int nk, const CudaSlabMemory& memory,
                                            std::size_t shared_bytes) {
  while (shape.layers > 1 && (shape.layers / 2 >= nk || memory.total(shape.layers, 2) > shared_bytes)) {
    shape.layers /= 2;
  }
  while (shape.stages > 1 && memory.total(shape.layers, shape.stages) > shared_bytes) --shape.stages;
  while (shape.blocks > 1 && shape.blocks / 2 * shape.layers >= nk) shape.blocks /= 2;
  return shape;
}

/// Chunks of factors of a row that are in shared memory or under way, at most.
inline constexpr int cuda_slab_max_stages = 6;

/// Layers of slabs, each of which a row of a thread block takes.
constexpr long long cuda_slab_rows(const Grid& grid, int vector_length) {
  return static_cast<long long>((grid.nj() + vector_length - 1) / vector_length) * grid.nk();
}

/// Layers of slabs that are under way at the same time, on average, if each begins as soon as it can.
constexpr long long cuda_slab_rows_under_way(const Grid& grid, int vector_length) {
  long long const hyperplanes = static_cast<long long>(grid.ni()) + grid.nj() + grid.nk() - 2;
  return cuda_slab_rows(grid, vector_length) * grid.ni() / hyperplanes;
}

/// With so many of them for each multiprocessor, thread blocks of cuda_slab_tall_layers rows are faster; 0: they never
/// are. A pure function of the size of blocks, and of the values that a thread has of one, from measurements on an H200
/// with n = 2 to 8 (docs/notes/sweeps-cuda.md): rows of small blocks wait for the instructions of a step first, and
/// large ones do not fit into the registers of so many warps.
constexpr int cuda_slab_tall_from(int n, std::size_t value_bytes, int values_of_thread) {
  if (n == 1 || values_of_thread * value_bytes > 48) return 0;
  return n <= 3 && n * n * value_bytes <= 40 ? 4 : 10;
}

/// Whether thread blocks are tall; `nk` is the number of layers, of which three thread blocks and more have their rows.
constexpr bool cuda_slabs_are_tall(long long rows_under_way, int nk, int tall_from, int multiprocessors,
                                   const CudaSlabMemory& memory, std::size_t shared_bytes) {
  return tall_from > 0 && nk >= 3 * cuda_slab_tall_layers &&
         rows_under_way >= static_cast<long long>(tall_from) * multiprocessors &&
         memory.total(cuda_slab_tall_layers, 2) <= shared_bytes;
}

/// Whether tiles are drawn slab after slab, by clusters that are as long as they may be, and not in the order of their
/// hyperplanes. A pure function of grid, bytes of factors of a point and device, from measurements on an H200
/// (docs/notes/sweeps-cuda.md): that takes 0.93 to 0.96 of the time with n = 5, and 0.96 to 1 with n = 6, where there
/// are more than eight rows for each multiprocessor, long ones, and memory is what they wait for. A cluster begins as
/// many steps after the one below it as that has layers, so where lines are shorter than there are layers it takes up
/// to twice the time.
constexpr bool cuda_tiles_by_slabs(const Grid& grid, int vector_length, std::size_t bytes_of_point,
                                   int multiprocessors) {
  return cuda_slab_rows(grid, vector_length) > 8 * multiprocessors && bytes_of_point >= 1400 && grid.ni() >= 192 &&
         grid.ni() >= grid.nk();
}

/// A pure function of grid, block and device, from measurements on an H200 (docs/notes/sweeps-cuda.md): few rows are
/// spread over many multiprocessors, each of which brings its own bandwidth, and clusters are as long as they may be;
/// many rows fill the device anyway, and shorter clusters then leave fewer multiprocessors without one.
///
/// Where tiles are drawn slab after slab (`by_slabs`), as those of a part of a box are, clusters are as long as they
/// may be in any case: values come soonest through them to the last layer.
///
/// Where `tall_from` rows and more are under way for each multiprocessor, see cuda_slab_tall_from, thread blocks have
/// six rows, and clusters one thread block. 0: nowhere.
constexpr CudaSlabShape choose_cuda_slab_shape(const Grid& grid, int vector_length, const CudaSlabMemory& memory,
                                               int multiprocessors, std::size_t shared_bytes, bool by_slabs = false,
                                               int tall_from = 0) {
  auto const rows = cuda_slab_rows(grid, vector_length);
  CudaSlabShape shape{cuda_slab_tall_layers, cuda_slab_max_stages, 1};
  if (by_slabs || !cuda_slabs_are_tall(cuda_slab_rows_under_way(grid, vector_length), grid.nk(), tall_from,
                                       multiprocessors, memory, shared_bytes)) {
    shape.layers = rows > 2 * multiprocessors ? cuda_slab_max_layers : 2;
    shape.blocks = by_slabs || rows <= 8 * multiprocessors ? cuda_slab_max_blocks
                   : rows <= 12 * multiprocessors          ? 4
                                                           : 2;
  }
  return fit_cuda_slab_shape(shape, grid.nk(), memory, shared_bytes);
}

/// The same of several grids that do not depend on one another, for all of them. Blocks of a cluster wait for one
/// another, so clusters are only as long as it takes to have thread blocks for three quarters of the multiprocessors,
/// with a cluster for each slab. Thread blocks are tall by the rows that are under way in all grids.
template <int vector_length>
CudaSlabShape choose_cuda_group_shape(const std::vector<SlabMap<vector_length>>& maps, const CudaSlabMemory& memory,
                                      int multiprocessors, std::size_t shared_bytes, int tall_from = 0) {
  long long rows = 0;
  long long rows_under_way = 0;
  long long slabs = 0;
  int nk = 1;
  for (auto const& map : maps) {
    rows += cuda_slab_rows(map.grid(), vector_length);
    rows_under_way += cuda_slab_rows_under_way(map.grid(), vector_length);
    slabs += map.slabs();
    nk = std::max(nk, map.grid().nk());
  }
  CudaSlabShape shape{cuda_slab_tall_layers, cuda_slab_max_stages, 1};
  if (!cuda_slabs_are_tall(rows_under_way, nk, tall_from, multiprocessors, memory, shared_bytes)) {
    shape.layers = rows > 2 * multiprocessors ? cuda_slab_max_layers : 2;
    while (shape.blocks < cuda_slab_max_blocks && 4 * slabs * shape.blocks < 3 * multiprocessors) shape.blocks *= 2;
  }
  return fit_cuda_slab_shape(shape, nk, memory, shared_bytes);
}

/// A coefficient takes a kernel for a plane as long as so many bytes: one of 16 bits more than it has, as each is
/// loaded and converted by itself, and in Half, whose units are loaded, too, more than a double. Measured on an H100
/// (docs/notes/sweeps-cuda.md).
template <class Storage>
inline constexpr std::size_t cuda_graph_bytes = sizeof(Storage);
template <>
inline constexpr std::size_t cuda_graph_bytes<Half> = 12;
template <>
inline constexpr std::size_t cuda_graph_bytes<BFloat16> = 4;

/// SweepPath::automatic on CUDA: a pure function of grid, block and device, from measurements on an H200
/// (docs/notes/sweeps-cuda.md). Slabs are fastest for scalars, where these have kernels of their own
/// (`has_recursion`), and for blocks unless they are small and planes very large: a step of a row takes its time
/// whatever there is to multiply, five to six billion points per second on the whole device, while a kernel for each
/// plane comes close to the bandwidth once planes are large, if it loads its blocks while the one before still runs
/// (`planes_overlap`). Without that slabs are fastest always. Large blocks need much shared memory, which some devices
/// do not have. `graph_bytes`: see cuda_graph_bytes. `tall`: whether there are tall thread blocks for large grids, with
/// which slabs are faster up to larger planes. It goes by plain solves.
constexpr SweepPath choose_cuda_path(const Grid& grid, int n, std::size_t graph_bytes, bool has_recursion,
                                     bool slab_suits, bool planes_overlap, bool tall) {
  long long const planes = static_cast<long long>(grid.ni()) + grid.nj() + grid.nk() - 2;
  long long const bytes_a_point = 7LL * n * n * static_cast<long long>(graph_bytes) + 32 * n;
  bool const large_planes = grid.size() / planes > (tall ? 18500 : 6500) + 12 * bytes_a_point;
  bool const graph_is_faster = planes_overlap && !has_recursion && large_planes && bytes_a_point < 800;
  return slab_suits && !graph_is_faster ? SweepPath::slab : SweepPath::cuda_graph;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
