// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/coefficient.hpp>
#include <hyperplane/array/detail/partials.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// What reductions do with an element of each array, of which they change the last `written`, and with their result.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class T, class Value>
struct ValueOp {
  static constexpr int written = 0;
  HYPERPLANE_FUNCTION Partials<Value, 1> operator()(const T& x) const { return {{static_cast<Value>(x)}}; }
};

/// Which holds the magnitude of every T.
template <class T>
using magnitude_t = std::conditional_t<std::is_floating_point_v<T>, T, std::int64_t>;

template <class T, class Value>
struct MagnitudeOp {
  static constexpr int written = 0;
  HYPERPLANE_FUNCTION Partials<Value, 1> operator()(const T& x) const {
    auto const value = static_cast<Value>(x);
    return {{Kokkos::abs(value)}};
  }
};

template <class T>
struct SquareOp {
  static constexpr int written = 0;
  HYPERPLANE_FUNCTION Partials<double, 1> operator()(const T& x) const { return {{static_cast<double>(x) * x}}; }
};

/// Of each pair of arguments.
template <class T, class Value>
struct DotsOp {
  static constexpr int written = 0;
  template <class... Pairs>
  HYPERPLANE_FUNCTION auto operator()(const Pairs&... values) const {
    const Value all[] = {static_cast<Value>(values)...};
    constexpr int count = sizeof...(Pairs) / 2;
    Partials<Value, count> result;
    HYPERPLANE_UNROLL
    for (int p = 0; p < count; ++p) result.m_values[p] = all[2 * p] * all[2 * p + 1];
    return result;
  }
};

template <class T, class Exec>
struct AxpyDotOp {
  static constexpr int written = 1;
  Coefficient<T, Exec> m_alpha;
  bool m_z_is_y;
  HYPERPLANE_FUNCTION AxpyDotOp resolved() const { return {m_alpha.resolved(), m_z_is_y}; }
  HYPERPLANE_FUNCTION Partials<double, 1> operator()(const T& z, const T& x, T& y) const {
    y += m_alpha.value() * x;
    return {{static_cast<double>(y) * (m_z_is_y ? y : z)}};
  }
};

template <class T, class Exec>
struct UpdateDotOp {
  static constexpr int written = 2;
  Coefficient<T, Exec> m_alpha;
  HYPERPLANE_FUNCTION UpdateDotOp resolved() const { return {m_alpha.resolved()}; }
  HYPERPLANE_FUNCTION Partials<double, 1> operator()(const T& p, const T& q, T& x, T& r) const {
    x += m_alpha.value() * p;
    T const residual = r - m_alpha.value() * q;
    r = residual;
    return {{static_cast<double>(residual) * residual}};
  }
};

template <class R>
struct StoreResult {
  R* m_results;
  template <int count>
  HYPERPLANE_FUNCTION void operator()(const Partials<R, count>& found) const {
    for (int v = 0; v < count; ++v) m_results[v] = found.m_values[v];
  }
};

struct StoreRoot {
  double* m_result;
  HYPERPLANE_FUNCTION void operator()(const Partials<double, 1>& found) const {
    *m_result = Kokkos::sqrt(found.m_values[0]);
  }
};

/// The largest magnitude of no elements is 0.
template <class R>
struct StoreMagnitude {
  R* m_result;
  template <class Value>
  HYPERPLANE_FUNCTION void operator()(const Partials<Value, 1>& found) const {
    *m_result = found.m_values[0] < 0 ? R(0) : static_cast<R>(found.m_values[0]);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
