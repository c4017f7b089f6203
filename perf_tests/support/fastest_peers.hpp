// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <utility>

namespace hyperplane::perf {

/// The fastest of several peers for each thing that is timed, and the time on the host; what is registered later is
/// compared with them.
class FastestPeers {
 public:
  void note(const std::string& what, const std::string& peer, double seconds) {
    auto const [found, is_first] = m_peers.try_emplace(what, seconds, peer);
    if (!is_first && seconds < found->second.first) found->second = {seconds, peer};
  }
  void note_host(const std::string& what, double seconds) { m_host[what] = seconds; }

  /// The counters speedup and over_host: how many times as fast it is.
  void compare(benchmark::State& state, const std::string& what, double seconds) const {
    if (auto const host = m_host.find(what); host != m_host.end()) {
      state.counters["over_host"] = host->second / seconds;
    }
    auto const fastest = m_peers.find(what);
    if (fastest == m_peers.end()) return;
    state.counters["speedup"] = fastest->second.first / seconds;
    state.SetLabel("than " + fastest->second.second);
  }

 private:
  std::map<std::string, std::pair<double, std::string>> m_peers;
  std::map<std::string, double> m_host;
};

}  // namespace hyperplane::perf
