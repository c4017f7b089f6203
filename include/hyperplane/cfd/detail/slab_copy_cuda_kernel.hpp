// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cfd/detail/nest_copy_cuda_kernel.hpp>
#include <hyperplane/cuda/launch.hpp>

#include <cuda_runtime.h>

#include <cstdint>

namespace hyperplane::detail {

/// A slab: loops over an array and, from m_offset on, a buffer.
template <class T>
struct SlabBlocks {
  Nest<T, 2> m_nest;
  NestBlocks m_blocks;
  std::int64_t m_offset;
  int m_first_block;
};

/// Slabs that are few enough to be parameters of a kernel, with the buffer: nothing has to be fetched from memory
/// before the values. (Of more slabs, to look for a block's takes longer than to fetch them.)
template <class T>
struct SlabParameters {
  static constexpr int most_slabs = 4;

  int m_slabs;
  SlabBlocks<T> m_table[most_slabs];
};

/// All blocks of all slabs.
template <class T, bool pack>
__global__ void __launch_bounds__(NestBlocks::threads) slab_kernel(const __grid_constant__ SlabParameters<T> slabs) {
  __shared__ NestTile<T> tile;
  // The last slab that begins at or before the block: slabs without values never are.
  int s = slabs.m_slabs - 1;
  while (static_cast<int>(blockIdx.x) < slabs.m_table[s].m_first_block) --s;
  auto const& slab = slabs.m_table[s];
  cuda::wait_for_kernel_before();
  copy_nest_block<pack ? 0 : 1>(slab.m_nest, slab.m_blocks, static_cast<int>(blockIdx.x) - slab.m_first_block, tile);
}

/// The same of a table in memory; `slab_of_block` says which slab a block is of.
template <class T, bool pack>
__global__ void __launch_bounds__(NestBlocks::threads)
    slab_table_kernel(const SlabBlocks<T>* table, const int* slab_of_block, T* buffer) {
  // In shared memory, since it is indexed with numbers of loops. The table is older than the kernel before this one;
  // what that has stored is there after the wait.
  __shared__ SlabBlocks<T> slab;
  __shared__ NestTile<T> tile;
  using Word = std::uint64_t;
  constexpr int words = static_cast<int>(sizeof(slab) / sizeof(Word));
  static_assert(sizeof(slab) % sizeof(Word) == 0 && words <= NestBlocks::threads);
  if (static_cast<int>(threadIdx.x) < words) {
    reinterpret_cast<Word*>(&slab)[threadIdx.x] =
        reinterpret_cast<const Word*>(table + slab_of_block[blockIdx.x])[threadIdx.x];
  }
  __syncthreads();
  if (threadIdx.x == 0) slab.m_nest.m_data[1] = buffer + slab.m_offset;
  __syncthreads();
  cuda::wait_for_kernel_before();
  copy_nest_block<pack ? 0 : 1>(slab.m_nest, slab.m_blocks, static_cast<int>(blockIdx.x) - slab.m_first_block, tile);
}

template <bool pack, class T>
void copy_slabs(cudaStream_t stream, const SlabParameters<T>& slabs, int blocks) {
  cuda::launch(stream, slab_kernel<T, pack>, blocks, NestBlocks::threads, 0, cuda::Dependency::programmatic, slabs);
}

template <bool pack, class T>
void copy_slabs(cudaStream_t stream, const SlabBlocks<T>* table, const int* slab_of_block, int blocks, T* buffer) {
  cuda::launch(stream, slab_table_kernel<T, pack>, blocks, NestBlocks::threads, 0, cuda::Dependency::programmatic,
               table, slab_of_block, buffer);
}

}  // namespace hyperplane::detail
