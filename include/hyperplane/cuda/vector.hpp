// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Neighbouring values that one access to memory brings.
template <class T, int count>
struct alignas(count * sizeof(T)) Vector {
  T m_values[count];
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
