// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/core/storage_real.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// A value in global memory that others wait for: until it is there, the word has the bits of one NaN that no
/// arithmetic gives. Whoever sees another word has the value, so that a dependency between two multiprocessors costs
/// one store and one load, no fence and no more bytes than the value. Relaxed order is enough, because nothing but the
/// word itself is communicated. Unlike a Packet, the word has to be made vacant again before the next value is awaited.
template <class Scalar>
struct AwaitedValue;

template <>
struct AwaitedValue<double> {
  static constexpr std::uint64_t vacant = 0x7ff8'5ca1'ab1e'0001;
  static constexpr std::uint64_t not_a_number = 0x7ff8'0000'0000'0000;

  std::uint64_t m_word;

  __device__ static AwaitedValue load(const AwaitedValue* from) {
    AwaitedValue result;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(result.m_word) : "l"(from) : "memory");
    return result;
  }
  __device__ static void store(AwaitedValue* to, double value) {
    auto word = static_cast<std::uint64_t>(__double_as_longlong(value));
    if (word == vacant) word = not_a_number;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
  }
  __device__ bool is_vacant() const { return m_word == vacant; }
  __device__ double value() const { return __longlong_as_double(static_cast<long long>(m_word)); }
};

template <>
struct AwaitedValue<float> {
  static constexpr std::uint32_t vacant = 0x7fc5'ca1b;
  static constexpr std::uint32_t not_a_number = 0x7fc0'0000;

  std::uint32_t m_word;

  __device__ static AwaitedValue load(const AwaitedValue* from) {
    AwaitedValue result;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(result.m_word) : "l"(from) : "memory");
    return result;
  }
  __device__ static void store(AwaitedValue* to, float value) {
    std::uint32_t word = __float_as_uint(value);
    if (word == vacant) word = not_a_number;
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
  }
  __device__ bool is_vacant() const { return m_word == vacant; }
  __device__ float value() const { return __uint_as_float(m_word); }
};

/// One of the NaN of a type of 16 bits.
template <class Short>
inline constexpr std::uint16_t vacant_bits = 0x7e5c;
template <>
inline constexpr std::uint16_t vacant_bits<BFloat16> = 0x7fdc;

template <ShortReal Short>
struct AwaitedValue<Short> {
  static constexpr std::uint16_t vacant = vacant_bits<Short>;
  static constexpr std::uint16_t not_a_number = vacant - 1;  // another one

  std::uint16_t m_word;

  __device__ static AwaitedValue load(const AwaitedValue* from) {
    AwaitedValue result;
    asm volatile("ld.relaxed.gpu.global.u16 %0, [%1];" : "=h"(result.m_word) : "l"(from) : "memory");
    return result;
  }
  __device__ static void store(AwaitedValue* to, Short value) {
    std::uint16_t const word = value.m_bits == vacant ? not_a_number : value.m_bits;
    asm volatile("st.relaxed.gpu.global.u16 [%0], %1;" ::"l"(to), "h"(word) : "memory");
  }
  __device__ bool is_vacant() const { return m_word == vacant; }
  __device__ Short value() const {
    Short result;
    result.m_bits = m_word;
    return result;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
