// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/occupancy.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Launches a kernel that Kokkos does not know of by `launch()`, and shows it to Kokkos Tools under the label. The
/// device of the instance is the thread's current one from here on, as after a launch by Kokkos.
template <CudaExecutionSpace Exec, class Launch>
void labelled(const Exec& exec, const std::string& label, const Launch& launch) {
  bool const shown = Kokkos::Tools::profileLibraryLoaded();
  std::uint64_t id = 0;
  if (shown) Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &id);
  // Also where the launch throws.
  struct End {
    bool m_shown;
    std::uint64_t m_id;
    ~End() {
      if (m_shown) Kokkos::Tools::endParallelFor(m_id);
    }
  } const end{shown, id};
  if (current_device() != exec.cuda_device()) check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  launch();
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
