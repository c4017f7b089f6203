// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cfd/detail/nest.hpp>
#include <hyperplane/cfd/detail/nest_lanes.hpp>
#include <hyperplane/cuda/launch.hpp>

#include <cuda_runtime.h>

#include <cstdint>

/// Copies between the two arrays of a nest by blocks of threads, through shared memory where the arrays run fastest in
/// different directions.
namespace hyperplane::detail {

/// How blocks divide a nest among them.
struct NestBlocks {
  static constexpr int threads = 256;
  static constexpr int warps = threads / NestLanes::lanes;
  static constexpr int elements_of_thread = 4;
  /// Points of a tile in each of its two directions.
  static constexpr int tile = 32;
  /// Shorter lines leave most of a tile empty.
  static constexpr int shortest = 8;

  enum class Shape {
    rows,     ///< both arrays have neighbours in the first loop: a warp for each part of a row
    tiles,    ///< the second array has them in the first loop, the first array in another one
    elements  ///< in the order of the loops
  };

  Shape m_shape = Shape::elements;
  int m_axis = 0;  ///< of tiles, beside the first
  NestLanes m_lanes{};
  NestDigits m_step{};
  /// What a block does at a time: a part for each of its warps, a tile, or as many elements; and how many of them.
  std::int64_t m_units = 0;
  int m_units_of_block = 1;

  NestBlocks() = default;
  template <class T>
  explicit NestBlocks(const Nest<T, 2>& nest) {
    if (nest.size() == 0) return;
    choose(nest);
    // 32 kB to a block, beside which its beginning is short, where that leaves enough of them.
    constexpr int most = 32 / static_cast<int>(sizeof(T));
    if (m_units >= 1024 * most) m_units_of_block = most;
  }

  std::int64_t count() const { return (m_units + m_units_of_block - 1) / m_units_of_block; }

  HYPERPLANE_FUNCTION static int tiles(int extent) { return (extent + tile - 1) / tile; }

 private:
  template <class T>
  void choose(const Nest<T, 2>& nest) {
    if (NestLanes::suits(nest)) {
      m_shape = Shape::rows;
      m_lanes = NestLanes(nest, elements_of_thread);
      m_units = (m_lanes.m_parts + warps - 1) / warps;
      return;
    }
    for (int d = 1; d < 4 && nest.m_strides[1][0] == 1 && nest.m_extents[0] >= shortest; ++d) {
      if (nest.m_strides[0][d] != 1 || nest.m_extents[d] < shortest) continue;
      m_shape = Shape::tiles;
      m_axis = d;
      m_units = std::int64_t{tiles(nest.m_extents[0])} * tiles(nest.m_extents[d]);
      for (int e = 1; e < 4; ++e) m_units *= e == d ? 1 : nest.m_extents[e];
      return;
    }
    m_step = NestDigits(threads, nest.m_extents);
    m_units = (nest.size() + threads * elements_of_thread - 1) / (threads * elements_of_thread);
  }
};

template <class T>
using NestTile = T[NestBlocks::tile][NestBlocks::tile + 1];

/// A unit of NestBlocks, by all threads of a block: array `from` to the other one.
template <int from, class T>
__device__ void copy_nest_rows(const Nest<T, 2>& nest, const NestBlocks& blocks, std::int64_t unit) {
  constexpr int count = NestBlocks::elements_of_thread;
  auto const part = unit * NestBlocks::warps + threadIdx.x / NestLanes::lanes;
  if (part >= blocks.m_lanes.m_parts) return;
  T* places[2];
  int const rest = blocks.m_lanes.locate(nest, part, static_cast<int>(threadIdx.x) % NestLanes::lanes, places);
  T values[count];
#pragma unroll
  for (int e = 0; e < count; ++e) {
    if (e * NestLanes::lanes < rest) values[e] = places[from][e * NestLanes::lanes];
  }
#pragma unroll
  for (int e = 0; e < count; ++e) {
    if (e * NestLanes::lanes < rest) places[1 - from][e * NestLanes::lanes] = values[e];
  }
}

template <int from, class T>
__device__ void copy_nest_elements(const Nest<T, 2>& nest, const NestBlocks& blocks, std::int64_t unit) {
  constexpr int count = NestBlocks::elements_of_thread;
  auto const size = nest.size();
  auto const first = unit * (count * NestBlocks::threads) + threadIdx.x;
  if (first >= size) return;
  NestDigits digits(first, nest.m_extents);
  T* places[count][2];
  T values[count];
#pragma unroll
  for (int e = 0; e < count; ++e) {
    digits.locate(nest, places[e]);
    digits.advance(blocks.m_step, nest.m_extents);
    if (first + e * NestBlocks::threads < size) values[e] = *places[e][from];
  }
#pragma unroll
  for (int e = 0; e < count; ++e) {
    if (first + e * NestBlocks::threads < size) *places[e][1 - from] = values[e];
  }
}

/// Each array is read or written along the direction in which it has neighbours.
template <int from, class T>
__device__ void copy_nest_tile(const Nest<T, 2>& nest, const NestBlocks& blocks, std::int64_t unit,
                               NestTile<T>& tile) {
  int const d = blocks.m_axis;
  auto rest = static_cast<std::uint32_t>(unit);
  auto const next = [&](int count) {
    auto const quotient = rest / static_cast<std::uint32_t>(count);
    auto const digit = static_cast<int>(rest - quotient * static_cast<std::uint32_t>(count));
    rest = quotient;
    return digit;
  };
  int const begin_0 = next(NestBlocks::tiles(nest.m_extents[0])) * NestBlocks::tile;
  int const begin_d = next(NestBlocks::tiles(nest.m_extents[d])) * NestBlocks::tile;
  T* places[2] = {nest.m_data[0], nest.m_data[1]};
#pragma unroll
  for (int e = 1; e < 4; ++e) {
    if (e == d) continue;
    int const digit = next(nest.m_extents[e]);
    places[0] += digit * nest.m_strides[0][e];
    places[1] += digit * nest.m_strides[1][e];
  }
  int const lane = static_cast<int>(threadIdx.x) % NestBlocks::tile;
  int const line = static_cast<int>(threadIdx.x) / NestBlocks::tile;
  // Array 0 runs along d, array 1 along the first loop: lines of a tile are those of array 0.
  auto const access = [&](auto array, int u, auto&& work) {
    constexpr bool first = decltype(array)::value == 0;
    int const p0 = begin_0 + (first ? u : lane);
    int const pd = begin_d + (first ? lane : u);
    if (p0 >= nest.m_extents[0] || pd >= nest.m_extents[d]) return;
    work(places[first ? 0 : 1][p0 * nest.m_strides[first ? 0 : 1][0] + pd * nest.m_strides[first ? 0 : 1][d]],
         first ? tile[u][lane] : tile[lane][u]);
  };
#pragma unroll
  for (int u = 0; u < NestBlocks::tile; u += NestBlocks::warps) {
    access(std::integral_constant<int, from>{}, line + u, [](const T& place, T& kept) { kept = place; });
  }
  __syncthreads();
#pragma unroll
  for (int u = 0; u < NestBlocks::tile; u += NestBlocks::warps) {
    access(std::integral_constant<int, 1 - from>{}, line + u, [](T& place, const T& kept) { place = kept; });
  }
}

/// Block `block` of a nest.
template <int from, class T>
__device__ void copy_nest_block(const Nest<T, 2>& nest, const NestBlocks& blocks, std::int64_t block,
                                NestTile<T>& tile) {
  auto const first = block * blocks.m_units_of_block;
  auto const last = first + blocks.m_units_of_block < blocks.m_units ? first + blocks.m_units_of_block : blocks.m_units;
  for (auto unit = first; unit < last; ++unit) {
    switch (blocks.m_shape) {
      case NestBlocks::Shape::rows: copy_nest_rows<from>(nest, blocks, unit); break;
      case NestBlocks::Shape::tiles:
        // The tile before has been read.
        if (unit > first) __syncthreads();
        copy_nest_tile<from>(nest, blocks, unit, tile);
        break;
      case NestBlocks::Shape::elements: copy_nest_elements<from>(nest, blocks, unit); break;
    }
  }
}

/// Array 0 of a nest to array 1.
template <class T>
__global__ void __launch_bounds__(NestBlocks::threads)
    copy_nest_kernel(const __grid_constant__ Nest<T, 2> nest, const __grid_constant__ NestBlocks blocks) {
  // Only the start overlaps the kernel before this one: what that has stored is there from here on.
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
  __shared__ NestTile<T> tile;
  copy_nest_block<0>(nest, blocks, blockIdx.x, tile);
}

template <class T>
void copy_nest(cudaStream_t stream, const Nest<T, 2>& nest) {
  NestBlocks const blocks(nest);
  if (blocks.count() == 0) return;
  cuda::launch(stream, copy_nest_kernel<T>, static_cast<int>(blocks.count()), NestBlocks::threads, 0,
               cuda::Dependency::programmatic, nest, blocks);
}

}  // namespace hyperplane::detail
