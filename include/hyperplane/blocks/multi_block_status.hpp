// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// What a factorization of several grid blocks found: nothing, or the first failure of the first grid block that has
/// one.
template <class BlockStatus = FactorStatus>
struct MultiBlockStatus : BlockStatus {
  int grid_block = 0;

  std::string message() const {
    return this->ok() ? BlockStatus::message()
                      : "grid block " + std::to_string(grid_block) + ": " + BlockStatus::message();
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
