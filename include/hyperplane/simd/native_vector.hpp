// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <limits>
#include <type_traits>
#include <utility>

/// What Pack is made of: the compiler's vector extension, or an array where there is none. nvcc refuses the extension
/// in functions for both host and device; compilers for HIP have the array, too, so that kernels for GPUs are the same.
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define HYPERPLANE_VECTOR_EXTENSION
#endif

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class T>
using LaneInteger = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// The bits of an exponent.
template <class T>
inline constexpr LaneInteger<T> exponent_bits = sizeof(T) == 8 ? 0x7ff0000000000000 : 0x7f800000;

template <class T>
KOKKOS_FUNCTION T without_mantissa(T a) {
  return Kokkos::bit_cast<T>(Kokkos::bit_cast<LaneInteger<T>>(a) & exponent_bits<T>);
}

/// Those of a number and of its reciprocal together, where both are powers of two.
template <class T>
inline constexpr LaneInteger<T> reciprocal_bits = sizeof(T) == 8 ? 0x7fe0000000000000 : 0x7f000000;

template <class T>
KOKKOS_FUNCTION T reciprocal_power(T a) {
  return Kokkos::bit_cast<T>(reciprocal_bits<T> - Kokkos::bit_cast<LaneInteger<T>>(a));
}

#if defined(HYPERPLANE_VECTOR_EXTENSION)

/// What a lane is kept as: that of a ShortReal as its bits.
template <class T>
struct LaneOf {
  using type = T;
};
template <ShortReal T>
struct LaneOf<T> {
  using type = std::uint16_t;
};
template <>
struct LaneOf<Quarter> {
  using type = std::int8_t;
};
template <class T, int W>
struct NativeVectorOf {
  typedef typename LaneOf<T>::type type __attribute__((vector_size(W * sizeof(T))));
};
template <class T, int W>
using NativeVector = typename NativeVectorOf<T, W>::type;

/// value in every lane. (v - 0 keeps the sign of a zero.)
template <class T, int W>
NativeVector<T, W> broadcast(T value) {
  return value - NativeVector<T, W>{};
}
template <class T, int W>
NativeVector<T, W> choose(const NativeVector<LaneInteger<T>, W>& mask, const NativeVector<T, W>& a,
                          const NativeVector<T, W>& b) {
  return mask ? a : b;
}
/// Without the sign bit.
template <class T, int W>
NativeVector<T, W> magnitude(const NativeVector<T, W>& a) {
  using Integers = NativeVector<LaneInteger<T>, W>;
  return reinterpret_cast<NativeVector<T, W>>(reinterpret_cast<Integers>(a) &
                                              std::numeric_limits<LaneInteger<T>>::max());
}
/// W numbers of 16 bits as floats, and floats rounded to them.
template <class T, int W>
struct ShortVector;

template <int W>
struct ShortVector<BFloat16, W> {
  using Bits = NativeVector<std::uint32_t, W>;

  static NativeVector<float, W> to_float(const NativeVector<BFloat16, W>& a) {
    return reinterpret_cast<NativeVector<float, W>>(__builtin_convertvector(a, Bits) << 16);
  }
  static NativeVector<BFloat16, W> from_float(const NativeVector<float, W>& a) {
    auto const bits = reinterpret_cast<Bits>(a);
    auto const rounded = bits + 0x7fff + (bits >> 16 & 1);
    auto const kept = (bits & 0x7fffffff) > 0x7f800000 ? bits | 0x400000 : rounded;
    return __builtin_convertvector(kept >> 16, NativeVector<BFloat16, W>);
  }
  /// Of numbers that a BFloat16 has: the same, by fewer operations.
  static NativeVector<BFloat16, W> from_exact(const NativeVector<float, W>& a) {
    return __builtin_convertvector(reinterpret_cast<Bits>(a) >> 16, NativeVector<BFloat16, W>);
  }
};

template <int W>
struct ShortVector<Half, W> {
  using Floats = NativeVector<float, W>;
  using Halves = NativeVector<Half, W>;

  static Floats to_float(const Halves& a) {
#if defined(HYPERPLANE_HALF_INTRINSICS)
#if defined(__AVX512F__)
    if constexpr (W == 16) return reinterpret_cast<Floats>(_mm512_cvtph_ps(reinterpret_cast<__m256i>(a)));
#endif
    if constexpr (W == 8) return reinterpret_cast<Floats>(_mm256_cvtph_ps(reinterpret_cast<__m128i>(a)));
    if constexpr (W == 4) {
      return reinterpret_cast<Floats>(_mm_cvtph_ps(_mm_cvtsi64_si128(reinterpret_cast<long long>(a))));
    }
#endif
    Floats result;
    for (int lane = 0; lane < W; ++lane) result[lane] = half_to_float(a[lane]);
    return result;
  }
  static Halves from_float(const Floats& a) {
#if defined(HYPERPLANE_HALF_INTRINSICS)
    constexpr int nearest = _MM_FROUND_TO_NEAREST_INT;
#if defined(__AVX512F__)
    if constexpr (W == 16) return reinterpret_cast<Halves>(_mm512_cvtps_ph(reinterpret_cast<__m512>(a), nearest));
#endif
    if constexpr (W == 8) return reinterpret_cast<Halves>(_mm256_cvtps_ph(reinterpret_cast<__m256>(a), nearest));
    if constexpr (W == 4) {
      return reinterpret_cast<Halves>(_mm_cvtsi128_si64(_mm_cvtps_ph(reinterpret_cast<__m128>(a), nearest)));
    }
#endif
    Halves result;
    for (int lane = 0; lane < W; ++lane) result[lane] = float_to_half(a[lane]);
    return result;
  }
};

/// Of an exponent what there is, alone.
template <class T, int W>
NativeVector<T, W> without_mantissa(const NativeVector<T, W>& a) {
  using Integers = NativeVector<LaneInteger<T>, W>;
  return reinterpret_cast<NativeVector<T, W>>(reinterpret_cast<Integers>(a) & exponent_bits<T>);
}
template <class T, int W>
NativeVector<T, W> reciprocal_power(const NativeVector<T, W>& a) {
  using Integers = NativeVector<LaneInteger<T>, W>;
  return reinterpret_cast<NativeVector<T, W>>(reciprocal_bits<T> - reinterpret_cast<Integers>(a));
}
template <class To, class From, int W>
NativeVector<To, W> convert(const NativeVector<From, W>& a) {
  using Integers = NativeVector<std::int32_t, W>;
  if constexpr (ShortReal<From>) {
    return convert<To, float, W>(ShortVector<From, W>::to_float(a));
  } else if constexpr (ShortReal<To>) {
    return ShortVector<To, W>::from_float(convert<float, From, W>(a));
  } else if constexpr (std::is_same_v<From, Quarter>) {
    return __builtin_convertvector(__builtin_convertvector(a, Integers), NativeVector<To, W>);
  } else if constexpr (std::is_same_v<To, Quarter>) {
    auto const shifted = convert<float, From, W>(a) + integer_shift;
    return __builtin_convertvector(reinterpret_cast<Integers>(shifted), NativeVector<Quarter, W>);
  } else {
    return __builtin_convertvector(a, NativeVector<To, W>);
  }
}
/// Numbers of 16 bits that have the bits of others.
template <ShortReal To, ShortReal From, int W>
NativeVector<To, W> same_bits(const NativeVector<From, W>& a) {
  return a;
}
/// Of numbers that a BFloat16 has.
template <class From, int W>
NativeVector<BFloat16, W> exact_bfloat16(const NativeVector<From, W>& a) {
  return ShortVector<BFloat16, W>::from_exact(convert<float, From, W>(a));
}
template <class T, int W, int... lane>
NativeVector<T, W> enter_first(const NativeVector<T, W>& a, T first, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(a, broadcast<T, W>(first), (lane == 0 ? W : lane - 1)...);
}
template <class T, int W, int... lane>
NativeVector<T, W> enter_last(const NativeVector<T, W>& a, T last, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(a, broadcast<T, W>(last), (lane + 1)...);
}

#else

/// Element by element what the vector extension does.
template <class T, int W>
struct alignas(W * sizeof(T)) NativeVector {
  T m_lanes[W];

  KOKKOS_FUNCTION T& operator[](int lane) { return m_lanes[lane]; }
  KOKKOS_FUNCTION const T& operator[](int lane) const { return m_lanes[lane]; }

  template <class To, class F>
  KOKKOS_FUNCTION static NativeVector<To, W> map(const F& f) {
    NativeVector<To, W> result;
    for (int lane = 0; lane < W; ++lane) result.m_lanes[lane] = f(lane);
    return result;
  }
  using Mask = NativeVector<LaneInteger<T>, W>;

  friend KOKKOS_FUNCTION NativeVector operator+(const NativeVector& a, const NativeVector& b) {
    return map<T>([&](int lane) { return a[lane] + b[lane]; });
  }
  friend KOKKOS_FUNCTION NativeVector operator-(const NativeVector& a, const NativeVector& b) {
    return map<T>([&](int lane) { return a[lane] - b[lane]; });
  }
  friend KOKKOS_FUNCTION NativeVector operator*(const NativeVector& a, const NativeVector& b) {
    return map<T>([&](int lane) { return a[lane] * b[lane]; });
  }
  friend KOKKOS_FUNCTION NativeVector operator/(const NativeVector& a, const NativeVector& b) {
    return map<T>([&](int lane) { return a[lane] / b[lane]; });
  }
  friend KOKKOS_FUNCTION NativeVector operator-(const NativeVector& a) {
    return map<T>([&](int lane) { return -a[lane]; });
  }
  friend KOKKOS_FUNCTION NativeVector operator&(const NativeVector& a, const NativeVector& b) {
    return map<T>([&](int lane) { return a[lane] & b[lane]; });
  }
  friend KOKKOS_FUNCTION NativeVector operator|(const NativeVector& a, const NativeVector& b) {
    return map<T>([&](int lane) { return a[lane] | b[lane]; });
  }
  friend KOKKOS_FUNCTION NativeVector operator~(const NativeVector& a) {
    return map<T>([&](int lane) { return ~a[lane]; });
  }
  friend KOKKOS_FUNCTION Mask operator>(const NativeVector& a, const NativeVector& b) {
    return map<LaneInteger<T>>([&](int lane) { return a[lane] > b[lane] ? -1 : 0; });
  }
  friend KOKKOS_FUNCTION Mask operator<(const NativeVector& a, const NativeVector& b) {
    return map<LaneInteger<T>>([&](int lane) { return a[lane] < b[lane] ? -1 : 0; });
  }
  friend KOKKOS_FUNCTION Mask operator==(const NativeVector& a, const NativeVector& b) {
    return map<LaneInteger<T>>([&](int lane) { return a[lane] == b[lane] ? -1 : 0; });
  }
  friend KOKKOS_FUNCTION Mask operator!=(const NativeVector& a, const NativeVector& b) {
    return map<LaneInteger<T>>([&](int lane) { return a[lane] != b[lane] ? -1 : 0; });
  }
};

template <class T, int W>
KOKKOS_FUNCTION NativeVector<T, W> broadcast(T value) {
  return NativeVector<T, W>::template map<T>([&](int) { return value; });
}
template <class T, int W>
KOKKOS_FUNCTION NativeVector<T, W> choose(const NativeVector<LaneInteger<T>, W>& mask, const NativeVector<T, W>& a,
                                          const NativeVector<T, W>& b) {
  return NativeVector<T, W>::template map<T>([&](int lane) { return mask[lane] != 0 ? a[lane] : b[lane]; });
}
template <class T, int W>
KOKKOS_FUNCTION NativeVector<T, W> magnitude(const NativeVector<T, W>& a) {
  return NativeVector<T, W>::template map<T>([&](int lane) { return a[lane] < T(0) ? -a[lane] : a[lane]; });
}
template <class T, int W>
KOKKOS_FUNCTION NativeVector<T, W> without_mantissa(const NativeVector<T, W>& a) {
  return NativeVector<T, W>::template map<T>([&](int lane) { return without_mantissa(a[lane]); });
}
template <class T, int W>
KOKKOS_FUNCTION NativeVector<T, W> reciprocal_power(const NativeVector<T, W>& a) {
  return NativeVector<T, W>::template map<T>([&](int lane) { return reciprocal_power(a[lane]); });
}
template <class To, class From, int W>
KOKKOS_FUNCTION NativeVector<To, W> convert(const NativeVector<From, W>& a) {
  return NativeVector<To, W>::template map<To>([&](int lane) { return static_cast<To>(a[lane]); });
}
template <ShortReal To, ShortReal From, int W>
KOKKOS_FUNCTION NativeVector<To, W> same_bits(const NativeVector<From, W>& a) {
  return NativeVector<To, W>::template map<To>([&](int lane) {
    To value;
    value.m_bits = a[lane].m_bits;
    return value;
  });
}
template <class From, int W>
KOKKOS_FUNCTION NativeVector<BFloat16, W> exact_bfloat16(const NativeVector<From, W>& a) {
  return convert<BFloat16, From, W>(a);
}
template <class T, int W, class Lanes>
KOKKOS_FUNCTION NativeVector<T, W> enter_first(const NativeVector<T, W>& a, T first, Lanes) {
  return NativeVector<T, W>::template map<T>([&](int lane) { return lane == 0 ? first : a[lane - 1]; });
}
template <class T, int W, class Lanes>
KOKKOS_FUNCTION NativeVector<T, W> enter_last(const NativeVector<T, W>& a, T last, Lanes) {
  return NativeVector<T, W>::template map<T>([&](int lane) { return lane == W - 1 ? last : a[lane + 1]; });
}

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
