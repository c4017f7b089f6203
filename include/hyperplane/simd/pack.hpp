// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <concepts>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/simd/native_vector.hpp>
#include <type_traits>
#include <utility>

#if defined(__SSE2__) && defined(HYPERPLANE_VECTOR_EXTENSION)
#define HYPERPLANE_X86_INTRINSICS
#include <immintrin.h>
#endif

namespace hyperplane::inline HYPERPLANE_ABI {

/// W lanes of T that are operated on together: the vector register of the host's SIMD kernels.
///
/// With GCC and Clang an operation is one instruction where W lanes fill a register. The same function templates run on
/// T and on Pack<T, W> through select(), any() and abs() below, which also exist for plain scalars.
template <class T, int W>
struct Pack {
  static_assert(W >= 1 && (W & (W - 1)) == 0, "the number of lanes is a power of two");

  using value_type = T;
  static constexpr int lanes = W;
  using Lane = detail::LaneInteger<T>;
  using Native = detail::NativeVector<T, W>;
  using NativeMask = detail::NativeVector<Lane, W>;

  /// One truth value per lane: 0 or -1.
  struct Mask {
    NativeMask m_native;

    friend KOKKOS_FUNCTION Mask operator&(const Mask& a, const Mask& b) { return {a.m_native & b.m_native}; }
    friend KOKKOS_FUNCTION Mask operator|(const Mask& a, const Mask& b) { return {a.m_native | b.m_native}; }
    friend KOKKOS_FUNCTION Mask operator!(const Mask& a) { return {~a.m_native}; }
    KOKKOS_FUNCTION bool operator[](int lane) const { return m_native[lane] != 0; }
  };

  Native m_native;

  Pack() = default;
  KOKKOS_FUNCTION Pack(const Native& native) : m_native(native) {}             // NOLINT(google-explicit-constructor)
  KOKKOS_FUNCTION Pack(T value) : m_native(detail::broadcast<T, W>(value)) {}  // NOLINT(google-explicit-constructor)
  KOKKOS_FUNCTION Pack(int value)                                              // NOLINT(google-explicit-constructor)
    requires(!std::same_as<T, int>)
      : Pack(static_cast<T>(value)) {}

  KOKKOS_FUNCTION T operator[](int lane) const { return m_native[lane]; }
  KOKKOS_FUNCTION void set(int lane, T value) { m_native[lane] = value; }

  /// Loads W consecutive values, aligned to the whole pack; a narrower storage type is widened.
  template <class Storage>
  KOKKOS_FUNCTION static Pack load(const Storage* values) {
    auto const& stored = *reinterpret_cast<const detail::NativeVector<Storage, W>*>(values);
    if constexpr (std::same_as<Storage, T>) {
      return stored;
    } else {
      return detail::convert<T, Storage, W>(stored);
    }
  }

  /// The same of numbers of 16 bits that are kept, by their bits, where another type is.
  template <ShortReal Storage, ShortReal Kept>
  KOKKOS_FUNCTION static Pack load_bits(const Kept* values) {
    auto const& stored = *reinterpret_cast<const detail::NativeVector<Kept, W>*>(values);
    return detail::convert<T, Storage, W>(detail::same_bits<Storage, Kept, W>(stored));
  }

  /// The values of a pack of another type.
  template <class Other>
  KOKKOS_FUNCTION static Pack from(const Pack<Other, W>& other) {
    if constexpr (std::same_as<Other, T>) {
      return other;
    } else {
      return detail::convert<T, Other, W>(other.m_native);
    }
  }

  /// Stores W consecutive values, aligned to the whole pack; rounded to a narrower storage type.
  template <class Storage>
  KOKKOS_FUNCTION void store(Storage* values) const {
    *reinterpret_cast<detail::NativeVector<Storage, W>*>(values) = stored_as<Storage>();
  }

  /// The same of numbers that a BFloat16 has, such as powers of two near 1, by fewer operations.
  KOKKOS_FUNCTION void store_exact(BFloat16* values) const {
    *reinterpret_cast<detail::NativeVector<BFloat16, W>*>(values) = detail::exact_bfloat16<T, W>(m_native);
  }

  /// What a load gives after a store.
  template <class Storage>
  KOKKOS_FUNCTION Pack rounded() const {
    if constexpr (std::same_as<Storage, T>) {
      return *this;
    } else {
      return detail::convert<T, Storage, W>(stored_as<Storage>());
    }
  }

  /// Stores past the caches, for values that are not read again soon: the line is not fetched first. Weakly ordered:
  /// stream_fence() must follow before another thread may read. An ordinary store where there is no such instruction.
  template <class Storage>
  KOKKOS_FUNCTION void stream(Storage* values) const {
    auto const stored = stored_as<Storage>();
#if defined(HYPERPLANE_X86_INTRINSICS)
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
    *reinterpret_cast<detail::NativeVector<Storage, W>*>(values) = stored;
  }

  friend KOKKOS_FUNCTION Pack operator+(const Pack& a, const Pack& b) { return a.m_native + b.m_native; }
  friend KOKKOS_FUNCTION Pack operator-(const Pack& a, const Pack& b) { return a.m_native - b.m_native; }
  friend KOKKOS_FUNCTION Pack operator*(const Pack& a, const Pack& b) { return a.m_native * b.m_native; }
  friend KOKKOS_FUNCTION Pack operator/(const Pack& a, const Pack& b) { return a.m_native / b.m_native; }
  friend KOKKOS_FUNCTION Pack operator-(const Pack& a) { return -a.m_native; }
  KOKKOS_FUNCTION Pack& operator+=(const Pack& b) { return *this = *this + b; }
  KOKKOS_FUNCTION Pack& operator-=(const Pack& b) { return *this = *this - b; }
  KOKKOS_FUNCTION Pack& operator*=(const Pack& b) { return *this = *this * b; }

  friend KOKKOS_FUNCTION Mask operator>(const Pack& a, const Pack& b) { return {a.m_native > b.m_native}; }
  friend KOKKOS_FUNCTION Mask operator<(const Pack& a, const Pack& b) { return {a.m_native < b.m_native}; }
  friend KOKKOS_FUNCTION Mask operator==(const Pack& a, const Pack& b) { return {a.m_native == b.m_native}; }
  friend KOKKOS_FUNCTION Mask operator!=(const Pack& a, const Pack& b) { return {a.m_native != b.m_native}; }

  friend KOKKOS_FUNCTION Pack select(const Mask& mask, const Pack& a, const Pack& b) {
    return detail::choose<T, W>(mask.m_native, a.m_native, b.m_native);
  }
  friend KOKKOS_FUNCTION Pack abs(const Pack& a) { return detail::magnitude<T, W>(a.m_native); }
  /// Of lanes that are not negative: the largest power of two that is not larger. Zero where that is no normal number,
  /// infinite where the lane is not finite.
  friend KOKKOS_FUNCTION Pack power_below(const Pack& a) { return detail::without_mantissa<T, W>(a.m_native); }
  /// Of powers of two that are normal numbers: 1 / a, where that is one, too.
  friend KOKKOS_FUNCTION Pack power_reciprocal(const Pack& a) { return detail::reciprocal_power<T, W>(a.m_native); }
  friend KOKKOS_FUNCTION bool any(const Mask& mask) {
#if defined(HYPERPLANE_X86_INTRINSICS) && defined(__AVX512DQ__)
    if constexpr (sizeof(NativeMask) == 64) {
      auto const bits = reinterpret_cast<__m512i>(mask.m_native);
      return (sizeof(T) == 8 ? _mm512_movepi64_mask(bits) : _mm512_movepi32_mask(bits)) != 0;
    }
#endif
#if defined(HYPERPLANE_X86_INTRINSICS) && defined(__AVX__)
    if constexpr (sizeof(NativeMask) == 32) return _mm256_movemask_ps(reinterpret_cast<__m256>(mask.m_native)) != 0;
#endif
    Lane combined = 0;
    for (int lane = 0; lane < W; ++lane) combined |= mask.m_native[lane];
    return combined != 0;
  }

  /// (first, a[0], ..., a[W-2]): every lane takes the value of the lane before.
  friend KOKKOS_FUNCTION Pack shift_from_lower_lane(const Pack& a, T first) {
    return detail::enter_first<T, W>(a.m_native, first, std::make_integer_sequence<int, W>{});
  }
  /// (a[1], ..., a[W-1], last): every lane takes the value of the lane after.
  friend KOKKOS_FUNCTION Pack shift_from_upper_lane(const Pack& a, T last) {
    return detail::enter_last<T, W>(a.m_native, last, std::make_integer_sequence<int, W>{});
  }

 private:
  template <class Storage>
  KOKKOS_FUNCTION detail::NativeVector<Storage, W> stored_as() const {
    if constexpr (std::same_as<Storage, T>) {
      return m_native;
    } else {
      return detail::convert<Storage, T, W>(m_native);
    }
  }
};

/// Orders streaming stores before what follows.
inline void stream_fence() {
#if defined(HYPERPLANE_X86_INTRINSICS)
  _mm_sfence();
#endif
}

/// Asks for the cache line of *address, which will be read in a while, for the cache of a level, 1 to 3. Any address is
/// allowed.
template <int level = 2>
void prefetch(const void* address) {
#if defined(__GNUC__)
  constexpr int reads = 0, locality = 4 - level;
  __builtin_prefetch(address, reads, locality);
#endif
}

/// The scalar counterparts, so that one template serves T and Pack<T, W>.
template <std::floating_point T>
KOKKOS_FUNCTION constexpr T select(bool mask, T a, T b) {
  return mask ? a : b;
}
KOKKOS_FUNCTION constexpr bool any(bool mask) { return mask; }
template <std::floating_point T>
KOKKOS_FUNCTION T power_below(T a) {
  return detail::without_mantissa<T>(a);
}
template <std::floating_point T>
KOKKOS_FUNCTION T power_reciprocal(T a) {
  return detail::reciprocal_power<T>(a);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
