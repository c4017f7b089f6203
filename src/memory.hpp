// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <string>

#include "objects.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/cuda/check.hpp>
#endif

/// Devices, and the memory that is theirs.
namespace hyperplane::run_time {

/// Makes the device of the instance that of the calling thread.
template <class Exec>
void make_current([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (CudaExecutionSpace<Exec>) cuda::check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
#endif
}

/// The calling thread has the CUDA device at the end of the scope that it had at its beginning.
class KeptDevice {
#ifdef KOKKOS_ENABLE_CUDA
 public:
  KeptDevice() {
    if (cudaGetDevice(&m_device) == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    m_device = -1;
  }
  ~KeptDevice() {
    int device = -1;
    if (m_device < 0 || (cudaGetDevice(&device) == cudaSuccess && device == m_device)) return;
    static_cast<void>(cudaSetDevice(m_device));
  }
  KeptDevice(const KeptDevice&) = delete;
  KeptDevice& operator=(const KeptDevice&) = delete;

 private:
  int m_device = -1;
#endif
};

/// Throws Error where the execution space has no device memory, or the address is not of that of its device.
template <class Exec>
void check_device_memory([[maybe_unused]] const Exec& exec, [[maybe_unused]] const void* values) {
  if constexpr (HostExecutionSpace<Exec>) {
    throw Error(std::string(Exec::name()) + " has no device memory");
  } else {
#ifdef KOKKOS_ENABLE_CUDA
    cudaPointerAttributes attributes{};
    cuda::check(cudaPointerGetAttributes(&attributes, values), "cudaPointerGetAttributes");
    // Where devices reach all of the host's memory, that has a device's address too, but is not registered.
    if (attributes.devicePointer == nullptr || attributes.type == cudaMemoryTypeUnregistered) {
      throw Error("an array that is said to be in device memory is not");
    }
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != exec.cuda_device()) {
      throw Error("an array is in memory of device " + std::to_string(attributes.device) +
                  ", the context's is device " + std::to_string(exec.cuda_device()));
    }
#endif
  }
}

}  // namespace hyperplane::run_time
