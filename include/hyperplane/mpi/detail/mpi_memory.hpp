// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Memory of the host that MPI reads and writes, and that kernels of the execution space reach, too: of a device,
/// pinned memory.
template <ExecutionSpace Exec>
using MpiMemory = std::conditional_t<HostExecutionSpace<Exec>, Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>;

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
