// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/factor_failure.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// What a factorization of a BlockCsr found: nothing, or the first block row that failed (the one that was taken first)
/// and what it is.
struct CsrStatus : FactorDiagnosis {
  std::int64_t row = 0;
  /// The column of the block of that row that is not finite.
  std::optional<std::int64_t> column{};

  std::string message() const {
    return message_at(" at row " + std::to_string(row), column ? "block of column " + std::to_string(*column) : "");
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
