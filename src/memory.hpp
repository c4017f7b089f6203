// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

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
    // It has no address here where this device cannot reach it.
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != exec.cuda_device()) {
      throw Error("an array is in memory of device " + std::to_string(attributes.device) +
                  ", the context's is device " + std::to_string(exec.cuda_device()));
    }
    // Where devices reach all of the host's memory, that has a device's address too, but is not registered.
    if (attributes.devicePointer == nullptr || attributes.type == cudaMemoryTypeUnregistered) {
      throw Error("an array that is said to be in device memory is not");
    }
#endif
  }
}

/// The same of values that are said to be there. No values may be nowhere.
template <class Exec>
void check_memory(const Exec& exec, const void* values, std::int64_t count, MemorySpace space) {
  if (space == MemorySpace::device && count > 0) check_device_memory(exec, values);
}

/// Calls `use(pointer)` with `values` in memory that kernels of Exec read, or write for `is_output` (all of it, unless
/// they `keep` some). No values may be nowhere. Waits where the caller's memory is the host's.
template <bool is_output, bool keep = false, class Exec, class T, class Use>
void in_memory_of(const Exec& exec, T* values, std::int64_t count, MemorySpace space, const Use& use) {
  check_memory(exec, values, count, space);
  if constexpr (HostExecutionSpace<Exec>) {
    use(values);
    exec.fence("Hyperplane: host memory");
  } else {
    if (space == MemorySpace::device) return use(values);
    using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::View<std::remove_const_t<T>*, typename Exec::memory_space> const staged(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::staged"), count);
    Host const host(values, count);
    if constexpr (!is_output || keep) Kokkos::deep_copy(exec, staged, host);
    use(staged.data());
    if constexpr (is_output) Kokkos::deep_copy(exec, host, staged);
    exec.fence("Hyperplane: host memory");
  }
}

}  // namespace hyperplane::run_time
