// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// Ways for one warp to hand values to another one that waits for them. A channel writes into a box that belongs to the
/// receiver; the stamp tells one message from the one before. A box is used again only after its last message was
/// received and answered, directly or round a ring. Needs compute capability 9.0.
namespace hyperplane::perf::channel {

inline constexpr int box_bytes = 1024;

/// After so many looks without news a receiver gives up, so that a mistake ends the run rather than hanging it.
inline constexpr int patience = 1 << 24;

/// Loads and stores in device memory, for threads anywhere on the device.
struct DeviceMemory {
  using Address = char*;

  static __device__ void store(Address p, std::uint64_t value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
  }
  static __device__ std::uint64_t load(Address p) {
    std::uint64_t value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
  }
  static __device__ void store_release(Address p, std::uint64_t value) {
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
  }
  static __device__ std::uint64_t load_acquire(Address p) {
    std::uint64_t value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
  }
  static __device__ void store_whole(Address p, std::uint64_t a, std::uint64_t b) {
    asm volatile("{ .reg .b128 pair; mov.b128 pair, {%1, %2}; st.relaxed.gpu.global.b128 [%0], pair; }" ::"l"(p),
                 "l"(a), "l"(b)
                 : "memory");
  }
  static __device__ void load_whole(Address p, std::uint64_t& a, std::uint64_t& b) {
    asm volatile("{ .reg .b128 pair; ld.relaxed.gpu.global.b128 pair, [%2]; mov.b128 {%0, %1}, pair; }"
                 : "=l"(a), "=l"(b)
                 : "l"(p)
                 : "memory");
  }
  static __device__ void store_vector(Address p, std::uint64_t a, std::uint64_t b) {
    asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(a), "l"(b) : "memory");
  }
  static __device__ void load_vector(Address p, std::uint64_t& a, std::uint64_t& b) {
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(p) : "memory");
  }
};

/// Loads from the block's own shared memory and stores into that of any block of the cluster. An address is one in the
/// shared window of the cluster; the block's own is the same with and without mapa.
struct ClusterMemory {
  using Address = std::uint32_t;

  static __device__ void store(Address p, std::uint64_t value) {
    asm volatile("st.relaxed.cluster.shared::cluster.u64 [%0], %1;" ::"r"(p), "l"(value) : "memory");
  }
  static __device__ std::uint64_t load(Address p) {
    std::uint64_t value;
    asm volatile("ld.relaxed.cluster.shared.u64 %0, [%1];" : "=l"(value) : "r"(p) : "memory");
    return value;
  }
  static __device__ void store_release(Address p, std::uint64_t value) {
    asm volatile("st.release.cluster.shared::cluster.u64 [%0], %1;" ::"r"(p), "l"(value) : "memory");
  }
  static __device__ std::uint64_t load_acquire(Address p) {
    std::uint64_t value;
    asm volatile("ld.acquire.cluster.shared.u64 %0, [%1];" : "=l"(value) : "r"(p) : "memory");
    return value;
  }
  static __device__ void store_whole(Address p, std::uint64_t a, std::uint64_t b) {
    asm volatile(
        "{ .reg .b128 pair; mov.b128 pair, {%1, %2}; st.relaxed.cluster.shared::cluster.b128 [%0], pair; }" ::"r"(p),
        "l"(a), "l"(b)
        : "memory");
  }
  static __device__ void load_whole(Address p, std::uint64_t& a, std::uint64_t& b) {
    asm volatile("{ .reg .b128 pair; ld.relaxed.cluster.shared.b128 pair, [%2]; mov.b128 {%0, %1}, pair; }"
                 : "=l"(a), "=l"(b)
                 : "r"(p)
                 : "memory");
  }
  static __device__ void store_vector(Address p, std::uint64_t a, std::uint64_t b) {
    asm volatile("st.volatile.shared::cluster.v2.u64 [%0], {%1, %2};" ::"r"(p), "l"(a), "l"(b) : "memory");
  }
  static __device__ void load_vector(Address p, std::uint64_t& a, std::uint64_t& b) {
    asm volatile("ld.volatile.shared.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "r"(p) : "memory");
  }
};

// A channel: prepare() once by thread 0 on a cleared box before anybody sends; send() and receive() by lanes 0 to
// lanes-1 of a warp, each with a value of its own. receive() returns false where it gave up.

/// The values, then a flag: store and store-release, load-acquire and load.
template <class Memory, int lanes>
struct DataThenFlag {
  using Address = typename Memory::Address;
  static constexpr int data_offset = 128;
  static constexpr unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;

  static __device__ void prepare(Address) {}

  static __device__ void send(Address box, int lane, std::uint64_t stamp, std::uint64_t value) {
    Memory::store(box + data_offset + 8 * lane, value);
    __syncwarp(mask);
    if (lane == 0) Memory::store_release(box, stamp);
  }

  static __device__ bool receive(Address box, int lane, std::uint64_t stamp, std::uint64_t& value) {
    int looks = 0;
    if (lane == 0) {
      while (Memory::load_acquire(box) != stamp && looks < patience) ++looks;
    }
    __syncwarp(mask);
    value = Memory::load(box + data_offset + 8 * lane);
    return looks < patience;
  }
};

/// 16 bytes for each lane: the value and its stamp, in one 128-bit store that is seen whole or not at all.
template <class Memory, int lanes>
struct Packet {
  using Address = typename Memory::Address;

  static __device__ void prepare(Address) {}

  static __device__ void send(Address box, int lane, std::uint64_t stamp, std::uint64_t value) {
    Memory::store_whole(box + 16 * lane, value, stamp);
  }

  static __device__ bool receive(Address box, int lane, std::uint64_t stamp, std::uint64_t& value) {
    std::uint64_t seen;
    int looks = 0;
    do {
      Memory::load_whole(box + 16 * lane, value, seen);
    } while (seen != stamp && ++looks < patience);
    return seen == stamp;
  }
};

/// The same as vectors of two 64-bit values, which the memory model does not promise to keep together.
template <class Memory, int lanes>
struct VectorPacket {
  using Address = typename Memory::Address;

  static __device__ void prepare(Address) {}

  static __device__ void send(Address box, int lane, std::uint64_t stamp, std::uint64_t value) {
    Memory::store_vector(box + 16 * lane, value, stamp);
  }

  static __device__ bool receive(Address box, int lane, std::uint64_t stamp, std::uint64_t& value) {
    std::uint64_t seen;
    int looks = 0;
    do {
      Memory::load_vector(box + 16 * lane, value, seen);
    } while (seen != stamp && ++looks < patience);
    return seen == stamp;
  }
};

/// st.async: every store counts its bytes on a barrier in the receiver's shared memory. Stamps count up from 1.
template <class Memory, int lanes>
struct AsyncStore {
  using Address = typename Memory::Address;
  static constexpr int data_offset = 128;

  static __device__ void prepare(Address box) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(box) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    expect(box);
  }

  static __device__ void send(Address box, int lane, std::uint64_t, std::uint64_t value) {
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(box + data_offset + 8 * lane),
        "l"(value), "r"(box)
        : "memory");
  }

  static __device__ bool receive(Address box, int lane, std::uint64_t stamp, std::uint64_t& value) {
    auto const parity = static_cast<std::uint32_t>(stamp - 1) & 1u;
    int looks = 0;
    while (!complete(box, parity) && looks < waits) ++looks;
    value = Memory::load(box + data_offset + 8 * lane);
    // The next message cannot come before this one has been answered.
    if (lane == 0) expect(box);
    return looks < waits;
  }

 private:
  /// Each of which lasts longer than a look.
  static constexpr int waits = patience / 256;

  static __device__ void expect(Address box) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(box), "r"(8 * lanes)
                 : "memory");
  }

  static __device__ bool complete(Address box, std::uint32_t parity) {
    std::uint32_t done;
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(box), "r"(parity)
        : "memory");
    return done != 0;
  }
};

}  // namespace hyperplane::perf::channel
