// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <cmath>
#include <concepts>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

/// What is beyond the two ends of a line of points.
enum class SweptBoundary {
  insulated,  ///< the mirror image about the end point: u[-j] = u[j], and alike at the other end
  periodic,   ///< the other end
  fixed       ///< a state that the problem gives for each end, at all times
};

enum class SweptEnd { left, right };

/// What a point has: `components` values.
template <class Scalar, int components>
struct PointState {
  Scalar m_values[std::size_t{components}];

  HYPERPLANE_FUNCTION Scalar& operator[](int c) { return m_values[c]; }
  HYPERPLANE_FUNCTION const Scalar& operator[](int c) const { return m_values[c]; }
};

/// a * b + c, rounded once where the hardware can and twice where it cannot: the same everywhere in a program. A
/// compiler may fuse a plain product with a sum in one kernel and not in another; a step written with these two
/// functions gives the same bits in every variant. The host side of a program for CUDA rounds once too, by a function
/// of the library where it is not compiled for an instruction set that can; likewise for HIP.
template <std::floating_point Scalar>
HYPERPLANE_FUNCTION inline Scalar multiply_add(Scalar a, Scalar b, Scalar c) {
#if defined(__CUDACC__) || defined(__HIPCC__) || defined(__FMA__) || defined(__ARM_FEATURE_FMA) || \
    defined(__FP_FAST_FMA)
  using std::fma;
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// a * b where the product is an operand of a sum, and must not be fused with it.
template <std::floating_point Scalar>
HYPERPLANE_FUNCTION inline Scalar multiply(Scalar a, Scalar b) {
#if defined(__CUDA_ARCH__)
  // Never contracted, as the other way is by compilers that know what adding -0 does.
  if constexpr (sizeof(Scalar) == sizeof(double)) return __dmul_rn(a, b);
  return __fmul_rn(a, b);
#elif defined(__HIPCC__)
  // This compiler knows what adding -0 does, and fuses across statements, except where it is told not to.
#pragma clang fp contract(off)
  return a * b;
#else
  return multiply_add(a, b, Scalar(-0.0));
#endif
}

/// 1 / x for normal x and 1 / x, to an ulp or two. On CUDA without the branches of the exact division, which keep a
/// thread from computing several at a time.
template <std::floating_point Scalar>
HYPERPLANE_FUNCTION inline Scalar reciprocal(Scalar x) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Scalar) == sizeof(double)) {
    double guess;  // 20 bits
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
    double const error = ::fma(-x, guess, 1.0);
    return ::fma(guess, ::fma(error, error, error), guess);  // 1 / (1 - error), but for its cube
  }
#endif
  return 1 / x;
}

/// The square root of a positive normal x, alike.
template <std::floating_point Scalar>
HYPERPLANE_FUNCTION inline Scalar square_root(Scalar x) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Scalar) == sizeof(double)) {
    double guess;  // of 1 / sqrt(x), 20 bits
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
    double const root = x * guess;
    double const half = 0.5 * guess;
    double const error = ::fma(-root, half, 0.5);
    double const better = ::fma(root, error, root);
    return ::fma(::fma(-better, better, x), half, better);
  }
#endif
  using std::sqrt;
  return sqrt(x);
}

/// What a point of the problem has.
template <class Problem>
using SweptPointState = PointState<typename Problem::scalar_type, Problem::components>;

/// An unsteady equation on a line of points with an explicit scheme: a trivially copyable type with
///
///     using scalar_type = double;                      // or float
///     static constexpr int components = 1;             // values per point
///     static constexpr int half_width = 1;             // of the stencil of a sub-step
///     static constexpr int sub_steps = 1;              // of a time step
///     static constexpr SweptBoundary boundary = SweptBoundary::insulated;
///
///     // The point's state after sub-step `sub_step` (0, 1, ...). u[0] is its state before the sub-step; from
///     // u[-half_width] to u[half_width] are its neighbours'; `start` is its state when the time step began.
///     template <int sub_step>
///     HYPERPLANE_FUNCTION State step(const State* u, const State& start) const;
///
///     // With SweptBoundary::fixed alone: what is beyond an end.
///     HYPERPLANE_FUNCTION State outside(SweptEnd end) const;
///
///     // May be there: about how many floating-point instructions per point and time step. Plans weigh arithmetic
///     // against communication by it.
///     static constexpr int operations = 3;
///
/// where State is PointState<scalar_type, components>. The last sub-step gives the state after the time step.
template <class Problem>
concept SweptProblem = std::is_trivially_copyable_v<Problem> && std::floating_point<typename Problem::scalar_type> &&
                       Problem::components >= 1 && Problem::half_width >= 1 && Problem::sub_steps >= 1 &&
                       requires(const Problem& problem, const SweptPointState<Problem>& state) {
                         { Problem::boundary } -> std::convertible_to<SweptBoundary>;
                         { problem.template step<0>(&state, state) } -> std::same_as<SweptPointState<Problem>>;
                         {
                           problem.template step<Problem::sub_steps - 1>(&state, state)
                         } -> std::same_as<SweptPointState<Problem>>;
                       } && (Problem::boundary != SweptBoundary::fixed || requires(const Problem& problem) {
                         { problem.outside(SweptEnd::left) } -> std::same_as<SweptPointState<Problem>>;
                       });

}  // namespace hyperplane::inline HYPERPLANE_ABI
