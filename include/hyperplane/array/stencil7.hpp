// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/array_ref.hpp>
#include <hyperplane/array/box.hpp>
#include <hyperplane/array/detail/checks.hpp>
#include <hyperplane/array/scalar_field.hpp>
#include <hyperplane/array/stencil_launch.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The same seven coefficients at all points: (A x)(p) = center x(p) + west x(i-1) + east x(i+1) + south x(j-1) +
/// north x(j+1) + bottom x(k-1) + top x(k+1).
template <Real T>
struct ConstantStencil7 {
  using scalar_type = T;
  T bottom, south, west, center, east, north, top;

  T operator[](Direction direction) const {
    const T all[stencil7_size] = {bottom, south, west, center, east, north, top};
    return all[static_cast<int>(direction)];
  }
};

/// Seven coefficients at each point, in arrays of the caller's: refers to their memory.
template <Real T>
class VariableStencil7 {
 public:
  using scalar_type = T;

  /// Seven arrays of one component with the same extents and strides, in the order of Direction (bottom, south, west,
  /// center, east, north, top). Throws Error where they differ.
  explicit VariableStencil7(const std::array<ArrayRef<const T>, stencil7_size>& coefficients)
      : m_shape(coefficients[0]) {
    for (int d = 0; d < stencil7_size; ++d) {
      auto const& a = coefficients[static_cast<std::size_t>(d)];
      for (int e = 0; e < 3; ++e) {
        if (a.extent(e) != m_shape.extent(e) || a.stride(e) != m_shape.stride(e) || a.components() != 1) {
          fail(std::string("VariableStencil7: the array of ") + name(static_cast<Direction>(d)) +
               " has other extents, strides or components than that of bottom");
        }
      }
      m_data[d] = a.data();
    }
  }
  /// An array of seven components in that order.
  explicit VariableStencil7(const ArrayRef<const T>& coefficients) : m_shape(coefficients) {
    if (coefficients.components() != stencil7_size) {
      fail("VariableStencil7: " + std::to_string(coefficients.components()) + " components, expected 7");
    }
    for (int d = 0; d < stencil7_size; ++d) m_data[d] = coefficients.data() + d * coefficients.component_stride();
    m_shape =
        ArrayRef<const T>(coefficients.data(), {coefficients.extent(0), coefficients.extent(1), coefficients.extent(2)},
                          {coefficients.stride(0), coefficients.stride(1), coefficients.stride(2)});
  }

  ArrayRef<const T> operator[](Direction direction) const {
    return {m_data[static_cast<int>(direction)],
            {m_shape.extent(0), m_shape.extent(1), m_shape.extent(2)},
            {m_shape.stride(0), m_shape.stride(1), m_shape.stride(2)}};
  }

 private:
  ArrayRef<const T> m_shape;
  const T* m_data[stencil7_size];
};

/// ConstantStencil7 or VariableStencil7.
template <class A>
concept Stencil7 = std::same_as<A, ConstantStencil7<typename A::scalar_type>> ||
                   std::same_as<A, VariableStencil7<typename A::scalar_type>>;

namespace detail {

/// Values that are read of the matrix at each point.
template <Stencil7 A>
constexpr int coefficients_read() {
  return std::same_as<A, VariableStencil7<typename A::scalar_type>> ? stencil7_size : 0;
}

}  // namespace detail

/// y = A x in a box. Neighbours are taken where the array x has them, also outside the box (boundary layers, ghost
/// layers); outside the array they are zero. Components of x and y are independent, with the same coefficients. x and
/// y, views of any layout, ArrayRef or ScalarField, must not overlap.
///
/// 13 flops, 2 values moved with constant and 9 with variable coefficients, per point. One launch, no allocation, no
/// fence; asynchronous on the instance. Error where the box is not in an array.
template <ExecutionSpace Exec, Stencil7 A, ArrayLike X, ArrayLike Y>
void apply(const Exec& exec, const Box& box, const A& a, const X& x, const Y& y) {
  using T = typename A::scalar_type;
  detail::run_stencil(exec, "apply", "Hyperplane::Stencil7::apply", box, a, array_ref(x), array_ref(y),
                      detail::coefficients_read<A>() + 2, detail::Product<T>{});
}

/// y = A x on the whole grid.
template <Stencil7 A, Real T, ExecutionSpace Exec>
void apply(const Exec& exec, const A& a, const ScalarField<T, Exec>& x, const ScalarField<T, Exec>& y) {
  if (!(x.grid() == y.grid())) {
    fail("apply: x is on a grid of " + to_string(x.grid()) + " points, y on one of " + to_string(y.grid()));
  }
  apply(exec, Box::of(x.grid()), a, x, y);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
