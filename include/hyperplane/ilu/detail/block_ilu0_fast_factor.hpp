// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The factorization of BILU(0) on the paths beside the portable one, for an execution space: a specialization holds
/// what they need, and runs them, or throws Error. Which paths there are, TriangularSweeps say.
template <class Scalar, int n, class Exec, class Storage, int vector_length>
class BlockIlu0FastFactor {
 public:
  /// The path to ask of the sweeps, where `asked` is asked of BlockIlu0: another one where `automatic` would take what
  /// the factorization has not.
  static SweepPath sweep_path(const Exec&, SweepPath asked) { return asked; }

  BlockIlu0FastFactor(const Exec&, const SlabMap<vector_length>&, SweepPath, int /*multiprocessors*/) {}

  template <class... Arguments>
  void operator()(const Arguments&...) const {
    fail("BlockIlu0: the execution space has the portable path alone");
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
