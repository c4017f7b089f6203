// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/factor_failure.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// What a factorization of a BlockCsr found: nothing, pivots that it replaced, or the first block row that failed (the
/// one that was taken first) and what it is.
struct CsrStatus : FactorDiagnosis {
  std::int64_t row = 0;
  /// The column of the block of that row that is not finite.
  std::optional<std::int64_t> column{};
  /// Where it did not fail: pivot blocks that were replaced, as the option `pivot_shift` asks for, and the row of the
  /// one that was taken first.
  std::int64_t replaced = 0;
  std::optional<std::int64_t> first_replaced{};

  std::string message() const {
    if (replaced > 0 && first_replaced) {
      return "factorization is regular, with " + std::to_string(replaced) +
             (replaced == 1 ? " pivot replaced, at row " : " pivots replaced, the first at row ") +
             std::to_string(*first_replaced);
    }
    return message_at(" at row " + std::to_string(row), column ? "block of column " + std::to_string(*column) : "");
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
