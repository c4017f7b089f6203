// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace hyperplane {

/// W lanes of T that are operated on together: the vector register of the host's SIMD kernels.
///
/// Made from the compiler's vector extensions (GCC, Clang), so that an operation is one instruction where W lanes fill
/// a register. The same function templates run on T and on Pack<T, W> through select(), any() and abs() below, which
/// also exist for plain scalars. Host only.
template <class T, int W>
struct Pack {
  static_assert(W >= 1 && (W & (W - 1)) == 0, "the number of lanes is a power of two");

  using value_type = T;
  static constexpr int lanes = W;
  using Lane = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  typedef T Native __attribute__((vector_size(W * sizeof(T))));
  typedef Lane NativeMask __attribute__((vector_size(W * sizeof(T))));

  /// One truth value a lane: 0 or -1.
  struct Mask {
    NativeMask m_native;

    friend Mask operator&(const Mask& a, const Mask& b) { return {a.m_native & b.m_native}; }
    friend Mask operator|(const Mask& a, const Mask& b) { return {a.m_native | b.m_native}; }
    friend Mask operator!(const Mask& a) { return {~a.m_native}; }
    bool operator[](int lane) const { return m_native[lane] != 0; }
  };

  Native m_native;

  Pack() = default;
  Pack(const Native& native) : m_native(native) {}  // NOLINT(google-explicit-constructor)
  Pack(T value) : m_native(value - Native{}) {}     // NOLINT(google-explicit-constructor)
  Pack(int value)
    requires(!std::same_as<T, int>)
      : Pack(T(value)) {}  // NOLINT(google-explicit-constructor)

  T operator[](int lane) const { return m_native[lane]; }
  void set(int lane, T value) { m_native[lane] = value; }

  /// Loads W consecutive values, aligned to the whole pack; a narrower storage type is widened.
  template <class Storage>
  static Pack load(const Storage* values) {
    if constexpr (std::same_as<Storage, T>) {
      return *reinterpret_cast<const Native*>(values);
    } else {
      return convert(*reinterpret_cast<const typename Pack<Storage, W>::Native*>(values));
    }
  }

  /// Stores W consecutive values, aligned to the whole pack; rounded to a narrower storage type.
  template <class Storage>
  void store(Storage* values) const {
    if constexpr (std::same_as<Storage, T>) {
      *reinterpret_cast<Native*>(values) = m_native;
    } else {
      *reinterpret_cast<typename Pack<Storage, W>::Native*>(values) = Pack<Storage, W>::convert(m_native).m_native;
    }
  }

  /// Stores past the caches, for values that are not read again soon: the line is not fetched first. Weakly ordered:
  /// stream_fence() must follow before another thread may read. An ordinary store where there is no such instruction.
  template <class Storage>
  void stream(Storage* values) const {
    auto const stored = Pack<Storage, W>::convert(m_native).m_native;
#if defined(__SSE2__) && !defined(__CUDACC__)
#if defined(__AVX512F__)
    if constexpr (sizeof(stored) == 64) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(values), reinterpret_cast<__m512i>(stored));
      return;
    }
#endif
#if defined(__AVX__)
    if constexpr (sizeof(stored) == 32) {
      _mm256_stream_si256(reinterpret_cast<__m256i*>(values), reinterpret_cast<__m256i>(stored));
      return;
    }
#endif
    if constexpr (sizeof(stored) == 16) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(values), reinterpret_cast<__m128i>(stored));
      return;
    }
#endif
    *reinterpret_cast<typename Pack<Storage, W>::Native*>(values) = stored;
  }

  template <class OtherNative>
  static Pack convert(const OtherNative& other) {
#if defined(__CUDACC__)
    Pack result;
    for (int lane = 0; lane < W; ++lane) result.m_native[lane] = static_cast<T>(other[lane]);
    return result;
#else
    return __builtin_convertvector(other, Native);
#endif
  }

  friend Pack operator+(const Pack& a, const Pack& b) { return a.m_native + b.m_native; }
  friend Pack operator-(const Pack& a, const Pack& b) { return a.m_native - b.m_native; }
  friend Pack operator*(const Pack& a, const Pack& b) { return a.m_native * b.m_native; }
  friend Pack operator/(const Pack& a, const Pack& b) { return a.m_native / b.m_native; }
  friend Pack operator-(const Pack& a) { return -a.m_native; }
  Pack& operator+=(const Pack& b) {
    m_native += b.m_native;
    return *this;
  }
  Pack& operator-=(const Pack& b) {
    m_native -= b.m_native;
    return *this;
  }
  Pack& operator*=(const Pack& b) {
    m_native *= b.m_native;
    return *this;
  }

  friend Mask operator>(const Pack& a, const Pack& b) { return {a.m_native > b.m_native}; }
  friend Mask operator<(const Pack& a, const Pack& b) { return {a.m_native < b.m_native}; }
  friend Mask operator==(const Pack& a, const Pack& b) { return {a.m_native == b.m_native}; }
  friend Mask operator!=(const Pack& a, const Pack& b) { return {a.m_native != b.m_native}; }

  friend Pack select(const Mask& mask, const Pack& a, const Pack& b) { return mask.m_native ? a.m_native : b.m_native; }
  friend Pack abs(const Pack& a) { return a.m_native < T(0) ? -a.m_native : a.m_native; }
  friend bool any(const Mask& mask) {
#if defined(__AVX512DQ__) && !defined(__CUDACC__)
    if constexpr (sizeof(NativeMask) == 64) {
      auto const lanes = reinterpret_cast<__m512i>(mask.m_native);
      return (sizeof(T) == 8 ? _mm512_movepi64_mask(lanes) : _mm512_movepi32_mask(lanes)) != 0;
    }
#endif
#if defined(__AVX__) && !defined(__CUDACC__)
    if constexpr (sizeof(NativeMask) == 32) {
      return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask.m_native)) != 0 ||
             _mm256_movemask_ps(reinterpret_cast<__m256>(mask.m_native)) != 0;
    }
#endif
    Lane combined = 0;
    for (int lane = 0; lane < W; ++lane) combined |= mask.m_native[lane];
    return combined != 0;
  }

  /// (first, a[0], ..., a[W-2]): every lane takes the value of the lane before.
  friend Pack shift_from_lower_lane(const Pack& a, T first) {
    return shift(a, first, std::make_integer_sequence<int, W>{}, std::true_type{});
  }
  /// (a[1], ..., a[W-1], last): every lane takes the value of the lane after.
  friend Pack shift_from_upper_lane(const Pack& a, T last) {
    return shift(a, last, std::make_integer_sequence<int, W>{}, std::false_type{});
  }

 private:
  template <int... lane, bool from_lower>
  static Pack shift(const Pack& a, T entering, std::integer_sequence<int, lane...>, std::bool_constant<from_lower>) {
#if defined(__CUDACC__)
    Pack result;
    ((result.m_native[lane] = from_lower ? (lane == 0 ? entering : a.m_native[(lane + W - 1) % W])
                                         : (lane == W - 1 ? entering : a.m_native[(lane + 1) % W])),
     ...);
    return result;
#else
    Pack const filled = entering;
    return __builtin_shufflevector(a.m_native, filled.m_native,
                                   (from_lower ? (lane == 0 ? W : lane - 1) : lane + 1)...);
#endif
  }
};

/// Orders streaming stores before what follows.
inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// The scalar counterparts, so that one template serves T and Pack<T, W>.
template <std::floating_point T>
KOKKOS_FUNCTION constexpr T select(bool mask, T a, T b) {
  return mask ? a : b;
}
KOKKOS_FUNCTION constexpr bool any(bool mask) { return mask; }

}  // namespace hyperplane
