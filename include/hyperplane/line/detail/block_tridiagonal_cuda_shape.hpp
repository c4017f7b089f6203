// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Neighbouring lines of a thread: as many as it loads values of at a time, in 128 bits or in 64.
template <class Scalar>
struct CudaLineLoads {
  static constexpr int wide = 16 / static_cast<int>(sizeof(Scalar));
  static constexpr int narrow = 8 / static_cast<int>(sizeof(Scalar));

  /// Calls `use.operator()<lanes>()` with their number.
  template <class Use>
  static void with_lanes(int bits, const Use& use) {
    if (bits == 128) {
      use.template operator()<wide>();
    } else {
      use.template operator()<narrow>();
    }
  }
};

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

/// Threads that share the blocks of a line in a factorization, each with every line_threads-th column: a power of two,
/// so many that two sets of its columns, of `bytes` for each entry, take no more than two thirds of its registers, and
/// that the lines of a pack fill a warp.
constexpr int choose_line_threads(int n, int lines, int bytes) {
  constexpr int register_bytes = 640;
  int threads = n <= 2 ? 1 : 4;
  while (threads < 32 && (threads * lines < 32 || 2 * n * ((n + threads - 1) / threads) * bytes > register_bytes)) {
    threads *= 2;
  }
  return threads;
}

/// Parts of a chunk of lines of scalars, each with `points` steps for one of `groups` threads: as many as the longest
/// line has, up to 128 threads where there are packs enough to fill the device, and up to `most` where there are not.
/// At least a warp.
constexpr int choose_line_scan_parts(std::int64_t packs, int longest, int points, int groups, int most,
                                     int multiprocessors) {
  constexpr int enough = 512;  // threads of a multiprocessor
  int parts = 32 / groups;
  while (parts * points < longest && 2 * parts * groups <= most &&
         (parts * groups < 128 || packs * parts * groups < std::int64_t{enough} * multiprocessors)) {
    parts *= 2;
  }
  return parts;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
