// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/event.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/pinned_array.hpp>
#include <hyperplane/cuda/stream.hpp>
#include <hyperplane/swept/detail/swept_phase.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/// The host's share of a phase: the tile that is split between the two ends of the line, or by the seam of a ring.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

/// The threads of a block.
struct SweptBlock {
  template <class F>
  HYPERPLANE_FUNCTION void for_each([[maybe_unused]] std::int64_t begin, [[maybe_unused]] std::int64_t end,
                                    [[maybe_unused]] const F& f) const {
#if defined(__CUDA_ARCH__)
    for (auto i = begin + threadIdx.x; i < end; i += blockDim.x) f(i);
#endif
  }
};

/// What goes with the values of the tiles: for the host which phase it is, for the device what has been computed.
template <class Problem>
struct SweptPinnedNote {
  std::int64_t m_phase;
  std::int64_t m_levels;
  typename SweptPhase<Problem>::Computed m_computed[2];
};

/// The host's tiles of a phase: the first, and the last where the line has ends.
template <class Problem>
struct SweptPinnedTiles {
  using Scalar = typename Problem::scalar_type;
  Scalar* m_work;
  std::int64_t m_stride;
  std::int64_t m_work_size;
  SweptPinnedNote<Problem>* m_note;
  std::int64_t m_last;

  HYPERPLANE_FUNCTION std::int64_t number(int tile) const { return tile == 0 ? 0 : m_last; }
  HYPERPLANE_FUNCTION Scalar* work(int tile) const { return m_work + tile * m_work_size; }
};

/// A block for each tile.
template <class Problem>
__global__ void __launch_bounds__(256) swept_to_host(SweptPhase<Problem> phase, SweptPinnedTiles<Problem> tiles) {
  auto const tile = static_cast<int>(blockIdx.x);
  phase.load(SweptBlock{}, tiles.number(tile), tiles.work(tile), tiles.m_stride);
  if (tile > 0 || threadIdx.x > 0) return;
  tiles.m_note->m_phase = phase.m_phase;
  tiles.m_note->m_levels = phase.m_levels;
}

template <class Problem>
__global__ void __launch_bounds__(256) swept_from_host(SweptPhase<Problem> phase, SweptPinnedTiles<Problem> tiles) {
  auto const tile = static_cast<int>(blockIdx.x);
  phase.store(SweptBlock{}, tiles.number(tile), tiles.work(tile), tiles.m_stride, tiles.m_note->m_computed[tile]);
}

/// Takes tiles to the host, has them computed there and brings them back, in a stream of its own and beside what the
/// device does meanwhile. The caller's thread waits for nothing: the host's work is a function in that stream.
template <class Problem>
class SweptHostPart {
 public:
  using Phase = SweptPhase<Problem>;

  SweptHostPart(const Problem& problem, const SweptTiling& tiling, std::int64_t points)
      : m_problem(problem),
        m_tiling(tiling),
        m_points(points),
        m_work(2 * Phase::work_size(tiling)),
        m_note(1),
        m_tiles{m_work.data(), Phase::work_stride(tiling), static_cast<std::int64_t>(Phase::work_size(tiling)),
                m_note.data(), tiling.tiles(1) - 1} {}
  SweptHostPart(const SweptHostPart&) = delete;
  SweptHostPart& operator=(const SweptHostPart&) = delete;

  static constexpr int tiles = Problem::boundary == SweptBoundary::periodic ? 1 : 2;

  /// Begins when the stream has come to here.
  void begin(cudaStream_t stream, const Phase& phase) {
    m_ready.record(stream);
    m_ready.wait(m_stream.get());
    cuda::launch(m_stream.get(), swept_to_host<Problem>, tiles, 256, 0, cuda::Dependency::complete, phase, m_tiles);
    cuda::check(cudaLaunchHostFunc(m_stream.get(), compute, this), "cudaLaunchHostFunc");
    cuda::launch(m_stream.get(), swept_from_host<Problem>, tiles, 256, 0, cuda::Dependency::complete, phase, m_tiles);
    m_done.record(m_stream.get());
  }
  /// What comes next in the stream finds the tiles done.
  void end(cudaStream_t stream) const { m_done.wait(stream); }

 private:
  static void CUDART_CB compute(void* data) {
    auto const& self = *static_cast<const SweptHostPart*>(data);
    auto& note = *self.m_note.data();
    Phase const phase{self.m_problem, {}, self.m_tiling, self.m_points, note.m_phase, note.m_levels};
    for (int tile = 0; tile < tiles; ++tile) {
      note.m_computed[tile] =
          phase.compute(SweptCore{}, self.m_tiles.number(tile), self.m_tiles.work(tile), self.m_tiles.m_stride);
    }
  }

  Problem m_problem;
  SweptTiling m_tiling;
  std::int64_t m_points;
  cuda::PinnedArray<typename Problem::scalar_type> m_work;
  cuda::PinnedArray<SweptPinnedNote<Problem>> m_note;
  SweptPinnedTiles<Problem> m_tiles;
  cuda::Event m_ready, m_done;
  cuda::Stream m_stream;  // last: given up first, when all that uses the others is done
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
