// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the machine can do, for the roofline: copy, triad and read bandwidth, and multiply-adds in registers; the same
// bandwidths of a device where there is one.

#include "support/harness.hpp"

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace hyperplane::perf {
namespace {

/// Enough independent accumulators to hide the latency of a multiply-add in vectors of any width.
constexpr int accumulators = 96;
constexpr std::int64_t rounds = 2'000'000;

/// Multiply-adds on every thread of the host; returns their number times two.
template <class Exec>
double multiply_add(const Exec& exec, std::int64_t count) {
  int const threads = exec.concurrency();
  double sum = 0.0;
  Kokkos::parallel_reduce(
      "Hyperplane::perf::multiply_add", Kokkos::RangePolicy<Exec>(exec, 0, threads),
      KOKKOS_LAMBDA(int thread, double& total) {
        double values[accumulators];
        for (int a = 0; a < accumulators; ++a) values[a] = thread + a;
        for (std::int64_t round = 0; round < count; ++round) {
          for (int a = 0; a < accumulators; ++a) values[a] = values[a] * 0.999 + 1e-3;
        }
        for (int a = 0; a < accumulators; ++a) total += values[a];
      },
      sum);
  if (!(sum > 0.0)) throw std::runtime_error("multiply-adds went wrong");
  return 2.0 * accumulators * static_cast<double>(count) * threads;
}

template <class Exec>
void time_bandwidth(benchmark::State& state, const Exec& exec, double bytes, const std::function<void()>& kernel) {
  kernel();
  Samples times;
  for (auto _ : state) {
    times.add(seconds_of(exec, kernel));
    state.SetIterationTime(times.seconds().back());
  }
  state.counters["GB/s"] = 1e-9 * bytes / times.best();
  state.counters["median_GB/s"] = 1e-9 * bytes / times.median();
}

void add(const Settings& settings, const std::string& name, const std::function<void(benchmark::State&)>& body) {
  add_benchmark(settings, "machine/" + name, body);
}

template <class Exec>
std::shared_ptr<Stream<Exec>> register_bandwidths(const Settings& settings, const std::string& prefix) {
  Exec const exec;
  auto const stream = std::make_shared<Stream<Exec>>(exec, settings.stream_bytes<Exec>());
  add(settings, prefix + "copy",
      [=](benchmark::State& state) { time_bandwidth(state, exec, stream->copy_bytes(), [&] { stream->copy(exec); }); });
  add(settings, prefix + "triad", [=](benchmark::State& state) {
    time_bandwidth(state, exec, stream->triad_bytes(), [&] { stream->triad(exec); });
  });
  add(settings, prefix + "read",
      [=](benchmark::State& state) { time_bandwidth(state, exec, stream->read_bytes(), [&] { stream->read(exec); }); });
  return stream;
}

std::shared_ptr<void> register_machine(const Settings& settings) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  Host const host;
  auto const stream = register_bandwidths<Host>(settings, "");
  std::int64_t const count = settings.smoke ? rounds / 1000 : rounds;
  add(settings, "multiply_add", [=](benchmark::State& state) {
    Samples times;
    double flops = 0.0;
    for (auto _ : state) {
      times.add(seconds_of(host, [&] { flops = multiply_add(host, count); }));
      state.SetIterationTime(times.seconds().back());
    }
    state.counters["GFLOP/s"] = 1e-9 * flops / times.best();
  });
#if defined(KOKKOS_ENABLE_CUDA)
  Kokkos::Cuda const device;
  auto const device_stream = register_bandwidths<Kokkos::Cuda>(settings, "device_");
  add(settings, "device_copy_loop", [=](benchmark::State& state) {
    time_bandwidth(state, device, device_stream->copy_bytes(), [&] { device_stream->copy_loop(device); });
  });
#endif
  return stream;
}

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  return hyperplane::perf::run_benchmarks(argc, argv, hyperplane::perf::register_machine);
}
