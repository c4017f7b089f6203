// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// HYPERPLANE_HOST_VECTOR_BYTES is the vector register of the instruction set that the translation unit is compiled
/// for.
///
/// Layouts on host execution spaces interleave as many values as it holds, so two translation units that disagree about
/// it must not call one another. Everything that the library declares is therefore in an inline namespace that is named
/// after it, HYPERPLANE_ABI: nobody has to write that name, but a function that takes the library's types or comes from
/// its headers has another symbol for each length, and the linker refuses to bind one to the other. The host's macros
/// hold in both passes of nvcc, and of Clang for HIP, so kernels have one name.
#if defined(__AVX512F__)
#define HYPERPLANE_HOST_VECTOR_BYTES 64
#define HYPERPLANE_ABI vectors_of_64_bytes
#elif defined(__AVX__)
#define HYPERPLANE_HOST_VECTOR_BYTES 32
#define HYPERPLANE_ABI vectors_of_32_bytes
#else
#define HYPERPLANE_HOST_VECTOR_BYTES 16
#define HYPERPLANE_ABI vectors_of_16_bytes
#endif
