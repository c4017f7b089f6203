// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// A value and the stamp of its writing in one naturally aligned word of shared memory: what Packet is between
/// multiprocessors, between the warps of a block. Whoever sees the stamp that he waits for has the value too; relaxed
/// order is enough, because nothing but the word itself is communicated. Tools that look for races in shared memory
/// take a poll for one.
template <class Scalar>
struct SharedPacket;

template <>
struct alignas(16) SharedPacket<double> {
  double m_value;
  std::uint32_t m_stamp;
  std::uint32_t m_unused;

  __device__ static void store(SharedPacket* to, double value, std::uint32_t stamp) {
    asm volatile(
        "{\n\t.reg .b64 stamps;\n\t.reg .b128 word;\n\tmov.b64 stamps, {%2, %2};\n\tmov.b128 word, {%1, stamps};\n\t"
        "st.relaxed.cta.shared.b128 [%0], word;\n\t}" ::"r"(shared_address(to)),
        "l"(__double_as_longlong(value)), "r"(stamp)
        : "memory");
  }
  __device__ static SharedPacket load(const SharedPacket* from) {
    long long value;
    std::uint32_t stamp, again;
    asm volatile(
        "{\n\t.reg .b64 stamps;\n\t.reg .b128 word;\n\tld.relaxed.cta.shared.b128 word, [%3];\n\t"
        "mov.b128 {%0, stamps}, word;\n\tmov.b64 {%1, %2}, stamps;\n\t}"
        : "=l"(value), "=r"(stamp), "=r"(again)
        : "r"(shared_address(from))
        : "memory");
    return {__longlong_as_double(value), stamp, again};
  }
};

template <>
struct alignas(8) SharedPacket<float> {
  float m_value;
  std::uint32_t m_stamp;

  __device__ static void store(SharedPacket* to, float value, std::uint32_t stamp) {
    std::uint64_t const word = (std::uint64_t{stamp} << 32) | __float_as_uint(value);
    asm volatile("st.relaxed.cta.shared.u64 [%0], %1;" ::"r"(shared_address(to)), "l"(word) : "memory");
  }
  __device__ static SharedPacket load(const SharedPacket* from) {
    std::uint64_t word;
    asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(word) : "r"(shared_address(from)) : "memory");
    return {__uint_as_float(static_cast<std::uint32_t>(word)), static_cast<std::uint32_t>(word >> 32)};
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
