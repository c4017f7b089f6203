// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Sums of squares that say what the norm is. Beyond them squares have overflowed, or so many have underflowed that the
/// sum is wrong.
inline constexpr double smallest_square = 1e-200;
inline constexpr double largest_square = 1e200;
KOKKOS_FUNCTION inline bool in_range(double sum_of_squares) {
  return sum_of_squares >= smallest_square && sum_of_squares <= largest_square;
}

/// The power of two to divide a vector of this norm by, so that its squares are in range; 1 where they are.
inline double scale_of(double norm) {
  if (norm >= 1e-99 && norm <= 1e99) return 1.0;
  // The reciprocal of the scale is a normal number as well.
  return std::ldexp(1.0, std::clamp(std::ilogb(norm), -1000, 1000));
}

/// Squares of small, ordinary and large values, the first and the last scaled, so that none overflows or underflows.
template <class Scalar>
struct ScaledSquaresBody {
  static constexpr double small = 0x1p-400, large = 0x1p+400;
  static constexpr double up = 0x1p+600, down = 0x1p-600;

  const Scalar* m_x;
  KOKKOS_FUNCTION Sums<3> operator()(std::int64_t e) const {
    double const x = m_x[e];
    double const magnitude = Kokkos::abs(x);
    // What is not a number is ordinary.
    bool const is_small = magnitude<small, is_large = magnitude> large;
    double const from_small = is_small ? x * up : 0.0;
    double const from_large = is_large ? x * down : 0.0;
    double const ordinary = is_small || is_large ? 0.0 : x;
    return {{from_small * from_small, ordinary * ordinary, from_large * from_large}};
  }
};

struct ScaledNormFinish {
  double* m_norm;
  KOKKOS_FUNCTION void operator()(const Sums<3>& sums) const {
    using Body = ScaledSquaresBody<double>;
    double const small = sums.m_values[0], ordinary = sums.m_values[1], large = sums.m_values[2];
    if (large > 0.0) {
      *m_norm = Kokkos::sqrt(large + ordinary * Body::down * Body::down) * Body::up;
    } else if (small > 0.0 && ordinary < 0x1p-200) {
      *m_norm = Kokkos::sqrt(small + ordinary * Body::up * Body::up) * Body::down;
    } else {
      *m_norm = Kokkos::sqrt(ordinary);
    }
  }
};

/// The 2-norm of a vector of any finite values: infinite only where it is beyond the largest number itself. For where a
/// plain sum of squares is out of range: it waits for the instance. A plan: the constructor allocates.
template <ExecutionSpace Exec>
class ScaledNorm {
 public:
  ScaledNorm(const Exec& exec, const std::string& label)
      : m_norm(Kokkos::view_alloc(exec, label)), m_host_norm(Kokkos::create_mirror_view(m_norm)) {}

  /// By a Reducer, or by one that joins the sums of several processes.
  template <class AnyReducer, class Scalar>
  double operator()(const Exec& exec, const AnyReducer& reducer, const Scalar* x) const {
    reducer.template run<3>(exec, m_norm.label(), ScaledSquaresBody<Scalar>{x}, ScaledNormFinish{m_norm.data()});
    Kokkos::deep_copy(exec, m_host_norm, m_norm);
    exec.fence("Hyperplane: a norm out of the ordinary");
    return m_host_norm();
  }

 private:
  Kokkos::View<double, typename Exec::memory_space> m_norm;
  decltype(Kokkos::create_mirror_view(m_norm)) m_host_norm;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
