// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the machine can do, for the roofline: copy, triad and read bandwidth, and multiply-adds in registers.

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

using Exec = Kokkos::DefaultHostExecutionSpace;

/// Enough independent accumulators to hide the latency of a multiply-add in vectors of any width.
constexpr int accumulators = 96;
constexpr std::int64_t rounds = 2'000'000;

/// Multiply-adds on every thread; returns their number times two.
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

std::shared_ptr<void> register_machine(const Settings& settings) {
  Exec const exec;
  auto const stream = std::make_shared<Stream<Exec>>(exec, settings.stream_bytes);
  auto const add = [&](const std::string& name, auto&& body) {
    benchmark::RegisterBenchmark("machine/" + name, body)
        ->Iterations(settings.repetitions)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  add("copy",
      [=](benchmark::State& state) { time_bandwidth(state, exec, stream->copy_bytes(), [&] { stream->copy(exec); }); });
  add("triad", [=](benchmark::State& state) {
    time_bandwidth(state, exec, stream->triad_bytes(), [&] { stream->triad(exec); });
  });
  add("read",
      [=](benchmark::State& state) { time_bandwidth(state, exec, stream->read_bytes(), [&] { stream->read(exec); }); });
  std::int64_t const count = settings.smoke ? rounds / 1000 : rounds;
  add("multiply_add", [=](benchmark::State& state) {
    Samples times;
    double flops = 0.0;
    for (auto _ : state) {
      times.add(seconds_of(exec, [&] { flops = multiply_add(exec, count); }));
      state.SetIterationTime(times.seconds().back());
    }
    state.counters["GFLOP/s"] = 1e-9 * flops / times.best();
  });
  return stream;
}

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  using namespace hyperplane::perf;
  return run_benchmarks(argc, argv, register_machine);
}
