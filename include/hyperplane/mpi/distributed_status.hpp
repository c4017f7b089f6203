// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block_status.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// What a factorization over ranks found: nothing, or the first failure in its order, with the number of its grid block
/// in the whole grid.
template <class BlockStatus = FactorStatus>
struct DistributedStatus : BlockStatus {
  int grid_block = 0;
  /// Which has that grid block.
  int rank = 0;

  std::string message() const {
    if (this->ok()) return BlockStatus::message();
    return "grid block " + std::to_string(grid_block) + " (rank " + std::to_string(rank) +
           "): " + BlockStatus::message();
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
