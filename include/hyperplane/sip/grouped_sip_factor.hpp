// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The factorizations of several Sip, of grids that do not depend on one another, together, with the bits of one grid
/// after the other. A specialization says how; without one grids follow one another.
template <class Scalar, class Exec, class Storage>
class GroupedSipFactor {
 public:
  static constexpr bool exists = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
