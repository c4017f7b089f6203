// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <hyperplane/line/detail/block_tridiagonal_cuda_shape.hpp>

// The shape of LinePath::staged is a pure function, tested without a device.
namespace hyperplane::test {
namespace {

using detail::choose_line_entries;
using detail::choose_line_scan_parts;
using detail::choose_line_threads;
using detail::CudaLineMemory;

constexpr int multiprocessors = 132;
constexpr std::size_t multiprocessor_bytes = 228 * 1024, block_bytes = 227 * 1024;

int entries(std::int64_t packs, const CudaLineMemory& memory) {
  return choose_line_entries(packs, memory, multiprocessors, multiprocessor_bytes, block_bytes);
}

TEST(BlockTridiagonalShape, takes_eight_entries_where_all_packs_fit_at_once) {
  EXPECT_EQ(entries(1, {3200, 1280}), 8);
  EXPECT_EQ(entries(1024, {3200, 1280}), 8);
}

TEST(BlockTridiagonalShape, takes_fewer_entries_before_it_leaves_packs_out) {
  EXPECT_EQ(entries(256, {28800, 3840}), 3);
  EXPECT_EQ(entries(256, {28800, 30000}), 2) << "two blocks of a multiprocessor with two entries each";
  // More packs than fit run in turns, with entries enough to hide the latency.
  EXPECT_EQ(entries(4096, {28800, 3840}), 3);
  EXPECT_EQ(entries(4096, {3200, 1280}), 3);
}

TEST(BlockTridiagonalShape, never_takes_more_than_a_block_can_have) {
  for (std::size_t entry = 1024; entry < 120 * 1024; entry += 5000) {
    for (std::int64_t const packs : {1, 132, 133, 1000, 100000}) {
      CudaLineMemory const memory{entry, 2 * entry / 3};
      int const chosen = entries(packs, memory);
      if (memory.total(2) > block_bytes) {
        EXPECT_EQ(chosen, 0);
      } else {
        EXPECT_GE(chosen, 2);
        EXPECT_LE(memory.total(chosen), block_bytes);
      }
    }
  }
}

TEST(BlockTridiagonalShape, gives_a_line_threads_enough_for_its_columns) {
  EXPECT_EQ(choose_line_threads(2, 16, 8), 2) << "a warp of 16 lines";
  EXPECT_EQ(choose_line_threads(5, 16, 8), 4);
  EXPECT_EQ(choose_line_threads(10, 16, 8), 4);
  EXPECT_EQ(choose_line_threads(15, 16, 8), 8);
  EXPECT_EQ(choose_line_threads(16, 8, 16), 16);
  for (int n = 2; n <= 16; ++n) {
    for (int const lanes : {1, 2}) EXPECT_EQ(choose_line_threads(n, 16 / lanes, lanes * 8) * 16 / lanes % 32, 0) << n;
  }
}

TEST(BlockTridiagonalShape, gives_a_line_of_scalars_more_threads_where_there_are_few) {
  auto const parts = [](std::int64_t packs, int longest, int points) {
    return choose_line_scan_parts(packs, longest, points, 16, 512, multiprocessors);
  };
  EXPECT_EQ(parts(1024, 128, 16), 8);
  EXPECT_EQ(parts(1024, 1, 16), 2) << "a warp at least";
  EXPECT_EQ(parts(1024, 4096, 16), 8) << "128 threads, chunk after chunk";
  EXPECT_EQ(parts(1, 512, 16), 32) << "at once";
  EXPECT_EQ(parts(1, 4096, 16), 32) << "no more than a block has";
}

}  // namespace
}  // namespace hyperplane::test
