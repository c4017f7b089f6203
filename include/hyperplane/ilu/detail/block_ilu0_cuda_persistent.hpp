// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/event.hpp>
#include <hyperplane/cuda/grid_barrier.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_entries.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_places.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_rows.hpp>
#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// BILU(0) as one persistent kernel for each sweep pair and factorization: a block for each multiprocessor goes through
/// all hyperplanes, fetching batches of points, with a barrier of the whole grid after each plane.
namespace hyperplane::detail {

#if defined(__CUDACC__)

/// How the blocks of a persistent kernel share a plane and wait for one another.
enum class PlaneTurns {
  thread_recycling,  ///< batches by an atomic counter, barrier by an atomic word
  cooperative        ///< batches in turn, barrier of cooperative groups
};

/// Words of device memory that persistent kernels synchronise by, zero before the first launch. One launch at a time.
struct PersistentState {
  unsigned int m_barrier;
  unsigned int m_counters[2];
};

/// PlanePacks for kernels.
struct PlaneTable {
  const PlanePack* m_packs;
  const std::int64_t* m_first;
  int m_planes;
};

/// What the blocks do in one turn, that is, on one plane.
template <PlaneTurns turns, class Work>
class PlaneVisitor {
  static constexpr bool recycling = turns == PlaneTurns::thread_recycling;

 public:
  __device__ PlaneVisitor(const PlaneTable& table, PersistentState* state, int turn)
      : m_table(table), m_state(state), m_turn(turn) {}

  /// Visits the planes first, first + step, ..., last; the grid is synchronised after each, after the last one too only
  /// if `more` follows. Returns the number of turns taken so far.
  ///
  /// The tables are read as far ahead as they are needed: the bounds of a plane two turns before, the block's own pack
  /// of it one turn before, its coefficients just before the barrier.
  __device__ int visit(Work& work, int first, int last, int step, bool more) {
    m_now = bounds(first);
    auto next = bounds(first + step);
    work.load(first, pack(m_now, blockIdx.x), part(blockIdx.x));
    for (int plane = first;; plane += step) {
      bool const is_last = plane == last;
      auto const next_pack = pack(next, blockIdx.x);
      auto const after_next = bounds(plane + 2 * step);
      visit(work, plane);
      if (is_last && !more) return m_turn;
      if constexpr (recycling) {
        cuda::GridBarrier const barrier(&m_state->m_barrier);
        auto const token = barrier.arrive();
        if (!is_last) work.load(plane + step, next_pack, part(blockIdx.x));
        barrier.wait(token);
        // All have drawn their last from this turn's counter, and none draws from it again before the next barrier.
        if (blockIdx.x == 0 && threadIdx.x == 0) m_state->m_counters[m_turn % 2] = 0;
      } else {
        __syncthreads();
        if (!is_last) work.load(plane + step, next_pack, part(blockIdx.x));
        cooperative_groups::this_grid().sync();
      }
      ++m_turn;
      if (is_last) return m_turn;
      m_now = next;
      next = after_next;
    }
  }

 private:
  /// The items of a plane: parts of packs.
  struct Items {
    std::int64_t m_first_pack;
    int m_count;
  };

  __device__ static int items_per_block() { return blockDim.x / Work::threads_per_item; }
  __device__ static int item(int batch) { return batch * items_per_block() + threadIdx.x / Work::threads_per_item; }
  __device__ static int part(int batch) { return item(batch) % Work::items_per_pack; }
  __device__ PlanePack pack(const Items& items, int batch) const {
    int const number = item(batch);
    return number < items.m_count ? m_table.m_packs[items.m_first_pack + number / Work::items_per_pack] : no_pack();
  }
  __device__ Items bounds(int plane) const {
    if (plane < 0 || plane >= m_table.m_planes) return {0, 0};
    auto const first = m_table.m_first[plane];
    return {first, static_cast<int>(m_table.m_first[plane + 1] - first) * Work::items_per_pack};
  }

  /// The first batch of a block is its own, so that its coefficients can be fetched before the barrier; more are drawn
  /// while the batch before is under way.
  __device__ void visit(Work& work, int plane) {
    __shared__ int drawn;
    int const blocks = gridDim.x;
    int const batches = (m_now.m_count + items_per_block() - 1) / items_per_block();
    for (int batch = blockIdx.x; batch < batches;) {
      int next = batch + blocks;
      if constexpr (recycling) {
        // Relaxed: the number says only whose batch it is; the data of other planes are ordered by the barrier.
        if (batches > blocks && threadIdx.x == 0) next = blocks + atomicAdd(&m_state->m_counters[m_turn % 2], 1u);
      }
      work.finish();
      if (batches <= blocks) return;
      __syncthreads();
      if constexpr (recycling) {
        if (threadIdx.x == 0) drawn = next;
        __syncthreads();
        next = drawn;
      }
      if (next < batches) work.load(plane, pack(m_now, next), part(next));
      batch = next;
    }
  }

  PlaneTable m_table;
  PersistentState* m_state;
  int m_turn;
  Items m_now;
};

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
    block_ilu0_persistent_solve(SweepArguments<Scalar, Storage> arguments, Sweeps sweeps, PersistentState* state,
                                PencilMap<W> map, PlaneTable table) {
  extern __shared__ __align__(16) unsigned char bytes[];
  auto* const shared = reinterpret_cast<Scalar*>(bytes);
  using Forward = SweepWork<Sweep::forward, Scalar, n, Storage, W>;
  using Backward = SweepWork<Sweep::backward, Scalar, n, Storage, W>;
  int const last = table.m_planes - 1;
  int turn = 0;
  if (sweeps != Sweeps::backward) {
    Forward forward(map, arguments, shared);
    turn = PlaneVisitor<turns, Forward>(table, state, turn).visit(forward, 0, last, 1, sweeps == Sweeps::both);
    if (sweeps == Sweeps::forward) return;
    arguments.m_rhs = arguments.m_x;
  }
  Backward backward(map, arguments, shared);
  PlaneVisitor<turns, Backward>(table, state, turn).visit(backward, last, 0, -1, false);
}

template <PlaneTurns turns, class Scalar, int n, class Storage, class MatrixStorage, int W>
__global__ void __launch_bounds__(FactorEntries<Scalar, n, Storage, MatrixStorage, W>::most_threads, 1)
    block_ilu0_persistent_factor(FactorArguments<Storage, MatrixStorage> arguments, PersistentState* state,
                                 PencilMap<W> map, PlaneTable table) {
  extern __shared__ __align__(16) unsigned char bytes[];
  using Work = FactorEntries<Scalar, n, Storage, MatrixStorage, W>;
  Work work(map, arguments, reinterpret_cast<Scalar*>(bytes));
  PlaneVisitor<turns, Work>(table, state, 0).visit(work, 0, table.m_planes - 1, 1, false);
}

/// Plan of the thread_recycling and cooperative paths. factor and solve allocate nothing, wait for nothing and are
/// asynchronous on the stream. One host thread at a time; calls on different streams run one after the other.
///
/// Launches are cooperative for both kinds of turns: all blocks start together or not at all, so that two such kernels
/// cannot each hold multiprocessors that the other one waits for.
template <PlaneTurns turns, class Scalar, int n, class Storage, int W>
class BlockIlu0CudaPersistent {
 public:
  using Map = PencilMap<W>;
  using Factors = BlockIlu0Factors<Storage, n, W>;
  using Vector = BlockVectorRef<Scalar, n, W>;

  /// Throws Error if `blocks` of them could not be resident at the same time; 0: one for each multiprocessor, fewer for
  /// a grid whose planes have no work for so many.
  BlockIlu0CudaPersistent(cudaStream_t stream, const Map& map, int blocks = 0) : m_map(map) {
    PlanePacks const planes(map);
    m_packs = cuda::DeviceArray<PlanePack>(stream, planes.packs());
    m_first = cuda::DeviceArray<std::int64_t>(stream, planes.firsts());
    m_state = cuda::DeviceArray<PersistentState>(stream, 1);
    m_planes = planes.planes();
    m_largest = planes.largest();
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
    for (int v = 0; v < count; ++v) {
      launch(stream, m_solve_kernel, m_solve_launch,
             SweepArguments<Scalar, Storage>{factors.m_lower.pack_data(0), factors.m_upper.pack_data(0),
                                             rhs[v].packs().pack_data(0), x[v].packs().pack_data(0)},
             sweeps);
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
    cuda::require_resident(name, kernel, result.m_blocks, result.m_threads, result.m_shared_bytes);
    return result;
  }

  template <class Kernel, class... Arguments>
  void launch(cudaStream_t stream, Kernel kernel, const Shape& shape, const Arguments&... arguments) {
    // The state serves one launch at a time.
    m_done.wait(stream);
    cuda::launch(stream, kernel, shape.m_blocks, shape.m_threads, shape.m_shared_bytes, cuda::Dependency::cooperative,
                 arguments..., m_state.data(), m_map, PlaneTable{m_packs.data(), m_first.data(), m_planes});
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
  cuda::Event m_done;
  int m_planes = 0;
  int m_largest = 0;  ///< packs of a plane
  int m_blocks = 0;   ///< asked for
  Shape m_solve_launch;
};

#endif

}  // namespace hyperplane::detail
