// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cost_model.hpp"
#include "stream.hpp"

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hyperplane::perf {

/// What the command line of every benchmark chooses besides Google Benchmark's and Kokkos's own options.
struct Settings {
  bool smoke = false;    ///< small sizes and few repetitions: does it work, not how fast is it
  int repetitions = 25;  ///< timed runs of each kernel
  std::size_t host_stream_bytes = std::size_t{128} << 20;  ///< of each of the three arrays
  std::size_t device_stream_bytes = std::size_t{1} << 30;  ///< the same on a device, whose bandwidth needs more to show

  template <class Exec>
  std::size_t stream_bytes() const {
    return HostExecutionSpace<Exec> ? host_stream_bytes : device_stream_bytes;
  }
};

/// The grids that solvers are measured on.
inline std::vector<Grid> grids_of(const Settings& settings) {
  if (settings.smoke) return {Grid(13, 6, 7)};
  return {Grid(32, 32, 32), Grid(64, 64, 64), Grid(96, 96, 96)};
}

/// The main function of a benchmark: initializes Kokkos, takes --smoke and --repetitions=N out of the arguments, lets
/// `register_benchmarks` register them, writes machine, compiler, Kokkos and threads into the context of the JSON
/// file, and runs. What `register_benchmarks` returns is kept until all of them have run. Returns the exit status; an
/// exception, such as a verification that fails, ends the run with status 1. `reporter`: that of Google Benchmark where
/// there is none.
int run_benchmarks(int argc, char** argv,
                   const std::function<std::shared_ptr<void>(const Settings&)>& register_benchmarks,
                   benchmark::BenchmarkReporter* reporter = nullptr);

/// Processes that run the same benchmarks side by side, as ranks of MPI do: one begins when all are there, and its time
/// is that of the slowest. All of them move the bytes that are counted.
struct Processes {
  int count = 1;
  /// The largest of their numbers, when all of them are there.
  std::function<double(double)> largest = [](double number) { return number; };
};

/// Registers a benchmark of `body` that sets its own times, as many as the settings have repetitions.
void add_benchmark(const Settings& settings, const std::string& name,
                   const std::function<void(benchmark::State&)>& body,
                   benchmark::TimeUnit unit = benchmark::kMillisecond);

/// Times `kernel` with copy and triad next to every run of it, and sets the counters. Times are of the whole kernel,
/// with the fence that waits for it. Counters:
///   GB/s, GFLOP/s, ns/point        from the best time and the cost model
///   triad_GB/s, copy_GB/s          best of the same loop
///   of_triad, of_copy              best over best
///   of_triad_median                median over the repetitions of the ratio of neighbours in time
///   best_ms, median_ms
///   batch                          runs in a row that one time is the mean of, as many as take at least `enough`
///   seconds
/// With `processes`, `stream` is the share of each of them; `points` are those of all.
template <class Exec>
void time_kernel(benchmark::State& state, const Exec& exec, const Stream<Exec>& stream, std::int64_t points,
                 const Cost& cost, const std::function<void()>& kernel, double enough = 0.0,
                 const Processes& processes = {}) {
  auto const time = [&](auto&& run) {
    processes.largest(0);
    return processes.largest(seconds_of(exec, run));
  };
  kernel();
  constexpr double most = 1e6;
  double const once = std::max(time(kernel), 1e-9);
  int const batch = enough > 0 ? 1 + static_cast<int>(std::min(enough / once, most)) : 1;
  stream.copy(exec);
  stream.triad(exec);
  Samples kernel_times;
  Samples copy_times;
  Samples triad_times;
  for (auto _ : state) {
    auto const run = [&] {
      for (int i = 0; i < batch; ++i) kernel();
    };
    kernel_times.add(time(run) / batch);
    triad_times.add(time([&] { stream.triad(exec); }));
    copy_times.add(time([&] { stream.copy(exec); }));
    state.SetIterationTime(kernel_times.seconds().back());
  }
  double const giga = 1e-9;
  double const bytes = cost.bytes * static_cast<double>(points);
  double const bandwidth = giga * bytes / kernel_times.best();
  double const triad = giga * processes.count * stream.triad_bytes() / triad_times.best();
  double const copy = giga * processes.count * stream.copy_bytes() / copy_times.best();
  state.counters["GB/s"] = bandwidth;
  state.counters["triad_GB/s"] = triad;
  state.counters["copy_GB/s"] = copy;
  state.counters["of_triad"] = bandwidth / triad;
  state.counters["of_copy"] = bandwidth / copy;
  state.counters["of_triad_median"] =
      median_ratio(triad_times, kernel_times) * bytes / (processes.count * stream.triad_bytes());
  state.counters["GFLOP/s"] = giga * cost.flops * static_cast<double>(points) / kernel_times.best();
  state.counters["flop/byte"] = cost.flops / cost.bytes;
  state.counters["bytes/point"] = cost.bytes;
  state.counters["ns/point"] = 1e9 * kernel_times.best() / static_cast<double>(points);
  state.counters["best_ms"] = 1e3 * kernel_times.best();
  state.counters["median_ms"] = 1e3 * kernel_times.median();
  state.counters["batch"] = batch;
}

}  // namespace hyperplane::perf
