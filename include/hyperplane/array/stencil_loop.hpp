// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>

/// The seven-point stencil on strided arrays. Nothing here needs Kokkos. Axes are numbered in the order of strides,
/// not by their names: axis 0 runs fastest in memory.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Numbers of coefficients: below and above on each axis, and the point itself.
HYPERPLANE_FUNCTION constexpr int below(int axis) { return 2 * axis; }
HYPERPLANE_FUNCTION constexpr int above(int axis) { return 2 * axis + 1; }
inline constexpr int stencil_center = 6;

template <class T>
struct ConstantCoefficients {
  T m_values[7];
  static constexpr bool constant = true;
  HYPERPLANE_FUNCTION T at(int which, std::int64_t) const { return m_values[which]; }
  HYPERPLANE_FUNCTION std::int64_t offset(int, int, int) const { return 0; }
  HYPERPLANE_FUNCTION std::int64_t stride(int) const { return 0; }

  /// Those of points of a line along axis 0 by their number in it, or those of `others` if it is given.
  struct Line {
    T m_value;
    T operator[](int) const { return m_value; }
  };
  Line line(int which, std::int64_t, const T* others) const { return {others != nullptr ? *others : m_values[which]}; }
};

template <class T>
struct VariableCoefficients {
  const T* m_data[7];
  std::int64_t m_strides[3];
  static constexpr bool constant = false;
  HYPERPLANE_FUNCTION T at(int which, std::int64_t offset) const { return m_data[which][offset]; }
  HYPERPLANE_FUNCTION std::int64_t offset(int p0, int p1, int p2) const {
    return p0 * m_strides[0] + p1 * m_strides[1] + p2 * m_strides[2];
  }
  HYPERPLANE_FUNCTION std::int64_t stride(int axis) const { return m_strides[axis]; }
  const T* line(int which, std::int64_t offset, const T* others) const {
    return others != nullptr ? others : m_data[which] + offset;
  }
};

/// A box of two arrays: x with its neighbours, y.
template <class T, class Coefficients>
struct StencilLoop {
  using scalar_type = T;
  int m_extents[3];
  int m_components;
  bool m_below[3];  ///< whether x has points below the box on an axis, and above it
  bool m_above[3];
  const T* m_x;
  T* m_y;
  std::int64_t m_x_strides[4];
  std::int64_t m_y_strides[4];
  Coefficients m_coefficients;

  HYPERPLANE_FUNCTION bool has_below(int axis, int p) const { return p > 0 || m_below[axis]; }
  HYPERPLANE_FUNCTION bool has_above(int axis, int p) const { return p + 1 < m_extents[axis] || m_above[axis]; }
  HYPERPLANE_FUNCTION std::int64_t x_offset(int p0, int p1, int p2, int c) const {
    return p0 * m_x_strides[0] + p1 * m_x_strides[1] + p2 * m_x_strides[2] + c * m_x_strides[3];
  }
  HYPERPLANE_FUNCTION std::int64_t y_offset(int p0, int p1, int p2, int c) const {
    return p0 * m_y_strides[0] + p1 * m_y_strides[1] + p2 * m_y_strides[2] + c * m_y_strides[3];
  }
  bool contiguous() const {
    return m_x_strides[0] == 1 && m_y_strides[0] == 1 && (Coefficients::constant || m_coefficients.stride(0) == 1);
  }

  /// The sum over the six neighbours that there are.
  HYPERPLANE_FUNCTION T neighbours(int p0, int p1, int p2, const T* x, std::int64_t a) const {
    int const p[3] = {p0, p1, p2};
    T sum = 0;
    HYPERPLANE_UNROLL
    for (int axis = 2; axis >= 0; --axis) {
      if (has_below(axis, p[axis])) sum += m_coefficients.at(below(axis), a) * x[-m_x_strides[axis]];
    }
    HYPERPLANE_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      if (has_above(axis, p[axis])) sum += m_coefficients.at(above(axis), a) * x[m_x_strides[axis]];
    }
    return sum;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
