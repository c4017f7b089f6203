// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <hyperplane/core/abi.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

struct TimerCount {
  std::int64_t m_count = 0;
  double m_seconds = 0.0;
  double m_bytes = 0.0;
};

/// What Timers are made of: callbacks of Kokkos Tools, and what they have counted.
class TimerCallbacks {
  using Clock = std::chrono::steady_clock;
  using Counts = std::map<std::string, TimerCount, std::less<>>;

 public:
  static void start() {
    std::lock_guard const lock(s_mutex);
    if (running()) return;
    auto callbacks = Kokkos::Tools::Experimental::get_callbacks();
    for_each_place([&](bool& is_ours, auto place, auto ours) {
      if (is_ours) return;
      s_others.*place = callbacks.*place;
      callbacks.*place = ours;
      is_ours = true;
    });
    Kokkos::Tools::Experimental::set_callbacks(callbacks);
    s_running.store(true, std::memory_order_relaxed);
  }

  /// Where another tool has come since, our callback stays under it and passes on what it gets.
  static void stop() {
    std::lock_guard const lock(s_mutex);
    if (!running()) return;
    s_running.store(false, std::memory_order_relaxed);
    auto callbacks = Kokkos::Tools::Experimental::get_callbacks();
    for_each_place([&](bool& is_ours, auto place, auto ours) {
      if (callbacks.*place != ours) return;
      callbacks.*place = s_others.*place;
      is_ours = false;
    });
    Kokkos::Tools::Experimental::set_callbacks(callbacks);
    s_kernels.clear();
  }

  // Relaxed: a flag alone, that orders nothing.
  static bool running() { return s_running.load(std::memory_order_relaxed); }

  static void reset() {
    std::lock_guard const lock(s_mutex);
    s_counts.clear();
  }

  static void add_bytes(std::string_view label, double bytes) {
    std::lock_guard const lock(s_mutex);
    count_of(label).m_bytes += bytes;
  }

  template <class Visitor>
  static void visit(const Visitor& visitor) {
    std::lock_guard const lock(s_mutex);
    for (auto const& [label, count] : s_counts) visitor(label, count);
  }

 private:
  struct Kernel {
    std::string m_label;
    std::uint64_t m_other_id;
    Clock::time_point m_begin;
  };

  static TimerCount& count_of(std::string_view label) {
    auto found = s_counts.find(label);
    if (found == s_counts.end()) found = s_counts.emplace(std::string(label), TimerCount{}).first;
    return found->second;
  }

  using Events = Kokkos::Tools::Experimental::EventSet;

  static void begin_for(const char* label, std::uint32_t device, std::uint64_t* id) {
    begin(label, device, id, s_others.begin_parallel_for);
  }
  static void begin_reduce(const char* label, std::uint32_t device, std::uint64_t* id) {
    begin(label, device, id, s_others.begin_parallel_reduce);
  }
  static void begin_scan(const char* label, std::uint32_t device, std::uint64_t* id) {
    begin(label, device, id, s_others.begin_parallel_scan);
  }
  static void end_for(std::uint64_t id) { end(id, s_others.end_parallel_for); }
  static void end_reduce(std::uint64_t id) { end(id, s_others.end_parallel_reduce); }
  static void end_scan(std::uint64_t id) { end(id, s_others.end_parallel_scan); }

  /// Calls f(whether our callback is there, under another maybe; the place; our callback).
  template <class F>
  static void for_each_place(const F& f) {
    f(s_is_ours[0], &Events::begin_parallel_for, begin_for);
    f(s_is_ours[1], &Events::begin_parallel_reduce, begin_reduce);
    f(s_is_ours[2], &Events::begin_parallel_scan, begin_scan);
    f(s_is_ours[3], &Events::end_parallel_for, end_for);
    f(s_is_ours[4], &Events::end_parallel_reduce, end_reduce);
    f(s_is_ours[5], &Events::end_parallel_scan, end_scan);
  }

  static void begin(const char* label, std::uint32_t device, std::uint64_t* id, Kokkos_Profiling_beginFunction other) {
    if (!running()) {
      if (other != nullptr) other(label, device, id);
      return;
    }
    Kernel kernel{label, 0, {}};
    if (other != nullptr) other(label, device, &kernel.m_other_id);
    std::lock_guard const lock(s_mutex);
    *id = ++s_last_id;
    kernel.m_begin = Clock::now();
    s_kernels.emplace(*id, std::move(kernel));
  }

  static void end(std::uint64_t id, Kokkos_Profiling_endFunction other) {
    auto const now = Clock::now();
    // Of a kernel that began while timers were off, the other's own.
    std::uint64_t other_id = id;
    {
      std::lock_guard const lock(s_mutex);
      if (auto const found = s_kernels.find(id); found != s_kernels.end()) {
        auto const& kernel = found->second;
        auto& count = count_of(kernel.m_label);
        ++count.m_count;
        count.m_seconds += std::chrono::duration<double>(now - kernel.m_begin).count();
        other_id = kernel.m_other_id;
        s_kernels.erase(found);
      }
    }
    if (other != nullptr) other(other_id);
  }

  inline static std::atomic<bool> s_running = false;
  inline static std::mutex s_mutex;
  inline static Counts s_counts;
  inline static std::unordered_map<std::uint64_t, Kernel> s_kernels;
  inline static std::uint64_t s_last_id = 0;
  inline static bool s_is_ours[6] = {};
  inline static Events s_others{};
};

/// Says that the kernel of this label, which is launched next, has to move so many bytes. Costs a test of a flag while
/// timers are off.
inline void count_bytes(std::string_view label, double bytes) {
  if (TimerCallbacks::running()) TimerCallbacks::add_bytes(label, bytes);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
