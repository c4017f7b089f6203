// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/divisor.hpp>
#include <hyperplane/array/stencil_loop.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/sector.hpp>
#include <hyperplane/cuda/vector.hpp>

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How blocks of threads share the product with a stencil of constant coefficients in lines of neighbours: each marches
/// with a tile of axes 0 and 1 through layers of axis 2. Layers, with an edge of a point, lie in a ring in shared
/// memory, into which copies that nobody waits for bring the next ones; a thread keeps its points of three layers in
/// registers. So only the edges of tiles are read more than once, and from the L2 cache.
struct StencilMarch {
  static constexpr int threads_0 = 64;  ///< threads along axis 0
  static constexpr int threads_1 = 4;   ///< and along axis 1
  static constexpr int threads = threads_0 * threads_1;
  static constexpr int ring = 4;               ///< layers in shared memory
  static constexpr int multiprocessors = 132;  ///< of an H200
  /// What a block reads or waits for beside its own layers.
  static constexpr int extra_layers = 3;
  /// Layers that are worth the beginning of a march.
  static constexpr int shortest = 4;

  /// Blocks on a multiprocessor at a time, although there is place for more: their copies, some 40 kB under way, fill
  /// the memory, and more of them make it slower.
  template <class T>
  static constexpr int blocks_of_multiprocessor = sizeof(T) < 8 ? 4 : 2;
  /// Lines and neighbours in them that a thread has; points of a tile; from line to line and from layer to layer in
  /// shared memory, with the edge, and points of threads aligned.
  template <class T>
  static constexpr int lines = sizeof(T) < 8 ? 2 : 4;
  template <class T>
  static constexpr int points = 8 / static_cast<int>(sizeof(T));
  template <class T>
  static constexpr int height = threads_1 * lines<T>;
  template <class T>
  static constexpr int width = threads_0 * points<T>;
  template <class T>
  static constexpr int pitch = width<T> + 2 * points<T>;
  template <class T>
  static constexpr int layer = pitch<T> * (height<T> + 2);
  template <class T>
  static constexpr int shared_bytes = static_cast<int>(sizeof(T)) * ring * layer<T>;

  Divisor m_tiles[2];  ///< along axes 0 and 1
  Divisor m_segments;  ///< of layers
  int m_layers = 0;    ///< of a segment
  std::int64_t m_blocks = 0;
  bool m_together;       ///< points of a thread are aligned, and all there or none: one access has them
  bool m_whole_sectors;  ///< no line of y shares a sector of memory with anything else

  template <class T>
  explicit StencilMarch(const StencilLoop<T, ConstantCoefficients<T>>& loop) {
    constexpr int blocks_at_a_time = blocks_of_multiprocessor<T> * multiprocessors;
    int const tiles[2] = {(loop.m_extents[0] + width<T> - 1) / width<T>,
                          (loop.m_extents[1] + height<T> - 1) / height<T>};
    auto const columns = std::int64_t{tiles[0]} * tiles[1] * loop.m_components;
    // Blocks take turns: as many segments as need the fewest layers one after another.
    auto const fewest = (columns + blocks_at_a_time - 1) / blocks_at_a_time;
    auto best = std::numeric_limits<std::int64_t>::max();
    for (auto turns = fewest; turns < fewest + 4; ++turns) {
      auto const segments = std::min<std::int64_t>(turns * blocks_at_a_time / columns, loop.m_extents[2]);
      auto const layers = (loop.m_extents[2] + segments - 1) / segments;
      if (turns * (layers + extra_layers) >= best) continue;
      best = turns * (layers + extra_layers);
      m_layers = static_cast<int>(layers);
    }
    int const segments = (loop.m_extents[2] + m_layers - 1) / m_layers;
    m_blocks = columns * segments;
    for (int d = 0; d < 2; ++d) m_tiles[d] = Divisor(tiles[d]);
    m_segments = Divisor(segments);
    int const bytes = points<T> * static_cast<int>(sizeof(T));
    m_together = aligned(loop.m_x, loop.m_x_strides, bytes) && aligned(loop.m_y, loop.m_y_strides, bytes) &&
                 loop.m_extents[0] % points<T> == 0 && (points<T> == 1 || !loop.m_above[0]);
    m_whole_sectors = aligned(loop.m_y, loop.m_y_strides, cuda::sector_bytes) &&
                      loop.m_extents[0] * static_cast<int>(sizeof(T)) % cuda::sector_bytes == 0;
  }

  /// Whether tiles are filled, and marches long enough.
  template <class T>
  bool suits(const StencilLoop<T, ConstantCoefficients<T>>& loop) const {
    return loop.contiguous() && m_together && 2 * loop.m_extents[0] >= width<T> && 2 * loop.m_extents[1] >= height<T> &&
           m_layers >= shortest && m_blocks < Divisor::fast_end;
  }

 private:
  /// Whether every line begins at a multiple of so many bytes.
  template <class T>
  static bool aligned(const T* data, const std::int64_t (&strides)[4], int bytes) {
    auto result = reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(bytes) == 0;
    for (int d = 1; d < 4; ++d) result = result && strides[d] * static_cast<int>(sizeof(T)) % bytes == 0;
    return result;
  }
};

/// y = the product of the stencil and x.
template <class T>
__global__ void __launch_bounds__(StencilMarch::threads, StencilMarch::blocks_of_multiprocessor<T>)
    stencil_march_kernel(const __grid_constant__ StencilLoop<T, ConstantCoefficients<T>> loop,
                         const __grid_constant__ StencilMarch march) {
  using March = StencilMarch;
  constexpr int points = March::points<T>;
  constexpr int lines = March::lines<T>;
  constexpr int height = March::height<T>;
  constexpr int pitch = March::pitch<T>;
  constexpr int layer = March::layer<T>;
  using Points = cuda::Vector<T, points>;
  extern __shared__ __align__(16) unsigned char stencil_march_shared[];
  T* const shared = reinterpret_cast<T*>(stencil_march_shared);

  auto block = static_cast<std::uint32_t>(blockIdx.x);
  int const thread_0 = static_cast<int>(threadIdx.x) % March::threads_0;
  int const thread_1 = static_cast<int>(threadIdx.x) / March::threads_0;
  int const tile_0 = march.m_tiles[0].take(block) * March::width<T>;
  int const tile_1 = march.m_tiles[1].take(block) * height;
  int const begin = march.m_segments.take(block) * march.m_layers;
  int const end = min(begin + march.m_layers, loop.m_extents[2]);
  auto const component = static_cast<int>(block);
  int const p0 = tile_0 + thread_0 * points;
  int const p1 = tile_1 + thread_1 * lines;

  // What x has: points below these, also next to the box.
  int const end_0 = loop.m_extents[0] + (loop.m_above[0] ? 1 : 0);
  int const end_1 = loop.m_extents[1] + (loop.m_above[1] ? 1 : 0);
  int const first_2 = loop.m_below[2] ? -1 : 0;
  int const end_2 = loop.m_extents[2] + (loop.m_above[2] ? 1 : 0);
  int const own_lines = p0 < end_0 ? end_1 - p1 : 0;
  // The first and the last threads along axis 1 also copy the lines next to the tile, and the first of all threads the
  // points next to its lines, one each.
  bool const has_edge_line = thread_1 == 0 || thread_1 == March::threads_1 - 1;
  int const edge_line = thread_1 == 0 ? -1 : height;
  bool const line_exists =
      has_edge_line && p0 < end_0 && tile_1 + edge_line < end_1 && (tile_1 + edge_line >= 0 || loop.m_below[1]);
  bool const has_edge_point = threadIdx.x < 2 * height;
  int const point_line = static_cast<int>(threadIdx.x) / 2;
  int const edge_point = threadIdx.x % 2 == 0 ? -1 : March::width<T>;
  bool const point_exists = has_edge_point && tile_1 + point_line < end_1 && tile_0 + edge_point < end_0 &&
                            (tile_0 + edge_point >= 0 || loop.m_below[0]);

  auto const place_of = [](int c, int r) { return (r + 1) * pitch + points + c; };
  int const own_place = place_of(thread_0 * points, thread_1 * lines);
  int const line_place = place_of(thread_0 * points, edge_line);
  int const point_place = place_of(edge_point, point_line);
  // Zero where there is no point.
  auto const clear = [&](int place) { *reinterpret_cast<Points*>(shared + place) = Points{}; };
  for (int l = 0; l < March::ring; ++l) {
    for (int r = 0; r < lines; ++r) {
      if (r >= own_lines) clear(l * layer + own_place + r * pitch);
    }
    if (has_edge_line && !line_exists) clear(l * layer + line_place);
    if (has_edge_point && !point_exists) shared[l * layer + point_place] = 0;
  }

  // The lines of x and y that a thread works on, of the layer that comes next.
  const T* own[lines];
  T* y[lines];
#pragma unroll
  for (int r = 0; r < lines; ++r) {
    own[r] = loop.m_x + loop.x_offset(p0, p1 + r, begin - 1, component);
    y[r] = loop.m_y + loop.y_offset(p0, p1 + r, begin, component);
  }
  const T* line = loop.m_x + loop.x_offset(p0, tile_1 + edge_line, begin - 1, component);
  const T* point = loop.m_x + loop.x_offset(tile_0 + edge_point, tile_1 + point_line, begin - 1, component);
  auto const x_step = loop.m_x_strides[2];
  auto const y_step = loop.m_y_strides[2];
  int const y_lines = p0 < loop.m_extents[0] ? loop.m_extents[1] - p1 : 0;
  bool const at_line_end = !march.m_whole_sectors && y_lines > 0 && (p0 == 0 || p0 + points >= loop.m_extents[0]);

  auto const bring_layer = [&](int number, int place) {
    if (number <= end) {
      if (number >= first_2 && number < end_2) {
#pragma unroll
        for (int r = 0; r < lines; ++r) {
          if (r < own_lines) {
            __pipeline_memcpy_async(shared + place + own_place + r * pitch, own[r], sizeof(Points));
          }
        }
      } else {
#pragma unroll
        for (int r = 0; r < lines; ++r) clear(place + own_place + r * pitch);
      }
      if (number >= begin && number < end) {
        if (line_exists) __pipeline_memcpy_async(shared + place + line_place, line, sizeof(Points));
        if (point_exists) __pipeline_memcpy_async(shared + place + point_place, point, sizeof(T));
        // Sectors of memory of which lines of y have a part: in the cache when they are written, they go back to memory
        // whole.
        if (at_line_end) {
#pragma unroll 1
          for (int r = 0; r < min(lines, y_lines); ++r) {
            const T* const first = loop.m_y + loop.y_offset(p0, p1 + r, number, component);
            auto const rest = loop.m_extents[0] - p0;
            if (p0 == 0) cuda::prefetch_partial_sector(first, first);
            if (rest <= points) cuda::prefetch_partial_sector(first + rest, first + rest - 1);
          }
        }
      }
#pragma unroll
      for (int r = 0; r < lines; ++r) own[r] += x_step;
      line += x_step;
      point += x_step;
    }
    __pipeline_commit();
  };
  auto const own_points_of = [&](int place, Points(&values)[lines]) {
#pragma unroll
    for (int r = 0; r < lines; ++r) {
      values[r] = *reinterpret_cast<const Points*>(shared + place + own_place + r * pitch);
    }
  };

  cuda::wait_for_kernel_before();
#pragma unroll 1
  for (int l = 0; l < March::ring; ++l) bring_layer(begin - 1 + l, l * layer);
  __pipeline_wait_prior(March::ring - 2);
  __syncthreads();
  Points lower[lines], here[lines], upper[lines];
  int lower_place = 0;
  int place = layer;
  own_points_of(lower_place, lower);
  own_points_of(place, here);
  auto const& a = loop.m_coefficients.m_values;
#pragma unroll 1
  for (int k = begin; k < end; ++k) {
    __pipeline_wait_prior(March::ring - 3);
    __syncthreads();
    bring_layer(k + March::ring - 1, lower_place);
    int const upper_place = place == (March::ring - 1) * layer ? 0 : place + layer;
    own_points_of(upper_place, upper);
    const T* const at = shared + place + own_place;
    auto const line_below = *reinterpret_cast<const Points*>(at - pitch);
    auto const line_above = *reinterpret_cast<const Points*>(at + lines * pitch);
#pragma unroll
    for (int r = 0; r < lines; ++r) {
      Points product;
#pragma unroll
      for (int v = 0; v < points; ++v) {
        T const west = v == 0 ? at[r * pitch - 1] : here[r].m_values[v == 0 ? 0 : v - 1];
        T const east = v == points - 1 ? at[r * pitch + points] : here[r].m_values[v == points - 1 ? v : v + 1];
        T sum = a[below(2)] * lower[r].m_values[v];
        sum += a[below(1)] * (r == 0 ? line_below : here[r == 0 ? 0 : r - 1]).m_values[v];
        sum += a[below(0)] * west;
        sum += a[above(0)] * east;
        sum += a[above(1)] * (r == lines - 1 ? line_above : here[r == lines - 1 ? r : r + 1]).m_values[v];
        sum += a[above(2)] * upper[r].m_values[v];
        product.m_values[v] = sum + a[stencil_center] * here[r].m_values[v];
      }
      if (r < y_lines) *reinterpret_cast<Points*>(y[r]) = product;
      y[r] += y_step;
    }
#pragma unroll
    for (int r = 0; r < lines; ++r) {
      lower[r] = here[r];
      here[r] = upper[r];
    }
    lower_place = place;
    place = upper_place;
  }
}

/// The march of a loop that it suits.
template <class T>
void run_stencil_march(cudaStream_t stream, const StencilLoop<T, ConstantCoefficients<T>>& loop,
                       const StencilMarch& march) {
  cuda::launch(stream, stencil_march_kernel<T>, static_cast<int>(march.m_blocks), StencilMarch::threads,
               StencilMarch::shared_bytes<T>, cuda::Dependency::programmatic, loop, march);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
