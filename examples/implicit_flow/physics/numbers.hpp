// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/macros.hpp>
#include <hyperplane/simd/pack.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace implicit_flow {

/// What every flux is a function template of, its scalar type, is made of numbers: double, or a Pack for as many cells
/// or faces at once as a vector register has lanes. Scalar types are numbers and Dual of numbers; areas and volumes are
/// numbers. NumberOf<T>::type is the number of a scalar type.
template <class T>
struct NumberOf {
  using type = T;
};
template <class T>
using Number = typename NumberOf<T>::type;

/// The scalar type of functions of both: Dual where one of them is, else a number.
template <class L, class R>
using Either = std::conditional_t<std::is_same_v<L, Number<L>>, R, L>;

// Functions of numbers; those of Pack that are missing here are found in its namespace.
using hyperplane::any;
using hyperplane::select;
using Kokkos::abs;
using Kokkos::sqrt;

/// Lane by lane.
template <int lanes>
KOKKOS_FUNCTION hyperplane::Pack<double, lanes> sqrt(const hyperplane::Pack<double, lanes>& a) {
#if defined(HYPERPLANE_X86_INTRINSICS)
#if defined(__AVX512F__)
  if constexpr (lanes == 8) return reinterpret_cast<decltype(a.m_native)>(_mm512_sqrt_pd(a.m_native));
#endif
#if defined(__AVX__)
  if constexpr (lanes == 4) return reinterpret_cast<decltype(a.m_native)>(_mm256_sqrt_pd(a.m_native));
#endif
  if constexpr (lanes == 2) return reinterpret_cast<decltype(a.m_native)>(_mm_sqrt_pd(a.m_native));
#endif
  hyperplane::Pack<double, lanes> result;
  for (int lane = 0; lane < lanes; ++lane) result.set(lane, Kokkos::sqrt(a[lane]));
  return result;
}

/// Of a number that has as many lanes, those of one.
template <class S>
inline constexpr int lanes_of = sizeof(S) / sizeof(double);

KOKKOS_INLINE_FUNCTION double lane_of(double a, int /*lane*/) { return a; }
template <int lanes>
KOKKOS_FUNCTION double lane_of(const hyperplane::Pack<double, lanes>& a, int lane) {
  return a[lane];
}

/// The number with value f(lane) in each lane.
template <class S, class F>
KOKKOS_FUNCTION S number_of(const F& f) {
  if constexpr (std::is_same_v<S, double>) {
    return f(0);
  } else {
    S result;
    HYPERPLANE_HOST_UNROLL
    for (int lane = 0; lane < lanes_of<S>; ++lane) result.set(lane, f(lane));
    return result;
  }
}

}  // namespace implicit_flow
