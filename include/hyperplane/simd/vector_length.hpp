// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {
inline constexpr int host_vector_bytes = HYPERPLANE_HOST_VECTOR_BYTES;
inline constexpr int device_segment_bytes = 64;
inline constexpr int device_line_bytes = 128;
inline constexpr int device_load_bytes = 16;
}  // namespace detail

/// Lanes of the compact SIMD-interleaved layout: one full vector register of the instruction set that the translation
/// unit is compiled for on host execution spaces; two memory sectors (64 bytes) elsewhere, enough for coalesced loads
/// without much padding on small grids.
template <class Scalar, ExecutionSpace Exec>
inline constexpr int vector_length_v =
    (HostExecutionSpace<Exec> ? detail::host_vector_bytes : detail::device_segment_bytes) /
    static_cast<int>(sizeof(Scalar));

/// Lines that the compact layout of line solvers interleaves: a vector register on host execution spaces; 16 doubles or
/// 32 floats elsewhere, a cache line.
template <class Scalar, ExecutionSpace Exec>
inline constexpr int line_vector_length_v =
    (HostExecutionSpace<Exec> ? detail::host_vector_bytes : detail::device_line_bytes) /
    static_cast<int>(sizeof(Scalar));

/// How many of them one thread works on: all on host execution spaces; 2 doubles or 4 floats elsewhere, what one load
/// instruction of 128 bits brings.
template <class Scalar, ExecutionSpace Exec>
inline constexpr int internal_vector_length_v =
    (HostExecutionSpace<Exec> ? detail::host_vector_bytes : detail::device_load_bytes) /
    static_cast<int>(sizeof(Scalar));

}  // namespace hyperplane::inline HYPERPLANE_ABI
