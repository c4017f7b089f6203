// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/array_ref.hpp>
#include <hyperplane/array/detail/nest.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class T>
std::string extents_of(const ArrayRef<T>& array) {
  return std::to_string(array.extent(0)) + "x" + std::to_string(array.extent(1)) + "x" +
         std::to_string(array.extent(2));
}

/// Throws Error unless the box is in the array. An empty one has to begin in it, or at its end.
template <class T>
void check_box(const char* function, const Box& box, const ArrayRef<T>& array) {
  int const begin[3] = {box.begin.i, box.begin.j, box.begin.k};
  int const end[3] = {box.end.i, box.end.j, box.end.k};
  for (int d = 0; d < 3; ++d) {
    if (begin[d] < 0 || begin[d] > array.extent(d) || end[d] > array.extent(d)) {
      fail(std::string(function) + ": box " + to_string(box) + " is not inside an array of " + extents_of(array) +
           " points");
    }
  }
  if (!box.empty() && array.data() == nullptr) fail(std::string(function) + ": an array has no memory (null pointer)");
}

template <class T, class U>
void check_components(const char* function, const ArrayRef<T>& array, const ArrayRef<U>& other) {
  if (array.components() != other.components()) {
    fail(std::string(function) + ": arrays of " + std::to_string(array.components()) + " and " +
         std::to_string(other.components()) + " components");
  }
}

template <class T>
T* element_of(const ArrayRef<T>& array, const Point& p) {
  return array.data() == nullptr ? nullptr : array.data() + array.offset(p.i, p.j, p.k);
}

/// The loops over all components of a box, the same in each array. Throws Error where they do not go together.
/// Constness is that of the caller's arrays: a nest has none.
template <class First, class... Others>
auto nest_of(const char* function, const Box& box, const ArrayRef<First>& first, const ArrayRef<Others>&... others) {
  using T = std::remove_const_t<First>;
  static_assert((std::is_same_v<T, std::remove_const_t<Others>> && ...), "arrays are of one scalar type");
  check_box(function, box, first);
  (check_box(function, box, others), ...);
  (check_components(function, first, others), ...);
  Nest<T, 1 + sizeof...(Others)> nest{};
  bool const empty = box.empty();
  nest.m_extents[0] = empty ? 0 : box.end.i - box.begin.i;
  nest.m_extents[1] = empty ? 0 : box.end.j - box.begin.j;
  nest.m_extents[2] = empty ? 0 : box.end.k - box.begin.k;
  nest.m_extents[3] = first.components();
  int a = 0;
  auto const add = [&](const auto& array) {
    nest.m_data[a] = const_cast<T*>(element_of(array, box.begin));
    for (int d = 0; d < 3; ++d) nest.m_strides[a][d] = array.stride(d);
    nest.m_strides[a][3] = array.component_stride();
    ++a;
  };
  add(first);
  (add(others), ...);
  return nest;
}

/// Throws Error unless the order is a permutation of 0, 1, 2.
inline void check_order(const std::string& function, const std::array<int, 3>& order) {
  bool seen[3] = {};
  for (int const d : order) {
    if (d >= 0 && d < 3) seen[d] = true;
  }
  if (seen[0] && seen[1] && seen[2]) return;
  fail(function + ": order " + std::to_string(order[0]) + ", " + std::to_string(order[1]) + ", " +
       std::to_string(order[2]) + " is no permutation of 0, 1, 2");
}

/// The loops over a box of x, and over the points of y from `begin` on whose direction d is direction order[d] of x.
template <class X, class Y>
Nest<Y, 2> transposed_nest(const char* function, const Box& box, const ArrayRef<X>& x, const std::array<int, 3>& order,
                           const Point& begin, const ArrayRef<Y>& y) {
  static_assert(std::is_same_v<std::remove_const_t<X>, Y>, "arrays are of one scalar type");
  check_order(function, order);
  check_components(function, x, y);
  auto const from = nest_of(function, box, x);
  int const* const extents = from.m_extents;
  auto const end = [&](int first, int d) {
    auto const last = std::int64_t{first} + extents[order[as_size(d)]];
    if (last > std::numeric_limits<int>::max()) {
      fail(std::string(function) + ": a box that begins at " + std::to_string(first) + " is not inside an array of " +
           extents_of(y) + " points");
    }
    return static_cast<int>(last);
  };
  auto const to = nest_of(function, Box{begin, {end(begin.i, 0), end(begin.j, 1), end(begin.k, 2)}}, y);
  Nest<Y, 2> nest{};
  nest.m_data[0] = from.m_data[0];
  nest.m_data[1] = to.m_data[0];
  for (int d = 0; d < 4; ++d) {
    int const other = d < 3 ? order[as_size(d)] : 3;
    nest.m_extents[d] = from.m_extents[other];
    nest.m_strides[0][d] = from.m_strides[0][other];
    nest.m_strides[1][d] = to.m_strides[0][d];
  }
  return nest;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
