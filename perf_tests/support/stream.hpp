// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cuda_support.hpp"

#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::perf {

/// Times in seconds of one kernel, repeated.
class Samples {
 public:
  void add(double seconds) { m_seconds.push_back(seconds); }
  double best() const { return *std::min_element(m_seconds.begin(), m_seconds.end()); }
  double median() const {
    auto sorted = m_seconds;
    auto const middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }
  const std::vector<double>& seconds() const { return m_seconds; }

 private:
  std::vector<double> m_seconds;
};

/// Median of the ratios a[i]/b[i] of samples that were taken next to each other: what another load on the machine did
/// to both of them cancels.
inline double median_ratio(const Samples& a, const Samples& b) {
  Samples ratios;
  for (std::size_t i = 0; i < a.seconds().size(); ++i) ratios.add(a.seconds()[i] / b.seconds()[i]);
  return ratios.median();
}

/// Runs a kernel once and returns the seconds until it is complete, with the fences inside the measured time.
template <class Exec, class Kernel>
double seconds_of(const Exec& exec, Kernel&& kernel) {
  exec.fence("Hyperplane::perf::before");
  Kokkos::Timer timer;
  kernel();
  exec.fence("Hyperplane::perf::after");
  return timer.seconds();
}

/// Copy a = b and triad a = b + s c over arrays that are far larger than the last level cache, as in McCalpin's STREAM:
/// 16 and 24 bytes an element, without the line that a write may have to fetch first. The arrays are allocated like
/// those of the solvers, Kokkos views touched first by the threads that use them.
template <class Exec>
class Stream {
 public:
  using Array = Kokkos::View<double*, typename Exec::memory_space>;

  Stream(const Exec& exec, std::size_t bytes_per_array)
      : m_a(allocate(exec, "a", bytes_per_array)),
        m_b(allocate(exec, "b", bytes_per_array)),
        m_c(allocate(exec, "c", bytes_per_array)) {
    Kokkos::parallel_for("Hyperplane::perf::stream_init", policy(exec), Initialize{m_a, m_b, m_c});
    exec.fence();
  }

  struct Initialize {
    Array m_a;
    Array m_b;
    Array m_c;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const {
      m_a(i) = 0.0;
      m_b(i) = 1.0;
      m_c(i) = 2.0;
    }
  };

  struct Copy {
    Array m_a;
    Array m_b;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const { m_a(i) = m_b(i); }
  };

  struct Triad {
    Array m_a;
    Array m_b;
    Array m_c;
    double m_scale;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const { m_a(i) = m_b(i) + m_scale * m_c(i); }
  };

  /// On CUDA the runtime's copy, which is faster than a loop with one element for each thread.
  void copy(const Exec& exec) const {
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (std::same_as<Exec, Kokkos::Cuda>) {
      check_cuda(cudaMemcpyAsync(m_a.data(), m_b.data(), m_a.size() * sizeof(double), cudaMemcpyDeviceToDevice,
                                 exec.cuda_stream()));
      return;
    }
#endif
    copy_loop(exec);
  }

  void copy_loop(const Exec& exec) const {
    Kokkos::parallel_for("Hyperplane::perf::copy", policy(exec), Copy{m_a, m_b});
  }

  void triad(const Exec& exec) const {
    Kokkos::parallel_for("Hyperplane::perf::triad", policy(exec), Triad{m_a, m_b, m_c, 3.0});
  }

  /// Reads an array; the sum is what keeps the compiler from leaving it out.
  void read(const Exec& exec) const {
    using Sum = std::conditional_t<HostExecutionSpace<Exec>, SumOfChunk, Entry>;
    auto const count = static_cast<std::int64_t>(m_b.size()) / Sum::entries;
    double sum = 0.0;
    Kokkos::parallel_reduce("Hyperplane::perf::read",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count), Sum{m_b}, sum);
    if (sum != static_cast<double>(count * Sum::entries)) throw std::runtime_error("the sum of ones is wrong");
  }

  /// Neighbouring entries to one thread, in independent sums, so that additions do not wait for one another.
  struct SumOfChunk {
    static constexpr std::int64_t entries = 4096;
    static constexpr int lanes = 64;
    Array m_b;
    KOKKOS_FUNCTION void operator()(std::int64_t c, double& total) const {
      double partial[lanes] = {};
      for (std::int64_t i = 0; i < entries; i += lanes) {
        for (int lane = 0; lane < lanes; ++lane) partial[lane] += m_b(c * entries + i + lane);
      }
      for (int lane = 0; lane < lanes; ++lane) total += partial[lane];
    }
  };

  /// Neighbouring entries to neighbouring threads.
  struct Entry {
    static constexpr std::int64_t entries = 1;
    Array m_b;
    KOKKOS_FUNCTION void operator()(std::int64_t i, double& total) const { total += m_b(i); }
  };

  double read_bytes() const { return sizeof(double) * static_cast<double>(m_a.size()); }
  double copy_bytes() const { return 2.0 * sizeof(double) * static_cast<double>(m_a.size()); }
  double triad_bytes() const { return 3.0 * sizeof(double) * static_cast<double>(m_a.size()); }

 private:
  static Array allocate(const Exec& exec, const std::string& label, std::size_t bytes) {
    return Array(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), bytes / sizeof(double));
  }
  auto policy(const Exec& exec) const {
    return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, static_cast<std::int64_t>(m_a.size()));
  }

  Array m_a;
  Array m_b;
  Array m_c;
};

}  // namespace hyperplane::perf
