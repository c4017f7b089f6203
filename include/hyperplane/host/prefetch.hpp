// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/simd/pack.hpp>

#include <algorithm>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::host {

/// How far ahead to ask for what will be read: 1 to 2 kB is too late for memory, 16 kB too early.
template <class T>
inline constexpr int values_ahead = 4096 / static_cast<int>(sizeof(T));

/// Asks for the lines of `count` values, for the cache of a level. They need not exist.
template <int level = 2, class T>
void prefetch_values(const T* values, int count) {
  constexpr int line = 64 / static_cast<int>(sizeof(T));
  for (int e = 0; e < count; e += line) prefetch<level>(values + e);
}

/// For rows of n x n blocks that follow one another in memory: asks for what comes 8 kB behind what a row, or a block,
/// reads. Beside the vectors, which rows read anywhere, processors do not follow such a stream by themselves. Nor do
/// they follow it over the ends of pages. Small blocks are asked for row by row, others one by one, or some rows of one
/// at a time; a row without blocks has no address.
template <int n, class T>
void prefetch_behind_row(const T* values, std::int64_t blocks) {
  if constexpr (n * n * sizeof(T) < 64) prefetch_values(values + 2 * values_ahead<T>, static_cast<int>(blocks * n * n));
}
template <int n, class T>
void prefetch_behind_block(const T* block, int row, int rows) {
  if constexpr (n * n * sizeof(T) >= 64) {
    prefetch_values(block + row * n + 2 * values_ahead<T>, std::min(rows, n - row) * n);
  }
}
template <int n, class T>
void prefetch_behind_block(const T* block) {
  prefetch_behind_block<n>(block, 0, n);
}

/// Whether values are read as fewer bytes than they are computed with. A load then brings half of a line or less, and
/// one instruction more converts it. So the instructions that a processor looks ahead at read few lines, too few to
/// wait for memory side by side, and sweeps and products with narrow blocks ask for them. Of blocks that are not narrow
/// each load brings a line, and asking for it brought nothing, or cost some.
template <class T, class Storage>
inline constexpr bool reads_narrow = sizeof(Storage) < sizeof(T);

/// Whether the processor is of a vendor, or a family; not where a compiler cannot ask.
#define HYPERPLANE_PROCESSOR_IS(name) false
#if defined(__has_builtin) && (defined(__x86_64__) || defined(__i386__))
#if __has_builtin(__builtin_cpu_is)
#undef HYPERPLANE_PROCESSOR_IS
#define HYPERPLANE_PROCESSOR_IS(name) (__builtin_cpu_is(name) != 0)
#endif
#endif

/// AMD's processors of family 19h follow narrow blocks by themselves, if these have more than a few lines: on a Zen 4
/// asking for blocks of float makes solves and products take up to 1.7 times as long. A Zen 5 does not follow them.
inline bool follows_narrow_blocks() {
  static bool const result = HYPERPLANE_PROCESSOR_IS("amdfam19h");
  return result;
}

/// Whether to ask for what comes behind blocks of so many values, which are stored as Storage and computed with as T.
/// Of 8 bits in any case, which take more instructions for each byte than others.
template <class T, class Storage>
bool asks_for_narrow([[maybe_unused]] int values) {
  if constexpr (!reads_narrow<T, Storage>) {
    return false;
  } else if constexpr (sizeof(Storage) == 1) {
    return true;
  } else {
    return values * static_cast<int>(sizeof(Storage)) <= 256 || !follows_narrow_blocks();
  }
}

/// For blocks that follow one another in memory: asks for what comes 8 kB behind the values of one, for the nearest
/// cache.
template <class Storage>
void prefetch_behind(const Storage* block, int values) {
  prefetch_values<1>(block + 2 * values_ahead<Storage>, values);
}

/// Whether reductions, which do little more than read, should ask for what they read some time later. Intel's
/// processors (measured on a Xeon) see no stream in a loop that has more than a few instructions for each line: sums of
/// float as double read half as fast there. AMD's (Zen 4) see it, and the instructions cost them up to a tenth.
inline bool reads_ahead() {
  static bool const result = HYPERPLANE_PROCESSOR_IS("intel");
  return result;
}

#undef HYPERPLANE_PROCESSOR_IS

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
