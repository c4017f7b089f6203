// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/ilu/detail/point_recursion_cuda.hpp>

#include <cstdint>

namespace hyperplane::detail {

/// Beams of a tile at most, and warps of a block that compute residuals: with those of the sweeps 16, so that a thread
/// may have 128 registers. With a beam more there would be too few for its residual.
inline constexpr int sip_iteration_max_beams = 3;
inline constexpr int sip_residual_warps = 9;

/// What the warps of a block tell one another about the tile under way, in shared memory.
struct SipTileProgress {
  int m_stored[sip_iteration_max_beams];  ///< steps of each beam whose results are stored
  int m_prepared[sip_residual_warps];     ///< chunks of steps of which a warp has its share of the residual ready
};

/// A sweep of a pipelined iteration, in the order of the grid (forward) or of the mirrored one: y = d^-1 (r - L y) with
/// the lower factors, x = y - d^-1 U x with the upper ones. Factors are stored in the order of the steps.
template <Sweep sweep, bool forward_, class Scalar, class Storage, int W>
struct CudaSipSweep {
  using Coefficient = Storage;
  static constexpr bool forward = forward_;
  static constexpr bool is_lower = sweep == Sweep::forward;
  static constexpr int coefficients = is_lower ? lower_blocks : upper_blocks;
  static constexpr int vectors = 1;

  const Storage* m_coefficients;
  std::int64_t m_pack_count;
  const Scalar* m_rhs;
  Scalar* m_x;
  SipTileProgress* m_progress;

  struct Point {
    Scalar coefficients[CudaSipSweep::coefficients];
    Scalar vectors[1];
    Scalar bottom[1];
    Scalar south[1];
    Scalar west[1];
  };
  struct Results {
    Scalar m_value;
    __device__ void clear() { m_value = 0; }
    __device__ Scalar passed(int) const { return m_value; }
  };

  __device__ const Storage* coefficient_packs(std::int64_t pack) const {
    return m_coefficients + (forward ? pack : m_pack_count - 1 - pack) * (coefficients * W);
  }
  __device__ const Scalar* vector_packs(int, std::int64_t pack) const { return m_rhs + pack * W; }

  /// By lanes that then copy: the residual of the steps of a chunk is there, see SipTileResidual.
  __device__ void await_vectors(int chunk) const
    requires is_lower
  {
    for (auto const& prepared : m_progress->m_prepared) {
      while (cuda::observe_in_block(&prepared) <= chunk) {
      }
    }
    cuda::fence_before_copies_of_results();
  }
  /// By all lanes of the warp that computes, after their stores.
  __device__ void tell_progress(int beam_of_tile, int steps) const
    requires(!is_lower)
  {
    __syncwarp();
    if (threadIdx.x % 32 == 0) cuda::publish_in_block(&m_progress->m_stored[beam_of_tile], steps);
  }

  __device__ void begin(std::int64_t pack, int lane, int, int) { m_to = m_x + pack * W + lane; }
  __device__ void advance(int steps) { m_to += forward ? steps * W : -steps * W; }
  __device__ void store(int step, const Results& results) const {
    m_to[(forward ? step : -step) * W] = results.m_value;
  }
  __device__ static void step(const Point& p, Results& results, int, bool) {
    Scalar sum = p.vectors[0];
    sum -= p.coefficients[0] * p.bottom[0];
    sum -= p.coefficients[1] * p.south[0];
    sum -= p.coefficients[2] * p.west[0];
    if constexpr (is_lower) sum = p.coefficients[3] * sum;
    results.m_value = sum;
  }

  Scalar* m_to = nullptr;
};

}  // namespace hyperplane::detail
