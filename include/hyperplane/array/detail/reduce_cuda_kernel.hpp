// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/nest.hpp>
#include <hyperplane/array/detail/partials.hpp>
#include <hyperplane/array/detail/reduce_cuda_elements.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/progress.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// A reduction in one launch: blocks of threads reduce parts, and the last block to finish joins what they have found.
/// Which thread has which element is a function of the nest alone.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What blocks have found, and how many have finished: zero before the first launch, and again after each.
template <class Value>
struct ReduceCudaMemory {
  Value* m_partial;
  unsigned int* m_finished;
};

template <class Join, class Value>
__device__ Value reduce_warp(Value value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value = Join::join(value, __shfl_down_sync(0xffffffffu, value, distance));
  }
  return value;
}

template <class Join, class Value, int count>
struct ReduceCudaResult {
  Value m_values[count];

  __device__ ReduceCudaResult() {
#pragma unroll
    for (int v = 0; v < count; ++v) m_values[v] = Join::template identity<Value>();
  }
  template <class Found>
  __device__ void join(const Found& found) {
#pragma unroll
    for (int v = 0; v < count; ++v) m_values[v] = Join::join(m_values[v], found.m_values[v]);
  }
};

/// Joins the values of all threads of all blocks: the last block to come finishes. A warp for each value; the others
/// leave as soon as they have said what theirs are.
template <class Join, class Value, int count, class Finish>
__device__ void reduce_blocks(const Value (&values)[count], const ReduceCudaMemory<Value>& memory,
                              const Finish& finish) {
  constexpr int warps = reduce_cuda_threads / 32;
  static_assert(count <= warps && warps <= 32);
  __shared__ Value of_warps[count][warps];
  __shared__ bool is_last;
  int const warp = static_cast<int>(threadIdx.x) / 32;
  int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int v = 0; v < count; ++v) {
    Value const value = reduce_warp<Join>(values[v]);
    if (lane == 0) of_warps[v][warp] = value;
  }
  __syncthreads();
  if (warp >= count) return;
  auto const synchronize = [] {
    if constexpr (count == 1) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  };
  int const blocks = static_cast<int>(gridDim.x);
  Value* const partial = memory.m_partial + warp * blocks;
  auto const of_block = reduce_warp<Join>(lane < warps ? of_warps[warp][lane] : Join::template identity<Value>());
  if (lane == 0) __stcg(partial + blockIdx.x, of_block);
  if constexpr (count > 1) __syncthreads();
  // What the block has stored is there for all before it counts, and what others have stored is read after the counter.
  if (threadIdx.x == 0) is_last = cuda::count(memory.m_finished) + 1 == gridDim.x;
  synchronize();
  if (!is_last) return;
  // All loads are under way before the first is needed.
  constexpr int loads = (reduce_cuda_blocks + 31) / 32;
  Value found[loads];
#pragma unroll
  for (int l = 0; l < loads; ++l) {
    int const block = l * 32 + lane;
    found[l] = block < blocks ? __ldcg(partial + block) : Join::template identity<Value>();
  }
#pragma unroll
  for (int l = 1; l < loads; ++l) found[0] = Join::join(found[0], found[l]);
  auto const total = reduce_warp<Join>(found[0]);
  if (lane == 0) of_warps[warp][0] = total;
  synchronize();
  if (threadIdx.x == 0) {
    *memory.m_finished = 0;
    Partials<Value, count> all;
#pragma unroll
    for (int v = 0; v < count; ++v) all.m_values[v] = of_warps[v][0];
    finish(all);
  }
}

template <class Join, class Value, int count, class Source, class Finish>
__global__ void __launch_bounds__(reduce_cuda_threads, 2)
    reduce_kernel(const __grid_constant__ Source source, const __grid_constant__ ReduceCudaMemory<Value> memory,
                  const __grid_constant__ Finish finish) {
  cuda::wait_for_kernel_before();
  ReduceCudaResult<Join, Value, count> result;
  source.run(result);
  reduce_blocks<Join>(result.m_values, memory, finish);
}

/// Memory of a reduction of at most so many values: zero at first.
template <int max_values>
constexpr std::size_t reduce_cuda_bytes() {
  return sizeof(double) * (max_values * reduce_cuda_blocks + 1);
}

/// At least some elements a thread.
inline int reduce_cuda_blocks_for(std::int64_t size) {
  int const per_block = reduce_cuda_threads * 4;
  return static_cast<int>(std::clamp<std::int64_t>((size + per_block - 1) / per_block, 1, reduce_cuda_blocks));
}

template <class Join, int max_values, class Source, class Finish>
void reduce_cuda_source(cudaStream_t stream, const Source& source, int blocks, const Finish& finish,
                        std::byte* memory) {
  using Value = typename Source::Found::value_type;
  constexpr int count = Source::Found::count;
  static_assert(count <= max_values && sizeof(Value) <= sizeof(double));
  ReduceCudaMemory<Value> const place{
      reinterpret_cast<Value*>(memory),
      reinterpret_cast<unsigned int*>(memory + sizeof(double) * max_values * reduce_cuda_blocks)};
  cuda::launch(stream, reduce_kernel<Join, Value, count, Source, Finish>, blocks, reduce_cuda_threads, 0,
               cuda::Dependency::programmatic, source, place, finish);
}

/// finish(op(...) joined over all elements of a normalized nest).
template <class Join, int max_values, class T, int arrays, class Op, class Finish>
void reduce_cuda(cudaStream_t stream, const Nest<T, arrays>& nest, const Op& op, const Finish& finish,
                 std::byte* memory) {
  int const blocks = reduce_cuda_blocks_for(nest.size());
  reduce_cuda_source<Join, max_values>(stream, ReduceNest<T, arrays, Op>(nest, op, blocks), blocks, finish, memory);
}

/// finish(body(e) joined over 0 <= e < size).
template <class Join, int max_values, class Body, class Finish>
void reduce_cuda_indices(cudaStream_t stream, std::int64_t size, const Body& body, const Finish& finish,
                         std::byte* memory) {
  reduce_cuda_source<Join, max_values>(stream, ReduceIndices<Body>{body, size}, reduce_cuda_blocks_for(size), finish,
                                       memory);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
