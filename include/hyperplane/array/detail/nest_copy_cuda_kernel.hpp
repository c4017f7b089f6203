// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/nest.hpp>
#include <hyperplane/array/detail/nest_lanes.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/launch.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

/// Copies between the two arrays of a nest by blocks of threads, through shared memory where the arrays run fastest in
/// different directions.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How blocks of threads divide a nest among them.
struct NestBlocks {
  static constexpr int threads = 128;
  static constexpr int warps = threads / NestLanes::lanes;
  static constexpr int elements_of_thread = 4;
  /// What a thread copies of a row: with half of it, blocks of threads do not begin fast enough for the memory.
  static constexpr int bytes_of_thread = 32;
  /// Points of a tile along the direction in which the first array runs, and along that of the second.
  static constexpr int tile_height = 64;
  static constexpr int tile_width = 16;
  /// Shorter lines leave most of a tile empty.
  static constexpr int shortest = 8;

  enum class Shape {
    rows,     ///< both arrays have neighbours in the first loop: a warp for each part of a row, of 1024 bytes
    tiles,    ///< the second array has them in the first loop, the first array in another one
    elements  ///< in the order of the loops
  };

  Shape m_shape = Shape::elements;
  int m_axis = 0;  ///< of tiles, beside the first
  NestLanes m_lanes{};
  NestDigits m_step{};
  std::int64_t m_count = 0;

  NestBlocks() = default;
  template <class T>
  explicit NestBlocks(const Nest<T, 2>& nest) {
    auto const size = nest.size();
    if (size == 0) return;
    if (NestLanes::suits(nest)) {
      m_shape = Shape::rows;
      m_lanes = NestLanes(nest, bytes_of_thread / static_cast<int>(sizeof(T)));
      m_count = (m_lanes.m_parts + warps - 1) / warps;
      return;
    }
    for (int d = 1; d < 4 && nest.m_strides[1][0] == 1 && nest.m_extents[0] >= shortest; ++d) {
      if (nest.m_strides[0][d] != 1 || nest.m_extents[d] < shortest) continue;
      m_shape = Shape::tiles;
      m_axis = d;
      m_count = std::int64_t{across(nest.m_extents[0])} * along(nest.m_extents[d]);
      for (int e = 1; e < 4; ++e) m_count *= e == d ? 1 : nest.m_extents[e];
      return;
    }
    m_step = NestDigits(threads, nest.m_extents);
    m_count = (size + threads * elements_of_thread - 1) / (threads * elements_of_thread);
  }

  HYPERPLANE_FUNCTION static int across(int extent) { return (extent + tile_width - 1) / tile_width; }
  HYPERPLANE_FUNCTION static int along(int extent) { return (extent + tile_height - 1) / tile_height; }
};

template <class T>
using NestTile = T[NestBlocks::tile_width][NestBlocks::tile_height + 1];

/// Block `block` of NestBlocks, all of its threads: array `from` to the other one.
template <int from, class T>
__device__ void copy_nest_rows(const Nest<T, 2>& nest, const NestBlocks& blocks, std::int64_t block) {
  constexpr int count = NestBlocks::bytes_of_thread / static_cast<int>(sizeof(T));
  auto const part = block * NestBlocks::warps + threadIdx.x / NestLanes::lanes;
  if (part >= blocks.m_lanes.m_parts) return;
  T* places[2];
  auto const share = blocks.m_lanes.locate(nest, part, static_cast<int>(threadIdx.x) % NestLanes::lanes, places);
  share.prefetch_row_ends(places[1 - from]);
  T values[count];
#pragma unroll
  for (int e = 0; e < count; ++e) {
    if (e * NestLanes::lanes < share.m_count) values[e] = places[from][e * NestLanes::lanes];
  }
#pragma unroll
  for (int e = 0; e < count; ++e) {
    if (e * NestLanes::lanes < share.m_count) places[1 - from][e * NestLanes::lanes] = values[e];
  }
}

template <int from, class T>
__device__ void copy_nest_elements(const Nest<T, 2>& nest, const NestBlocks& blocks, std::int64_t block) {
  constexpr int count = NestBlocks::elements_of_thread;
  auto const size = nest.size();
  auto const first = block * (count * NestBlocks::threads) + threadIdx.x;
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
__device__ void copy_nest_tile(const Nest<T, 2>& nest, const NestBlocks& blocks, std::int64_t block,
                               NestTile<T>& tile) {
  int const d = blocks.m_axis;
  auto rest = static_cast<std::uint32_t>(block);
  auto const next = [&](int count) {
    auto const quotient = rest / static_cast<std::uint32_t>(count);
    auto const digit = static_cast<int>(rest - quotient * static_cast<std::uint32_t>(count));
    rest = quotient;
    return digit;
  };
  int const begin_0 = next(NestBlocks::across(nest.m_extents[0])) * NestBlocks::tile_width;
  int const begin_d = next(NestBlocks::along(nest.m_extents[d])) * NestBlocks::tile_height;
  T* places[2] = {nest.m_data[0], nest.m_data[1]};
#pragma unroll
  for (int e = 1; e < 4; ++e) {
    if (e == d) continue;
    int const digit = next(nest.m_extents[e]);
    places[0] += digit * nest.m_strides[0][e];
    places[1] += digit * nest.m_strides[1][e];
  }
  // Array 0 runs along d, array 1 along the first loop: each is accessed along that direction, `work(number of the
  // access, element, its place in the tile)`.
  constexpr int count = NestBlocks::tile_height * NestBlocks::tile_width / NestBlocks::threads;
  auto const access = [&](auto array, auto&& work) {
    constexpr int number = decltype(array)::value;
    constexpr int line = number == 0 ? NestBlocks::tile_height : NestBlocks::tile_width;
    constexpr int lines = NestBlocks::threads / line;
    int const place = static_cast<int>(threadIdx.x) % line;
    int const first = static_cast<int>(threadIdx.x) / line;
    int const along = (number == 0 ? begin_d : begin_0) + place;
    int const across = (number == 0 ? begin_0 : begin_d) + first;
    auto const stride = nest.m_strides[number][number == 0 ? 0 : d];
    T* const elements = places[number] + along + across * stride;
    int const rest = along < nest.m_extents[number == 0 ? d : 0] ? nest.m_extents[number == 0 ? 0 : d] - across : 0;
#pragma unroll
    for (int e = 0; e < count; ++e) {
      if (e * lines >= rest) continue;
      int const other = first + e * lines;
      work(e, elements[e * lines * stride], number == 0 ? tile[other][place] : tile[place][other]);
    }
  };
  // All loads first: compilers cannot know that the tile is none of the arrays.
  T values[count];
  access(std::integral_constant<int, from>{}, [&](int e, const T& element, T&) { values[e] = element; });
  access(std::integral_constant<int, from>{}, [&](int e, const T&, T& place) { place = values[e]; });
  __syncthreads();
  access(std::integral_constant<int, 1 - from>{}, [](int, T& element, const T& place) { element = place; });
}

template <int from, class T>
__device__ void copy_nest_block(const Nest<T, 2>& nest, const NestBlocks& blocks, std::int64_t block,
                                NestTile<T>& tile) {
  switch (blocks.m_shape) {
    case NestBlocks::Shape::rows: return copy_nest_rows<from>(nest, blocks, block);
    case NestBlocks::Shape::tiles: return copy_nest_tile<from>(nest, blocks, block, tile);
    case NestBlocks::Shape::elements: return copy_nest_elements<from>(nest, blocks, block);
  }
}

/// Array 0 of a nest to array 1, by tiles.
template <class T>
__global__ void __launch_bounds__(NestBlocks::threads)
    copy_nest_kernel(const __grid_constant__ Nest<T, 2> nest, const __grid_constant__ NestBlocks blocks) {
  cuda::wait_for_kernel_before();
  __shared__ NestTile<T> tile;
  copy_nest_tile<0>(nest, blocks, blockIdx.x, tile);
}

template <class T>
void copy_nest_tiles(cudaStream_t stream, const Nest<T, 2>& nest, const NestBlocks& blocks) {
  cuda::launch(stream, copy_nest_kernel<T>, static_cast<int>(blocks.m_count), NestBlocks::threads, 0,
               cuda::Dependency::programmatic, nest, blocks);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
