// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/event.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_entries.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_places.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_rows.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_self_scheduled.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_turns.hpp>
#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// BILU(0) as one persistent kernel for each sweep pair and factorization: a block for each multiprocessor goes through
/// all hyperplanes, fetching batches of points, and waits after each plane for the others, as PlaneTurns say.
namespace hyperplane::detail {

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

  __device__ SweepWork(const PencilMap<W>& map, const SweepArguments<Scalar, Storage>& arguments, Scalar* shared)
      : m_map(map), m_arguments(arguments), m_shared(shared) {}

  __device__ void load(int plane, const PlanePack& pack, int) { m_row.load(m_map, m_arguments, m_thread, plane, pack); }
  __device__ void finish() { m_row.finish(m_arguments, m_thread, m_shared, blockDim.x / n); }

 private:
  const PencilMap<W>& m_map;
  const SweepArguments<Scalar, Storage>& m_arguments;
  Scalar* m_shared;
  RowThread<n, W> m_thread;
  SweepRow<Scalar, n, Storage, W, sweep> m_row;
};

template <PlaneTurns turns, class Scalar, int n, class Storage, int W>
__global__ void __launch_bounds__(SweepWork<Sweep::forward, Scalar, n, Storage, W>::most_threads, 1)
    block_ilu0_persistent_solve(SweepArguments<Scalar, Storage> first, SweepArguments<Scalar, Storage> second,
                                Sweeps sweeps, PersistentState* state, PencilMap<W> map, PlaneTable table) {
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

template <PlaneTurns turns, class Scalar, int n, class Storage, class MatrixStorage, int W>
__global__ void __launch_bounds__(FactorEntries<Scalar, n, Storage, MatrixStorage, W>::most_threads, 1)
    block_ilu0_persistent_factor(FactorArguments<Storage, MatrixStorage> arguments, PersistentState* state,
                                 PencilMap<W> map, PlaneTable table) {
  extern __shared__ __align__(16) unsigned char bytes[];
  using Work = FactorEntries<Scalar, n, Storage, MatrixStorage, W>;
  Work work(map, arguments, reinterpret_cast<Scalar*>(bytes));
  PlaneProgress<turns> progress(table, state);
  PlaneVisitor<turns, Work>(table, state, progress).visit(work, 0, table.m_planes - 1, 1, false);
  progress.end(table, state);
}

/// Plan of the thread_recycling, cooperative and self_scheduled paths. factor and solve allocate nothing, wait for
/// nothing and are asynchronous on the stream. One host thread at a time; calls on different streams run one after the
/// other.
///
/// Launches are cooperative for the two kinds of turns that have a barrier: all blocks start together or not at all, so
/// that two such kernels cannot each hold multiprocessors that the other one waits for.
template <PlaneTurns turns, class Scalar, int n, class Storage, int W>
class BlockIlu0CudaPersistent {
  static constexpr bool has_barrier = turns != PlaneTurns::self_scheduled;

 public:
  using Map = PencilMap<W>;
  using Factors = BlockIlu0Factors<Storage, n, W>;
  using Vector = BlockVectorRef<Scalar, n, W>;

  /// Throws Error if there is a barrier and `blocks` of them could not be resident at the same time; 0: one for each
  /// multiprocessor, fewer for a grid whose planes have no work for so many.
  BlockIlu0CudaPersistent(cudaStream_t stream, const Map& map, int blocks = 0) : m_map(map) {
    PlanePacks const planes(map);
    m_packs = cuda::DeviceArray<PlanePack>(stream, planes.packs());
    m_first = cuda::DeviceArray<std::int64_t>(stream, planes.firsts());
    m_state = cuda::DeviceArray<PersistentState>(stream, 1);
    m_planes = planes.planes();
    m_largest = planes.largest();
    // Two sweeps have a turn for each plane.
    if (!has_barrier) m_finished = cuda::DeviceArray<int>(stream, std::size_t{2} * m_planes);
    m_blocks = blocks;
    m_solve_launch = shape<Forward>("BILU(0) solve", m_solve_kernel);
    m_done.record(stream);
  }

  /// Lowers *singular to the singular_pivot_word of the first singular pivot.
  template <class MatrixStorage>
  void factor(cudaStream_t stream, const BlockStencil7Ref<MatrixStorage, n, W>& a, const Factors& factors,
              unsigned long long* singular) {
    constexpr auto kernel = block_ilu0_persistent_factor<turns, Scalar, n, Storage, MatrixStorage, W>;
    launch(stream, kernel, shape<FactorEntries<Scalar, n, Storage, MatrixStorage, W>>("BILU(0) factorization", kernel),
           FactorArguments<Storage, MatrixStorage>{a.pack_block(0, Direction::bottom), factors.m_lower.pack_data(0),
                                                   factors.m_upper.pack_data(0), singular});
  }

  /// One vector after another.
  template <int count>
  void solve(cudaStream_t stream, Sweeps sweeps, const Factors& factors, const VectorRefs<Vector, count>& rhs,
             const VectorRefs<Vector, count>& x) {
    auto const arguments = [&](const Vector& from, const Vector& to) {
      return SweepArguments<Scalar, Storage>{factors.m_lower.pack_data(0), factors.m_upper.pack_data(0),
                                             from.packs().pack_data(0), to.packs().pack_data(0)};
    };
    for (int v = 0; v < count; ++v) {
      launch(stream, m_solve_kernel, m_solve_launch, arguments(rhs[v], x[v]),
             arguments(sweeps == Sweeps::both ? x[v] : rhs[v], x[v]), sweeps);
    }
  }

 private:
  using Forward = SweepWork<Sweep::forward, Scalar, n, Storage, W>;
  struct Shape {
    int m_blocks = 0;
    int m_threads = 0;
    std::size_t m_shared_bytes = 0;
  };

  /// Blocks just large enough that each has one batch of the largest plane, where the hardware allows it.
  template <class Work, class Kernel>
  Shape shape(const char* name, Kernel kernel) const {
    int const wanted = m_blocks > 0 ? m_blocks : cuda::multiprocessor_count();
    int const items = m_largest * Work::items_per_pack;
    int const most = Work::most_threads / Work::threads_per_item;
    int const per_block = std::clamp((items + wanted - 1) / wanted, 1, std::max(1, most));
    Shape const result{m_blocks > 0 ? m_blocks : std::min(wanted, (items + per_block - 1) / per_block),
                       per_block * Work::threads_per_item, sizeof(Scalar) * Work::shared_values_per_item * per_block};
    cuda::allow_shared_memory(kernel);
    if (has_barrier) {
      cuda::require_resident(name, kernel, result.m_blocks, result.m_threads, result.m_shared_bytes);
    }
    return result;
  }

  template <class Kernel, class... Arguments>
  void launch(cudaStream_t stream, Kernel kernel, const Shape& shape, const Arguments&... arguments) {
    // The state serves one launch at a time.
    m_done.wait(stream);
    cuda::launch(stream, kernel, shape.m_blocks, shape.m_threads, shape.m_shared_bytes,
                 has_barrier ? cuda::Dependency::cooperative : cuda::Dependency::complete, arguments..., m_state.data(),
                 m_map, PlaneTable{m_packs.data(), m_first.data(), m_planes, m_finished.data()});
    m_done.record(stream);
  }

  using SolveKernel = decltype(&block_ilu0_persistent_solve<turns, Scalar, n, Storage, W>);

  // Kept, because a kernel template has an address of its own in each translation unit, and what is set for one does
  // not hold for the others.
  SolveKernel m_solve_kernel = block_ilu0_persistent_solve<turns, Scalar, n, Storage, W>;
  Map m_map;
  cuda::DeviceArray<PlanePack> m_packs;
  cuda::DeviceArray<std::int64_t> m_first;
  cuda::DeviceArray<PersistentState> m_state;
  cuda::DeviceArray<int> m_finished;
  cuda::Event m_done;
  int m_planes = 0;
  int m_largest = 0;  ///< packs of a plane
  int m_blocks = 0;   ///< asked for
  Shape m_solve_launch;
};

#endif

}  // namespace hyperplane::detail
