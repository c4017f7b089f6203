// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/timer_callbacks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// What the timers know of a kernel.
struct TimerEntry {
  std::string label;
  std::int64_t count = 0;
  double seconds = 0.0;
  /// Bytes that had to move, by the cost in the documentation of the function; 0 where nobody said.
  double bytes = 0.0;

  double gigabytes_per_second() const { return seconds > 0.0 ? 1e-9 * bytes / seconds : 0.0; }
};

/// Timers of all kernels that Kokkos runs, by label, while they are on: how often, how long, how many bytes.
///
/// They are callbacks of Kokkos Tools, so labels are those that any other tool sees; a tool that is loaded too goes on
/// getting its callbacks. Times are of one kernel after the other: while timers are on, Kokkos fences before and after
/// each of them, so that asynchronous work loses its overlap. While they are off, nothing is called and nothing is
/// counted. Bytes are what primitives and solvers say that they have to move, added up under the label of the kernel
/// that moves them; the rest of a solver's launches have labels of their own.
///
/// For the whole program, and safe to be used by several threads. start() and stop() belong between
/// Kokkos::initialize() and Kokkos::finalize(), and while no kernel is being launched. Shared libraries that hide their
/// symbols (that of the C interface) have timers of their own beside those of a C++ program: each sees all kernels, but
/// the bytes of its own code alone.
class Timers {
 public:
  static void start() { detail::TimerCallbacks::start(); }
  static void stop() { detail::TimerCallbacks::stop(); }
  static bool running() { return detail::TimerCallbacks::running(); }
  /// Forgets what was measured.
  static void reset() { detail::TimerCallbacks::reset(); }

  /// The kernel that took longest first.
  static std::vector<TimerEntry> entries() {
    std::vector<TimerEntry> result;
    detail::TimerCallbacks::visit([&](const std::string& label, const detail::TimerCount& count) {
      result.push_back({label, count.m_count, count.m_seconds, count.m_bytes});
    });
    std::stable_sort(result.begin(), result.end(),
                     [](const TimerEntry& a, const TimerEntry& b) { return a.seconds > b.seconds; });
    return result;
  }

  /// For people: a line for each kernel.
  static std::string table() {
    auto const all = entries();
    std::size_t width = 6;
    for (auto const& entry : all) width = std::max(width, entry.label.size());
    std::string result = padded("kernel", width) + "      count       time     bytes      GB/s\n";
    for (auto const& entry : all) {
      char numbers[96];
      std::snprintf(numbers, sizeof(numbers), " %10lld %8.3f ms", static_cast<long long>(entry.count),
                    1e3 * entry.seconds);
      result += padded(entry.label, width) + numbers;
      if (entry.bytes > 0.0) {
        std::snprintf(numbers, sizeof(numbers), " %9.3g %9.4g", entry.bytes, entry.gigabytes_per_second());
        result += numbers;
      }
      result += '\n';
    }
    return result;
  }

  /// {"timers": [{"label": ..., "count": ..., "seconds": ..., "bytes": ..., "GB/s": ...}, ...]}
  static std::string json() {
    std::ostringstream out;
    out.precision(17);
    out << "{\"timers\": [";
    const char* separator = "\n";
    for (auto const& entry : entries()) {
      out << separator << "  {\"label\": \"" << escaped(entry.label) << "\", \"count\": " << entry.count
          << ", \"seconds\": " << entry.seconds << ", \"bytes\": " << entry.bytes
          << ", \"GB/s\": " << entry.gigabytes_per_second() << "}";
      separator = ",\n";
    }
    out << "\n]}\n";
    return out.str();
  }

 private:
  static std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
  }
  static std::string escaped(const std::string& text) {
    std::string result;
    for (char const c : text) {
      if (c == '"' || c == '\\') result += '\\';
      if (static_cast<unsigned char>(c) >= 0x20) result += c;
    }
    return result;
  }
};

/// Timers from here to the end of the scope, then a table on stderr, or JSON in a file.
class TimerReport {
 public:
  /// To stderr.
  TimerReport() { Timers::start(); }
  /// To a file, which is opened at once: throws Error where that is not possible.
  explicit TimerReport(const std::string& path) : TimerReport(path, open(path)) {}
  /// To the file of that name, which open() has opened.
  TimerReport(std::string path, std::ofstream file) : m_path(std::move(path)), m_file(std::move(file)) {
    Timers::start();
  }
  /// Throws Error where that is not possible.
  static std::ofstream open(const std::string& path) {
    std::ofstream file(path);
    if (!file) fail("timers: cannot write to '" + path + "'");
    return file;
  }
  TimerReport(const TimerReport&) = delete;
  TimerReport& operator=(const TimerReport&) = delete;
  ~TimerReport() {
    try {
      Timers::stop();
      write();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "hyperplane: timers: %s\n", error.what());
    }
  }

 private:
  void write() {
    if (m_path.empty()) {
      std::cerr << Timers::table();
      return;
    }
    m_file << Timers::json() << std::flush;
    if (!m_file) fail("cannot write to '" + m_path + "'");
  }

  std::string m_path;
  std::ofstream m_file;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
