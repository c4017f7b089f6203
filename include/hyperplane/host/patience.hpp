// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <hyperplane/core/abi.hpp>
#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace hyperplane::inline HYPERPLANE_ABI::host {

/// How a thread waits for another one: for as long as such waits usually take it looks again and again; after that it
/// sleeps between two looks, so that the thread that it waits for, or another process, has its core.
///
/// There is no call that wakes it: the other thread would have to look for sleepers after each of its steps, which all
/// waits would pay for. Nor does it give up its core without sleeping (sched_yield): beside a busy process that costs
/// the rest of a time slice, however soon the wait is over.
class Patience {
  using Clock = std::chrono::steady_clock;

 public:
  /// To be called between two looks.
  void wait() {
    if (m_looks < looks_before_clock) {
      ++m_looks;
      relax();
      return;
    }
    m_looks = 0;
    auto const now = Clock::now();
    if (m_end == Clock::time_point{}) m_end = now + spinning;
    if (now >= m_end) std::this_thread::sleep_for(sleeping);
  }

 private:
  static constexpr int looks_before_clock = 32;
  // Longer than all waits of a sweep on a quiet machine, and short beside a time slice, which has some milliseconds.
  static constexpr std::chrono::microseconds spinning{50};
  static constexpr std::chrono::microseconds sleeping{50};

  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  int m_looks = 0;
  Clock::time_point m_end{};
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
