// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What an execution space has beside the portable reduction: nothing.
template <ExecutionSpace Exec>
struct ReduceFastPath {
  static constexpr bool exists = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
