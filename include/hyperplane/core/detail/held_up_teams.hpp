// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Notices when other processes take cores that teams of threads need, for the whole program.
///
/// A team ends with its last thread, and one that has lost its core to another process gets it back after a time slice,
/// some milliseconds, in which many kernels would have run. When a kernel has taken that much longer than its work
/// explains, kernels that are not much longer than a time slice are therefore left to the calling thread for a while:
/// at first for a short one, so that a quiet machine loses nothing by a single incident, and for twice as long whenever
/// that happens again soon.
class HeldUpTeams {
 public:
  using Clock = std::chrono::steady_clock;

  /// Whether a kernel that moves as many bytes is better done alone at this time.
  static bool alone(Clock::time_point now, double bytes, int threads) {
    // Relaxed here and below: whoever sees an older value runs a kernel in the other way, which is right too.
    return ticks(now) < s_alone_until.load(std::memory_order_relaxed) && bytes * threads < most_bytes;
  }

  /// A team took from `begin` until now.
  static void note(Clock::time_point begin, double bytes) {
    auto const end = Clock::now();
    auto const expected = std::chrono::duration<double>(bytes / slow_bytes_per_second);
    if (end - begin < shortest_delay + expected) return;
    auto const now = ticks(end);
    auto const quiet = now - s_alone_until.load(std::memory_order_relaxed);
    auto const last = s_alone_for.load(std::memory_order_relaxed);
    auto const next = quiet < soon * last ? std::min(2 * last, longest) : shortest;
    s_alone_for.store(next, std::memory_order_relaxed);
    s_alone_until.store(now + next, std::memory_order_relaxed);
  }

 private:
  using Ticks = std::int64_t;  ///< nanoseconds
  static Ticks ticks(Clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  }

  // A fraction of a time slice.
  static constexpr std::chrono::microseconds shortest_delay{800};
  // A thread of any machine is faster.
  static constexpr double slow_bytes_per_second = 2e9;
  // Times the number of threads: the more there are, the more a kernel gains by them.
  static constexpr double most_bytes = 64.0 * 1024 * 1024;
  static constexpr Ticks shortest = 5'000'000;
  static constexpr Ticks longest = 100'000'000;
  // Of the time alone before.
  static constexpr Ticks soon = 4;

  inline static std::atomic<Ticks> s_alone_until{0};
  inline static std::atomic<Ticks> s_alone_for{shortest};
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
