// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

struct TriangularSweepsOptions {
  SweepPath path = SweepPath::automatic;
  /// Multiprocessors of a CUDA device that kernels of the plan may occupy, where not all are wanted; 0: all. The
  /// portable and the cuda_graph path take what they get.
  int multiprocessors = 0;
  /// Right-hand sides that a solve of several takes together at most, so that it reads the factors once for all of
  /// them: 1 to 3. On CUDA this is done for n = 1 on SweepPath::slab and on SweepPath::portable; a plan for m of them
  /// has about 3 m bytes per point for packets. Other CUDA paths take them one after another.
  int right_hand_sides = 1;
  /// Directions whose points are taken from both ends to the middle, on SweepPath::portable alone, which automatic then
  /// stands for.
  FoldedDirections folded{};
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
