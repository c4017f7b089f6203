// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <array>

namespace hyperplane::inline HYPERPLANE_ABI {

/// How the sweeps over a grid run, those of TriangularSweeps and of all solvers that stand on them. `automatic` takes
/// the fastest path of the execution space. Every other choice is taken at its word, and throws Error where the
/// execution space cannot run it.
enum class SweepPath {
  automatic,
  portable,    ///< Kokkos alone: one launch per hyperplane, one thread per point; every execution space
  slab,        ///< along skewed slabs, point to point, without barriers; host execution spaces, CUDA. Folded: hosts,
               ///< slabs of the octants
  cuda_graph,  ///< a kernel for each hyperplane, captured once; starts, and loads factors, before the one before ends
  comparison,  ///< what a solver has that was made with a ComparisonPath; cannot be chosen here
};

/// Every choice there is.
inline constexpr std::array<SweepPath, 4> sweep_paths{SweepPath::automatic, SweepPath::portable, SweepPath::slab,
                                                      SweepPath::cuda_graph};

constexpr const char* name(SweepPath path) {
  switch (path) {
    case SweepPath::automatic: return "automatic";
    case SweepPath::portable: return "portable";
    case SweepPath::slab: return "slab";
    case SweepPath::cuda_graph: return "cuda_graph";
    case SweepPath::comparison: return "comparison";
  }
  return "unknown";
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
