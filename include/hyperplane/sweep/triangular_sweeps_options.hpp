// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstddef>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

struct TriangularSweepsOptions {
  SweepPath path = SweepPath::automatic;
  /// Multiprocessors of a CUDA device that kernels of the plan may occupy, where not all are wanted; 0: all. The
  /// portable and the cuda_graph path take what they get.
  int multiprocessors = 0;
  /// Right-hand sides that a solve of several takes together at most, so that it reads the factors once for all of
  /// them: 1 to 3. On CUDA this is done for n = 1 on SweepPath::slab, if factors are not Half, and on
  /// SweepPath::portable; a plan for m of them has about 3 m bytes per point for packets. Other CUDA paths take them
  /// one after another.
  int right_hand_sides = 1;
  /// Directions whose points are taken from both ends to the middle: on SweepPath::portable, which all execution spaces
  /// have, on SweepPath::slab of hosts and on SweepPath::cuda_graph.
  FoldedDirections folded{};
};

namespace detail {

/// Throws Error where a number is out of range, whatever the path.
inline void check_sweeps_options(const std::string& owner, const TriangularSweepsOptions& options) {
  if (options.multiprocessors < 0) {
    fail(owner + ": " + std::to_string(options.multiprocessors) + " multiprocessors are not possible");
  }
  if (options.right_hand_sides < 1 || options.right_hand_sides > max_right_hand_sides) {
    fail(owner + ": " + std::to_string(options.right_hand_sides) + " right-hand sides at a time, expected 1 to " +
         std::to_string(max_right_hand_sides));
  }
}

/// Throws Error where a solve has not as many solutions as right-hand sides.
inline void check_solutions(const std::string& owner, std::size_t right_hand_sides, std::size_t solutions) {
  if (solutions == right_hand_sides) return;
  fail(owner + "::solve: " + std::to_string(right_hand_sides) + " right-hand sides and " + std::to_string(solutions) +
       " solutions");
}

/// Where solves with factors in Quarter are faster than with Half: on hosts from n = 4 on, by slabs.
template <int n, ExecutionSpace Exec>
inline constexpr bool quarter_may_pay = HostExecutionSpace<Exec> && n >= 4;
inline bool quarter_pays(SweepPath path, const FoldedDirections& folded) {
  return (path == SweepPath::automatic || path == SweepPath::slab) && !folded.any();
}

}  // namespace detail

}  // namespace hyperplane::inline HYPERPLANE_ABI
