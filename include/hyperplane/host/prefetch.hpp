// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/simd/pack.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::host {

/// How far ahead to ask for what will be read: 1 to 2 kB is too late for memory, 16 kB too early.
template <class T>
inline constexpr int values_ahead = 4096 / static_cast<int>(sizeof(T));

/// Asks for the lines of `count` values. They need not exist.
template <class T>
void prefetch_values(const T* values, int count) {
  constexpr int line = 64 / static_cast<int>(sizeof(T));
  for (int e = 0; e < count; e += line) prefetch(values + e);
}

/// For rows of n x n blocks that follow one another in memory: asks for what comes 8 kB behind what a row, or a block,
/// reads. Beside the vectors, which rows read anywhere, processors do not follow such a stream by themselves. Nor do
/// they follow it over the ends of pages. Small blocks are asked for row by row, others one by one; a row without
/// blocks has no address.
template <int n, class T>
void prefetch_behind_row(const T* values, std::int64_t blocks) {
  if constexpr (n * n * sizeof(T) < 64) prefetch_values(values + 2 * values_ahead<T>, static_cast<int>(blocks * n * n));
}
template <int n, class T>
void prefetch_behind_block(const T* block) {
  if constexpr (n * n * sizeof(T) >= 64) prefetch_values(block + 2 * values_ahead<T>, n * n);
}

/// Whether reductions, which do little more than read, should ask for what they read some time later. Intel's
/// processors (measured on a Xeon) see no stream in a loop that has more than a few instructions for each line: sums of
/// float as double read half as fast there. AMD's (Zen 4) see it, and the instructions cost them up to a tenth.
inline bool reads_ahead() {
#if defined(__has_builtin) && (defined(__x86_64__) || defined(__i386__))
#if __has_builtin(__builtin_cpu_is)
  static bool const result = __builtin_cpu_is("intel") != 0;
  return result;
#else
  return false;
#endif
#else
  return false;
#endif
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
