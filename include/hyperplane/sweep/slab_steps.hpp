// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <algorithm>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Steps between two updates of a progress word, on hosts: about 64 KiB of factors. The other thread then follows some
/// microseconds behind, and an update costs little beside that.
template <class Storage, int n, int vector_length>
inline constexpr int slab_steps = std::clamp<int>(65536 / (4 * n * n * vector_length * int{sizeof(Storage)}), 4, 64);

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
