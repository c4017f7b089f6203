// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/cluster_launch.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_factor_shape.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_kernel.hpp>
#include <hyperplane/stencil/matrix_storages.hpp>
#include <hyperplane/sweep/group_order_cuda.hpp>
#include <hyperplane/sweep/slab_device_cuda.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Plan of the factorizations on several grids that do not depend on one another. A call launches one kernel,
/// allocates nothing and waits for nothing. One call at a time.
template <class Scalar, int n, class Storage, int vector_length>
class BlockIlu0CudaSlabGroupFactor {
  template <class MatrixStorage>
  using Layout = CudaSlabFactorLayout<Scalar, n, Storage, MatrixStorage, vector_length>;
  template <class MatrixStorage>
  using Factor = CudaSlabFactor<CudaGroupRows<Layout<MatrixStorage>>>;

 public:
  using Map = SlabMap<vector_length>;
  /// Of a grid: its factors, the word that is lowered to the singular_pivot_word of its first singular pivot, and where
  /// its values begin in matrices: a number of SIMD groups.
  struct Member {
    TriangularFactors<Storage, n, vector_length> factors;
    unsigned long long* singular;
    std::int64_t first_pack;
  };

  /// What the current device and the kernels as they were compiled lack; empty where they run.
  static std::string lacking() {
    return cuda::lacking({cuda_slab_capability, shared_bytes<Scalar>},
                         cuda::support_of(cuda_slab_factor_kernel<Factor<Scalar>>));
  }

  /// Launches no more blocks than `multiprocessors`, so that they occupy no more of them; 0: all.
  BlockIlu0CudaSlabGroupFactor(cudaStream_t stream, const std::vector<Member>& members, int multiprocessors)
      : m_shape(
            choose_cuda_group_factor_shape(maps(members), CudaSlabDevice::limited(multiprocessors).multiprocessors)),
        m_progress(stream, row_count(members)),
        m_launches([&](auto storage) { return make_launch(stream, members, multiprocessors, storage); }) {
    int const resident = Layout<Scalar>::resident_blocks;
    int const blocks = CudaSlabDevice::limited(multiprocessors).multiprocessors * (multiprocessors > 0 ? 1 : resident);
    CudaGroupOrder<vector_length> const order(maps(members), m_shape.blocks, std::max(1, blocks / m_shape.blocks));
    m_order = cuda::DeviceArray<CudaGroupTile>(stream, order.list(false));
    m_state = cuda::DeviceArray<CudaFactorState>(stream, 1);
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  /// `a` has the values of the matrices of all grids.
  template <class MatrixStorage>
  void operator()(cudaStream_t stream, MatrixStorage* a) const {
    auto const& [launch, layouts] = m_launches.template get<MatrixStorage>();
    require(launch.blocks() == m_shape.blocks,
            "BlockIlu0::factor: the device holds no cluster of the size of the plan for matrices in float");
    int const tiles = static_cast<int>(m_order.size());
    launch(stream, tiles,
           {{layouts.data(), typename Layout<MatrixStorage>::Matrix(a), m_order.data(), m_state.data(),
             m_progress.data(), tiles, static_cast<int>(m_progress.size())}});
  }

  /// What kernels are told of the grids.
  template <class MatrixStorage>
  const Layout<MatrixStorage>* layouts() const {
    return m_launches.template get<MatrixStorage>().layouts.data();
  }

 private:
  /// What there is for each type that a matrix may have.
  template <class MatrixStorage>
  struct Launch {
    cuda::ClusterLaunch<Factor<MatrixStorage>> launch;
    cuda::DeviceArray<Layout<MatrixStorage>> layouts;
  };

  template <class MatrixStorage>
  static constexpr std::size_t shared_bytes =
      Layout<MatrixStorage>::shared_bytes + cuda_layout_bytes<Layout<MatrixStorage>>;

  static std::vector<Map> maps(const std::vector<Member>& members) {
    std::vector<Map> result;
    for (auto const& member : members) result.push_back(member.factors.m_map);
    return result;
  }
  static std::size_t row_count(const std::vector<Member>& members) {
    std::size_t count = 0;
    for (auto const& map : maps(members)) count += as_size(map.slabs()) * as_size(map.grid().nk());
    return count;
  }

  /// The first one, for matrices in Scalar, says how large clusters are.
  template <class MatrixStorage>
  Launch<MatrixStorage> make_launch(cudaStream_t stream, const std::vector<Member>& members, int multiprocessors,
                                    std::type_identity<MatrixStorage>) {
    int const limit = multiprocessors > 0 ? CudaSlabDevice::limited(multiprocessors).multiprocessors
                                          : std::numeric_limits<int>::max();
    cuda::ClusterLaunch<Factor<MatrixStorage>> const launch(stream, cuda_slab_factor_kernel<Factor<MatrixStorage>>,
                                                            m_shape.blocks, Layout<MatrixStorage>::threads,
                                                            shared_bytes<MatrixStorage>, limit);
    if constexpr (std::is_same_v<MatrixStorage, Scalar>) m_shape.blocks = launch.blocks();
    std::vector<Layout<MatrixStorage>> layouts;
    int* progress = m_progress.data();
    for (auto const& [factors, singular, first_pack] : members) {
      layouts.push_back({factors, first_pack, singular, progress, m_shape.steps_to_slab});
      progress += factors.m_map.slabs() * factors.m_map.grid().nk();
    }
    return {launch, cuda::DeviceArray<Layout<MatrixStorage>>(stream, layouts)};
  }

  CudaFactorShape m_shape;
  cuda::DeviceArray<int> m_progress;
  ForMatrixStorages<Scalar, Launch> m_launches;
  cuda::DeviceArray<CudaGroupTile> m_order;
  cuda::DeviceArray<CudaFactorState> m_state;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
