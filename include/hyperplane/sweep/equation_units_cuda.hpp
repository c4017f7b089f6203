// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

/// Units of equations, powers of two, for kernels that are compiled without Kokkos.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// S of an equation whose column of d^-1 has this largest entry, as equation_units() chooses it; see there.
__device__ inline double cuda_equation_unit(double largest) {
  double const power = __longlong_as_double(__double_as_longlong(largest) & 0x7ff0000000000000);
  return fmin(fmax(power, 0x1p-120), 0x1p120);
}
__device__ inline float cuda_equation_unit(float largest) {
  float const power = __int_as_float(__float_as_int(largest) & 0x7f800000);
  return fminf(fmaxf(power, 0x1p-120f), 0x1p120f);
}

/// Bits that are the larger, the larger a magnitude is, and a number with about this magnitude and its exponent.
__device__ inline int cuda_magnitude_bits(double value) { return __double2hiint(value) & 0x7fffffff; }
__device__ inline int cuda_magnitude_bits(float value) { return __float_as_int(value) & 0x7fffffff; }
template <class Scalar>
__device__ Scalar cuda_of_magnitude_bits(int bits) {
  if constexpr (sizeof(Scalar) == sizeof(double)) {
    return __hiloint2double(bits, 0);
  } else {
    return __int_as_float(bits);
  }
}

/// 1 / S.
__device__ inline double cuda_unit_reciprocal(double unit) {
  return __longlong_as_double(0x7fe0000000000000 - __double_as_longlong(unit));
}
__device__ inline float cuda_unit_reciprocal(float unit) { return __int_as_float(0x7f000000 - __float_as_int(unit)); }

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
