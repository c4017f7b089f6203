// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A preconditioner P of the box that grid blocks over devices fill, where kernels go on from device to device: a
/// specialization for a P that has such kernels.
template <class P>
class BoxOnDevices {
 public:
  static constexpr bool exists = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
