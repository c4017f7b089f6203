// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How an execution space runs a range.
template <ExecutionSpace Exec>
struct RangeLaunch {
  template <class Body>
  static void run(const Exec& exec, const std::string& label, std::int64_t count, double bytes, const Body& body) {
    launch(label, LongIndexRange<Exec>(exec, 0, count), bytes / static_cast<double>(std::max<std::int64_t>(count, 1)),
           body);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
