// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/sweep/copy_layout_cuda.hpp>
#include <hyperplane/sweep/group_order_cuda.hpp>
#include <hyperplane/sweep/slab_shape_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstddef>

/// Which tiles a launch of the slab solve has, in which order. A cluster draws a ticket and asks for what it stands
/// for.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Words between the blocks of one launch and from launch to launch; zero at first, left ready by the last block.
struct CudaSlabState {
  int m_ticket;
  int m_forward_finished;  ///< of one grid; with several each has a count of its own
  int m_exited;
  int m_unused;
  unsigned long long m_epoch;
};

/// A tile of a sweep over the grid of a layout.
template <class Layout>
struct CudaTakenTile {
  const Layout& layout;
  int number;
  bool forward;
};

/// Those of one grid: all of the forward sweep, then all of the backward sweep, or those of one of them.
template <class Layout_>
struct CudaGridTiles {
  using Layout = Layout_;
  using Shared = typename Layout::Shared;
  using Vectors = typename Layout::Vectors;

  Layout m_layout;
  Vectors m_vectors;
  const int* m_order;  ///< of one sweep
  CudaSlabState* m_state;
  Sweeps m_sweeps;

  __device__ CudaSlabState* state() const { return m_state; }
  __device__ const CudaSlabShape& shape() const { return m_layout.m_shape; }
  __device__ const Vectors& vectors() const { return m_vectors; }
  __device__ Sweeps sweeps() const { return m_sweeps; }
  /// Tickets from first() to end(), those of the backward sweep from the number of tiles on.
  __device__ int first() const { return m_sweeps == Sweeps::backward ? m_layout.m_tiles : 0; }
  __device__ int end() const { return (m_sweeps == Sweeps::forward ? 1 : 2) * m_layout.m_tiles; }
  __device__ CudaTakenTile<Layout> take(int ticket, const Shared&) const {
    bool const forward = ticket < m_layout.m_tiles;
    return {m_layout, m_order[forward ? ticket : ticket - m_layout.m_tiles], forward};
  }
  __device__ void reset_finished() const { m_state->m_forward_finished = 0; }
};

/// Those of several grids. Those of each grid are in topological order, the backward sweep after the forward sweep, so
/// that the order of all is topological, however they are mixed.
template <class Layout_>
struct CudaGroupTiles {
  using Layout = Layout_;
  using Shared = typename Layout::Shared;
  using Vectors = typename Layout::Vectors;

  const Layout* m_layouts;  ///< of the grids
  Vectors m_vectors;        ///< that have the values of all grids
  const CudaGroupTile* m_order;
  CudaSlabState* m_state;
  int* m_forward_finished;  ///< for each grid
  CudaSlabShape m_shape;
  int m_grids;
  int m_count;  ///< of tiles
  Sweeps m_sweeps;

  /// That a block needs beside that of the layout.
  static constexpr std::size_t shared_bytes = cuda_layout_bytes<Layout>;

  __device__ CudaSlabState* state() const { return m_state; }
  __device__ const CudaSlabShape& shape() const { return m_shape; }
  __device__ const Vectors& vectors() const { return m_vectors; }
  __device__ Sweeps sweeps() const { return m_sweeps; }
  __device__ static int first() { return 0; }
  __device__ int end() const { return m_count; }
  /// By all threads of a block, when those of the tile before have finished.
  __device__ CudaTakenTile<Layout> take(int ticket, const Shared& s) const {
    CudaGroupTile const tile = m_order[ticket];
    auto const& layout = copy_cuda_layout(m_layouts[tile.grid], s.rest);
    bool const forward = tile.number < layout.m_tiles;
    return {layout, forward ? tile.number : tile.number - layout.m_tiles, forward};
  }
  __device__ void reset_finished() const {
    for (int g = 0; g < m_grids; ++g) m_forward_finished[g] = 0;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
