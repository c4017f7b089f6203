// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/factor_failure.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::run_time {

/// Why the factors that a factorization left are of no use, if they are not; and which pivots it replaced.
struct FactorProblem {
  FactorFailure failure = FactorFailure::none;
  std::string message;  ///< says where
  /// Pivots of general matrices that were replaced, and the row of the first, or -1.
  std::int64_t replaced = 0;
  std::int64_t first_replaced = -1;

  bool ok() const { return failure == FactorFailure::none; }
  /// Of the status of a solver.
  template <class Status>
  static FactorProblem of(const Status& status) {
    FactorProblem result{status.failure, status.message()};
    if constexpr (requires { status.first_replaced; }) {
      result.replaced = status.replaced;
      result.first_replaced = status.first_replaced.value_or(-1);
    }
    return result;
  }
};

}  // namespace hyperplane::run_time
