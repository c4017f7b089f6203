// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/nest_copy_cuda_kernel.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/launch.hpp>

#include <cuda_runtime.h>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A packed box: loops over an array and, from m_offset on, a buffer.
template <class T>
struct BoxBlocks {
  Nest<T, 2> m_nest;
  NestBlocks m_blocks;
  std::int64_t m_offset;
  int m_first_block;
};

/// Packed boxes that are few enough to be parameters of a kernel, with the buffer: nothing has to be fetched from
/// memory before the values. (Of more packed boxes, to look for a block's takes longer than to fetch them.)
template <class T>
struct BoxParameters {
  static constexpr int most_boxes = 4;

  int m_packed_boxes;
  BoxBlocks<T> m_table[most_boxes];
};

/// All blocks of all packed boxes.
template <class T, bool pack>
__global__ void __launch_bounds__(NestBlocks::threads)
    box_kernel(const __grid_constant__ BoxParameters<T> packed_boxes) {
  __shared__ NestTile<T> tile;
  // The last packed box that begins at or before the block: packed boxes without values never are.
  int s = packed_boxes.m_packed_boxes - 1;
  while (static_cast<int>(blockIdx.x) < packed_boxes.m_table[s].m_first_block) --s;
  auto const& packed_box = packed_boxes.m_table[s];
  cuda::wait_for_kernel_before();
  copy_nest_block<pack ? 0 : 1>(packed_box.m_nest, packed_box.m_blocks,
                                static_cast<int>(blockIdx.x) - packed_box.m_first_block, tile);
}

/// The same of a table in memory; `box_of_block` says which packed box a block is of.
template <class T, bool pack>
__global__ void __launch_bounds__(NestBlocks::threads)
    box_table_kernel(const BoxBlocks<T>* table, const int* box_of_block, T* buffer) {
  // In shared memory, since it is indexed with numbers of loops. The table is older than the kernel before this one;
  // what that has stored is there after the wait.
  __shared__ BoxBlocks<T> packed_box;
  __shared__ NestTile<T> tile;
  using Word = std::uint64_t;
  constexpr int words = static_cast<int>(sizeof(packed_box) / sizeof(Word));
  static_assert(sizeof(packed_box) % sizeof(Word) == 0 && words <= NestBlocks::threads);
  if (static_cast<int>(threadIdx.x) < words) {
    reinterpret_cast<Word*>(&packed_box)[threadIdx.x] =
        reinterpret_cast<const Word*>(table + box_of_block[blockIdx.x])[threadIdx.x];
  }
  __syncthreads();
  if (threadIdx.x == 0) packed_box.m_nest.m_data[1] = buffer + packed_box.m_offset;
  __syncthreads();
  cuda::wait_for_kernel_before();
  copy_nest_block<pack ? 0 : 1>(packed_box.m_nest, packed_box.m_blocks,
                                static_cast<int>(blockIdx.x) - packed_box.m_first_block, tile);
}

template <bool pack, class T>
void copy_boxes(cudaStream_t stream, const BoxParameters<T>& packed_boxes, int blocks) {
  cuda::launch(stream, box_kernel<T, pack>, blocks, NestBlocks::threads, 0, cuda::Dependency::programmatic,
               packed_boxes);
}

template <bool pack, class T>
void copy_boxes(cudaStream_t stream, const BoxBlocks<T>* table, const int* box_of_block, int blocks, T* buffer) {
  cuda::launch(stream, box_table_kernel<T, pack>, blocks, NestBlocks::threads, 0, cuda::Dependency::programmatic, table,
               box_of_block, buffer);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
