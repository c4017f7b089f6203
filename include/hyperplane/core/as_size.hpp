// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A number or an index that is not negative, as containers of the host want it.
constexpr std::size_t as_size(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
