// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace hyperplane::inline HYPERPLANE_ABI::host {

/// Values in a line of the caches.
template <class T>
inline constexpr int cache_line_values = 64 / static_cast<int>(sizeof(T));

/// Where in its line a value is.
template <class T>
int place_in_cache_line(const T* value) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(value) / sizeof(T) % cache_line_values<T>);
}

/// Whether arrays of so many bytes are written past the caches: those do not keep them until somebody reads them, and a
/// line that is written as a whole is not fetched before, which is a third of what a copy moves.
constexpr bool goes_past_caches([[maybe_unused]] std::int64_t bytes) {
#if defined(HYPERPLANE_X86_INTRINSICS)
  return bytes > (std::int64_t{4} << 20);
#else
  return false;
#endif
}

/// A whole line past the caches. stream_fence() must follow.
template <class T>
void write_line(const Pack<T, cache_line_values<T>>& values, T* to) {
  using Vector = Pack<T, hyperplane::detail::host_vector_bytes / static_cast<int>(sizeof(T))>;
  Vector parts[cache_line_values<T> / Vector::lanes];
  static_assert(sizeof(parts) == sizeof(values));
  std::memcpy(parts, &values, sizeof(values));
  for (auto const& part : parts) {
    part.stream(to);
    to += Vector::lanes;
  }
}

/// Values of whole lines past the caches, those before and behind them not. `from` is in its line where `to` is.
/// stream_fence() must follow.
template <class T>
void write_lines(const T* from, T* to, int count) {
  constexpr int line = cache_line_values<T>;
  int const place = place_in_cache_line(to);
  int e = place == 0 ? 0 : std::min(line - place, count);
  std::copy(from, from + e, to);
  for (; e + line <= count; e += line) write_line(Pack<T, line>::load(from + e), to + e);
  std::copy(from + e, from + count, to + e);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
