// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cuda/captured_graph.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_columns.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_entries.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_places.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_rows.hpp>
#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// BILU(0) as CUDA graphs: a kernel for each hyperplane, captured once, each started while the one before still runs
/// (programmatic dependent launch), so that its coefficients are under way when it comes to wait.
///
/// Order: a kernel lets the next one start as soon as all its blocks run, and waits for the one before to be complete
/// before it reads or writes anything that planes share. Every thread of every block executes that wait, so no kernel
/// completes before the one before it has, and "the one before is complete" says it of all planes before. Nothing is
/// resident in vain: a block that waits does so for kernels whose blocks all run.
///
/// The pointers of a call reach the kernels through device memory: the first kernel gets them as parameters, which the
/// host exchanges in the instantiated graph, and stores them; the second waits for it in full, so all others start
/// after the pointers have been stored.
namespace hyperplane::detail {

#if defined(__CUDACC__)

/// The packs that one block of a kernel works on.
struct PlaneGroup {
  const PlanePack* m_packs;
  int m_size;  ///< of the plane
  int m_plane;

  __device__ PlanePack pack(int number) const { return number < m_size ? m_packs[number] : no_pack(); }
};

/// The pointers of this call. Read past the first-level cache, which may hold those of the call before.
template <class Arguments>
__device__ Arguments load_arguments(const Arguments* stored) {
  static_assert(sizeof(Arguments) == 2 * sizeof(ulonglong2) && alignof(Arguments) == alignof(ulonglong2));
  Arguments arguments;
  auto const* const from = reinterpret_cast<const ulonglong2*>(stored);
  auto* const to = reinterpret_cast<ulonglong2*>(&arguments);
  to[0] = __ldcg(from);
  to[1] = __ldcg(from + 1);
  return arguments;
}

template <Sweep sweep, class Scalar, int n, class Storage, int W>
__device__ void sweep_plane(const PencilMap<W>& map, const SweepArguments<Scalar, Storage>& arguments,
                            const PlaneGroup& plane, bool wait) {
  extern __shared__ __align__(16) unsigned char shared[];
  RowThread<n, W> const thread;
  int const packs = blockDim.x / RowThread<n, W>::threads_per_pack;
  SweepRow<Scalar, n, Storage, W, sweep> row;
  row.load(map, arguments, thread, plane.m_plane, plane.pack(blockIdx.x * packs + thread.m_pack));
  if (wait) cudaGridDependencySynchronize();
  row.finish(arguments, thread, reinterpret_cast<Scalar*>(shared), packs * W);
}

/// The first plane of a sweep, and the pointers for all others.
template <Sweep sweep, class Scalar, int n, class Storage, int W>
__global__ void block_ilu0_first_plane(SweepArguments<Scalar, Storage> arguments,
                                       SweepArguments<Scalar, Storage>* stored, PencilMap<W> map, PlaneGroup plane) {
  if (threadIdx.x == 0) *stored = arguments;
  sweep_plane<sweep, Scalar, n>(map, arguments, plane, false);
}

template <Sweep sweep, class Scalar, int n, class Storage, int W>
__global__ void block_ilu0_sweep_plane(const SweepArguments<Scalar, Storage>* stored, PencilMap<W> map,
                                       PlaneGroup plane) {
  cudaTriggerProgrammaticLaunchCompletion();
  sweep_plane<sweep, Scalar, n>(map, load_arguments(stored), plane, true);
}

/// A thread for each column while a column of four blocks fits in registers, a thread for each entry above.
template <int n>
inline constexpr bool factor_by_columns = n <= 8;

/// The shape of a factorization's blocks, of about as many threads as asked for.
template <class Scalar, int n, class Storage, class MatrixStorage, int W, int threads_wanted>
struct FactorShape {
  using Column = FactorColumn<Scalar, n, Storage, MatrixStorage, W>;
  using Entries = FactorEntries<Scalar, n, Storage, MatrixStorage, W>;
  static constexpr int items_per_pack = factor_by_columns<n> ? 1 : Entries::items_per_pack;
  static constexpr int threads_per_item = factor_by_columns<n> ? Column::threads_per_pack : Entries::threads_per_item;
  static constexpr int items = std::max(1, threads_wanted / threads_per_item);
  static constexpr int threads = items * threads_per_item;
  static constexpr std::size_t shared_bytes =
      sizeof(Scalar) * items * (factor_by_columns<n> ? Column::shared_values * W : Entries::shared_values_per_item);
};

template <class Scalar, int n, class Storage, class MatrixStorage, int W>
__device__ void factor_plane(const PencilMap<W>& map, const FactorArguments<Storage, MatrixStorage>& arguments,
                             const PlaneGroup& plane, bool wait) {
  using Column = FactorColumn<Scalar, n, Storage, MatrixStorage, W>;
  using Entries = FactorEntries<Scalar, n, Storage, MatrixStorage, W>;
  extern __shared__ __align__(16) unsigned char bytes[];
  auto* const shared = reinterpret_cast<Scalar*>(bytes);
  if constexpr (factor_by_columns<n>) {
    int const packs = blockDim.x / Column::threads_per_pack;
    Column column(map, arguments, plane.m_plane,
                  plane.pack(blockIdx.x * packs + threadIdx.x / Column::threads_per_pack), shared, packs * W);
    column.load();
    if (wait) cudaGridDependencySynchronize();
    column.finish(map, arguments);
  } else {
    int const item = blockIdx.x * (blockDim.x / Entries::threads_per_item) + threadIdx.x / Entries::threads_per_item;
    Entries entries(map, arguments, shared);
    entries.load(plane.m_plane, plane.pack(item / Entries::items_per_pack), item % Entries::items_per_pack);
    if (wait) cudaGridDependencySynchronize();
    entries.finish();
  }
}

template <class Scalar, int n, class Storage, class MatrixStorage, int W>
__global__ void __launch_bounds__(factor_by_columns<n> ? 256 : 1024)
    block_ilu0_factor_first_plane(FactorArguments<Storage, MatrixStorage> arguments,
                                  FactorArguments<Storage, MatrixStorage>* stored, PencilMap<W> map, PlaneGroup plane) {
  if (threadIdx.x == 0) *stored = arguments;
  factor_plane<Scalar, n>(map, arguments, plane, false);
}

template <class Scalar, int n, class Storage, class MatrixStorage, int W>
__global__ void __launch_bounds__(factor_by_columns<n> ? 256 : 1024)
    block_ilu0_factor_plane(const FactorArguments<Storage, MatrixStorage>* stored, PencilMap<W> map, PlaneGroup plane) {
  cudaTriggerProgrammaticLaunchCompletion();
  factor_plane<Scalar, n>(map, load_arguments(stored), plane, true);
}

/// Packs by planes, on the device.
class PlaneGroups {
 public:
  template <class Map>
  PlaneGroups(cudaStream_t stream, const Map& map) : m_planes(map), m_packs(stream, m_planes.packs()) {}

  int planes() const { return m_planes.planes(); }
  int size(int plane) const { return m_planes.size(plane); }
  PlaneGroup group(int plane) const { return {m_packs.data() + m_planes.first(plane), m_planes.size(plane), plane}; }

 private:
  PlanePacks m_planes;
  cuda::DeviceArray<PlanePack> m_packs;
};

/// A factorization as a graph: the constructor captures it, operator() replays it. Allocates nothing then, waits for
/// nothing, asynchronous on the stream. Calls on different streams run one after the other; one host thread at a time.
template <class Scalar, int n, class Storage, class MatrixStorage, int W>
class BlockIlu0CudaGraphFactor {
 public:
  BlockIlu0CudaGraphFactor(cudaStream_t stream, const PencilMap<W>& map, const PlaneGroups& planes)
      : m_map(map), m_first(planes.group(0)), m_stored(stream, 1) {
    m_graph = cuda::CapturedGraph([&](cudaStream_t capture) { record(capture, planes); });
    m_graph.upload(stream);
  }

  /// Lowers *singular to the singular_pivot_word of the first singular pivot.
  void operator()(cudaStream_t stream, const BlockStencil7Ref<MatrixStorage, n, W>& a,
                  const BlockIlu0Factors<Storage, n, W>& factors, unsigned long long* singular) {
    auto* stored = m_stored.data();
    m_graph.launch(stream,
                   Pointers{a.pack_block(0, Direction::bottom), factors.m_lower.pack_data(0),
                            factors.m_upper.pack_data(0), singular},
                   stored, m_map, m_first);
  }

 private:
  using Pointers = FactorArguments<Storage, MatrixStorage>;
  // Small blocks spread a plane over more multiprocessors, each of which brings its own share of the bandwidth.
  static constexpr int threads_wanted = 48;
  using Shape = FactorShape<Scalar, n, Storage, MatrixStorage, W, threads_wanted>;

  void record(cudaStream_t capture, const PlaneGroups& planes) const {
    constexpr auto first_plane = block_ilu0_factor_first_plane<Scalar, n, Storage, MatrixStorage, W>;
    constexpr auto plane = block_ilu0_factor_plane<Scalar, n, Storage, MatrixStorage, W>;
    cuda::allow_shared_memory(first_plane);
    cuda::allow_shared_memory(plane);
    cuda::launch(capture, first_plane, Shape::items_per_pack, Shape::threads, Shape::shared_bytes,
                 cuda::Dependency::complete, Pointers{}, m_stored.data(), m_map, m_first);
    for (int p = 1; p < planes.planes(); ++p) {
      cuda::launch(capture, plane, (planes.size(p) * Shape::items_per_pack + Shape::items - 1) / Shape::items,
                   Shape::threads, Shape::shared_bytes,
                   p == 1 ? cuda::Dependency::complete : cuda::Dependency::programmatic, m_stored.data(), m_map,
                   planes.group(p));
    }
  }

  PencilMap<W> m_map;
  PlaneGroup m_first;
  cuda::DeviceArray<Pointers> m_stored;
  cuda::CapturedGraph m_graph;
};

/// A sweep as a graph, as above.
template <Sweep sweep, class Scalar, int n, class Storage, int W>
class BlockIlu0CudaGraphSweep {
 public:
  using Vector = BlockVectorRef<Scalar, n, W>;

  BlockIlu0CudaGraphSweep(cudaStream_t stream, const PencilMap<W>& map, const PlaneGroups& planes)
      : m_map(map), m_first(planes.group(plane(planes, 0))), m_stored(stream, 1) {
    m_graph = cuda::CapturedGraph([&](cudaStream_t capture) { record(capture, planes); });
    m_graph.upload(stream);
  }

  void operator()(cudaStream_t stream, const BlockIlu0Factors<Storage, n, W>& factors, const Vector& rhs,
                  const Vector& x) {
    auto* stored = m_stored.data();
    m_graph.launch(stream,
                   Pointers{factors.m_lower.pack_data(0), factors.m_upper.pack_data(0), rhs.packs().pack_data(0),
                            x.packs().pack_data(0)},
                   stored, m_map, m_first);
  }

 private:
  using Pointers = SweepArguments<Scalar, Storage>;
  static constexpr int threads_wanted = 128;
  static constexpr int packs = std::max(1, threads_wanted / (n * W));
  static constexpr int threads = packs * n * W;
  static constexpr std::size_t shared_bytes = sizeof(Scalar) * sweep_shared_values<Scalar, n> * W * packs;

  static int plane(const PlaneGroups& planes, int turn) {
    return sweep == Sweep::forward ? turn : planes.planes() - 1 - turn;
  }

  void record(cudaStream_t capture, const PlaneGroups& planes) const {
    cuda::launch(capture, block_ilu0_first_plane<sweep, Scalar, n, Storage, W>, 1, threads, shared_bytes,
                 cuda::Dependency::complete, Pointers{}, m_stored.data(), m_map, m_first);
    for (int turn = 1; turn < planes.planes(); ++turn) {
      int const p = plane(planes, turn);
      cuda::launch(capture, block_ilu0_sweep_plane<sweep, Scalar, n, Storage, W>, (planes.size(p) + packs - 1) / packs,
                   threads, shared_bytes, turn == 1 ? cuda::Dependency::complete : cuda::Dependency::programmatic,
                   m_stored.data(), m_map, planes.group(p));
    }
  }

  PencilMap<W> m_map;
  PlaneGroup m_first;
  cuda::DeviceArray<Pointers> m_stored;
  cuda::CapturedGraph m_graph;
};

#endif

}  // namespace hyperplane::detail
