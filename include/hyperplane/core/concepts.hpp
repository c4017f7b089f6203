// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <hyperplane/core/abi.hpp>

#include <concepts>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A Kokkos execution space (Serial, OpenMP, Cuda, ...).
template <class T>
concept ExecutionSpace = Kokkos::is_execution_space<T>::value;

/// A scalar type of the solvers.
template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;

/// An execution space whose kernels run on the host's cores.
template <class T>
concept HostExecutionSpace = ExecutionSpace<T> && std::same_as<typename T::memory_space, Kokkos::HostSpace>;

/// An execution space whose kernels run on a CUDA device.
template <class T>
concept CudaExecutionSpace = ExecutionSpace<T> && requires(const T& exec) { exec.cuda_stream(); };

}  // namespace hyperplane::inline HYPERPLANE_ABI
