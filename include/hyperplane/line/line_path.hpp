// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <array>

namespace hyperplane::inline HYPERPLANE_ABI {

/// How a solver of lines runs. `automatic` takes the fastest path of the execution space; every other choice is taken
/// at its word, and throws Error where the execution space cannot run it.
enum class LinePath {
  automatic,
  portable,  ///< Kokkos alone: a thread of a team per group of lines; every execution space
  staged,    ///< several threads per line; CUDA. Blocks are brought ahead by bulk copies, from 9.0 on; of
             ///< BlockTridiagonal with n = 1 without these
};

/// Every choice there is.
inline constexpr std::array<LinePath, 3> line_paths{LinePath::automatic, LinePath::portable, LinePath::staged};

constexpr const char* name(LinePath path) {
  switch (path) {
    case LinePath::automatic: return "automatic";
    case LinePath::portable: return "portable";
    case LinePath::staged: return "staged";
  }
  return "unknown";
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
