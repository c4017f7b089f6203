// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <array>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Sweeps where there is no fast path.
class NoFastSweeps {
 public:
  template <class... Arguments>
  void solve(const Arguments&...) const {
    fail("TriangularSweeps: the execution space has the portable path alone");
  }
  template <class... Arguments>
  void solve_transposed(const Arguments&... arguments) const {
    solve(arguments...);
  }
};

/// The paths of TriangularSweeps beside the portable one, for an execution space: a specialization says which there
/// are, holds what they need, and runs them, or throws Error. Without one there are none.
template <class Scalar, int n, class Exec, class Storage, int vector_length>
class TriangularSweepsFastPath : public NoFastSweeps {
 public:
  /// What SweepPath::automatic stands for.
  static SweepPath choose(const Exec&, const SlabMap<vector_length>&) { return SweepPath::portable; }
  static constexpr std::array<SweepPath, 0> paths{};

  TriangularSweepsFastPath(const Exec&, const std::string& /*owner*/, const SlabMap<vector_length>&, SweepPath,
                           int /*multiprocessors*/, int /*right_hand_sides*/) {}
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
