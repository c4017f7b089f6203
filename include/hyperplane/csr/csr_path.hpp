// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// How the rows of a factorization of a BlockCsr are run.
enum class CsrPath : int {
  automatic,
  portable,  ///< a launch for each level
  team,      ///< on hosts: one launch, in which threads wait for the rows that they need
  tickets,   ///< on CUDA: one launch for a sweep, in which rows wait for the values that they need, or one
             ///< for each level where these are wide
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
