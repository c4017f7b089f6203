// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

/// Units of equations, powers of two, for kernels that are compiled without Kokkos.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// S of an equation whose column of d^-1 has this largest entry, as equation_units() chooses it; see there. By
/// integers, which takes less than comparisons of doubles.
__device__ inline double cuda_equation_unit(double largest) {
  constexpr int least = (1023 - 120) << 20, most = (1023 + 120) << 20;
  return __hiloint2double(min(max(__double2hiint(largest) & 0x7ff00000, least), most), 0);
}
__device__ inline float cuda_equation_unit(float largest) {
  constexpr int least = (127 - 120) << 23, most = (127 + 120) << 23;
  return __int_as_float(min(max(__float_as_int(largest) & 0x7f800000, least), most));
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
  return __hiloint2double(0x7fe00000 - __double2hiint(unit), 0);
}
__device__ inline float cuda_unit_reciprocal(float unit) { return __int_as_float(0x7f000000 - __float_as_int(unit)); }

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
