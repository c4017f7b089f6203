// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one dependency costs on the device, in microseconds: the time of a chain of steps, each of which needs the one
// before, divided by their number. Every chain carries values that are checked, before it is timed and after every
// timed run.
//
//   launch/...         a kernel for each step; every block adds one to what another block wrote in the step before
//   grid_barrier/...   one kernel, one block on each multiprocessor, the same step between barriers; .../alone is the
//                      barrier without loads and stores of values
//   cluster_barrier/, block_barrier/   the same through (distributed) shared memory
//   point_to_point/..., cluster/...    one hop of a token that goes round a ring of blocks, each on a multiprocessor
//                      of its own, or to and fro between two; the token is a value for each lane of one warp

#include "support/cuda_channels.hpp"
#include "support/cuda_support.hpp"
#include "support/harness.hpp"

#include <benchmark/benchmark.h>
#include <cooperative_groups.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {

using Value = std::uint64_t;

/// One step of a chain: a block adds one to what the next block wrote in the step before. Two arrays take turns, so
/// that one barrier a step is enough; after s steps every value of array s % 2 is s.
struct ChainStep {
  __device__ explicit ChainStep(Value* values)
      : m_own(address(values + blockIdx.x)), m_next(address(values + (blockIdx.x + 1) % gridDim.x)) {}

  __device__ void operator()(int step) const {
    auto const size = static_cast<unsigned>(sizeof(Value)) * gridDim.x;
    auto const before = step % 2 == 0 ? 0 : size;
    channel::DeviceMemory::store(m_own + (size - before), channel::DeviceMemory::load(m_next + before) + 1);
  }

 private:
  static __device__ char* address(Value* value) { return reinterpret_cast<char*>(value); }
  char* m_own;
  char* m_next;
};

template <bool programmatic>
__global__ void launch_step(Value* values, int step) {
  if constexpr (programmatic) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("griddepcontrol.wait;" ::: "memory");
  }
  if (threadIdx.x == 0) ChainStep{values}(step);
}

struct AtomicBarrier {
  /// Barrier number `step` of this launch; `counter` was zero before it. False where it gave up.
  static __device__ bool wait(unsigned* counter, int step) {
    __shared__ int looks;
    __syncthreads();
    if (threadIdx.x == 0) {
      auto const target = gridDim.x * static_cast<unsigned>(step + 1);
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
      unsigned seen = 0;
      looks = 0;
      do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
      } while (seen < target && ++looks < channel::patience);
    }
    __syncthreads();
    return looks < channel::patience;
  }
};

struct CooperativeBarrier {
  static __device__ bool wait(unsigned*, int) {
    cooperative_groups::this_grid().sync();
    return true;
  }
};

template <class Barrier, bool with_values>
__global__ void grid_chain(Value* values, unsigned* counter, int steps) {
  ChainStep const chain_step(values);
  for (int step = 0; step < steps; ++step) {
    if (with_values && threadIdx.x == 0) chain_step(step);
    if (!Barrier::wait(counter, step)) return;
  }
}

__device__ inline unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline unsigned cluster_size() {
  unsigned size;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}
__device__ inline unsigned multiprocessor() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}
__device__ inline void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
/// The address of a place of the own shared memory in that of another block of the cluster.
__device__ inline std::uint32_t in_block(std::uint32_t address, unsigned rank) {
  std::uint32_t mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

template <bool with_values>
__global__ void cluster_chain(Value* values, int steps) {
  __shared__ Value slots[2];
  auto const rank = cluster_rank();
  auto const address = static_cast<std::uint32_t>(__cvta_generic_to_shared(slots));
  auto const neighbour = in_block(address, (rank + 1) % cluster_size());
  if (threadIdx.x == 0) slots[0] = slots[1] = 0;
  cluster_barrier();
  for (int step = 0; step < steps; ++step) {
    if (with_values && threadIdx.x == 0) {
      Value value;
      asm volatile("ld.relaxed.cluster.shared::cluster.u64 %0, [%1];"
                   : "=l"(value)
                   : "r"(neighbour + 8 * (step % 2))
                   : "memory");
      channel::ClusterMemory::store(address + 8 * ((step + 1) % 2), value + 1);
    }
    cluster_barrier();
  }
  if (threadIdx.x == 0) values[rank] = slots[steps % 2];
}

/// With values, every warp reads what another one wrote.
template <bool with_values>
__global__ void block_chain(Value* values, int steps) {
  __shared__ Value slots[2][32];
  int const warps = static_cast<int>(blockDim.x) / 32;
  int const warp = static_cast<int>(threadIdx.x) / 32;
  int const neighbour = (warp + 1) % warps;
  bool const works = threadIdx.x % 32 == 0;
  if (works) slots[0][warp] = slots[1][warp] = 0;
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    if (with_values && works) slots[(step + 1) % 2][warp] = slots[step % 2][neighbour] + 1;
    __syncthreads();
  }
  if (works) values[warp] = slots[steps % 2][warp];
}

/// What a ring leaves: each lane of block 0 its value, and each block its multiprocessor after them. No value where a
/// block gave up.
__device__ inline void report_ring(Value* values, unsigned block, int lanes, bool ok, Value value) {
  if (block == 0) values[threadIdx.x] = ok ? value : 0;
  if (threadIdx.x == 0) values[lanes + block] = multiprocessor();
}

/// A token goes `rounds` times round all blocks, and every block adds one: block 0 sends first and receives last.
template <class Channel, int lanes>
__device__ bool pass_round(typename Channel::Address own, typename Channel::Address next, bool first, Value first_stamp,
                           int rounds, Value& value) {
  int const lane = static_cast<int>(threadIdx.x);
  bool ok = true;
  for (int round = 0; ok && round < rounds; ++round) {
    if (first) Channel::send(next, lane, first_stamp + round, value + 1);
    ok = Channel::receive(own, lane, first_stamp + round, value);
    if (!first) Channel::send(next, lane, first_stamp + round, value + 1);
  }
  return ok;
}

template <class Channel, int lanes>
__global__ void device_ring(char* boxes, Value* values, Value first_stamp, int rounds) {
  extern __shared__ char whole_multiprocessor[];
  if (threadIdx.x >= lanes) return;
  Value value = threadIdx.x;
  bool const ok = pass_round<Channel, lanes>(boxes + blockIdx.x * channel::box_bytes,
                                             boxes + (blockIdx.x + 1) % gridDim.x * channel::box_bytes, blockIdx.x == 0,
                                             first_stamp, rounds, value);
  report_ring(values, blockIdx.x, lanes, ok, value);
}

template <class Channel, int lanes>
__global__ void cluster_ring(Value* values, int rounds) {
  extern __shared__ __align__(128) char box[];
  auto const rank = cluster_rank();
  auto const own = static_cast<std::uint32_t>(__cvta_generic_to_shared(box));
  auto const next = in_block(own, (rank + 1) % cluster_size());
  for (unsigned i = threadIdx.x; i < channel::box_bytes / sizeof(Value); i += blockDim.x) {
    reinterpret_cast<Value*>(box)[i] = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) Channel::prepare(own);
  cluster_barrier();
  Value value = threadIdx.x;
  if (threadIdx.x < lanes) {
    bool const ok = pass_round<Channel, lanes>(own, next, rank == 0, 1, rounds, value);
    report_ring(values, rank, lanes, ok, value);
  }
  // Nobody leaves while another one may still write into its memory.
  cluster_barrier();
}

namespace {

using Values = Kokkos::View<Value*, Kokkos::CudaSpace>;

constexpr int chain_threads = 256;
constexpr int barrier_threads = 512;
/// Of dynamic shared memory: more than half of what a multiprocessor has, so that it holds one such block.
constexpr int whole_multiprocessor_bytes = 200 * 1024;

struct Chain {
  std::string name;
  int steps;
  std::function<void()> run;             ///< enqueues the whole chain
  std::function<void()> check;           ///< of what run() left
  std::function<void()> verify = [] {};  ///< once, for a chain that carries no values: the same with values
};

class Suite {
 public:
  explicit Suite(const Settings& settings)
      : m_settings(settings), m_blocks(m_exec.cuda_device_prop().multiProcessorCount) {}

  void register_all() {
    register_launches();
    register_grid_barriers();
    register_block_barriers();
    register_rings<1>();
    register_rings<32>();
  }

 private:
  cudaStream_t stream() const { return m_exec.cuda_stream(); }
  int steps(int wanted) const { return m_settings.smoke ? 64 : wanted; }

  void add(const Chain& chain) {
    benchmark::RegisterBenchmark(("latency/" + chain.name).c_str(),
                                 [=, this](benchmark::State& state) { time_chain(state, chain); })
        ->Iterations(m_settings.repetitions)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }

  void time_chain(benchmark::State& state, const Chain& chain) const {
    chain.verify();
    chain.run();
    chain.check();
    Samples times;
    for (auto _ : state) {
      times.add(m_timer.seconds(stream(), chain.run) / chain.steps);
      state.SetIterationTime(times.seconds().back());
      chain.check();
    }
    state.counters["best_us"] = 1e6 * times.best();
    state.counters["median_us"] = 1e6 * times.median();
    state.counters["steps"] = chain.steps;
  }

  std::vector<Value> to_host(const Values& values) const {
    std::vector<Value> host(values.size());
    check_cuda(
        cudaMemcpyAsync(host.data(), values.data(), sizeof(Value) * host.size(), cudaMemcpyDeviceToHost, stream()));
    check_cuda(cudaStreamSynchronize(stream()));
    return host;
  }

  void clear(const Values& values) const {
    check_cuda(cudaMemsetAsync(values.data(), 0, sizeof(Value) * values.size(), stream()));
  }

  static void require_value(Value actual, Value expected, const std::string& name) {
    if (actual == expected) return;
    throw std::runtime_error(name + ": a value is " + std::to_string(actual) + " and should be " +
                             std::to_string(expected));
  }

  /// Launches with attributes: a programmatic launch, a cooperative one, a cluster.
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), int blocks, int threads, int shared,
              std::vector<cudaLaunchAttribute> attributes, Arguments... arguments) const {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(shared);
    config.stream = stream();
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned>(attributes.size());
    check_cuda(cudaLaunchKernelEx(&config, kernel, arguments...));
  }

  static cudaLaunchAttribute programmatic_launch() {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    return attribute;
  }
  static cudaLaunchAttribute cooperative_launch() {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    return attribute;
  }
  static cudaLaunchAttribute cluster_launch(int size) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(size);
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    return attribute;
  }

  template <bool programmatic>
  void enqueue_launches(const Values& values, int count) const {
    std::vector<cudaLaunchAttribute> attributes;
    if (programmatic) attributes.push_back(programmatic_launch());
    for (int step = 0; step < count; ++step) {
      launch(launch_step<programmatic>, m_blocks, chain_threads, 0, attributes, values.data(), step);
    }
  }

  /// The chain's values after `count` steps, in the array of the last one.
  auto check_chain(const Values& values, int count, const std::string& name) const {
    return [=, this] {
      auto const host = to_host(values);
      for (int b = 0; b < m_blocks; ++b) require_value(host[count % 2 * m_blocks + b], count, name);
    };
  }

  template <bool programmatic>
  void register_launch_kind(const std::string& kind) {
    int const count = steps(1000);
    Values const values("values", 2 * m_blocks);
    auto const in_stream = "launch/stream" + kind;
    add({in_stream, count,
         [=, this] {
           clear(values);
           enqueue_launches<programmatic>(values, count);
         },
         check_chain(values, count, in_stream)});

    auto const in_graph = "launch/graph" + kind;
    auto const graph = capture([=, this] { enqueue_launches<programmatic>(values, count); });
    add({in_graph, count,
         [=, this] {
           clear(values);
           check_cuda(cudaGraphLaunch(graph.get(), stream()));
         },
         check_chain(values, count, in_graph)});
  }

  void register_launches() {
    register_launch_kind<false>("");
    register_launch_kind<true>("_programmatic");
  }

  using Graph = std::shared_ptr<CUgraphExec_st>;

  template <class Enqueue>
  Graph capture(Enqueue&& enqueue) const {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check_cuda(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
    enqueue();
    check_cuda(cudaStreamEndCapture(stream(), &graph));
    check_cuda(cudaGraphInstantiate(&executable, graph, 0));
    check_cuda(cudaGraphDestroy(graph));
    return Graph(executable, [](cudaGraphExec_t e) { (void)cudaGraphExecDestroy(e); });
  }

  template <class Barrier>
  void register_grid_barrier(const std::string& kind) {
    int const count = steps(4000);
    Values const values("values", 2 * m_blocks);
    Kokkos::View<unsigned, Kokkos::CudaSpace> const counter("counter");
    auto const run = [=, this](auto kernel) {
      clear(values);
      check_cuda(cudaMemsetAsync(counter.data(), 0, sizeof(unsigned), stream()));
      launch(kernel, m_blocks, barrier_threads, 0, {cooperative_launch()}, values.data(), counter.data(), count);
    };
    auto const name = "grid_barrier/" + kind;
    auto const check = check_chain(values, count, name);
    auto const with_values = [=] { run(grid_chain<Barrier, true>); };
    add({name, count, with_values, check});
    add({name + "/alone", count, [=] { run(grid_chain<Barrier, false>); }, [] {},
         [=] {
           with_values();
           check();
         }});
  }

  void register_grid_barriers() {
    register_grid_barrier<AtomicBarrier>("atomic");
    register_grid_barrier<CooperativeBarrier>("cooperative_groups");
  }

  /// A chain in one cluster or one block, which leaves `slots` values.
  void add_barrier(const std::string& name, int slots, const std::function<void(bool, const Values&, int)>& start) {
    int const count = steps(4000);
    Values const values("values", slots);
    auto const check = [=, this] {
      for (auto const value : to_host(values)) require_value(value, count, name);
    };
    auto const with_values = [=, this] {
      clear(values);
      start(true, values, count);
    };
    add({name, count, with_values, check});
    add({name + "/alone", count, [=] { start(false, values, count); }, [] {},
         [=] {
           with_values();
           check();
         }});
  }

  void register_block_barriers() {
    for (int const size : {2, 4, 8, 16}) {
      for (auto const kernel : {cluster_chain<true>, cluster_chain<false>}) {
        check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
      }
      add_barrier("cluster_barrier/" + std::to_string(size), size,
                  [=, this](bool with_values, const Values& values, int count) {
                    launch(with_values ? cluster_chain<true> : cluster_chain<false>, size, barrier_threads, 0,
                           {cluster_launch(size)}, values.data(), count);
                  });
    }
    add_barrier("block_barrier/" + std::to_string(barrier_threads), barrier_threads / 32,
                [this](bool with_values, const Values& values, int count) {
                  launch(with_values ? block_chain<true> : block_chain<false>, 1, barrier_threads, 0, {}, values.data(),
                         count);
                });
  }

  template <int lanes>
  void register_rings() {
    using namespace channel;
    for (int const blocks : {2, m_blocks}) {
      add_device_ring<DataThenFlag<DeviceMemory, lanes>, lanes>("data_then_flag", blocks);
      add_device_ring<Packet<DeviceMemory, lanes>, lanes>("packet_b128", blocks);
      add_device_ring<VectorPacket<DeviceMemory, lanes>, lanes>("packet_v2", blocks);
    }
    for (int const blocks : {2, 8, 16}) {
      add_cluster_ring<DataThenFlag<ClusterMemory, lanes>, lanes>("data_then_flag", blocks);
      add_cluster_ring<Packet<ClusterMemory, lanes>, lanes>("packet_b128", blocks);
      add_cluster_ring<VectorPacket<ClusterMemory, lanes>, lanes>("packet_v2", blocks);
      add_cluster_ring<AsyncStore<ClusterMemory, lanes>, lanes>("async_store", blocks);
    }
  }

  int rounds(int blocks) const { return std::max(1, steps(4000) / blocks); }

  auto check_ring(const Values& values, int lanes, int hops, const std::string& name) const {
    return [=, this] {
      auto const host = to_host(values);
      for (int lane = 0; lane < lanes; ++lane) require_value(host[lane], static_cast<Value>(lane + hops), name);
      std::vector<Value> places(host.begin() + lanes, host.end());
      std::sort(places.begin(), places.end());
      if (std::adjacent_find(places.begin(), places.end()) != places.end()) {
        throw std::runtime_error(name + ": two blocks share a multiprocessor");
      }
    };
  }

  static std::string ring_name(const std::string& group, const std::string& kind, int blocks, int lanes) {
    return group + "/" + kind + "/blocks:" + std::to_string(blocks) + "/lanes:" + std::to_string(lanes);
  }

  template <class Channel, int lanes>
  void add_device_ring(const std::string& kind, int blocks) {
    auto const name = ring_name("point_to_point", kind, blocks, lanes);
    auto const kernel = device_ring<Channel, lanes>;
    int const count = rounds(blocks);
    Values const values("values", lanes + blocks);
    Kokkos::View<char*, Kokkos::CudaSpace> const boxes("boxes", blocks * channel::box_bytes);
    auto const next_stamp = std::make_shared<Value>(1);
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_multiprocessor_bytes));
    add({name, count * blocks,
         [=, this] {
           clear(values);
           launch(kernel, blocks, 32, whole_multiprocessor_bytes, {cooperative_launch()}, boxes.data(), values.data(),
                  *next_stamp, count);
           *next_stamp += static_cast<Value>(count);
         },
         check_ring(values, lanes, count * blocks, name)});
  }

  template <class Channel, int lanes>
  void add_cluster_ring(const std::string& kind, int blocks) {
    auto const name = ring_name("cluster", kind, blocks, lanes);
    auto const kernel = cluster_ring<Channel, lanes>;
    int const count = rounds(blocks);
    Values const values("values", lanes + blocks);
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_multiprocessor_bytes));
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    add({name, count * blocks,
         [=, this] {
           clear(values);
           launch(kernel, blocks, 32, whole_multiprocessor_bytes, {cluster_launch(blocks)}, values.data(), count);
         },
         check_ring(values, lanes, count * blocks, name)});
  }

  Settings m_settings;
  /// With a stream of its own: the legacy default stream cannot be captured.
  Kokkos::Cuda m_exec = Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1).front();
  int m_blocks;
  DeviceTimer m_timer;
};

std::shared_ptr<void> register_suite(const Settings& settings) {
  auto suite = std::make_shared<Suite>(settings);
  suite->register_all();
  return suite;
}

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  using namespace hyperplane::perf;
  return run_benchmarks(argc, argv, register_suite);
}
