// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/scalar_field.hpp>
#include <hyperplane/array/stencil7.hpp>
#include <hyperplane/array/stencil_launch.hpp>
#include <hyperplane/array/stencil_loop.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// z + w D^-1 (r - A z), where an element of r is at the offset of the result.
template <class T>
struct JacobiValue {
  const T* m_r;
  T m_relaxation;
  HYPERPLANE_FUNCTION T operator()(std::int64_t offset, T product, T center, T z) const {
    return z + m_relaxation * (m_r[offset] - product) / center;
  }
};

/// Points by the parity of i + j + k.
enum class Color { red, black, both };

/// w D^-1 r
template <class T>
struct ScaledByCenter {
  static constexpr bool needs_neighbours = false;
  T m_relaxation;
  HYPERPLANE_FUNCTION T operator()(T r, T /*neighbours*/, T center, T /*z*/) const { return m_relaxation * r / center; }
};
/// w D^-1 (r - (L + U) z) + keep z
template <class T>
struct Relaxed {
  static constexpr bool needs_neighbours = true;
  T m_relaxation;
  T m_keep;
  HYPERPLANE_FUNCTION T operator()(T r, T neighbours, T center, T z) const {
    T const relaxed = m_relaxation * (r - neighbours) / center;
    return m_keep == T(0) ? relaxed : relaxed + m_keep * z;
  }
};

/// Points of one color, in place: neighbours are of the other one. The loop's x and y are both z.
template <class T, class Coefficients, class Update>
struct ColorRow {
  StencilLoop<T, Coefficients> m_loop;
  const T* m_r;
  Update m_update;
  int m_first;  ///< parity of the points
  int m_step;   ///< 2, or 1 for points of both colors

  KOKKOS_FUNCTION void row(int p1, int p2, int begin, int end, int step) const {
    auto const a = m_loop.m_coefficients.offset(0, p1, p2);
    auto const place = m_loop.y_offset(0, p1, p2, 0);
    T* const z = m_loop.m_y + place;
    const T* const r = m_r + place;
    for (int i = begin; i < end; i += step) {
      auto const e = i * m_loop.m_y_strides[0];
      auto const coefficient = a + i * m_loop.m_coefficients.stride(0);
      T neighbours = 0;
      if constexpr (Update::needs_neighbours) neighbours = m_loop.neighbours(i, p1, p2, z + e, coefficient);
      z[e] = m_update(r[e], neighbours, m_loop.m_coefficients.at(stencil_center, coefficient),
                      Update::needs_neighbours ? z[e] : T(0));
    }
  }
  KOKKOS_FUNCTION int first_of(int p1, int p2) const { return m_step == 1 ? 0 : (m_first + p1 + p2) % 2; }
};

template <class T, class Coefficients, class Update>
struct ColorHostRow : ColorRow<T, Coefficients, Update> {
  void operator()(std::int64_t index) const {
    int const p1 = static_cast<int>(index % this->m_loop.m_extents[1]);
    int const p2 = static_cast<int>(index / this->m_loop.m_extents[1]);
    this->row(p1, p2, this->first_of(p1, p2), this->m_loop.m_extents[0], this->m_step);
  }
};

template <class T, class Coefficients, class Update>
struct ColorPoint : ColorRow<T, Coefficients, Update> {
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    int const points = (this->m_loop.m_extents[0] + this->m_step - 1) / this->m_step;
    auto const row = index / points;
    int const p1 = static_cast<int>(row % this->m_loop.m_extents[1]);
    int const p2 = static_cast<int>(row / this->m_loop.m_extents[1]);
    int const i = static_cast<int>(index % points) * this->m_step + this->first_of(p1, p2);
    if (i < this->m_loop.m_extents[0]) this->row(p1, p2, i, i + 1, 1);
  }
};

/// update(...) at the points of a color; r and z are fields in natural order, and axes are i, j, k.
template <ExecutionSpace Exec, class A, class T, class Update>
void run_color(const Exec& exec, const char* function, const char* label, const Box& box, const A& a,
               const ArrayRef<T>& r, const ArrayRef<T>& z, Color color, const Update& update) {
  auto const loop = make_stencil_loop(function, box, a, z, z);
  using Coefficients = decltype(loop.m_coefficients);
  int const step = color == Color::both ? 1 : 2;
  int const first = color == Color::black ? 1 : 0;
  // Half of the values, but neighbours are all of the other half.
  double values = 2.0 / step;
  if (Update::needs_neighbours) values += 0.5;
  if (!Coefficients::constant) values += (Update::needs_neighbours ? 7.0 : 1.0) / step;
  double const bytes = static_cast<double>(sizeof(T)) * values * static_cast<double>(box.size());
  count_bytes(label, bytes);
  if constexpr (HostExecutionSpace<Exec>) {
    using Kernel = ColorHostRow<T, Coefficients, Update>;
    run_range(exec, label, std::int64_t{loop.m_extents[1]} * loop.m_extents[2], bytes,
              Kernel{{loop, r.data(), update, first, step}});
  } else {
    using Kernel = ColorPoint<T, Coefficients, Update>;
    auto const points = (std::int64_t{loop.m_extents[0]} + step - 1) / step * loop.m_extents[1] * loop.m_extents[2];
    run_range(exec, label, points, bytes, Kernel{{loop, r.data(), update, first, step}});
  }
}

template <class T, class Array, int n_lanes>
struct FillStencil {
  Array m_given[stencil7_size];
  BlockStencil7Ref<T, 1, n_lanes> m_matrix;
  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    Point const p = m_matrix.grid().point(number);
    for (int d = 0; d < stencil7_size; ++d) {
      // Nobody needs what points outside the grid, and it may be anything.
      auto const direction = static_cast<Direction>(d);
      bool const inside = m_matrix.grid().contains(neighbour(p, direction));
      m_matrix(p, direction, 0, 0) = inside ? m_given[d](p.i, p.j, p.k) : T(0);
    }
  }
};

template <class T>
struct SameEverywhere {
  T m_value;
  HYPERPLANE_FUNCTION T operator()(int, int, int) const { return m_value; }
};

/// matrix <- coefficients
template <ExecutionSpace Exec, class T>
void fill_stencil(const Exec& exec, const ConstantStencil7<T>& a, const BlockStencil7<T, 1, Exec>& matrix) {
  using Kernel = FillStencil<T, SameEverywhere<T>, BlockStencil7<T, 1, Exec>::vector_length>;
  Kernel kernel{{}, matrix.ref()};
  for (int d = 0; d < stencil7_size; ++d) kernel.m_given[d] = {a[static_cast<Direction>(d)]};
  launch("Hyperplane::FieldSsor::convert", LongIndexRange<Exec>(exec, 0, matrix.grid().size()), 14.0 * sizeof(T),
         kernel);
}
template <ExecutionSpace Exec, class T>
void fill_stencil(const Exec& exec, const VariableStencil7<T>& a, const BlockStencil7<T, 1, Exec>& matrix) {
  using Kernel = FillStencil<T, ArrayRef<const T>, BlockStencil7<T, 1, Exec>::vector_length>;
  auto const given = [&](Direction d) {
    check_box("FieldSsor::factor", Box::of(matrix.grid()), a[d]);
    return a[d];
  };
  launch("Hyperplane::FieldSsor::convert", LongIndexRange<Exec>(exec, 0, matrix.grid().size()), 14.0 * sizeof(T),
         Kernel{{given(Direction::bottom), given(Direction::south), given(Direction::west), given(Direction::center),
                 given(Direction::east), given(Direction::north), given(Direction::top)},
                matrix.ref()});
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
