// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/path.hpp>
#include <hyperplane/grid/grid.hpp>

#include <algorithm>
#include <cstddef>

namespace hyperplane::detail {

/// Rows of a block of threads, at most: as many as leave each of its 16 warps 128 registers a thread.
inline constexpr int cuda_pencil_max_layers = 4;
inline constexpr int cuda_pencil_max_threads = 512;
/// Blocks of a cluster, at most: what every device of compute capability 9.0 can start.
inline constexpr int cuda_pencil_max_blocks = 8;

/// Bytes of shared memory of a block of the pencil solve.
struct CudaPencilMemory {
  std::size_t stage;  ///< for each row and stage
  std::size_t row;    ///< for each row
  std::size_t block;  ///< for each block

  constexpr std::size_t total(int layers, int stages) const { return layers * (stages * stage + row) + block; }
};

/// How the rows of a grid are put together: `layers` to a block of threads, `blocks` to a cluster, and for each row
/// `stages` chunks of factors in shared memory or under way.
struct CudaPencilShape {
  int layers;
  int stages;
  int blocks;
  friend constexpr bool operator==(const CudaPencilShape&, const CudaPencilShape&) = default;
};

/// A pure function of grid, block and device, from measurements on an H200 (docs/performance.md): few rows are spread
/// over many multiprocessors, each of which brings its own bandwidth, and clusters are as long as they may be; many
/// rows fill the device anyway, and shorter clusters then leave fewer multiprocessors without one.
constexpr CudaPencilShape choose_cuda_pencil_shape(const Grid& grid, int vector_length, const CudaPencilMemory& memory,
                                                   int multiprocessors, std::size_t shared_bytes) {
  constexpr int most_stages = 6;
  long long const rows = static_cast<long long>((grid.nj() + vector_length - 1) / vector_length) * grid.nk();
  CudaPencilShape shape{rows > 2 * multiprocessors ? cuda_pencil_max_layers : 2, most_stages,
                        rows > 8 * multiprocessors ? 4 : cuda_pencil_max_blocks};
  while (shape.layers > 1 && (shape.layers / 2 >= grid.nk() || memory.total(shape.layers, 2) > shared_bytes)) {
    shape.layers /= 2;
  }
  while (shape.stages > 1 && memory.total(shape.layers, shape.stages) > shared_bytes) --shape.stages;
  while (shape.blocks > 1 && shape.blocks / 2 * shape.layers >= grid.nk()) shape.blocks /= 2;
  return shape;
}

/// How the factorization goes: a cluster has `blocks` layers, one for each block of threads, and a row tells the next
/// pencil every `steps_to_pencil` steps how far it is.
struct CudaFactorShape {
  int blocks;
  int steps_to_pencil;
};

/// A pure function, from measurements on an H200: a fence goes before every word to the next pencil, which costs more
/// than a delay of some steps as soon as memory is busy.
constexpr CudaFactorShape choose_cuda_factor_shape(const Grid& grid, int vector_length, int multiprocessors) {
  long long const rows = static_cast<long long>((grid.nj() + vector_length - 1) / vector_length) * grid.nk();
  CudaFactorShape shape{cuda_pencil_max_blocks, rows > 2 * multiprocessors ? 4 : 1};
  while (shape.blocks > 1 && shape.blocks / 2 >= grid.nk()) shape.blocks /= 2;
  return shape;
}

/// Path::automatic on CUDA: a pure function of grid, block and device, from measurements on an H200
/// (docs/performance.md). Pencils are fastest for scalars, and for blocks unless they are small and planes large: a
/// step of a row takes its time whatever there is to multiply, about 4.5 billion points a second on the whole device,
/// while a kernel for each plane comes close to the bandwidth once planes are large. Before compute capability 9.0
/// there are neither clusters nor bulk copies, and large blocks need much shared memory.
constexpr Path choose_cuda_path(const Grid& grid, int n, std::size_t storage_bytes, bool pencil_suits) {
  long long const planes = static_cast<long long>(grid.ni()) + grid.nj() + grid.nk() - 2;
  long long const bytes_a_point = 7LL * n * n * static_cast<long long>(storage_bytes) + 32 * n;
  bool const large_planes = grid.size() / planes > 6500 + 12 * bytes_a_point;
  bool const graph_is_faster = n > 1 && large_planes && bytes_a_point < 1000;
  return pencil_suits && !graph_is_faster ? Path::pencil : Path::cuda_graph;
}

}  // namespace hyperplane::detail
