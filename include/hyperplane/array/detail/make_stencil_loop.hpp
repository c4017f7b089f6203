// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/array_ref.hpp>
#include <hyperplane/array/detail/checks.hpp>
#include <hyperplane/array/stencil_loop.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {
template <Real T>
struct ConstantStencil7;
template <Real T>
class VariableStencil7;
}  // namespace hyperplane::inline HYPERPLANE_ABI

namespace hyperplane::inline HYPERPLANE_ABI::detail {

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

/// The direction of a coefficient.
inline Direction direction_of(int which, const std::array<int, 3>& axes) {
  if (which == stencil_center) return Direction::center;
  constexpr Direction directions[3][2] = {
      {Direction::west, Direction::east}, {Direction::south, Direction::north}, {Direction::bottom, Direction::top}};
  return directions[axes[static_cast<std::size_t>(which / 2)]][which % 2];
}

template <class T>
ConstantCoefficients<T> coefficients_of(const char*, const Box&, const ConstantStencil7<T>& a,
                                        const std::array<int, 3>& axes) {
  ConstantCoefficients<T> result;
  for (int which = 0; which < 7; ++which) result.m_values[which] = a[direction_of(which, axes)];
  return result;
}

template <class T>
VariableCoefficients<T> coefficients_of(const char* function, const Box& box, const VariableStencil7<T>& a,
                                        const std::array<int, 3>& axes) {
  VariableCoefficients<T> result;
  for (int which = 0; which < 7; ++which) {
    auto const array = a[direction_of(which, axes)];
    check_box(function, box, array);
    result.m_data[which] = element_of(array, box.begin);
    for (std::size_t d = 0; d < 3; ++d) result.m_strides[d] = array.stride(axes[d]);
  }
  return result;
}

/// Throws Error where the arrays do not go together.
template <class A, class X, class T>
auto make_stencil_loop(const char* function, const Box& box, const A& a, const ArrayRef<X>& x, const ArrayRef<T>& y) {
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

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
