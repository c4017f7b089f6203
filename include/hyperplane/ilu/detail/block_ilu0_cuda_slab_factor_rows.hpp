// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/sweep/copy_layout_cuda.hpp>
#include <hyperplane/sweep/group_order_cuda.hpp>

#include <cstddef>

/// Which tiles, a row for each block of a cluster, a launch of the factorization has, in which order. A cluster draws a
/// ticket and asks for what it stands for.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Words between the blocks of one launch and from launch to launch; zero at first, left so by the last block.
struct CudaFactorState {
  int m_ticket;
  int m_exited;
};

/// A tile of the grid of a layout.
template <class Layout>
struct CudaTakenRows {
  const Layout& layout;
  int number;
};

/// Those of one grid.
template <class Layout_>
struct CudaGridRows {
  using Layout = Layout_;

  Layout m_layout;
  typename Layout::Matrix m_a;
  const int* m_order;
  CudaFactorState* m_state;

  /// Tickets.
  __device__ int count() const { return m_layout.tile_count(); }
  __device__ CudaTakenRows<Layout> take(int ticket, const typename Layout::Shared&) const {
    return {m_layout, m_order[ticket]};
  }
  __device__ int* progress() const { return m_layout.m_progress; }
  __device__ int row_count() const { return m_layout.row_count(); }
};

/// Those of several grids.
template <class Layout_>
struct CudaGroupRows {
  using Layout = Layout_;

  const Layout* m_layouts;      ///< of the grids
  typename Layout::Matrix m_a;  ///< that has the values of all grids
  const CudaGroupTile* m_order;
  CudaFactorState* m_state;
  int* m_progress;  ///< of all grids
  int m_count;
  int m_row_count;

  /// That a block needs beside that of the layout.
  static constexpr std::size_t shared_bytes = cuda_layout_bytes<Layout>;

  __device__ int count() const { return m_count; }
  /// By all threads of a block, when those of the tile before have finished.
  __device__ CudaTakenRows<Layout> take(int ticket, const typename Layout::Shared& s) const {
    CudaGroupTile const tile = m_order[ticket];
    auto const& layout = copy_cuda_layout(m_layouts[tile.grid], s.rest);
    return {layout, tile.number};
  }
  __device__ int* progress() const { return m_progress; }
  __device__ int row_count() const { return m_row_count; }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
