// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_columns.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_entries.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/matrix_storages.hpp>
#include <hyperplane/sweep/comparison/persistent_planes_cuda.hpp>
#include <hyperplane/sweep/comparison/plane_turns_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cuda_runtime.h>

#include <type_traits>

/// The factorization of BILU(0) as one persistent kernel.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

template <PlaneTurns turns, class Scalar, int n, class Storage, class MatrixStorage, int W>
__global__ void __launch_bounds__(FactorEntries<Scalar, n, Storage, MatrixStorage, W>::most_threads, 1)
    block_ilu0_persistent_factor(FactorArguments<Storage, MatrixStorage> arguments, PersistentState* state,
                                 SlabMap<W> map, PlaneTable table) {
  extern __shared__ __align__(16) unsigned char bytes[];
  using Work = FactorEntries<Scalar, n, Storage, MatrixStorage, W>;
  Work work(map, arguments, reinterpret_cast<Scalar*>(bytes));
  PlaneProgress<turns> progress(table, state);
  PlaneVisitor<turns, Work>(table, state, progress).visit(work, 0, table.m_planes - 1, 1, false);
  progress.end(table, state);
}

/// The factorization on PersistentPlanes.
template <PlaneTurns turns, class Scalar, int n, class Storage, int W>
class PersistentFactor {
  template <class MatrixStorage>
  using Launch = PersistentLaunch<decltype(&block_ilu0_persistent_factor<turns, Scalar, n, Storage, MatrixStorage, W>)>;

 public:
  explicit PersistentFactor(const PersistentPlanes<turns, W>& planes)
      : m_launches([&]<class MatrixStorage>(std::type_identity<MatrixStorage>) -> Launch<MatrixStorage> {
          return planes.template prepare<Scalar, FactorEntries<Scalar, n, Storage, MatrixStorage, W>>(
              "BILU(0) factorization", &block_ilu0_persistent_factor<turns, Scalar, n, Storage, MatrixStorage, W>);
        }) {}

  /// Lowers *singular to the singular_pivot_word of the first singular pivot.
  template <class MatrixStorage>
  void operator()(cudaStream_t stream, PersistentPlanes<turns, W>& planes,
                  const BlockStencil7Ref<MatrixStorage, n, W>& a, const TriangularFactors<Storage, n, W>& factors,
                  unsigned long long* singular) const {
    planes.launch(
        stream, m_launches.template get<MatrixStorage>(),
        FactorArguments<Storage, MatrixStorage>{a.pack_block(0, Direction::bottom), factors.m_lower.pack_data(0),
                                                factors.m_upper.pack_data(0), singular});
  }

 private:
  ForMatrixStorages<Scalar, Launch> m_launches;
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
