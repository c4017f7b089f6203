// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Unrolls the loop that follows, up to the largest block size: small arrays that it indexes then live in registers.
#if defined(__CUDA_ARCH__)
#define HYPERPLANE_UNROLL _Pragma("unroll")
#elif defined(__clang__)
#define HYPERPLANE_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define HYPERPLANE_UNROLL _Pragma("GCC unroll 16")
#else
#define HYPERPLANE_UNROLL
#endif
