// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

struct ChooseStorageOptions {
  /// A storage type is narrow enough and not too narrow where ||M_s^-1 v - M^-1 v|| is less than this fraction of
  /// ||M^-1 v||: at least 0. 0: none is but that of the arithmetic.
  double fraction = 0.05;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
