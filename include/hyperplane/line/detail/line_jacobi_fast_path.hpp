// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/line/line_path.hpp>

#include <array>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The paths of LineJacobi beside the portable one, for an execution space: a specialization says which there are,
/// holds what they need, and runs them, or throws Error. Without one there are none.
template <class Scalar, int n, class Exec, class Storage>
class LineJacobiFastPath {
 public:
  /// What LinePath::automatic stands for.
  static LinePath choose() { return LinePath::portable; }
  static constexpr std::array<LinePath, 0> paths{};

  template <class Layout>
  LineJacobiFastPath(const Exec&, const Layout&, LinePath) {}

  template <class... Arguments>
  void solve(const Arguments&...) const {
    fail("LineJacobi: the execution space has the portable path alone");
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
