// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/sweep/slab_shape_cuda.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How the factorization goes: a cluster has `blocks` layers, one for each block of threads, and a row tells the next
/// slab every `steps_to_slab` steps how far it is.
struct CudaFactorShape {
  int blocks;
  int steps_to_slab;
};

/// A pure function, from measurements on an H200: a fence goes before every word to the next slab, which costs more
/// than a delay of some steps as soon as memory is busy.
constexpr CudaFactorShape choose_cuda_factor_shape(const Grid& grid, int vector_length, int multiprocessors) {
  auto const rows = cuda_slab_rows(grid, vector_length);
  CudaFactorShape shape{cuda_slab_max_blocks, rows > 2 * multiprocessors ? 4 : 1};
  while (shape.blocks > 1 && shape.blocks / 2 >= grid.nk()) shape.blocks /= 2;
  return shape;
}

/// The same of several grids that do not depend on one another, for all of them. With a cluster for each slab there are
/// at least 1.8 thread blocks for each multiprocessor, as far as clusters may be so long; and at most 15 % more blocks
/// than rows, counted by the steps that they take.
template <int vector_length>
CudaFactorShape choose_cuda_group_factor_shape(const std::vector<SlabMap<vector_length>>& maps, int multiprocessors) {
  // Steps of all rows, and of blocks without one too.
  auto const steps = [&](int blocks) {
    long long result = 0;
    for (auto const& map : maps) {
      long long const layers = (map.grid().nk() + blocks - 1) / blocks * blocks;
      result += layers * map.slabs() * (map.grid().ni() + vector_length - 1);
    }
    return result;
  };
  long long rows = 0;
  long long slabs = 0;
  for (auto const& map : maps) {
    rows += static_cast<long long>(map.slabs()) * map.grid().nk();
    slabs += map.slabs();
  }
  CudaFactorShape shape{1, rows > 2 * multiprocessors ? 4 : 1};
  while (shape.blocks < cuda_slab_max_blocks && 5 * slabs * shape.blocks < 9 * multiprocessors) shape.blocks *= 2;
  while (shape.blocks > 1 && 100 * steps(shape.blocks) > 115 * steps(1)) shape.blocks /= 2;
  return shape;
}

/// The path to ask of the sweeps, where `asked` is asked of BlockIlu0. Sweeps take less shared memory where the device
/// has less, the factorization does not: it may lack slabs that `automatic` would take. `lacks_slab()` asks the device,
/// and is not called where the path is said.
template <class LacksSlab>
constexpr SweepPath sweep_path_for_factor(SweepPath asked, const LacksSlab& lacks_slab) {
  return asked == SweepPath::automatic && lacks_slab() ? SweepPath::cuda_graph : asked;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
