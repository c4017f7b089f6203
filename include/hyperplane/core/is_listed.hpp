// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Whether a choice is among those that a solver lists for an execution space.
template <class Choice, std::size_t count>
constexpr bool is_listed(const std::array<Choice, count>& list, Choice choice) {
  return std::find(list.begin(), list.end(), choice) != list.end();
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
