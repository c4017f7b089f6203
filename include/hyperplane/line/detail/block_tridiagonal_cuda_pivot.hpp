// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

/// Pivots of the factorizations of LinePath::staged.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Orders values by their magnitude, as far as the leading 32 bits tell; what is not a number or infinite is largest.
__device__ inline unsigned cuda_pivot_magnitude(double value) {
  return static_cast<unsigned>(__double2hiint(value)) & 0x7fffffffu;
}
__device__ inline unsigned cuda_pivot_magnitude(float value) { return __float_as_uint(value) & 0x7fffffffu; }

/// Whether a row has to give way to one whose entry has the given magnitude: threshold pivoting, which lets entries
/// pass that are no smaller than half of the largest.
__device__ inline bool cuda_pivot_is_small(double value, unsigned largest) {
  return cuda_pivot_magnitude(value) + (1u << 20) < largest;
}
__device__ inline bool cuda_pivot_is_small(float value, unsigned largest) {
  return cuda_pivot_magnitude(value) + (1u << 23) < largest;
}

/// 1 / value to the last bit or two; not finite where value is zero, not finite, or so small that it is denormal.
__device__ inline double cuda_reciprocal(double value) {
  double result;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(value));
  result = fma(result, fma(-value, result, 1.0), result);
  return fma(result, fma(-value, result, 1.0), result);
}
__device__ inline float cuda_reciprocal(float value) { return 1 / value; }

/// Whether a value can be a pivot. Zero, infinity and NaN alike fail this test, and what has no finite inverse or one
/// that is flushed to zero.
template <class Scalar>
__device__ bool cuda_is_pivot(Scalar value, Scalar reciprocal) {
  return reciprocal != 0 && reciprocal * value * 0 == 0;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
