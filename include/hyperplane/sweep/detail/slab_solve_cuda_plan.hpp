// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/cluster_launch.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/sweep/detail/scalar_solve_cuda_plan.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_kernel.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/slab_device_cuda.hpp>
#include <hyperplane/sweep/slab_order_cuda.hpp>
#include <hyperplane/sweep/slab_shape_cuda.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Plan of the solve for blocks: packets, order and state. A call launches one kernel, allocates nothing and waits for
/// nothing, but for the first one with M^T, where that has other thread blocks. One launch at a time. Of a part of a
/// box, see BlockIlu0Part, calls are for both sweeps.
template <class Scalar, int n, class Storage, int vector_length, bool is_part = false>
class CudaSlabBlockSolve {
  using Layout = CudaSlabLayout<Scalar, n, Storage, vector_length, is_part>;
  using Solve = CudaSlabSolve<CudaGridTiles<Layout>>;
  using TransposedLayout = CudaSlabLayout<Scalar, n, Storage, vector_length, is_part, true>;
  using TransposedSolve = CudaSlabSolve<CudaGridTiles<TransposedLayout>>;
  using Packet = typename Layout::Packet;

 public:
  using Map = SlabMap<vector_length>;
  using Factors = TriangularFactors<Storage, n, vector_length>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;
  using Outside = decltype(Layout::m_outside);
  /// Whether large grids have tall thread blocks.
  static constexpr bool can_be_tall = Layout::tall_from > 0;

  /// What the current device and the kernel as it was compiled lack; empty where it runs.
  static std::string lacking() {
    return cuda::lacking({is_part ? cuda_part_capability : cuda_slab_capability, Layout::memory.total(1, 1)},
                         cuda::support_of(cuda_slab_solve_kernel<Solve>));
  }

  CudaSlabBlockSolve(cudaStream_t stream, const Map& map, int multiprocessors, int /*right_hand_sides*/,
                     const Outside& outside = {})
      : CudaSlabBlockSolve(stream, map, CudaSlabDevice::limited(multiprocessors), outside) {}

  /// One vector after another.
  template <int count>
  void operator()(cudaStream_t stream, Sweeps sweeps, const Factors& factors, const VectorRefs<Vector, count>& rhs,
                  const VectorRefs<Vector, count>& x) const {
    for (int v = 0; v < count; ++v) launch(m_plain, stream, sweeps, factors, rhs[v], x[v]);
  }

  /// What solve_transposed() does when it is called for the first time: the launch of another kernel.
  void prepare_transposed(cudaStream_t stream) {
    static_assert(TransposedLayout::memory == Layout::memory);
    if (m_transposed) return;
    Schedule<TransposedSolve> transposed(stream, choose_shape(TransposedLayout::tall_from), m_multiprocessors);
    if (transposed.shape == m_plain.shape) {
      transposed.order = m_plain.order;
      transposed.bottom_packets = m_plain.bottom_packets;
    } else {
      // Other devices may be waiting for a part: nothing is allocated.
      require(!is_part, "path slab: the device has changed under a plan");
      set_order(stream, transposed);
    }
    m_transposed = std::move(transposed);
  }

  /// With M^T. Packets, where these are as many, and state are those of the plain sweeps, which do not run at the same
  /// time.
  void solve_transposed(cudaStream_t stream, Sweeps sweeps, const Factors& factors, const Vector& rhs,
                        const Vector& x) {
    prepare_transposed(stream);
    launch(*m_transposed, stream, sweeps, factors, rhs, x);
  }

 private:
  /// A kernel, the order in which it draws its tiles, and what these hand on upwards.
  template <class S>
  struct Schedule {
    CudaSlabShape shape;
    cuda::ClusterLaunch<S> run;
    std::shared_ptr<const cuda::DeviceArray<int>> order;
    std::shared_ptr<const cuda::DeviceArray<Packet>> bottom_packets;

    Schedule(cudaStream_t stream, const CudaSlabShape& wanted, int multiprocessors)
        : shape(wanted),
          run(stream, cuda_slab_kernel<S>(wanted), wanted.blocks, Layout::threads(wanted.layers),
              Layout::memory.total(wanted.layers, wanted.stages), multiprocessors) {
      shape.blocks = run.blocks();
    }

    int tile_layers() const { return shape.layers * shape.blocks; }
    int tiles() const { return static_cast<int>(order->size()); }
  };

  /// And the packets, those of the plain sweeps if they are enough.
  template <class S>
  void set_order(cudaStream_t stream, Schedule<S>& schedule) {
    int const layers = schedule.tile_layers();
    auto const packets = Layout::bottom_packet_count(m_map, layers);
    schedule.bottom_packets = m_plain.bottom_packets;
    if (!schedule.bottom_packets || schedule.bottom_packets->size() < packets) {
      schedule.bottom_packets = std::make_shared<const cuda::DeviceArray<Packet>>(stream, packets);
    }
    // Tiles by the time at which they can begin: a slab is as many steps behind the one before as it has lanes, a
    // layer one step and the way there.
    int const tiles_k = (m_map.grid().nk() + layers - 1) / layers;
    schedule.order = std::make_shared<const cuda::DeviceArray<int>>(
        stream,
        m_by_slabs ? cuda_order_by_slabs(m_map, tiles_k) : cuda_slab_order(m_map, tiles_k, vector_length, layers));
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  template <class S>
  void launch(const Schedule<S>& schedule, cudaStream_t stream, Sweeps sweeps, const Factors& factors,
              const Vector& rhs, const Vector& x) const {
    std::size_t const values = std::size_t{7} * n * n * static_cast<std::size_t>(m_map.pack_count()) * vector_length;
    auto const& y = sweeps == Sweeps::backward ? rhs : x;
    schedule.run(
        stream, schedule.tiles(),
        {{{factors, 0, m_south_packets.data(), schedule.bottom_packets->data(), &m_state.data()->m_forward_finished,
           schedule.shape, schedule.tiles(), values * sizeof(Storage) <= m_cache_bytes, m_outside},
          {rhs.packs(), y.packs(), x.packs()},
          schedule.order->data(),
          m_state.data(),
          sweeps}});
  }

  CudaSlabShape choose_shape(int tall_from) const {
    return choose_cuda_slab_shape(m_map.grid(), vector_length, Layout::memory, m_multiprocessors, m_shared_bytes,
                                  m_by_slabs, tall_from);
  }

  CudaSlabBlockSolve(cudaStream_t stream, const Map& map, const CudaSlabDevice& device, const Outside& outside)
      : m_map(map),
        m_outside(outside),
        m_cache_bytes(device.cache_bytes),
        m_shared_bytes(device.shared_bytes),
        m_multiprocessors(device.multiprocessors),
        m_by_slabs(is_part || cuda_tiles_by_slabs(map.grid(), vector_length, std::size_t{7} * n * n * sizeof(Storage),
                                                  device.multiprocessors)),
        m_plain(stream, choose_shape(Layout::tall_from), device.multiprocessors),
        m_south_packets(stream, Layout::south_packet_count(map)),
        m_state(stream, 1) {
    set_order(stream, m_plain);
  }

  Map m_map;
  Outside m_outside;
  std::size_t m_cache_bytes;
  std::size_t m_shared_bytes;
  int m_multiprocessors;
  bool m_by_slabs;
  Schedule<Solve> m_plain;
  std::optional<Schedule<TransposedSolve>> m_transposed;
  cuda::DeviceArray<Packet> m_south_packets;
  cuda::DeviceArray<CudaSlabState> m_state;
};

/// Plan of SweepPath::slab: one launch for a vector. Recursions over points know no units.
template <class Scalar, int n, class Storage, int vector_length>
using CudaSlabSweeps =
    std::conditional_t<n == 1 && !has_scales<Storage>, CudaScalarSolve<Scalar, Storage, vector_length>,
                       CudaSlabBlockSolve<Scalar, n, Storage, vector_length>>;

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
