// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/range_launch.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/array/detail/range_launch_cuda.hpp>
#endif

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// body(e), 0 <= e < count, which together move as many bytes: one launch, asynchronous, no allocation.
template <ExecutionSpace Exec, class Body>
void run_range(const Exec& exec, const std::string& label, std::int64_t count, double bytes, const Body& body) {
  RangeLaunch<Exec>::run(exec, label, count, bytes, body);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
