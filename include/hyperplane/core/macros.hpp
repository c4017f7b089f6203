// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// HYPERPLANE_FUNCTION marks functions that kernels call, in headers that need no Kokkos: those that plain nvcc
/// compiles too.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define HYPERPLANE_FUNCTION __host__ __device__
#else
#define HYPERPLANE_FUNCTION
#endif

/// HYPERPLANE_FORCEINLINE_FUNCTION marks those that are too long to be inlined by themselves, in loops that can only
/// vectorize if they are.
#if defined(__CUDACC__)
#define HYPERPLANE_FORCEINLINE_FUNCTION __host__ __device__ __forceinline__
#elif defined(__HIPCC__)
// A header of HIP has __forceinline__, and need not be included.
#define HYPERPLANE_FORCEINLINE_FUNCTION __host__ __device__ inline __attribute__((always_inline))
#elif defined(__GNUC__)
#define HYPERPLANE_FORCEINLINE_FUNCTION inline __attribute__((always_inline))
#else
#define HYPERPLANE_FORCEINLINE_FUNCTION inline
#endif

/// HYPERPLANE_FORCEINLINE_HOST_FUNCTION marks the same of functions that kernels of devices do not call.
#if defined(__GNUC__)
#define HYPERPLANE_FORCEINLINE_HOST_FUNCTION inline __attribute__((always_inline))
#else
#define HYPERPLANE_FORCEINLINE_HOST_FUNCTION inline
#endif

/// HYPERPLANE_APART_FUNCTION marks long functions that are not inlined on hosts: rare ones, so that they do not swell
/// the loops that call them, and ones that are worth a call, so that they are compiled once and not for each caller.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define HYPERPLANE_APART_FUNCTION __host__ __device__
#elif defined(__CUDACC__) || defined(__HIPCC__)
#define HYPERPLANE_APART_FUNCTION __host__ __device__ __attribute__((noinline))
#elif defined(__GNUC__)
#define HYPERPLANE_APART_FUNCTION __attribute__((noinline))
#else
#define HYPERPLANE_APART_FUNCTION
#endif

/// HYPERPLANE_APART_HOST_FUNCTION marks the same of functions that kernels do not call.
#if defined(__GNUC__)
#define HYPERPLANE_APART_HOST_FUNCTION __attribute__((noinline))
#else
#define HYPERPLANE_APART_HOST_FUNCTION
#endif

/// HYPERPLANE_UNROLL unrolls the loop that follows, up to the largest block size: small arrays that it indexes then
/// live in registers. HYPERPLANE_HOST_UNROLL does so on hosts alone, which is what -O3 does by itself and -O2 does not;
/// compilers for GPUs choose. HYPERPLANE_INDEPENDENT says that iterations of the loop that follows do not depend on one
/// another.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define HYPERPLANE_UNROLL _Pragma("unroll")
#define HYPERPLANE_INDEPENDENT
#elif defined(__CUDACC__)
#define HYPERPLANE_UNROLL
#define HYPERPLANE_INDEPENDENT
#elif defined(__clang__)
#define HYPERPLANE_UNROLL _Pragma("clang loop unroll(full)")
#define HYPERPLANE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define HYPERPLANE_UNROLL _Pragma("GCC unroll 16")
#define HYPERPLANE_INDEPENDENT _Pragma("GCC ivdep")
#else
#define HYPERPLANE_UNROLL
#define HYPERPLANE_INDEPENDENT
#endif
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define HYPERPLANE_HOST_UNROLL
#else
#define HYPERPLANE_HOST_UNROLL HYPERPLANE_UNROLL
#endif
