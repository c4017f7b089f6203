// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// How SweptRule advances. `automatic` takes what an estimate says is the fastest for the execution space and the
/// number of points; every other choice is taken at its word, and throws Error where it cannot run.
enum class SweptVariant {
  automatic,
  classic,     ///< one launch for each sub-step
  cuda_graph,  ///< the same launches, captured once and replayed; CUDA
  shared,      ///< triangles and diamonds in a working array: scratch memory of a team, or a core's cache
  hybrid,      ///< the same, but the host computes the tile around the line's ends, while a device does the rest
  registers,   ///< triangles and diamonds in the registers of a warp; CUDA
  tiles,       ///< a launch for many steps: trapezoids in the registers of a thread block, on hosts parallelograms
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

struct SweptOptions {
  SweptVariant variant = SweptVariant::automatic;
  /// Points of a tile; 0: what suits the device and the number of points. The variants `shared` and `hybrid` take any
  /// that scratch memory has room for, `tiles` on hosts that many at most; `tiles` and `resident` on CUDA those that
  /// there are kernels for: 32 times the points of a lane times the warps of a thread block.
  std::int64_t tile_points = 0;
  /// Steps that `tiles` and `resident` on CUDA take before tiles hand their edges on, or as many as a tile's points
  /// allow; 0: what suits. The other variants go as far as a tile's points allow.
  std::int64_t tile_steps = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
