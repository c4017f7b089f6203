// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness.hpp"
#include "stream.hpp"

#include <benchmark/benchmark.h>

#include <functional>

namespace hyperplane::perf {

/// Times this library and another one in turns, with triad between them. The time of the benchmark is the other one's;
/// speedup is its time over Hyperplane's, best over best, and the median over the repetitions of the ratio of
/// neighbours in time.
template <class Exec>
void compare(benchmark::State& state, const Exec& exec, const Stream<Exec>& stream,
             const std::function<void()>& hyperplane, const std::function<void()>& other) {
  hyperplane();
  other();
  Samples hyperplane_times;
  Samples other_times;
  Samples triad_times;
  for (auto _ : state) {
    hyperplane_times.add(seconds_of(exec, hyperplane));
    other_times.add(seconds_of(exec, other));
    triad_times.add(seconds_of(exec, [&] { stream.triad(exec); }));
    state.SetIterationTime(other_times.seconds().back());
  }
  state.counters["triad_GB/s"] = 1e-9 * stream.triad_bytes() / triad_times.best();
  state.counters["best_ms"] = 1e3 * other_times.best();
  state.counters["median_ms"] = 1e3 * other_times.median();
  state.counters["hyperplane_best_ms"] = 1e3 * hyperplane_times.best();
  state.counters["hyperplane_median_ms"] = 1e3 * hyperplane_times.median();
  state.counters["speedup"] = other_times.best() / hyperplane_times.best();
  state.counters["speedup_median"] = median_ratio(other_times, hyperplane_times);
}

}  // namespace hyperplane::perf
