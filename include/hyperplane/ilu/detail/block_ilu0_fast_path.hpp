// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/path.hpp>
#include <hyperplane/grid/pencil_map.hpp>

namespace hyperplane::detail {

/// The paths of BILU(0) beside the portable one, for an execution space: a specialization says which there are, holds
/// what they need, and runs them. Without one there are none.
template <class Scalar, int n, class Exec, class Storage, int vector_length>
class BlockIlu0FastPath {
 public:
  /// What Path::automatic stands for.
  static Path choose(const Exec&, const PencilMap<vector_length>&) { return Path::portable; }
  static bool has(Path) { return false; }

  BlockIlu0FastPath(const Exec&, const PencilMap<vector_length>&, Path, int /*multiprocessors*/,
                    int /*right_hand_sides*/) {}

  template <class... Arguments>
  void factor(const Arguments&...) const {}
  template <class... Arguments>
  void solve(const Arguments&...) const {}
};

}  // namespace hyperplane::detail
