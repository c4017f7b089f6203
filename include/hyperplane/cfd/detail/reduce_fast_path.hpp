// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>

namespace hyperplane::detail {

/// What an execution space has beside the portable reduction: nothing.
template <ExecutionSpace Exec>
struct ReduceFastPath {
  static constexpr bool exists = false;
};

}  // namespace hyperplane::detail
