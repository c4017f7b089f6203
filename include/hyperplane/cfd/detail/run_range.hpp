// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::detail {

/// How an execution space runs a range.
template <ExecutionSpace Exec>
struct RangeLaunch {
  template <class Body>
  static void run(const Exec& exec, const std::string& label, std::int64_t count, const Body& body) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count), body);
  }
};

/// body(e), 0 <= e < count: one launch, asynchronous, no allocation.
template <ExecutionSpace Exec, class Body>
void run_range(const Exec& exec, const std::string& label, std::int64_t count, const Body& body) {
  RangeLaunch<Exec>::run(exec, label, count, body);
}

}  // namespace hyperplane::detail

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/cfd/detail/run_range_cuda.hpp>
#endif
