// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/stencil_loop.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/host/past_caches.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/simd/pack.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Lines along axis 0, of one layer of axis 2: few enough for three layers of them to stay in a core's cache, so that
/// the next layer finds there what it needs of this one.
template <class T, class Coefficients, class Value>
struct StencilLines {
  static constexpr std::int64_t cached_bytes = std::int64_t{128} << 10;
  /// Values of a cache line.
  static constexpr int cache_line = host::cache_line_values<T>;
  /// Points of a line that are computed at a time, so few that what they ask for ahead does not queue up.
  static constexpr int longest = 16 * cache_line;
  /// Lines whose cache lines are written past the caches although their ends share cache lines with something else.
  static constexpr int shortest_past_caches = 16 * cache_line;

  StencilLoop<T, Coefficients> m_loop;
  Value m_value;
  bool m_contiguous;
  bool m_past_caches;
  int m_lines;
  int m_parts;  ///< of a layer

  StencilLines(const StencilLoop<T, Coefficients>& loop, const Value& value)
      : m_loop(loop), m_value(value), m_contiguous(loop.contiguous()) {
    auto const bytes = static_cast<std::int64_t>(sizeof(T)) * loop.m_extents[0];
    auto const lines = std::max<std::int64_t>(1, cached_bytes / bytes);
    m_lines = static_cast<int>(std::min<std::int64_t>(lines, loop.m_extents[1]));
    m_parts = (loop.m_extents[1] + m_lines - 1) / m_lines;
    bool const whole_cache_lines = host::place_in_cache_line(loop.m_y) == 0 && loop.m_extents[0] % cache_line == 0 &&
                                   loop.m_y_strides[1] % cache_line == 0 && loop.m_y_strides[2] % cache_line == 0 &&
                                   loop.m_y_strides[3] % cache_line == 0;
    m_past_caches = (whole_cache_lines || loop.m_extents[0] >= shortest_past_caches) &&
                    host::goes_past_caches(bytes * loop.m_extents[1] * loop.m_extents[2] * loop.m_components);
  }

  std::int64_t count() const { return std::int64_t{m_parts} * m_loop.m_extents[2] * m_loop.m_components; }

  void operator()(std::int64_t index) const {
    int const p2 = static_cast<int>(index % m_loop.m_extents[2]);
    auto const rest = index / m_loop.m_extents[2];
    int const begin = static_cast<int>(rest % m_parts) * m_lines;
    int const c = static_cast<int>(rest / m_parts);
    int const end = std::min(begin + m_lines, m_loop.m_extents[1]);
    for (int p1 = begin; p1 < end; ++p1) line(p1, p2, c);
    if (m_past_caches) stream_fence();
  }

 private:
  /// What is read where there is no neighbour, and no coefficient: either may be anything.
  inline static constexpr T zeros[std::size_t{longest}] = {};

  void line(int p1, int p2, int c) const {
    const T* const x = m_loop.m_x + m_loop.x_offset(0, p1, p2, c);
    auto const y_offset = m_loop.y_offset(0, p1, p2, c);
    auto const a = m_loop.m_coefficients.offset(0, p1, p2);
    T* const y = m_loop.m_y + y_offset;
    int const count = m_loop.m_extents[0];
    if (!m_contiguous) {
      for (int i = 0; i < count; ++i) y[i * m_loop.m_y_strides[0]] = point(i, p1, p2, x, y_offset, a);
      return;
    }
    for (int begin = 0, end = 0; begin < count; begin = end) {
      int const in_cache_line = host::place_in_cache_line(y + begin);
      end = std::min(count, begin + longest - in_cache_line);
      prefetch_ahead(begin, end, x, a);
      if (m_past_caches) {
        past_caches(begin, end, p1, p2, x, y_offset, a);
      } else {
        points(begin, end, p1, p2, x, y_offset, a, y + begin);
      }
    }
  }

  /// Points begin to end of a line, whole cache lines past the caches: those at the ends, of which only a part may be
  /// written and points may lack a neighbour, by way of a buffer, as are few points, for which two pieces more cost
  /// more than the buffer.
  void past_caches(int begin, int end, int p1, int p2, const T* x, std::int64_t y_offset, std::int64_t a) const {
    T* const y = m_loop.m_y + y_offset;
    auto const by_buffer = [&](int from, int to) {
      if (from == to) return;
      alignas(64) T buffer[std::size_t{longest}];
      T* const result = buffer + host::place_in_cache_line(y + from);
      points(from, to, p1, p2, x, y_offset, a, result);
      host::write_lines(result, y + from, to - from);
    };
    if (2 * (end - begin) <= longest) return by_buffer(begin, end);
    int const place = host::place_in_cache_line(y + begin);
    int const first = place != 0 || !m_loop.has_below(0, begin) ? begin + cache_line - place : begin;
    int const behind = host::place_in_cache_line(y + end);
    int const last = behind != 0 ? end - behind : !m_loop.has_above(0, end - 1) ? end - cache_line : end;
    by_buffer(begin, first);
    inner<true>(last - first, p1, p2, x + first, y_offset + first, a + first, y + first);
    by_buffer(last, end);
  }

  /// What a line that comes soon needs, and none before it did.
  void prefetch_ahead(int begin, int end, const T* x, std::int64_t a) const {
    int const lines = std::max(1, host::values_ahead<T> / m_loop.m_extents[0]);
    host::prefetch_values(x + lines * m_loop.m_x_strides[1] + m_loop.m_x_strides[2] + begin, end - begin);
    if constexpr (!Coefficients::constant) {
      auto const offset = a + lines * m_loop.m_coefficients.stride(1) + begin;
      for (const T* const data : m_loop.m_coefficients.m_data) host::prefetch_values(data + offset, end - begin);
    }
  }

  /// Points begin to end of a line that is contiguous, to result[0], result[1], ...
  void points(int begin, int end, int p1, int p2, const T* x, std::int64_t y_offset, std::int64_t a, T* result) const {
    int const first = begin;
    if (begin < end && !m_loop.has_below(0, begin)) {
      result[0] = point(begin, p1, p2, x, y_offset, a);
      ++begin;
    }
    if (begin < end && !m_loop.has_above(0, end - 1)) {
      --end;
      result[end - first] = point(end, p1, p2, x, y_offset, a);
    }
    inner<false>(end - begin, p1, p2, x + begin, y_offset + begin, a + begin, result + (begin - first));
  }

  /// Points that have neighbours along axis 0, and maybe others, in the order of operations of neighbours(). Whole
  /// cache lines go past the caches.
  template <bool whole_cache_lines>
  void inner(int count, int p1, int p2, const T* x, std::int64_t y_offset, std::int64_t a, T* result) const {
    bool const below_1 = m_loop.has_below(1, p1);
    bool const above_1 = m_loop.has_above(1, p1);
    bool const below_2 = m_loop.has_below(2, p2);
    bool const above_2 = m_loop.has_above(2, p2);
    const T* const x_below_1 = below_1 ? x - m_loop.m_x_strides[1] : zeros;
    const T* const x_above_1 = above_1 ? x + m_loop.m_x_strides[1] : zeros;
    const T* const x_below_2 = below_2 ? x - m_loop.m_x_strides[2] : zeros;
    const T* const x_above_2 = above_2 ? x + m_loop.m_x_strides[2] : zeros;
    auto const coefficients = [&](int which, bool exists) {
      return m_loop.m_coefficients.line(which, a, exists ? nullptr : zeros);
    };
    auto const a_below_2 = coefficients(below(2), below_2);
    auto const a_below_1 = coefficients(below(1), below_1);
    auto const a_below_0 = coefficients(below(0), true);
    auto const a_above_0 = coefficients(above(0), true);
    auto const a_above_1 = coefficients(above(1), above_1);
    auto const a_above_2 = coefficients(above(2), above_2);
    auto const a_center = coefficients(stencil_center, true);
    auto const value = m_value;
    auto const at = [&](int i) {
      T sum = a_below_2[i] * x_below_2[i];
      sum += a_below_1[i] * x_below_1[i];
      sum += a_below_0[i] * x[i - 1];
      sum += a_above_0[i] * x[i + 1];
      sum += a_above_1[i] * x_above_1[i];
      sum += a_above_2[i] * x_above_2[i];
      T const center = a_center[i];
      return value(y_offset + i, sum + center * x[i], center, x[i]);
    };
    if constexpr (whole_cache_lines) {
      for (int begin = 0; begin < count; begin += cache_line) {
        alignas(64) T values[std::size_t{cache_line}];
        HYPERPLANE_INDEPENDENT
        for (int i = 0; i < cache_line; ++i) values[i] = at(begin + i);
        host::write_line(Pack<T, cache_line>::load(values), result + begin);
      }
    } else {
      HYPERPLANE_INDEPENDENT
      for (int i = 0; i < count; ++i) result[i] = at(i);
    }
  }

  T point(int i, int p1, int p2, const T* x, std::int64_t y_offset, std::int64_t a) const {
    x += i * m_loop.m_x_strides[0];
    a += i * m_loop.m_coefficients.stride(0);
    T const center = m_loop.m_coefficients.at(stencil_center, a);
    T const sum = m_loop.neighbours(i, p1, p2, x, a);
    return m_value(y_offset + i * m_loop.m_y_strides[0], sum + center * *x, center, *x);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
