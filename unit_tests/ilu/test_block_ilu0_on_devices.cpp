// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <hyperplane/cuda/check.hpp>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "support/occupy.hpp"
#include "support/plans_on_devices.hpp"

// BILU(0) of a box over devices: the bits of the whole box on one. Where there are fewer devices than parts, these
// share one. What hangs fails by the time limit of the test.
namespace hyperplane::test::on_devices {
namespace {

template <int n>
using Parts = PartsOf<Bilu0, n>;

template <int n, class Storage = double>
void expect_bits_of_whole(const Grid& box, int count, int repetitions = 1) {
  expect_bits_of_whole_box<Bilu0, n, Storage>(box, count, repetitions);
}
template <int n>
std::vector<double> whole(const ReferenceStencil& system, const std::vector<double>& rhs) {
  return solution_of_whole<Bilu0, n, double>(system, rhs);
}

TEST(BlockIlu0OnDevices, bits_of_the_whole_box) {
  for (auto const& box : {Grid(1, 1, 2), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5), Grid(1, 33, 12), Grid(7, 40, 2),
                          Grid(2, 9, 30), Grid(40, 33, 21), Grid(3, 5, 70), Grid(31, 70, 37)}) {
    expect_bits_of_whole<5>(box, 1);
    expect_bits_of_whole<5>(box, 2);
    if (box.nk() > 2) expect_bits_of_whole<3, float>(box, 3);
  }
}

TEST(BlockIlu0OnDevices, parts_of_one_layer) { expect_bits_of_whole<5>(Grid(12, 11, 4), 4); }

TEST(BlockIlu0OnDevices, the_same_bits_in_every_run) { expect_bits_of_whole<5>(Grid(40, 33, 48), 2, 50); }

TEST(BlockIlu0OnDevices, another_matrix) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  constexpr int n = 5;
  Grid const box(9, 17, 14);
  auto const first = random_stencil(box, n);
  auto second = first;
  for (auto& blocks : second.blocks) {
    for (auto& block : blocks) {
      for (double& entry : block.entries) entry *= 4.0;
    }
  }
  auto const rhs = random_vector(first.rows());
  Parts<n> parts(first, 2, share(2));
  for (auto const* const system : std::vector<const ReferenceStencil*>{&first, &second, &first}) {
    parts.set(*system);
    parts.factor();
    auto const x = parts.to_parts(rhs);
    parts.plan().solve(x, x);
    EXPECT_TRUE(bitwise_equal(parts.from_parts(x), whole<n>(*system, rhs)));
  }
}

TEST(BlockIlu0OnDevices, devices_that_start_late) { expect_bits_where_devices_start_late<Bilu0>(); }

/// Another code's kernel: a block for each of some multiprocessors, with all the shared memory that there is, so that
/// sweeps find no room there until it ends.
__global__ void occupy_multiprocessors(long long cycles) { Occupy{cycles}(0); }

void start_to_occupy(const Exec& exec, int spared, long long cycles) {
  int const device = exec.cuda_device();
  int before = 0, memory = 0, count = 0;
  cuda::check(cudaGetDevice(&before), "cudaGetDevice");
  cuda::check(cudaSetDevice(device), "cudaSetDevice");
  cuda::check(cudaDeviceGetAttribute(&memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
              "cudaDeviceGetAttribute");
  cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  cuda::check(cudaFuncSetAttribute(occupy_multiprocessors, cudaFuncAttributeMaxDynamicSharedMemorySize, memory),
              "cudaFuncSetAttribute");
  occupy_multiprocessors<<<count - spared, 1, memory, exec.cuda_stream()>>>(cycles);
  cuda::check(cudaGetLastError(), "occupy_multiprocessors");
  cuda::check(cudaSetDevice(before), "cudaSetDevice");
}

TEST(BlockIlu0OnDevices, beside_a_kernel_that_fills_most_of_one_device) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  constexpr int n = 5;
  auto const system = random_stencil(Grid(19, 33, 27), n);
  auto const rhs = random_vector(system.rows());
  auto const expected = whole<n>(system, rhs);
  Parts<n> parts(system, 2, share(2));
  // Streams of their own on the same devices.
  DeviceInstances const others(2);
  for (int const beside : {0, 1}) {
    auto const b = parts.to_parts(rhs);
    auto const x = parts.to_parts(std::vector<double>(rhs.size(), 0.0));
    Exec const& other = others.all()[beside];
    start_to_occupy(other, 12, 200'000'000);
    for (int repetition = 0; repetition < 5; ++repetition) {
      parts.factor();
      parts.plan().solve(b, x);
    }
    EXPECT_TRUE(bitwise_equal(parts.from_parts(x), expected)) << "beside part " << beside;
    other.fence();
  }
}

TEST(BlockIlu0OnDevices, a_tool_that_waits_after_each_kernel) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  constexpr int n = 5;
  auto const system = random_stencil(Grid(9, 8, 14), n);
  auto const rhs = random_vector(system.rows());
  Parts<n> parts(system, 2, share(2));
  auto const x = parts.to_parts(rhs);
  namespace tools = Kokkos::Tools::Experimental;
  tools::set_end_parallel_for_callback([](std::uint64_t) { Kokkos::fence("a tool"); });
  parts.factor();
  parts.plan().solve(x, x);
  tools::set_end_parallel_for_callback(nullptr);
  EXPECT_TRUE(bitwise_equal(parts.from_parts(x), whole<n>(system, rhs)));
}

/// What a factorization says of the box on one device, and of its parts.
void expect_same_failure(const ReferenceStencil& system, const std::string& expected) {
  constexpr int n = 5;
  auto const of_whole = plan_of_whole<Bilu0, n, double>(system).status(Exec());
  Parts<n> parts(system, 2, share(2));
  parts.factor();
  auto const status = parts.plan().status();
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.message(), of_whole.message());
  EXPECT_THAT(status.message(), ::testing::HasSubstr(expected));
  parts.set(random_stencil(system.grid, n));
  parts.factor();
  EXPECT_TRUE(parts.plan().status().ok());
}

TEST(BlockIlu0OnDevices, failures_are_those_of_the_box) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  constexpr int n = 5;
  // A point in the first layer of the upper part, and the one below it.
  Grid const box(6, 7, 8);
  Point const p{2, 3, 4}, below{2, 3, 3};
  auto const regular = random_stencil(box, n);
  auto const set = [&](ReferenceStencil& system, const Point& point, Direction direction, double diagonal,
                       double others) {
    auto& block = system.block(box.index(point), direction);
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) block(r, c) = r == c ? diagonal : others;
    }
  };
  double const nan = std::numeric_limits<double>::quiet_NaN();
  // What the lower part has left makes the pivot block zero.
  auto zero = regular;
  for (Point const& point : {p, below}) {
    for (auto const direction : {Direction::west, Direction::south, Direction::bottom})
      set(zero, point, direction, 0, 0);
    set(zero, point, Direction::center, 1, 0);
  }
  set(zero, below, Direction::top, 1, 0);
  set(zero, p, Direction::bottom, 1, 0);
  expect_same_failure(zero, "singular pivot at point (2, 3, 4)");
  auto bottom = regular;
  set(bottom, p, Direction::bottom, nan, nan);
  expect_same_failure(bottom, "block bottom");
  auto top = regular;
  set(top, below, Direction::top, nan, nan);
  expect_same_failure(top, "block top of point (2, 3, 3)");
  auto center = regular;
  set(center, p, Direction::center, nan, nan);
  expect_same_failure(center, "(2, 3, 4)");
  // What the lower part has left is too large for its type.
  auto large = regular;
  for (auto const direction : {Direction::west, Direction::south, Direction::bottom})
    set(large, below, direction, 0, 0);
  set(large, below, Direction::center, 1e-5, 0);
  set(large, below, Direction::top, 1e306, 0);
  expect_same_failure(large, "overflow at point (2, 3, 3)");
}

TEST(BlockIlu0OnDevices, what_cannot_be_is_refused) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  using Plan = BlockIlu0OnDevices<double, 5, Exec>;
  using Box = GridOnDevices<Exec>;
  DeviceInstances const three(3);
  EXPECT_THAT([&] { Box(three.all(), Grid(4, 4, 2)); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("3 parts of 2 layers")));
  EXPECT_THAT([&] { Box({}, Grid(4, 4, 2)); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("no execution space instance")));
  std::vector<Exec> const sharing{three.all()[0], three.all()[0]};
  EXPECT_THAT([&] { Box(sharing, Grid(4, 4, 4)); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("parts 0 and 1 are on one stream")));
  DeviceInstances const many(DeviceInstances::device_count() + 1);
  EXPECT_THAT(
      [&] { Plan(Box(many.all(), Grid(4, 4, 9))); },
      ::testing::ThrowsMessage<Error>(::testing::HasSubstr("option multiprocessors is 0, and has to be 1 to ")));
  Box const one({three.all()[0]}, Grid(4, 4, 4));
  EXPECT_THAT([&] { Plan(one, {.multiprocessors = -1}); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("-1 multiprocessors")));
  Plan const plan(one);
  BlockVector<double, 5, Exec> const x(three.all()[0], Grid(4, 4, 4));
  EXPECT_THAT([&] { plan.solve(std::span(&x, 1), std::span(&x, 1)); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("called before factor")));
  EXPECT_THAT([&] { plan.solve_transposed(std::span(&x, 1), std::span(&x, 1)); },
              ::testing::ThrowsMessage<Error>(
                  ::testing::HasSubstr("BlockIlu0OnDevices::solve_transposed: called before factor")));
  EXPECT_THAT([&] { plan.solve({}, {}); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("0 parts are given, there are 1")));
}

}  // namespace
}  // namespace hyperplane::test::on_devices
