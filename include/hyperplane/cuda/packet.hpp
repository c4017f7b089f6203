// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// A value and the stamp of its writing in one naturally aligned word, which is stored and loaded by single memory
/// operations: whoever sees the stamp that he waits for has the value too, so that a dependency between two
/// multiprocessors costs one store and one load, and no fence. Relaxed order is enough, because nothing but the word
/// itself is communicated. Between devices the word is in the memory of the one that waits, so that it polls at home.
template <class Scalar>
struct Packet;

template <>
struct alignas(16) Packet<double> {
  using Stamp = std::uint64_t;
  double m_value;
  Stamp m_stamp;

  __device__ static void store(Packet* to, double value, Stamp stamp) {
    asm volatile(
        "{\n\t.reg .b128 word;\n\tmov.b128 word, {%1, %2};\n\tst.relaxed.gpu.global.b128 [%0], word;\n\t}" ::"l"(to),
        "l"(__double_as_longlong(value)), "l"(stamp)
        : "memory");
  }
  __device__ static Packet load(const Packet* from) {
    long long value;
    Stamp stamp;
    asm volatile("{\n\t.reg .b128 word;\n\tld.relaxed.gpu.global.b128 word, [%2];\n\tmov.b128 {%0, %1}, word;\n\t}"
                 : "=l"(value), "=l"(stamp)
                 : "l"(from)
                 : "memory");
    return {__longlong_as_double(value), stamp};
  }

  /// To and from another device.
  __device__ static void store_between_devices(Packet* to, double value, Stamp stamp) {
    asm volatile(
        "{\n\t.reg .b128 word;\n\tmov.b128 word, {%1, %2};\n\tst.relaxed.sys.global.b128 [%0], word;\n\t}" ::"l"(to),
        "l"(__double_as_longlong(value)), "l"(stamp)
        : "memory");
  }
  __device__ static Packet load_between_devices(const Packet* from) {
    long long value;
    Stamp stamp;
    asm volatile("{\n\t.reg .b128 word;\n\tld.relaxed.sys.global.b128 word, [%2];\n\tmov.b128 {%0, %1}, word;\n\t}"
                 : "=l"(value), "=l"(stamp)
                 : "l"(from)
                 : "memory");
    return {__longlong_as_double(value), stamp};
  }
};

template <>
struct alignas(8) Packet<float> {
  using Stamp = std::uint32_t;
  float m_value;
  Stamp m_stamp;

  __device__ static void store(Packet* to, float value, Stamp stamp) {
    std::uint64_t const word = (std::uint64_t{stamp} << 32) | __float_as_uint(value);
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
  }
  __device__ static Packet load(const Packet* from) {
    std::uint64_t word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return {__uint_as_float(static_cast<std::uint32_t>(word)), static_cast<Stamp>(word >> 32)};
  }

  /// To and from another device.
  __device__ static void store_between_devices(Packet* to, float value, Stamp stamp) {
    std::uint64_t const word = (std::uint64_t{stamp} << 32) | __float_as_uint(value);
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
  }
  __device__ static Packet load_between_devices(const Packet* from) {
    std::uint64_t word;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return {__uint_as_float(static_cast<std::uint32_t>(word)), static_cast<Stamp>(word >> 32)};
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
