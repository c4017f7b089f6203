// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/harness.hpp"
#include "../support/stream.hpp"

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <functional>

namespace hyperplane::perf::on_devices {

/// Times what runs on several devices, with a copy on the first one next to every repetition. Runs follow one another
/// for some milliseconds; fence() waits for all of them. `bytes` are those of a run.
inline void time_run(benchmark::State& state, const Kokkos::Cuda& exec, const Stream<Kokkos::Cuda>& stream, int devices,
                     double bytes, const std::function<void()>& run, const std::function<void()>& fence) {
  auto const seconds = [&](int count) {
    fence();
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) run();
    fence();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count;
  };
  seconds(1);
  int const batch = 1 + static_cast<int>(4e-3 / std::max(seconds(1), 1e-6));
  Samples times;
  Samples copies;
  for (auto _ : state) {
    times.add(seconds(batch));
    copies.add(seconds_of(exec, [&] { stream.copy(exec); }));
    state.SetIterationTime(times.seconds().back());
  }
  double const copy = stream.copy_bytes() / copies.best();
  state.counters["devices"] = devices;
  state.counters["best_ms"] = 1e3 * times.best();
  state.counters["median_ms"] = 1e3 * times.median();
  state.counters["GB/s"] = 1e-9 * bytes / times.best();
  state.counters["copy_GB/s"] = 1e-9 * copy;
  state.counters["of_copy"] = bytes / times.best() / (devices * copy);
  state.counters["batch"] = batch;
}

}  // namespace hyperplane::perf::on_devices
