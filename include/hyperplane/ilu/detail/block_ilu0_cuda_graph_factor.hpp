// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/captured_graph.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_columns.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_entries.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/matrix_storages.hpp>
#include <hyperplane/sweep/plane_groups_cuda.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

/// The factorization of BILU(0) as a CUDA graph, see plane_groups_cuda.hpp.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

/// A thread for each column while a column of four blocks fits in registers, a thread for each entry above.
template <int n>
inline constexpr bool factor_by_columns = n <= 8;

/// The shape of a factorization's blocks, of about as many threads as asked for.
template <class Scalar, int n, class Storage, class MatrixStorage, int W, class Map, int threads_wanted>
struct FactorShape {
  using Column = FactorColumn<Scalar, n, Storage, MatrixStorage, W, Map>;
  using Entries = FactorEntries<Scalar, n, Storage, MatrixStorage, W, Map>;
  static constexpr int items_per_pack = factor_by_columns<n> ? 1 : Entries::items_per_pack;
  static constexpr int threads_per_item = factor_by_columns<n> ? Column::threads_per_pack : Entries::threads_per_item;
  static constexpr int items = std::max(1, threads_wanted / threads_per_item);
  static constexpr int threads = items * threads_per_item;
  static constexpr std::size_t shared_bytes =
      sizeof(Scalar) * items * (factor_by_columns<n> ? Column::shared_values * W : Entries::shared_values_per_item);
};

template <class Scalar, int n, int W, class Storage, class MatrixStorage, class Map>
__device__ void factor_plane(const Map& map, const FactorArguments<Storage, MatrixStorage>& arguments,
                             const PlaneGroup& plane, bool wait) {
  using Column = FactorColumn<Scalar, n, Storage, MatrixStorage, W, Map>;
  using Entries = FactorEntries<Scalar, n, Storage, MatrixStorage, W, Map>;
  extern __shared__ __align__(16) unsigned char bytes[];
  auto* const shared = reinterpret_cast<Scalar*>(bytes);
  if constexpr (factor_by_columns<n>) {
    int const packs = blockDim.x / Column::threads_per_pack;
    Column column(map, arguments, plane.m_plane,
                  plane.pack(blockIdx.x * packs + threadIdx.x / Column::threads_per_pack), shared, packs * W);
    column.load(map, arguments);
    if (wait) cuda::wait_for_results_before();
    column.finish(map, arguments);
  } else {
    int const item = blockIdx.x * (blockDim.x / Entries::threads_per_item) + threadIdx.x / Entries::threads_per_item;
    Entries entries(map, arguments, shared);
    entries.load(plane.m_plane, plane.pack(item / Entries::items_per_pack), item % Entries::items_per_pack);
    if (wait) cuda::wait_for_results_before();
    entries.finish();
  }
}

template <class Scalar, int n, class Storage, class MatrixStorage, int W, class Map>
__global__ void __launch_bounds__(factor_by_columns<n> ? 256 : 1024)
    block_ilu0_factor_first_plane(FactorArguments<Storage, MatrixStorage> arguments,
                                  FactorArguments<Storage, MatrixStorage>* stored, Map map, PlaneGroup plane) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *stored = arguments;
  factor_plane<Scalar, n, W>(map, arguments, plane, false);
}

template <class Scalar, int n, class Storage, class MatrixStorage, int W, class Map>
__global__ void __launch_bounds__(factor_by_columns<n> ? 256 : 1024)
    block_ilu0_factor_plane(const FactorArguments<Storage, MatrixStorage>* stored, Map map, PlaneGroup plane) {
  cuda::allow_next_kernel();
  factor_plane<Scalar, n, W>(map, load_arguments(stored), plane, true);
}

/// A factorization as a graph: the constructor captures it, operator() replays it. Allocates nothing then, waits for
/// nothing, asynchronous on the stream. Calls on different streams run one after the other; one host thread at a time.
template <class Scalar, int n, class Storage, class MatrixStorage, int W, class Map>
class BlockIlu0CudaGraphFactor {
 public:
  BlockIlu0CudaGraphFactor(cudaStream_t stream, const Map& map, const PlaneGroups& planes)
      : m_map(map), m_first(planes.group(0)), m_stored(stream, 1) {
    m_graph = cuda::CapturedGraph([&](cudaStream_t capture) { record(capture, planes); });
    m_graph.upload(stream);
  }

  /// Lowers *singular to the singular_pivot_word of the first singular pivot.
  void operator()(cudaStream_t stream, const BlockStencil7Ref<MatrixStorage, n, W>& a,
                  const TriangularFactors<Storage, n, W>& factors, unsigned long long* singular) {
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
  using Shape = FactorShape<Scalar, n, Storage, MatrixStorage, W, Map, threads_wanted>;

  void record(cudaStream_t capture, const PlaneGroups& planes) const {
    constexpr auto first_plane = block_ilu0_factor_first_plane<Scalar, n, Storage, MatrixStorage, W, Map>;
    constexpr auto plane = block_ilu0_factor_plane<Scalar, n, Storage, MatrixStorage, W, Map>;
    cuda::allow_shared_memory(first_plane);
    cuda::allow_shared_memory(plane);
    auto const blocks = [&](int p) {
      return (planes.size(p) * Shape::items_per_pack + Shape::items - 1) / Shape::items;
    };
    cuda::launch(capture, first_plane, blocks(0), Shape::threads, Shape::shared_bytes, cuda::Dependency::complete,
                 Pointers{}, m_stored.data(), m_map, m_first);
    for (int p = 1; p < planes.planes(); ++p) {
      cuda::launch(capture, plane, blocks(p), Shape::threads, Shape::shared_bytes,
                   p == 1 ? cuda::Dependency::complete : cuda::Dependency::programmatic, m_stored.data(), m_map,
                   planes.group(p));
    }
  }

  Map m_map;
  PlaneGroup m_first;
  cuda::DeviceArray<Pointers> m_stored;
  cuda::CapturedGraph m_graph;
};

/// Plan of the factorization on SweepPath::cuda_graph: a graph for each storage that a matrix may have. Map: SlabMap,
/// or FoldedMap.
template <class Scalar, int n, class Storage, int W, class Map = SlabMap<W>>
class BlockIlu0CudaGraphFactors {
  template <class MatrixStorage>
  using Graph = BlockIlu0CudaGraphFactor<Scalar, n, Storage, MatrixStorage, W, Map>;

 public:
  BlockIlu0CudaGraphFactors(cudaStream_t stream, const Map& map)
      : m_planes(stream, map), m_graphs([&]<class MatrixStorage>(std::type_identity<MatrixStorage>) {
          return Graph<MatrixStorage>(stream, map, m_planes);
        }) {
    // Whatever stream comes first, the tables are there.
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  template <class MatrixStorage>
  void operator()(cudaStream_t stream, const BlockStencil7Ref<MatrixStorage, n, W>& a,
                  const TriangularFactors<Storage, n, W>& factors, unsigned long long* singular) {
    m_graphs.template get<MatrixStorage>()(stream, a, factors, singular);
  }

 private:
  PlaneGroups m_planes;
  ForMatrixStorages<Scalar, Graph> m_graphs;
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
