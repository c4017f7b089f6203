// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace hyperplane {

/// How SweptRule advances. `automatic` takes what an estimate says is the fastest for the execution space and the
/// number of points; every other choice is taken at its word, and throws Error where it cannot run.
enum class SweptVariant {
  automatic,
  classic,     ///< one launch for each sub-step
  cuda_graph,  ///< the same launches, captured once and replayed; CUDA
  shared,      ///< triangles and diamonds in a working array: scratch memory of a team, or a core's cache
  hybrid,      ///< the same, of which the host takes the tile that the line's ends split, while a device does the rest
  registers,   ///< triangles and diamonds in the registers of a warp; CUDA
  tiles,       ///< a launch for many steps: trapezoids in the registers of a block of threads, on hosts parallelograms
               ///< in a core's cache
  resident     ///< trapezoids in one launch for all steps: tiles stay in registers and exchange edges as packets; CUDA
};

constexpr const char* name(SweptVariant variant) {
  switch (variant) {
    case SweptVariant::automatic: return "automatic";
    case SweptVariant::classic: return "classic";
    case SweptVariant::cuda_graph: return "cuda_graph";
    case SweptVariant::shared: return "shared";
    case SweptVariant::hybrid: return "hybrid";
    case SweptVariant::registers: return "registers";
    case SweptVariant::tiles: return "tiles";
    case SweptVariant::resident: return "resident";
  }
  return "unknown";
}

}  // namespace hyperplane
