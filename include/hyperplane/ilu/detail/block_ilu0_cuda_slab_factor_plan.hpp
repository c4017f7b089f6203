// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/cluster_launch.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_factor_shape.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_kernel.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/matrix_storages.hpp>
#include <hyperplane/sweep/slab_device_cuda.hpp>
#include <hyperplane/sweep/slab_order_cuda.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Plan of the factorization on SweepPath::slab. A call launches one kernel, allocates nothing, asks for nothing and
/// waits for nothing. One call at a time.
template <class Scalar, int n, class Storage, int vector_length, bool is_part = false>
class BlockIlu0CudaSlabFactor {
  template <class MatrixStorage>
  using Layout = CudaSlabFactorLayout<Scalar, n, Storage, MatrixStorage, vector_length, is_part>;
  template <class MatrixStorage>
  using Factor = CudaSlabFactor<CudaGridRows<Layout<MatrixStorage>>>;
  template <class MatrixStorage>
  using Launch = cuda::ClusterLaunch<Factor<MatrixStorage>>;

 public:
  using Map = SlabMap<vector_length>;
  using Factors = TriangularFactors<Storage, n, vector_length>;
  using Outside = decltype(Layout<Scalar>::m_outside);

  /// What the current device and the kernels as they were compiled lack; empty where they run.
  static std::string lacking() {
    return cuda::lacking({is_part ? cuda_part_capability : cuda_slab_capability, Factor<Scalar>::Layout::shared_bytes},
                         cuda::support_of(cuda_slab_factor_kernel<Factor<Scalar>>));
  }

  /// Launches no more blocks than `multiprocessors`, so that they occupy no more of them; 0: all.
  BlockIlu0CudaSlabFactor(cudaStream_t stream, const Map& map, int multiprocessors, const Outside& outside = {})
      : m_map(map),
        m_outside(outside),
        m_shape(choose_cuda_factor_shape(map.grid(), vector_length,
                                         CudaSlabDevice::limited(multiprocessors).multiprocessors)),
        m_launches([&](auto storage) { return make_launch(stream, multiprocessors, storage); }) {
    m_order = cuda::DeviceArray<int>(stream, is_part ? cuda_order_by_slabs(map, tiles_k())
                                                     : cuda_slab_order(map, tiles_k(), vector_length, m_shape.blocks));
    m_state = cuda::DeviceArray<CudaFactorState>(stream, 1);
    m_progress = cuda::DeviceArray<int>(stream, std::size_t(map.slabs()) * map.grid().nk());
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  /// Lowers *singular to the singular_pivot_word of the first singular pivot.
  template <class MatrixStorage>
  void operator()(cudaStream_t stream, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a,
                  const Factors& factors, unsigned long long* singular) const {
    check<MatrixStorage>();
    auto outside = m_outside;
    if constexpr (is_part) outside.factorization = ++m_factorizations;
    m_launches.template get<MatrixStorage>()(
        stream, tiles_k() * m_map.slabs(),
        {{{factors, 0, singular, m_progress.data(), m_shape.steps_to_slab, outside},
          a.packs(),
          m_order.data(),
          m_state.data()}});
  }

  /// After what looks at the factors once more: tells the part below that its blocks have been read.
  void publish_read(cudaStream_t stream) const
    requires is_part
  {
    if (m_outside.read == nullptr) return;
    cuda_publish_kernel<<<1, 1, 0, stream>>>(m_outside.read, m_factorizations);
    cuda::check(cudaGetLastError(), "cuda_publish_kernel");
  }

  /// Throws Error where the device cannot factor such a matrix.
  template <class MatrixStorage>
  void check() const {
    require(m_launches.template get<MatrixStorage>().blocks() == m_shape.blocks,
            "BlockIlu0::factor: the device holds no cluster of the size of the plan for matrices in float");
  }

 private:
  /// The first one, for matrices in Scalar, says how large clusters are.
  template <class MatrixStorage>
  Launch<MatrixStorage> make_launch(cudaStream_t stream, int multiprocessors, std::type_identity<MatrixStorage>) {
    int const limit = multiprocessors > 0 ? CudaSlabDevice::limited(multiprocessors).multiprocessors
                                          : std::numeric_limits<int>::max();
    Launch<MatrixStorage> const launch(stream, cuda_slab_factor_kernel<Factor<MatrixStorage>>, m_shape.blocks,
                                       Factor<MatrixStorage>::Layout::threads,
                                       Factor<MatrixStorage>::Layout::shared_bytes, limit);
    if constexpr (std::is_same_v<MatrixStorage, Scalar>) m_shape.blocks = launch.blocks();
    return launch;
  }

  /// Tiles of a slab.
  int tiles_k() const { return (m_map.grid().nk() + m_shape.blocks - 1) / m_shape.blocks; }

  Map m_map;
  Outside m_outside;
  CudaFactorShape m_shape;
  ForMatrixStorages<Scalar, Launch> m_launches;
  cuda::DeviceArray<int> m_order;
  cuda::DeviceArray<CudaFactorState> m_state;
  cuda::DeviceArray<int> m_progress;
  /// Of a part: so many have been launched. The host counts, so that parts are in step whatever happens on a device.
  mutable std::uint64_t m_factorizations = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
