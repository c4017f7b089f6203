// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/sweep/point_recursion_cuda_sweep.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Beams of a tile at most, and warps of a block that compute residuals: with those of the sweeps 16, so that a thread
/// may have 128 registers. With a beam more there would be too few for its residual.
inline constexpr int sip_iteration_max_beams = 3;
inline constexpr int sip_residual_warps = 9;

/// What the warps of a block tell one another about the tile under way, in shared memory.
struct SipTileProgress {
  int m_stored[sip_iteration_max_beams];  ///< steps of each beam whose results are stored
  int m_prepared[sip_residual_warps];     ///< chunks of steps of which a warp has its share of the residual ready
};

/// A sweep of a pipelined iteration, in the order of the grid (forward) or of the mirrored one.
template <Sweep sweep, bool forward, class Scalar, class Storage, int W>
struct CudaSipSweep : CudaScalarSteps<sweep, forward, Scalar, Storage, W, 1> {
  const Storage* m_coefficients;
  std::int64_t m_pack_count;
  const Scalar* m_rhs;
  Scalar* m_x;
  SipTileProgress* m_progress;

  __device__ const Storage* coefficient_packs(std::int64_t pack) const {
    return m_coefficients + (forward ? pack : m_pack_count - 1 - pack) * (CudaSipSweep::coefficients * W);
  }
  __device__ const Scalar* vector_packs(int, std::int64_t pack) const { return m_rhs + pack * W; }
  __device__ void begin(std::int64_t pack, int lane, int, int) { this->m_to[0] = m_x + pack * W + lane; }

  /// By lanes that then copy: the residual of the steps of a chunk is there, see SipTileResidual.
  __device__ void await_vectors(int chunk) const
    requires(sweep == Sweep::forward)
  {
    for (auto const& prepared : m_progress->m_prepared) {
      while (cuda::observe_in_block(&prepared) <= chunk) {
      }
    }
    cuda::fence_before_copies_of_results();
  }
  /// By all lanes of the warp that computes, after their stores.
  __device__ void tell_progress(int beam_of_tile, int steps) const
    requires(sweep == Sweep::backward)
  {
    __syncwarp();
    if (threadIdx.x % 32 == 0) cuda::publish_in_block(&m_progress->m_stored[beam_of_tile], steps);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
