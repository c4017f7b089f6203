// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace hyperplane::detail {

/// Bytes of shared memory of a block: `entry` for each entry of the ring, and `fixed`.
struct CudaLineMemory {
  std::size_t entry;
  std::size_t fixed;
  constexpr std::size_t total(int entries) const { return entries * (entry + sizeof(std::uint64_t)) + fixed; }
};

/// Entries of the ring: as many as fit when every multiprocessor holds its part of the packs at once, from two to
/// eight. What is more than fits on the device runs in turns.
constexpr int choose_line_entries(std::int64_t packs, const CudaLineMemory& memory, int multiprocessors,
                                  std::size_t multiprocessor_bytes, std::size_t block_bytes) {
  constexpr int most = 8;
  constexpr std::size_t reserved = 1024;  // by the system, for each block
  auto const wanted = (packs + multiprocessors - 1) / multiprocessors;
  for (auto blocks = wanted < 16 ? wanted : 16; blocks >= 1; --blocks) {
    auto const available = multiprocessor_bytes / blocks - reserved;
    auto const limit = available < block_bytes ? available : block_bytes;
    int entries = most;
    while (entries > 1 && memory.total(entries) > limit) --entries;
    // With many packs three entries hide the latency; where a block is alone on its multiprocessor, take what fits.
    if (entries >= 3 || (blocks <= 2 && entries >= 2)) return entries;
  }
  return memory.total(2) <= block_bytes ? 2 : 0;
}

}  // namespace hyperplane::detail
