// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/sweep/comparison/persistent_planes_cuda.hpp>
#include <hyperplane/sweep/comparison/plane_turns_cuda.hpp>
#include <hyperplane/sweep/detail/sweep_rows_cuda.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cuda_runtime.h>

#include <algorithm>

/// Both sweeps as one persistent kernel.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

/// A sweep as work of a PlaneVisitor.
template <Sweep sweep, class Scalar, int n, class Storage, int W>
class SweepWork {
 public:
  static constexpr int items_per_pack = 1;
  static constexpr int threads_per_item = n * W;
  static constexpr int shared_values_per_item = sweep_shared_values<Scalar, n> * W;
  /// A thread holds 4n coefficients, and one block at least must fit a multiprocessor's registers.
  static constexpr int most_threads =
      std::clamp(65536 / (n * static_cast<int>(sizeof(Storage)) + 64) / 32 * 32, 256, 1024);

  __device__ SweepWork(const SlabMap<W>& map, const SweepArguments<Scalar, n, Storage, W>& arguments, Scalar* shared)
      : m_map(map), m_arguments(arguments), m_shared(shared) {}

  __device__ void load(int plane, const PlanePack& pack, int) { m_row.load(m_map, m_arguments, m_thread, plane, pack); }
  __device__ void finish() { m_row.finish(m_arguments, m_thread, m_shared, blockDim.x / n); }

 private:
  const SlabMap<W>& m_map;
  const SweepArguments<Scalar, n, Storage, W>& m_arguments;
  Scalar* m_shared;
  RowThread<n, W> m_thread;
  SweepRow<Scalar, n, Storage, W, sweep> m_row;
};

template <PlaneTurns turns, class Scalar, int n, class Storage, int W>
__global__ void __launch_bounds__(SweepWork<Sweep::forward, Scalar, n, Storage, W>::most_threads, 1)
    persistent_sweeps(SweepArguments<Scalar, n, Storage, W> first, SweepArguments<Scalar, n, Storage, W> second,
                      Sweeps sweeps, PersistentState* state, SlabMap<W> map, PlaneTable table) {
  extern __shared__ __align__(16) unsigned char bytes[];
  auto* const shared = reinterpret_cast<Scalar*>(bytes);
  using Forward = SweepWork<Sweep::forward, Scalar, n, Storage, W>;
  using Backward = SweepWork<Sweep::backward, Scalar, n, Storage, W>;
  int const last = table.m_planes - 1;
  PlaneProgress<turns> progress(table, state);
  if (sweeps != Sweeps::backward) {
    Forward forward(map, first, shared);
    PlaneVisitor<turns, Forward>(table, state, progress).visit(forward, 0, last, 1, sweeps == Sweeps::both);
  }
  if (sweeps != Sweeps::forward) {
    Backward backward(map, second, shared);
    PlaneVisitor<turns, Backward>(table, state, progress).visit(backward, last, 0, -1, false);
  }
  progress.end(table, state);
}

/// The sweeps on PersistentPlanes.
template <PlaneTurns turns, class Scalar, int n, class Storage, int W>
class PersistentSweeps {
 public:
  using Factors = TriangularFactors<Storage, n, W>;
  using Vector = BlockVectorRef<Scalar, n, W>;

  explicit PersistentSweeps(const PersistentPlanes<turns, W>& planes)
      : m_launch(planes.template prepare<Scalar, SweepWork<Sweep::forward, Scalar, n, Storage, W>>(
            "with_comparison_path: sweeps", static_cast<Kernel>(persistent_sweeps<turns, Scalar, n, Storage, W>))) {}

  void operator()(cudaStream_t stream, PersistentPlanes<turns, W>& planes, Sweeps sweeps, const Factors& factors,
                  const Vector& rhs, const Vector& x) const {
    planes.launch(stream, m_launch, sweep_arguments(factors, rhs, x),
                  sweep_arguments(factors, sweeps == Sweeps::both ? x : rhs, x), sweeps);
  }

 private:
  using Kernel = decltype(&persistent_sweeps<turns, Scalar, n, Storage, W>);
  PersistentLaunch<Kernel> m_launch;
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
