// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <vector>

namespace hyperplane::run_time {

/// Seconds of the solves of a preconditioner, from measure() on.
class SolveTimes {
 public:
  void measure() { m_measured = true; }
  const std::vector<double>& seconds() const { return m_seconds; }

  /// Calls solve(); waits before and behind it where it is measured.
  template <class Exec, class Solve>
  void run(const Exec& exec, const Solve& solve) {
    if (!m_measured) return solve();
    exec.fence("Hyperplane: time of a preconditioner");
    Kokkos::Timer const timer;
    solve();
    exec.fence("Hyperplane: time of a preconditioner");
    m_seconds.push_back(timer.seconds());
  }

 private:
  bool m_measured = false;
  std::vector<double> m_seconds;
};

}  // namespace hyperplane::run_time
