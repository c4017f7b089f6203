// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/captured_graph.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/sweep/detail/sweep_rows_cuda.hpp>
#include <hyperplane/sweep/plane_groups_cuda.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <optional>

/// The sweeps as CUDA graphs, see plane_groups_cuda.hpp.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

template <Sweep sweep, bool transposed, class Scalar, int n, class Storage, int W, class Map>
__device__ void sweep_plane(const Map& map, const SweepArguments<Scalar, n, Storage, W>& arguments,
                            const PlaneGroup& plane, bool wait) {
  extern __shared__ __align__(16) unsigned char shared[];
  RowThread<n, W> const thread;
  int const packs = blockDim.x / RowThread<n, W>::threads_per_pack;
  SweepRow<Scalar, n, Storage, W, sweep, transposed, Map> row;
  row.load(map, arguments, thread, plane.m_plane, plane.pack(blockIdx.x * packs + thread.m_pack));
  if (wait) cuda::wait_for_results_before();
  row.finish(arguments, thread, reinterpret_cast<Scalar*>(shared), packs * W);
}

/// The first plane of a sweep, and the pointers for all others.
template <Sweep sweep, bool transposed, class Scalar, int n, class Storage, int W, class Map>
__global__ void sweep_first_plane(SweepArguments<Scalar, n, Storage, W> arguments,
                                  SweepArguments<Scalar, n, Storage, W>* stored, Map map, PlaneGroup plane) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *stored = arguments;
  sweep_plane<sweep, transposed, Scalar, n>(map, arguments, plane, false);
}

template <Sweep sweep, bool transposed, class Scalar, int n, class Storage, int W, class Map>
__global__ void sweep_next_plane(const SweepArguments<Scalar, n, Storage, W>* stored, Map map, PlaneGroup plane) {
  cuda::allow_next_kernel();
  sweep_plane<sweep, transposed, Scalar, n>(map, load_arguments(stored), plane, true);
}

/// A sweep as a graph: the constructor captures it, operator() replays it. Allocates nothing then, waits for nothing,
/// asynchronous on the stream. Calls on different streams run one after the other; one host thread at a time.
template <Sweep sweep, bool transposed, class Scalar, int n, class Storage, int W, class Map>
class CudaGraphSweep {
 public:
  using Vector = BlockVectorRef<Scalar, n, W>;

  CudaGraphSweep(cudaStream_t stream, const Map& map, const PlaneGroups& planes)
      : m_map(map), m_first(planes.group(plane(planes, 0))), m_stored(stream, 1) {
    m_graph = cuda::CapturedGraph([&](cudaStream_t capture) { record(capture, planes); });
    m_graph.upload(stream);
  }

  void operator()(cudaStream_t stream, const TriangularFactors<Storage, n, W>& factors, const Vector& rhs,
                  const Vector& x) {
    auto* stored = m_stored.data();
    m_graph.launch(stream, sweep_arguments(factors, rhs, x), stored, m_map, m_first);
  }

 private:
  using Pointers = SweepArguments<Scalar, n, Storage, W>;
  static constexpr int threads_wanted = 128;
  static constexpr int packs = std::max(1, threads_wanted / (n * W));
  static constexpr int threads = packs * n * W;
  static constexpr int neighbours = PlaceOf<Map>::Type::template neighbours<sweep>;
  static constexpr std::size_t shared_bytes = sizeof(Scalar) * sweep_shared_values<Scalar, n, neighbours> * W * packs;

  static int plane(const PlaneGroups& planes, int turn) {
    return sweep == Sweep::forward ? turn : planes.planes() - 1 - turn;
  }

  void record(cudaStream_t capture, const PlaneGroups& planes) const {
    auto const blocks = [&](int plane) { return (planes.size(plane) + packs - 1) / packs; };
    constexpr auto first_plane = sweep_first_plane<sweep, transposed, Scalar, n, Storage, W, Map>;
    constexpr auto next_plane = sweep_next_plane<sweep, transposed, Scalar, n, Storage, W, Map>;
    cuda::launch(capture, first_plane, blocks(plane(planes, 0)), threads, shared_bytes, cuda::Dependency::complete,
                 Pointers{}, m_stored.data(), m_map, m_first);
    for (int turn = 1; turn < planes.planes(); ++turn) {
      int const p = plane(planes, turn);
      cuda::launch(capture, next_plane, blocks(p), threads, shared_bytes,
                   turn == 1 ? cuda::Dependency::complete : cuda::Dependency::programmatic, m_stored.data(), m_map,
                   planes.group(p));
    }
  }

  Map m_map;
  PlaneGroup m_first;
  cuda::DeviceArray<Pointers> m_stored;
  cuda::CapturedGraph m_graph;
};

/// Plan of SweepPath::cuda_graph: a graph for each sweep. Map: SlabMap, or FoldedMap.
template <class Scalar, int n, class Storage, int W, class Map = SlabMap<W>>
class CudaGraphSweeps {
 public:
  using Factors = TriangularFactors<Storage, n, W>;
  using Vector = BlockVectorRef<Scalar, n, W>;

  CudaGraphSweeps(cudaStream_t stream, const Map& map)
      : m_map(map), m_planes(stream, map), m_plain(stream, map, m_planes) {
    // Whatever stream comes first, the tables are there.
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  /// One vector after another.
  template <int count>
  void operator()(cudaStream_t stream, Sweeps sweeps, const Factors& factors, const VectorRefs<Vector, count>& rhs,
                  const VectorRefs<Vector, count>& x) {
    for (int v = 0; v < count; ++v) m_plain.run(stream, sweeps, factors, rhs[v], x[v]);
  }

  /// What solve_transposed() does when it is called for the first time: captures the graphs.
  void prepare_transposed(cudaStream_t stream) {
    if (!m_transposed) m_transposed.emplace(stream, m_map, m_planes);
  }

  /// With M^T.
  void solve_transposed(cudaStream_t stream, Sweeps sweeps, const Factors& factors, const Vector& rhs,
                        const Vector& x) {
    prepare_transposed(stream);
    m_transposed->run(stream, sweeps, factors, rhs, x);
  }

 private:
  template <bool transposed>
  struct Pair {
    CudaGraphSweep<Sweep::forward, transposed, Scalar, n, Storage, W, Map> m_forward;
    CudaGraphSweep<Sweep::backward, transposed, Scalar, n, Storage, W, Map> m_backward;

    Pair(cudaStream_t stream, const Map& map, const PlaneGroups& planes)
        : m_forward(stream, map, planes), m_backward(stream, map, planes) {}

    void run(cudaStream_t stream, Sweeps sweeps, const Factors& factors, const Vector& rhs, const Vector& x) {
      if (sweeps != Sweeps::backward) m_forward(stream, factors, rhs, x);
      if (sweeps != Sweeps::forward) m_backward(stream, factors, sweeps == Sweeps::both ? x : rhs, x);
    }
  };

  Map m_map;
  PlaneGroups m_planes;
  Pair<false> m_plain;
  std::optional<Pair<true>> m_transposed;
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
