// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cuda/check.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace hyperplane::cuda {

/// At the beginning of a kernel, by all of its threads: what kernels before it in the stream have stored is there from
/// here on, and the next one may start. Where a kernel is launched as Dependency::programmatic, only what is in front
/// of this overlaps the kernel before; on devices that cannot do that, before 9.0, nothing does.
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// When a kernel may start after the one before it in its stream.
enum class Dependency {
  complete,      ///< when that one is complete
  programmatic,  ///< when that one's blocks have all allowed it; the kernel waits itself before it needs results
  cooperative    ///< as complete, and only with all its blocks at once
};

/// Starts a kernel with one-dimensional grid and blocks.
template <class... Parameters>
void launch(cudaStream_t stream, void (*kernel)(Parameters...), int blocks, int threads, std::size_t shared_bytes,
            Dependency dependency, const std::type_identity_t<Parameters>&... parameters) {
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned int>(blocks));
  config.blockDim = dim3(static_cast<unsigned int>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
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

}  // namespace hyperplane::cuda
