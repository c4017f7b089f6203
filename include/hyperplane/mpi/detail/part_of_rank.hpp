// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A preconditioner P of a box whose parts are on devices of the ranks, where kernels go on from device to device: a
/// specialization for a P that has such kernels.
template <class P>
class PartOfRank {
 public:
  static constexpr bool exists = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
