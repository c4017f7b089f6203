// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/event.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/sweep/comparison/plane_turns_cuda.hpp>
#include <hyperplane/sweep/comparison/self_scheduled_cuda.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Persistent kernels: a block for each multiprocessor goes through all hyperplanes, fetching batches of points, and
/// waits after each plane for the others, as PlaneTurns say.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

/// A kernel and the shape of its launches.
template <class Kernel>
struct PersistentLaunch {
  // Kept, because a kernel template has an address of its own in each translation unit, and what is set for one does
  // not hold for the others.
  Kernel m_kernel;
  int m_blocks;
  int m_threads;
  std::size_t m_shared_bytes;
};

/// What the persistent kernels of a plan share: tables of planes, and the words that they synchronise by. One host
/// thread at a time; launches on different streams run one after the other.
///
/// Launches are cooperative for the two kinds of turns that have a barrier: all blocks start together or not at all, so
/// that two such kernels cannot each hold multiprocessors that the other one waits for.
template <PlaneTurns turns, int W>
class PersistentPlanes {
  static constexpr bool has_barrier = turns != PlaneTurns::self_scheduled;

 public:
  /// For so many blocks; 0: one for each multiprocessor, fewer for a grid whose planes have no work for so many.
  PersistentPlanes(cudaStream_t stream, const SlabMap<W>& map, int blocks) : m_map(map), m_wanted_blocks(blocks) {
    PlanePacks const planes(map);
    m_packs = cuda::DeviceArray<PlanePack>(stream, planes.packs());
    m_first = cuda::DeviceArray<std::int64_t>(stream, planes.firsts());
    m_state = cuda::DeviceArray<PersistentState>(stream, 1);
    m_planes = planes.planes();
    m_largest = planes.largest();
    // Two sweeps have a turn for each plane.
    if (!has_barrier) m_finished = cuda::DeviceArray<int>(stream, std::size_t{2} * m_planes);
    m_done.record(stream);
  }

  /// Blocks just large enough that each has one batch of the largest plane, where the hardware allows it. Throws Error
  /// if there is a barrier and they could not be resident at the same time.
  template <class Scalar, class Work, class Kernel>
  PersistentLaunch<Kernel> prepare(const char* name, Kernel kernel) const {
    int const wanted = m_wanted_blocks > 0 ? m_wanted_blocks : cuda::multiprocessor_count();
    int const items = m_largest * Work::items_per_pack;
    int const most = Work::most_threads / Work::threads_per_item;
    int const per_block = std::clamp((items + wanted - 1) / wanted, 1, std::max(1, most));
    PersistentLaunch<Kernel> const result{
        kernel, m_wanted_blocks > 0 ? m_wanted_blocks : std::min(wanted, (items + per_block - 1) / per_block),
        per_block * Work::threads_per_item, sizeof(Scalar) * Work::shared_values_per_item * per_block};
    cuda::allow_shared_memory(kernel);
    if (has_barrier) {
      cuda::require_resident(name, kernel, result.m_blocks, result.m_threads, result.m_shared_bytes);
    }
    return result;
  }

  /// Launches a kernel with these arguments, the state, the map and the table of planes. Allocates nothing, asks for
  /// nothing and waits for nothing.
  template <class Kernel, class... Arguments>
  void launch(cudaStream_t stream, const PersistentLaunch<Kernel>& prepared, const Arguments&... arguments) {
    // The state serves one launch at a time.
    m_done.wait(stream);
    cuda::launch(stream, prepared.m_kernel, prepared.m_blocks, prepared.m_threads, prepared.m_shared_bytes,
                 has_barrier ? cuda::Dependency::cooperative : cuda::Dependency::complete, arguments..., m_state.data(),
                 m_map, PlaneTable{m_packs.data(), m_first.data(), m_planes, m_finished.data()});
    m_done.record(stream);
  }

 private:
  SlabMap<W> m_map;
  int m_wanted_blocks;
  cuda::DeviceArray<PlanePack> m_packs;
  cuda::DeviceArray<std::int64_t> m_first;
  cuda::DeviceArray<PersistentState> m_state;
  cuda::DeviceArray<int> m_finished;
  cuda::Event m_done;
  int m_planes = 0;
  int m_largest = 0;  ///< packs of a plane
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
