// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cache.hpp"
#include "harness.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace hyperplane::perf {

/// Benchmarks of kernels in one execution space, timed with copy and triad next to every repetition. Those that follow
/// one another share the problem that they run on.
template <class Exec>
class KernelBenchmarks {
 public:
  /// `enough`: seconds that a measured time lasts at least, of several runs in a row where one takes less, so that
  /// starting a run and waiting for its end are not what is measured.
  explicit KernelBenchmarks(const Settings& settings, double enough = 0.0, const Processes& processes = {})
      : m_settings(settings),
        m_enough(enough),
        m_processes(processes),
        m_stream(std::make_shared<Stream<Exec>>(
            m_exec, settings.stream_bytes<Exec>() / static_cast<std::size_t>(processes.count))) {}

  const Settings& settings() const { return m_settings; }
  const Exec& exec() const { return m_exec; }

  /// A benchmark of run(problem, exec), which moves `cost` per point. make() returns the problem, verified, and is
  /// called where the benchmark before had another `key`. more(state) adds counters. This object must stay where it is.
  template <class Problem>
  void add(const std::string& name, const std::string& key, std::int64_t points, const Cost& cost,
           const std::function<std::shared_ptr<Problem>()>& make, const std::function<void(Problem&, const Exec&)>& run,
           const std::function<void(benchmark::State&)>& more = {}) {
    add_benchmark(m_settings, name, [=, this](benchmark::State& state) {
      auto& problem = m_problem.get<Problem>(key, make);
      time_kernel(state, m_exec, *m_stream, points, cost, [&] { run(problem, m_exec); }, m_enough, m_processes);
      if (more) more(state);
    });
  }

 private:
  Settings m_settings;
  double m_enough;
  Processes m_processes;
  Exec m_exec;
  std::shared_ptr<Stream<Exec>> m_stream;
  Cache m_problem;
};

}  // namespace hyperplane::perf
