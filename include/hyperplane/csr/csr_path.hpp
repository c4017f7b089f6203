// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// How the levels of a factorization of a BlockCsr are run.
enum class CsrPath : int {
  automatic,
  portable,  ///< a launch for each level
  team,      ///< on hosts: one launch, in which threads wait for one another between levels
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
