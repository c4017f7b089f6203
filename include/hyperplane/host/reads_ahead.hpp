// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/simd/pack.hpp>

namespace hyperplane::host {

/// Whether loops that only read should ask for what they read some time later. Intel's processors see no stream in a
/// loop that has more than a few instructions for each line: sums of float as double read half as fast there. Others
/// see it, and the instructions cost them a twentieth.
inline bool reads_ahead() {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  static bool const result = __builtin_cpu_is("intel") != 0;
  return result;
#else
  return false;
#endif
}

/// What is 4 kB behind these values: 2 kB is too late for memory.
template <class T>
void prefetch_ahead(const T* values, int count) {
  constexpr int line = 64 / static_cast<int>(sizeof(T));
  constexpr int ahead = 4096 / static_cast<int>(sizeof(T));
  for (int e = 0; e < count; e += line) prefetch(values + ahead + e);
}

}  // namespace hyperplane::host
