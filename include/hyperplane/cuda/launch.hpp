// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/check.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// By all threads of a kernel: what kernels before it in the stream have stored is there from here on. Where a kernel
/// is launched as Dependency::programmatic, only what is in front of this overlaps the kernel before.
__device__ inline void wait_for_results_before() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// The next kernel may start, as far as this thread is concerned.
__device__ inline void allow_next_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// At the beginning of a kernel that has nothing to do before it needs results.
__device__ inline void wait_for_kernel_before() {
  wait_for_results_before();
  allow_next_kernel();
}

/// When a kernel may start after the one before it in its stream.
enum class Dependency {
  complete,      ///< when that one is complete
  programmatic,  ///< when that one's blocks have all allowed it; the kernel waits itself before it needs results. As
                 ///< complete where kernels_can_wait is not true
  cooperative    ///< as complete, and only with all its blocks at once
};

constexpr bool first_is_at_least(int least, int first, ...) { return first >= least; }

/// Whether the kernels of this translation unit can wait themselves: whether all architectures that it is compiled for,
/// of which the oldest comes first, have the instruction. The device alone does not tell: from PTX for an older one it
/// runs kernels that do not wait. Of each translation unit its own, as the kernels are.
#if defined(__CUDA_ARCH_LIST__)
static constexpr bool kernels_can_wait = first_is_at_least(900, __CUDA_ARCH_LIST__);
#else
static constexpr bool kernels_can_wait = false;
#endif

/// Starts a kernel with one-dimensional grid and blocks.
template <bool programmatic = kernels_can_wait, class... Parameters>
void launch(cudaStream_t stream, void (*kernel)(Parameters...), int blocks, int threads, std::size_t shared_bytes,
            Dependency dependency, const std::type_identity_t<Parameters>&... parameters) {
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned int>(blocks));
  config.blockDim = dim3(static_cast<unsigned int>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  if (dependency == Dependency::programmatic && !programmatic) dependency = Dependency::complete;
  if (dependency == Dependency::programmatic) {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  } else if (dependency == Dependency::cooperative) {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  if (dependency != Dependency::complete) {
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  check(cudaLaunchKernelEx(&config, kernel, parameters...), "cudaLaunchKernelEx");
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
