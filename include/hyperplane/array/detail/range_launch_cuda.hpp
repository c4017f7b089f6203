// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/range_launch.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/range.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <CudaExecutionSpace Exec>
struct RangeLaunch<Exec> {
  template <class Body>
  static void run(const Exec& exec, const std::string& label, std::int64_t count, double /*bytes*/, const Body& body) {
    cuda::labelled(exec, label, [&] { cuda::launch_range(exec.cuda_stream(), count, body); });
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
