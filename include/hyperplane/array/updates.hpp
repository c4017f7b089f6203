// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/array_ref.hpp>
#include <hyperplane/array/coefficient.hpp>
#include <hyperplane/array/detail/checks.hpp>
#include <hyperplane/array/detail/for_each.hpp>
#include <hyperplane/array/detail/nest_copy.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/timer_callbacks.hpp>

#include <array>
#include <string>
#include <type_traits>

/// Vector updates over a box of three-dimensional arrays, all of their components. Arrays are ArrayRef, Kokkos::View of
/// rank 3 or 4 in any layout, or ScalarField; of one scalar type, int, float or double; of any extents and strides, as
/// long as the box is in each of them. An array may be given twice, but not to transposed_copy; otherwise arrays that
/// are written must not overlap the others.
///
/// One launch, no allocation, no fence; asynchronous on the instance. Every value is read and written once. Error where
/// the box is not in an array or arrays have other numbers of components.
namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// What updates do with an element of each array: they write the last one, and read it where they do not overwrite it.
template <class T, class Exec>
struct FillOp {
  static constexpr bool overwrites = true;
  Coefficient<T, Exec> m_value;
  HYPERPLANE_FUNCTION FillOp resolved() const { return {m_value.resolved()}; }
  HYPERPLANE_FUNCTION void operator()(T& x) const { x = m_value.value(); }
};
template <class T, class Exec>
struct ScaleOp {
  static constexpr bool overwrites = false;
  Coefficient<T, Exec> m_alpha;
  HYPERPLANE_FUNCTION ScaleOp resolved() const { return {m_alpha.resolved()}; }
  HYPERPLANE_FUNCTION void operator()(T& x) const { x *= m_alpha.value(); }
};
template <class T, class Exec>
struct AxpyOp {
  static constexpr bool overwrites = false;
  Coefficient<T, Exec> m_alpha;
  HYPERPLANE_FUNCTION AxpyOp resolved() const { return {m_alpha.resolved()}; }
  HYPERPLANE_FUNCTION void operator()(const T& x, T& y) const { y += m_alpha.value() * x; }
};
template <class T, class Exec>
struct AxpbyOp {
  static constexpr bool overwrites = false;
  Coefficient<T, Exec> m_alpha, m_beta;
  HYPERPLANE_FUNCTION AxpbyOp resolved() const { return {m_alpha.resolved(), m_beta.resolved()}; }
  HYPERPLANE_FUNCTION void operator()(const T& x, T& y) const { y = m_alpha.value() * x + m_beta.value() * y; }
};

/// `moved` values of each element are read or written.
template <class Exec, class T, int arrays, class Op>
void update(const Exec& exec, const char* label, const Nest<T, arrays>& nest, int moved, const Op& op) {
  count_bytes(label, static_cast<double>(sizeof(T)) * moved * static_cast<double>(nest.size()));
  for_each(exec, label, nest, op);
}

/// The second array from the first.
template <class Exec, class T>
void copy(const Exec& exec, const char* label, const Nest<T, 2>& nest) {
  count_bytes(label, 2.0 * sizeof(T) * static_cast<double>(nest.size()));
  NestCopy<Exec>::run(exec, label, nest);
}

}  // namespace detail

/// x = value
template <ExecutionSpace Exec, ArrayLike X>
void fill(const Exec& exec, const Box& box, const std::type_identity_t<Coefficient<array_value_t<X>, Exec>>& value,
          const X& x) {
  using T = array_value_t<X>;
  detail::update(exec, "Hyperplane::fill", detail::nest_of("fill", box, array_ref(x)), 1,
                 detail::FillOp<T, Exec>{value});
}

/// y = x
template <ExecutionSpace Exec, ArrayLike X, ArrayLike Y>
void copy(const Exec& exec, const Box& box, const X& x, const Y& y) {
  detail::copy(exec, "Hyperplane::copy", detail::nest_of("copy", box, array_ref(x), array_ref(y)));
}

/// y(begin + q) = x(box.begin + p) with q[d] = p[order[d]]: direction d of y is direction order[d] of x (0 is i, 1 is
/// j, 2 is k). With order {0, 1, 2} a shifted copy, with another a transposed one. Neighbours in y are written by
/// neighbouring threads. Error where order is no permutation.
template <ExecutionSpace Exec, ArrayLike X, ArrayLike Y>
void transposed_copy(const Exec& exec, const Box& box, const X& x, const std::array<int, 3>& order, const Point& begin,
                     const Y& y) {
  detail::copy(exec, "Hyperplane::transposed_copy",
               detail::transposed_nest("transposed_copy", box, array_ref(x), order, begin, array_ref(y)));
}

/// x = alpha x
template <ExecutionSpace Exec, ArrayLike X>
void scale(const Exec& exec, const Box& box, const std::type_identity_t<Coefficient<array_value_t<X>, Exec>>& alpha,
           const X& x) {
  using T = array_value_t<X>;
  detail::update(exec, "Hyperplane::scale", detail::nest_of("scale", box, array_ref(x)), 2,
                 detail::ScaleOp<T, Exec>{alpha});
}

/// y += alpha x
template <ExecutionSpace Exec, ArrayLike X, ArrayLike Y>
void axpy(const Exec& exec, const Box& box, const std::type_identity_t<Coefficient<array_value_t<X>, Exec>>& alpha,
          const X& x, const Y& y) {
  using T = array_value_t<X>;
  detail::update(exec, "Hyperplane::axpy", detail::nest_of("axpy", box, array_ref(x), array_ref(y)), 3,
                 detail::AxpyOp<T, Exec>{alpha});
}

/// y = alpha x + beta y
template <ExecutionSpace Exec, ArrayLike X, ArrayLike Y>
void axpby(const Exec& exec, const Box& box, const std::type_identity_t<Coefficient<array_value_t<X>, Exec>>& alpha,
           const X& x, const std::type_identity_t<Coefficient<array_value_t<X>, Exec>>& beta, const Y& y) {
  using T = array_value_t<X>;
  detail::update(exec, "Hyperplane::axpby", detail::nest_of("axpby", box, array_ref(x), array_ref(y)), 3,
                 detail::AxpbyOp<T, Exec>{alpha, beta});
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
