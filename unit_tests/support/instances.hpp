// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <atomic>
#include <chrono>
#include <hyperplane/core/concepts.hpp>
#include <thread>

namespace hyperplane::test {

/// An instance of the execution space that is not the default one.
template <class Exec>
struct OtherInstance {
  static Exec make() { return Kokkos::Experimental::partition_space(Exec(), 1).front(); }
};
#ifdef KOKKOS_ENABLE_SERIAL
template <>
struct OtherInstance<Kokkos::Serial> {
  static Kokkos::Serial make() { return Kokkos::Serial(Kokkos::NewInstance{}); }
};
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
struct OtherInstance<Kokkos::OpenMP> {
  static Kokkos::OpenMP make() { return Kokkos::OpenMP(2); }
};
#endif

/// Whether another thread can keep the default instance of an execution space busy. Kokkos' Threads has that instance
/// alone, and takes kernels from the main thread alone.
template <class Exec>
inline constexpr bool has_busy_instance = HostExecutionSpace<Exec>;
#ifdef KOKKOS_ENABLE_THREADS
template <>
inline constexpr bool has_busy_instance<Kokkos::Threads> = false;
#endif

/// Keeps the default instance of a host execution space busy while an object of this class lives, but no longer than
/// `patience`: whatever is launched on that instance meanwhile, or fences it, has to wait.
///
/// Kokkos Tools cannot tell the instances of a host execution space apart, so that this is how tests find out which of
/// them is used.
template <HostExecutionSpace Exec>
  requires has_busy_instance<Exec>
class BusyDefaultInstance {
  using Clock = std::chrono::steady_clock;

 public:
  explicit BusyDefaultInstance(Clock::duration patience = std::chrono::seconds(20)) : m_patience(patience) {
    m_thread =
        std::thread([this] { Kokkos::parallel_for("busy", Kokkos::RangePolicy<Exec>(Exec(), 0, 1), Occupy{this}); });
    while (!m_running) std::this_thread::yield();
  }
  ~BusyDefaultInstance() {
    m_released = true;
    m_thread.join();
  }
  BusyDefaultInstance(const BusyDefaultInstance&) = delete;
  BusyDefaultInstance& operator=(const BusyDefaultInstance&) = delete;

  /// Whether the instance has been busy from the beginning until now: nothing then has waited for it.
  bool still_busy() const { return m_running; }

 private:
  struct Occupy {
    BusyDefaultInstance* m_owner;
    void operator()(int) const {
      auto const end = Clock::now() + m_owner->m_patience;
      m_owner->m_running = true;
      while (!m_owner->m_released && Clock::now() < end) std::this_thread::yield();
      m_owner->m_running = false;
    }
  };

  Clock::duration m_patience;
  std::atomic<bool> m_running = false;
  std::atomic<bool> m_released = false;
  std::thread m_thread;
};

}  // namespace hyperplane::test
