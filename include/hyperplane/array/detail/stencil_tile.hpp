// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/stencil_loop.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/cuda/sector.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A thread of a device has a few points along axes 1 and 2, all of whose inputs it loads before it needs the first,
/// and each of the values that they share once; 256 neighbouring threads are a tile, so that other neighbours are near
/// in the cache.
template <class T, class Coefficients, class Value>
struct StencilTile {
  static constexpr int width = 64;
  static constexpr int height = 4;
  /// Points of a thread: as many as leave enough threads to a multiprocessor.
  static constexpr int lines = Coefficients::constant && sizeof(T) < 8 ? 2 : 1;
  static constexpr int layers = Coefficients::constant ? 4 : 2;

  StencilLoop<T, Coefficients> m_loop;
  Value m_value;
  int m_tiles[3];

  StencilTile(const StencilLoop<T, Coefficients>& loop, const Value& value)
      : m_loop(loop),
        m_value(value),
        m_tiles{(loop.m_extents[0] + width - 1) / width, (loop.m_extents[1] + height * lines - 1) / (height * lines),
                (loop.m_extents[2] + layers - 1) / layers} {}

  std::int64_t count() const {
    return std::int64_t{width * height} * m_tiles[0] * m_tiles[1] * m_tiles[2] * m_loop.m_components;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    // As many tiles as there may be blocks of threads; divisions of 32 bits are far faster.
    auto tile = static_cast<std::uint32_t>(index / (width * height));
    int const thread = static_cast<int>(index % (width * height));
    auto const next = [&](int axis) {
      auto const tiles = static_cast<std::uint32_t>(m_tiles[axis]);
      auto const rest = tile / tiles;
      auto const t = static_cast<int>(tile - rest * tiles);
      tile = rest;
      return t;
    };
    int const p0 = next(0) * width + thread % width;
    int const p1 = (next(1) * height + thread / width) * lines;
    int const p2 = next(2) * layers;
    int const c = static_cast<int>(tile);
    if (p0 >= m_loop.m_extents[0] || p1 >= m_loop.m_extents[1]) return;
    // Most have all their points, and all neighbours along axes 1 and 2, and need not ask for each of them. (Along axis
    // 0 a warp may have the last one, and would then go both ways.)
    bool const all = p1 + lines <= m_loop.m_extents[1] && p2 + layers <= m_loop.m_extents[2] &&
                     m_loop.has_below(1, p1) && m_loop.has_above(1, p1 + lines - 1) && m_loop.has_below(2, p2) &&
                     m_loop.has_above(2, p2 + layers - 1);
    if (all) {
      points(p0, p1, p2, c, std::true_type{});
    } else {
      points(p0, p1, p2, c, std::false_type{});
    }
  }

 private:
  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void points(int p0, int p1, int p2, int c, All) const {
    auto const x = m_loop.m_x + m_loop.x_offset(p0, p1, p2, c);
    auto const s0 = m_loop.m_x_strides[0];
    auto const s1 = m_loop.m_x_strides[1];
    auto const s2 = m_loop.m_x_strides[2];
    bool const below_0 = m_loop.has_below(0, p0);
    bool const above_0 = m_loop.has_above(0, p0);
    // Lines with one more on each side: whether x has them, and whether the box has.
    bool has_line[std::size_t{lines + 2}], has_layer[std::size_t{layers + 2}], own_line[std::size_t{lines + 2}],
        own_layer[std::size_t{layers + 2}];
    HYPERPLANE_UNROLL
    for (int r = 0; r < lines + 2; ++r) {
      own_line[r] = All::value || p1 + r - 1 < m_loop.m_extents[1];
      has_line[r] = All::value || exists(1, p1 + r - 1);
    }
    HYPERPLANE_UNROLL
    for (int l = 0; l < layers + 2; ++l) {
      own_layer[l] = All::value || p2 + l - 1 < m_loop.m_extents[2];
      has_layer[l] = All::value || exists(2, p2 + l - 1);
    }
    if (m_loop.m_y_strides[0] == 1 && (p0 == 0 || p0 + 1 == m_loop.m_extents[0])) {
      HYPERPLANE_UNROLL
      for (int l = 0; l < layers; ++l) {
        HYPERPLANE_UNROLL
        for (int r = 0; r < lines; ++r) {
          if (!(own_layer[l + 1] & own_line[r + 1])) continue;
          const T* const first = m_loop.m_y + m_loop.y_offset(p0, p1 + r, p2 + l, c);
          cuda::prefetch_partial_sector(p0 == 0 ? first : first + 1, first);
        }
      }
    }
    // Zero where there is no point.
    T values[std::size_t{layers + 2}][std::size_t{lines + 2}];
    T west[std::size_t{layers}][std::size_t{lines}];
    T east[std::size_t{layers}][std::size_t{lines}];
    HYPERPLANE_UNROLL
    for (int l = 0; l < layers + 2; ++l) {
      HYPERPLANE_UNROLL
      for (int r = 0; r < lines + 2; ++r) {
        bool const corner = (l == 0 || l == layers + 1) && (r == 0 || r == lines + 1);
        values[l][r] = !corner && (has_layer[l] & has_line[r]) ? x[(l - 1) * s2 + (r - 1) * s1] : T(0);
      }
    }
    HYPERPLANE_UNROLL
    for (int l = 0; l < layers; ++l) {
      HYPERPLANE_UNROLL
      for (int r = 0; r < lines; ++r) {
        bool const own = own_layer[l + 1] & own_line[r + 1];
        west[l][r] = (own & below_0) ? x[l * s2 + r * s1 - s0] : T(0);
        east[l][r] = (own & above_0) ? x[l * s2 + r * s1 + s0] : T(0);
      }
    }
    T product[std::size_t{layers}][std::size_t{lines}];
    T center[std::size_t{layers}][std::size_t{lines}];
    HYPERPLANE_UNROLL
    for (int l = 0; l < layers; ++l) {
      HYPERPLANE_UNROLL
      for (int r = 0; r < lines; ++r) {
        bool const own = own_layer[l + 1] & own_line[r + 1];
        auto const a = m_loop.m_coefficients.offset(p0, p1 + r, p2 + l);
        // What is multiplied with what there is not may be anything.
        auto const term = [&](int which, bool there, T value) {
          return (own & there) ? m_loop.m_coefficients.at(which, a) * value : T(0);
        };
        T sum = term(below(2), has_layer[l], values[l][r + 1]);
        sum += term(below(1), has_line[r], values[l + 1][r]);
        sum += term(below(0), below_0, west[l][r]);
        sum += term(above(0), above_0, east[l][r]);
        sum += term(above(1), has_line[r + 2], values[l + 1][r + 2]);
        sum += term(above(2), has_layer[l + 2], values[l + 2][r + 1]);
        center[l][r] = own ? m_loop.m_coefficients.at(stencil_center, a) : T(0);
        product[l][r] = sum + center[l][r] * values[l + 1][r + 1];
      }
    }
    // Stores come last: compilers cannot know that they change nothing of what is read.
    auto const y = m_loop.y_offset(p0, p1, p2, c);
    HYPERPLANE_UNROLL
    for (int l = 0; l < layers; ++l) {
      HYPERPLANE_UNROLL
      for (int r = 0; r < lines; ++r) {
        if (!(own_layer[l + 1] & own_line[r + 1])) continue;
        auto const y_offset = y + l * m_loop.m_y_strides[2] + r * m_loop.m_y_strides[1];
        m_loop.m_y[y_offset] = m_value(y_offset, product[l][r], center[l][r], values[l + 1][r + 1]);
      }
    }
  }

  /// Whether x has points there: those of the box, and those next to it.
  KOKKOS_FUNCTION bool exists(int axis, int p) const {
    return p < 0 ? m_loop.m_below[axis]
                 : (p < m_loop.m_extents[axis]) | ((p == m_loop.m_extents[axis]) & m_loop.m_above[axis]);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
