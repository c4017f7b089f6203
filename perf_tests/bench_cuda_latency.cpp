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
#include "support/cuda_launches.hpp"
#include "support/cuda_support.hpp"
#include "support/harness.hpp"
#include "support/latency_kernels.hpp"
#include "support/suites.hpp"

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {

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
    add_benchmark(
        m_settings, "latency/" + chain.name, [=, this](benchmark::State& state) { time_chain(state, chain); },
        benchmark::kMicrosecond);
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

  template <bool programmatic>
  void enqueue_launches(const Values& values, int count) const {
    std::vector<cudaLaunchAttribute> attributes;
    if (programmatic) attributes.push_back(programmatic_launch());
    for (int step = 0; step < count; ++step) {
      launch(stream(), launch_step<programmatic>, m_blocks, chain_threads, 0, attributes, values.data(), step);
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
    auto const graph = capture(stream(), [=, this] { enqueue_launches<programmatic>(values, count); });
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

  template <class Barrier>
  void register_grid_barrier(const std::string& kind) {
    int const count = steps(4000);
    Values const values("values", 2 * m_blocks);
    Kokkos::View<unsigned, Kokkos::CudaSpace> const counter("counter");
    auto const run = [=, this](auto kernel) {
      clear(values);
      check_cuda(cudaMemsetAsync(counter.data(), 0, sizeof(unsigned), stream()));
      launch(stream(), kernel, m_blocks, barrier_threads, 0, {cooperative_launch()}, values.data(), counter.data(),
             count);
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
                    launch(stream(), with_values ? cluster_chain<true> : cluster_chain<false>, size, barrier_threads, 0,
                           {cluster_launch(size)}, values.data(), count);
                  });
    }
    add_barrier("block_barrier/" + std::to_string(barrier_threads), barrier_threads / 32,
                [this](bool with_values, const Values& values, int count) {
                  launch(stream(), with_values ? block_chain<true> : block_chain<false>, 1, barrier_threads, 0, {},
                         values.data(), count);
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
           launch(stream(), kernel, blocks, 32, whole_multiprocessor_bytes, {cooperative_launch()}, boxes.data(),
                  values.data(), *next_stamp, count);
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
           launch(stream(), kernel, blocks, 32, whole_multiprocessor_bytes, {cluster_launch(blocks)}, values.data(),
                  count);
         },
         check_ring(values, lanes, count * blocks, name)});
  }

  Settings m_settings;
  /// With a stream of its own: the legacy default stream cannot be captured.
  Kokkos::Cuda m_exec = Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1).front();
  int m_blocks;
  DeviceTimer m_timer;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_suites<hyperplane::perf::Suite>(argc, argv); }
