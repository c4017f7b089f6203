// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// w, or Error, which names the plan, where it is out of range.
inline double checked_ssor_relaxation(const char* plan, double relaxation) {
  if (!(relaxation > 0 && relaxation < 2)) {
    fail(std::string(plan) + ": relaxation is " + shortest(relaxation) + ", expected more than 0 and less than 2");
  }
  return relaxation;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
