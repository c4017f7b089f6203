// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cfd/array_ref.hpp>
#include <hyperplane/cfd/detail/checks.hpp>
#include <hyperplane/cfd/detail/run_range.hpp>
#include <hyperplane/cfd/detail/stencil_loop.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/detail/timer_callbacks.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/cuda/sector.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/host/past_caches.hpp>
#include <hyperplane/host/prefetch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace hyperplane {
template <Real T>
struct ConstantStencil7;
template <Real T>
class VariableStencil7;
}  // namespace hyperplane

namespace hyperplane::detail {

/// The value of y at a point, of which the product, the coefficient of the point itself and x there are known.
template <class T>
struct Product {
  HYPERPLANE_FUNCTION T operator()(std::int64_t /*place*/, T product, T /*center*/, T /*x*/) const { return product; }
};

/// Rows along axis 0, of one layer of axis 2: few enough for three layers of them to stay in a core's cache, so that
/// the next layer finds there what it needs of this one.
template <class T, class Coefficients, class Value>
struct StencilRows {
  static constexpr std::int64_t cached_bytes = std::int64_t{128} << 10;
  static constexpr int line = host::line_values<T>;
  /// Points of a row that are computed at a time, so few that what they ask for ahead does not queue up.
  static constexpr int longest = 16 * line;
  /// Rows whose lines are written past the caches although their ends share lines with something else.
  static constexpr int shortest_past_caches = 16 * line;

  StencilLoop<T, Coefficients> m_loop;
  Value m_value;
  bool m_contiguous;
  bool m_past_caches;
  int m_rows;
  int m_parts;  ///< of a layer

  StencilRows(const StencilLoop<T, Coefficients>& loop, const Value& value)
      : m_loop(loop), m_value(value), m_contiguous(loop.contiguous()) {
    auto const bytes = static_cast<std::int64_t>(sizeof(T)) * loop.m_extents[0];
    auto const rows = std::max<std::int64_t>(1, cached_bytes / bytes);
    m_rows = static_cast<int>(std::min<std::int64_t>(rows, loop.m_extents[1]));
    m_parts = (loop.m_extents[1] + m_rows - 1) / m_rows;
    bool const whole_lines = host::place_in_line(loop.m_y) == 0 && loop.m_extents[0] % line == 0 &&
                             loop.m_y_strides[1] % line == 0 && loop.m_y_strides[2] % line == 0 &&
                             loop.m_y_strides[3] % line == 0;
    m_past_caches = (whole_lines || loop.m_extents[0] >= shortest_past_caches) &&
                    host::goes_past_caches(bytes * loop.m_extents[1] * loop.m_extents[2] * loop.m_components);
  }

  std::int64_t count() const { return std::int64_t{m_parts} * m_loop.m_extents[2] * m_loop.m_components; }

  void operator()(std::int64_t index) const {
    int const p2 = static_cast<int>(index % m_loop.m_extents[2]);
    auto const rest = index / m_loop.m_extents[2];
    int const begin = static_cast<int>(rest % m_parts) * m_rows;
    int const c = static_cast<int>(rest / m_parts);
    int const end = std::min(begin + m_rows, m_loop.m_extents[1]);
    for (int p1 = begin; p1 < end; ++p1) row(p1, p2, c);
    if (m_past_caches) stream_fence();
  }

 private:
  /// What is read where there is no neighbour, and no coefficient: either may be anything.
  inline static constexpr T zeros[longest] = {};

  void row(int p1, int p2, int c) const {
    const T* const x = m_loop.m_x + m_loop.x_offset(0, p1, p2, c);
    auto const place = m_loop.y_offset(0, p1, p2, c);
    auto const a = m_loop.m_coefficients.offset(0, p1, p2);
    T* const y = m_loop.m_y + place;
    int const count = m_loop.m_extents[0];
    if (!m_contiguous) {
      for (int i = 0; i < count; ++i) y[i * m_loop.m_y_strides[0]] = point(i, p1, p2, x, place, a);
      return;
    }
    for (int begin = 0, end; begin < count; begin = end) {
      int const place_in_line = host::place_in_line(y + begin);
      end = std::min(count, begin + longest - place_in_line);
      prefetch_ahead(begin, end, x, a);
      if (m_past_caches) {
        alignas(64) T buffer[longest];
        T* const result = buffer + place_in_line;
        points(begin, end, p1, p2, x, place, a, result);
        host::write_lines(result, y + begin, end - begin);
      } else {
        points(begin, end, p1, p2, x, place, a, y + begin);
      }
    }
  }

  /// What a row that comes soon needs, and none before it did.
  void prefetch_ahead(int begin, int end, const T* x, std::int64_t a) const {
    int const rows = std::max(1, host::values_ahead<T> / m_loop.m_extents[0]);
    host::prefetch_values(x + rows * m_loop.m_x_strides[1] + m_loop.m_x_strides[2] + begin, end - begin);
    if constexpr (!Coefficients::constant) {
      auto const offset = a + rows * m_loop.m_coefficients.stride(1) + begin;
      for (const T* const data : m_loop.m_coefficients.m_data) host::prefetch_values(data + offset, end - begin);
    }
  }

  /// Points begin to end of a row that is contiguous, to result[0], result[1], ...
  void points(int begin, int end, int p1, int p2, const T* x, std::int64_t place, std::int64_t a, T* result) const {
    int const first = begin;
    if (begin < end && !m_loop.has_below(0, begin)) {
      result[0] = point(begin, p1, p2, x, place, a);
      ++begin;
    }
    if (begin < end && !m_loop.has_above(0, end - 1)) {
      --end;
      result[end - first] = point(end, p1, p2, x, place, a);
    }
    inner(end - begin, p1, p2, x + begin, place + begin, a + begin, result + (begin - first));
  }

  /// Points that have neighbours along axis 0, and maybe others, in the order of operations of neighbours().
  void inner(int count, int p1, int p2, const T* x, std::int64_t place, std::int64_t a, T* result) const {
    bool const below_1 = m_loop.has_below(1, p1);
    bool const above_1 = m_loop.has_above(1, p1);
    bool const below_2 = m_loop.has_below(2, p2);
    bool const above_2 = m_loop.has_above(2, p2);
    const T* const x_below_1 = below_1 ? x - m_loop.m_x_strides[1] : zeros;
    const T* const x_above_1 = above_1 ? x + m_loop.m_x_strides[1] : zeros;
    const T* const x_below_2 = below_2 ? x - m_loop.m_x_strides[2] : zeros;
    const T* const x_above_2 = above_2 ? x + m_loop.m_x_strides[2] : zeros;
    auto const row = [&](int slot, bool exists) {
      return m_loop.m_coefficients.row(slot, a, exists ? nullptr : zeros);
    };
    auto const a_below_2 = row(below(2), below_2);
    auto const a_below_1 = row(below(1), below_1);
    auto const a_below_0 = row(below(0), true);
    auto const a_above_0 = row(above(0), true);
    auto const a_above_1 = row(above(1), above_1);
    auto const a_above_2 = row(above(2), above_2);
    auto const a_center = row(stencil_center, true);
    auto const value = m_value;
    HYPERPLANE_INDEPENDENT
    for (int i = 0; i < count; ++i) {
      T sum = a_below_2[i] * x_below_2[i];
      sum += a_below_1[i] * x_below_1[i];
      sum += a_below_0[i] * x[i - 1];
      sum += a_above_0[i] * x[i + 1];
      sum += a_above_1[i] * x_above_1[i];
      sum += a_above_2[i] * x_above_2[i];
      T const center = a_center[i];
      result[i] = value(place + i, sum + center * x[i], center, x[i]);
    }
  }

  T point(int i, int p1, int p2, const T* x, std::int64_t place, std::int64_t a) const {
    x += i * m_loop.m_x_strides[0];
    a += i * m_loop.m_coefficients.stride(0);
    T const center = m_loop.m_coefficients.at(stencil_center, a);
    T const sum = m_loop.neighbours(i, p1, p2, x, a);
    return m_value(place + i * m_loop.m_y_strides[0], sum + center * *x, center, *x);
  }
};

/// A thread of a device has a few points along axes 1 and 2, all of whose inputs it loads before it needs the first,
/// and each of the values that they share once; 256 neighbouring threads are a tile, so that other neighbours are near
/// in the cache.
template <class T, class Coefficients, class Value>
struct StencilTile {
  static constexpr int width = 64;
  static constexpr int height = 4;
  /// Points of a thread: as many as leave enough threads to a multiprocessor.
  static constexpr int rows = Coefficients::constant && sizeof(T) < 8 ? 2 : 1;
  static constexpr int layers = Coefficients::constant ? 4 : 2;

  StencilLoop<T, Coefficients> m_loop;
  Value m_value;
  int m_tiles[3];

  StencilTile(const StencilLoop<T, Coefficients>& loop, const Value& value)
      : m_loop(loop),
        m_value(value),
        m_tiles{(loop.m_extents[0] + width - 1) / width, (loop.m_extents[1] + height * rows - 1) / (height * rows),
                (loop.m_extents[2] + layers - 1) / layers} {}

  std::int64_t count() const {
    return std::int64_t{width * height} * m_tiles[0] * m_tiles[1] * m_tiles[2] * m_loop.m_components;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    // As many tiles as there may be blocks of threads; divisions of 32 bits are far faster.
    auto tile = static_cast<std::uint32_t>(index / (width * height));
    int const lane = static_cast<int>(index % (width * height));
    auto const next = [&](int axis) {
      auto const tiles = static_cast<std::uint32_t>(m_tiles[axis]);
      auto const rest = tile / tiles;
      auto const t = static_cast<int>(tile - rest * tiles);
      tile = rest;
      return t;
    };
    int const p0 = next(0) * width + lane % width;
    int const p1 = (next(1) * height + lane / width) * rows;
    int const p2 = next(2) * layers;
    int const c = static_cast<int>(tile);
    if (p0 >= m_loop.m_extents[0] || p1 >= m_loop.m_extents[1]) return;
    // Most have all their points, and all neighbours along axes 1 and 2, and need not ask for each of them. (Along axis
    // 0 a warp may have the last one, and would then go both ways.)
    bool const all = p1 + rows <= m_loop.m_extents[1] && p2 + layers <= m_loop.m_extents[2] &&
                     m_loop.has_below(1, p1) && m_loop.has_above(1, p1 + rows - 1) && m_loop.has_below(2, p2) &&
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
    bool has_row[rows + 2], has_layer[layers + 2], own_row[rows + 2], own_layer[layers + 2];
    HYPERPLANE_UNROLL
    for (int r = 0; r < rows + 2; ++r) {
      own_row[r] = All::value || p1 + r - 1 < m_loop.m_extents[1];
      has_row[r] = All::value || exists(1, p1 + r - 1);
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
        for (int r = 0; r < rows; ++r) {
          if (!(own_layer[l + 1] & own_row[r + 1])) continue;
          const T* const place = m_loop.m_y + m_loop.y_offset(p0, p1 + r, p2 + l, c);
          cuda::prefetch_partial_sector(p0 == 0 ? place : place + 1, place);
        }
      }
    }
    // Zero where there is no point.
    T values[layers + 2][rows + 2];
    T west[layers][rows];
    T east[layers][rows];
    HYPERPLANE_UNROLL
    for (int l = 0; l < layers + 2; ++l) {
      HYPERPLANE_UNROLL
      for (int r = 0; r < rows + 2; ++r) {
        bool const corner = (l == 0 || l == layers + 1) && (r == 0 || r == rows + 1);
        values[l][r] = !corner && (has_layer[l] & has_row[r]) ? x[(l - 1) * s2 + (r - 1) * s1] : T(0);
      }
    }
    HYPERPLANE_UNROLL
    for (int l = 0; l < layers; ++l) {
      HYPERPLANE_UNROLL
      for (int r = 0; r < rows; ++r) {
        bool const own = own_layer[l + 1] & own_row[r + 1];
        west[l][r] = (own & below_0) ? x[l * s2 + r * s1 - s0] : T(0);
        east[l][r] = (own & above_0) ? x[l * s2 + r * s1 + s0] : T(0);
      }
    }
    T product[layers][rows];
    T center[layers][rows];
    HYPERPLANE_UNROLL
    for (int l = 0; l < layers; ++l) {
      HYPERPLANE_UNROLL
      for (int r = 0; r < rows; ++r) {
        bool const own = own_layer[l + 1] & own_row[r + 1];
        auto const a = m_loop.m_coefficients.offset(p0, p1 + r, p2 + l);
        // What is multiplied with what there is not may be anything.
        auto const term = [&](int slot, bool there, T value) {
          return (own & there) ? m_loop.m_coefficients.at(slot, a) * value : T(0);
        };
        T sum = term(below(2), has_layer[l], values[l][r + 1]);
        sum += term(below(1), has_row[r], values[l + 1][r]);
        sum += term(below(0), below_0, west[l][r]);
        sum += term(above(0), above_0, east[l][r]);
        sum += term(above(1), has_row[r + 2], values[l + 1][r + 2]);
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
      for (int r = 0; r < rows; ++r) {
        if (!(own_layer[l + 1] & own_row[r + 1])) continue;
        auto const place = y + l * m_loop.m_y_strides[2] + r * m_loop.m_y_strides[1];
        m_loop.m_y[place] = m_value(place, product[l][r], center[l][r], values[l + 1][r + 1]);
      }
    }
  }

  /// Whether x has points there: those of the box, and those next to it.
  KOKKOS_FUNCTION bool exists(int axis, int p) const {
    return p < 0 ? m_loop.m_below[axis]
                 : (p < m_loop.m_extents[axis]) | ((p == m_loop.m_extents[axis]) & m_loop.m_above[axis]);
  }
};

/// Which of i, j, k is axis 0, 1, 2: the order of the strides of y, lines of one point last.
template <class T>
std::array<int, 3> axes_of(const Box& box, const ArrayRef<T>& y) {
  int const extents[3] = {box.end.i - box.begin.i, box.end.j - box.begin.j, box.end.k - box.begin.k};
  std::array<int, 3> axes = {0, 1, 2};
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) {
    if ((extents[a] == 1) != (extents[b] == 1)) return extents[b] == 1;
    return magnitude(y.stride(a)) < magnitude(y.stride(b));
  });
  return axes;
}

/// The direction of a slot of coefficients.
inline Direction direction_of(int slot, const std::array<int, 3>& axes) {
  if (slot == stencil_center) return Direction::center;
  constexpr Direction directions[3][2] = {
      {Direction::west, Direction::east}, {Direction::south, Direction::north}, {Direction::bottom, Direction::top}};
  return directions[axes[static_cast<std::size_t>(slot / 2)]][slot % 2];
}

template <class T>
ConstantCoefficients<T> coefficients_of(const char*, const Box&, const ConstantStencil7<T>& a,
                                        const std::array<int, 3>& axes) {
  ConstantCoefficients<T> result;
  for (int slot = 0; slot < 7; ++slot) result.m_values[slot] = a[direction_of(slot, axes)];
  return result;
}

template <class T>
VariableCoefficients<T> coefficients_of(const char* function, const Box& box, const VariableStencil7<T>& a,
                                        const std::array<int, 3>& axes) {
  VariableCoefficients<T> result;
  for (int slot = 0; slot < 7; ++slot) {
    auto const array = a[direction_of(slot, axes)];
    check_box(function, box, array);
    result.m_data[slot] = element_of(array, box.begin);
    for (std::size_t d = 0; d < 3; ++d) result.m_strides[d] = array.stride(axes[d]);
  }
  return result;
}

/// Throws Error where the arrays do not go together.
template <class A, class X, class T>
auto stencil_loop(const char* function, const Box& box, const A& a, const ArrayRef<X>& x, const ArrayRef<T>& y) {
  static_assert(std::is_same_v<std::remove_const_t<X>, T> && std::is_same_v<typename A::scalar_type, T>,
                "matrix and arrays are of one scalar type");
  check_box(function, box, x);
  check_box(function, box, y);
  check_components(function, x, y);
  auto const axes = axes_of(box, y);
  auto const coefficients = coefficients_of(function, box, a, axes);
  StencilLoop<T, std::remove_const_t<decltype(coefficients)>> loop{};
  int const begin[3] = {box.begin.i, box.begin.j, box.begin.k};
  int const end[3] = {box.end.i, box.end.j, box.end.k};
  for (int axis = 0; axis < 3; ++axis) {
    int const d = axes[static_cast<std::size_t>(axis)];
    loop.m_extents[axis] = end[d] - begin[d];
    loop.m_below[axis] = begin[d] > 0;
    loop.m_above[axis] = end[d] < x.extent(d);
    loop.m_x_strides[axis] = x.stride(d);
    loop.m_y_strides[axis] = y.stride(d);
  }
  loop.m_components = x.components();
  loop.m_x_strides[3] = x.component_stride();
  loop.m_y_strides[3] = y.component_stride();
  loop.m_x = element_of(x, box.begin);
  loop.m_y = element_of(y, box.begin);
  loop.m_coefficients = coefficients;
  return loop;
}

/// How an execution space runs a stencil.
template <ExecutionSpace Exec>
struct StencilLaunch {
  template <class T, class Coefficients, class Value>
  static void run(const Exec& exec, const std::string& label, const StencilLoop<T, Coefficients>& loop,
                  const Value& value) {
    using Kernel = std::conditional_t<HostExecutionSpace<Exec>, StencilRows<T, Coefficients, Value>,
                                      StencilTile<T, Coefficients, Value>>;
    Kernel const kernel(loop, value);
    run_range(exec, label, kernel.count(), kernel);
  }
};

/// y = value(product) at every point of the box. `moved` values a point and component are read or written.
template <ExecutionSpace Exec, class A, class X, class T, class Value>
void run_stencil(const Exec& exec, const char* function, const char* label, const Box& box, const A& a,
                 const ArrayRef<X>& x, const ArrayRef<T>& y, int moved, const Value& value) {
  auto const loop = stencil_loop(function, box, a, x, y);
  if (box.empty()) return;
  if (loop.m_x == loop.m_y) fail(std::string(function) + ": the result must not be x");
  count_bytes(label, static_cast<double>(sizeof(T)) * moved * static_cast<double>(box.size()) * loop.m_components);
  StencilLaunch<Exec>::run(exec, label, loop, value);
}

}  // namespace hyperplane::detail

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/cfd/detail/stencil_march_cuda.hpp>
#endif
