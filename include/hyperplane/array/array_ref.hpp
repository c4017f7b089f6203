// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

/// What the primitives work on: a three-dimensional array of points with one or several components, anywhere in
/// memory that the execution space of a call reaches, with any strides. A value that refers to memory it does not own:
/// trivially copyable, usable in kernels.
///
/// Component c of point (i, j, k) is data[i*stride[0] + j*stride[1] + k*stride[2] + c*component_stride]. Strides are in
/// elements and may be negative; arrays that are written must not have two points in one place. Fortran's a(I, J, K, n)
/// has strides 1, I, I*J and component stride I*J*K.
template <class T>
class ArrayRef {
 public:
  using value_type = std::remove_const_t<T>;

  /// Throws Error where an extent is negative or there is no component.
  ArrayRef(T* data, const std::array<int, 3>& extents, const std::array<std::int64_t, 3>& strides, int components = 1,
           std::int64_t component_stride = 0)
      : m_data(data), m_components(components), m_component_stride(component_stride) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (extents[d] < 0) fail("ArrayRef: extent " + std::to_string(d) + " is " + std::to_string(extents[d]));
      m_extents[d] = extents[d];
      m_strides[d] = strides[d];
    }
    if (components < 1) fail("ArrayRef: " + std::to_string(components) + " components, expected at least 1");
  }
  /// Contiguous, i fastest, then j, k and the component.
  ArrayRef(T* data, const std::array<int, 3>& extents, int components = 1)
      : ArrayRef(data, extents, {1, extents[0], std::int64_t{extents[0]} * extents[1]}, components,
                 std::int64_t{extents[0]} * extents[1] * extents[2]) {}
  /// Nobody writes through this one.
  template <class U>
    requires std::same_as<const U, T>
  ArrayRef(const ArrayRef<U>& other)  // NOLINT(google-explicit-constructor)
      : ArrayRef(other.data(), {other.extent(0), other.extent(1), other.extent(2)},
                 {other.stride(0), other.stride(1), other.stride(2)}, other.components(), other.component_stride()) {}

  HYPERPLANE_FUNCTION T* data() const { return m_data; }
  HYPERPLANE_FUNCTION int extent(int d) const { return m_extents[d]; }
  HYPERPLANE_FUNCTION std::int64_t stride(int d) const { return m_strides[d]; }
  HYPERPLANE_FUNCTION int components() const { return m_components; }
  HYPERPLANE_FUNCTION std::int64_t component_stride() const { return m_component_stride; }
  /// All points.
  HYPERPLANE_FUNCTION Box box() const { return {{0, 0, 0}, {m_extents[0], m_extents[1], m_extents[2]}}; }

  HYPERPLANE_FUNCTION std::int64_t offset(int i, int j, int k, int c = 0) const {
    return i * m_strides[0] + j * m_strides[1] + k * m_strides[2] + c * m_component_stride;
  }
  HYPERPLANE_FUNCTION T& operator()(int i, int j, int k, int c = 0) const { return m_data[offset(i, j, k, c)]; }

 private:
  T* m_data;
  int m_extents[3];
  int m_components;
  std::int64_t m_strides[3];
  std::int64_t m_component_stride;
};

/// Scalar types of the primitives.
template <class T>
concept PrimitiveScalar = std::same_as<T, int> || std::same_as<T, float> || std::same_as<T, double>;

template <class T>
ArrayRef<T> array_ref(const ArrayRef<T>& array) {
  return array;
}

/// A view of any layout: (i, j, k), (i, j, k, component), or all of a contiguous vector as (i).
template <class View>
  requires Kokkos::is_view_v<View>
ArrayRef<typename View::value_type> array_ref(const View& view) {
  constexpr auto rank = View::rank();
  static_assert(rank == 1 || rank == 3 || rank == 4, "an array is viewed as (i), (i, j, k) or (i, j, k, component)");
  std::array<int, 3> extents = {1, 1, 1};
  std::array<std::int64_t, 3> strides = {1, 1, 1};
  for (unsigned int d = 0; d < rank && d < 3; ++d) {
    if (view.extent(d) > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      fail("array_ref: extent " + std::to_string(d) + " of view '" + view.label() + "' is " +
           std::to_string(view.extent(d)) + ", which is too large");
    }
    extents[d] = static_cast<int>(view.extent(d));
    strides[d] = static_cast<std::int64_t>(view.stride(d));
  }
  if constexpr (rank == 4) {
    return {view.data(), extents, strides, static_cast<int>(view.extent(3)), static_cast<std::int64_t>(view.stride(3))};
  } else {
    return {view.data(), extents, strides};
  }
}

/// Whatever array_ref() takes: ArrayRef, Kokkos::View, ScalarField.
template <class A>
concept ArrayLike = requires(const A& a) {
  { array_ref(a).box() } -> std::same_as<Box>;
};

/// The scalar type of an array.
template <ArrayLike A>
using array_value_t = typename decltype(array_ref(std::declval<const A&>()))::value_type;

}  // namespace hyperplane::inline HYPERPLANE_ABI
