// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <hyperplane/blocks/apply_on_devices.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/detail/copy_values.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/multi_block_on_devices.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/block_ilu0_part_cuda.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <limits>
#include <string>
#include <vector>

#include "blocks_on_devices.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/occupy.hpp"
#include "support/random_system.hpp"

// What of grid blocks over devices only devices have: instances that are late, and devices that are others.
namespace hyperplane::test {
namespace {

using Exec = Kokkos::Cuda;
constexpr int n = 3;
using Ilu = BlockIlu0<double, n, Exec>;
using OnDevices = MultiBlockGridOnDevices<Exec>;
using Vector = MultiBlockVectorOnDevices<double, n, Exec>;
using Options = MultiBlockOptions<BlockIlu0Options>;
/// Where parts share a device, it has multiprocessors for each of them.
Options const natural{.coupling = Coupling::natural, .block = {.path = SweepPath::slab, .multiprocessors = 20}};

/// x = M^-1 A b, and M^-T x, on one device.
struct Solutions {
  std::vector<double> x, transposed;

  Solutions(const Exec& exec, const MultiBlockReference& reference, const std::vector<double>& values,
            const Options& options) {
    auto const a = to_device<double, n, double>(exec, reference);
    MultiBlock<Ilu> plan(exec, reference.grid, options);
    plan.factor(exec, a);
    auto const b = to_device<double, n>(exec, reference.grid, values);
    MultiBlockVector<double, n, Exec> const y(exec, reference.grid), z(exec, reference.grid);
    apply(exec, a, b, y);
    plan.solve(exec, y, y);
    plan.solve_transposed(exec, y, z);
    x = to_host(exec, y);
    transposed = to_host(exec, z);
  }
};

/// Copies all parts by one kernel on the caller's instance.
void copy_at_once(const Exec& exec, const Vector& from, const Vector& to) {
  detail::copy_values("Copy", exec, from.flat().data(), to.flat().data(), to.flat().size());
}

/// What has been launched on the instance of a part, and on the caller's, comes before what all parts do, and what is
/// launched on the caller's later comes after it: what an instance reads too early is of another matrix.
void expect_order(const MultiBlockGrid& whole, const std::vector<int>& owners, const Options& options,
                  bool through_devices) {
  MultiBlockReference const first(whole, n);
  auto second = first;
  for (int b = 0; b < whole.block_count(); ++b) {
    second.blocks[b] = random_stencil(whole.block(b), n, static_cast<unsigned>(b + 101));
  }
  auto const values = random_vector(whole.size() * n);
  Exec const exec;
  std::vector<Solutions> const expected{{exec, first, values, options}, {exec, second, values, options}};

  PartInstances<Exec> const instances(3);
  OnDevices const grid(instances.all(), whole, owners);
  std::vector const matrices{to_devices<n, double>(exec, grid, first), to_devices<n, double>(exec, grid, second)};
  auto const given = to_devices<n>(exec, grid, values);
  MultiBlockOnDevices<Ilu> plan(grid, options);
  EXPECT_EQ(plan.goes_through_devices(), through_devices);
  // Its first calls prepare launches.
  Vector const prepared(exec, grid);
  plan.factor(exec, matrices[1]);
  plan.solve(exec, prepared, prepared);
  plan.solve_transposed(exec, prepared, prepared);
  exec.fence();
  for (int repetition = 0; repetition < 8; ++repetition) {
    Exec const& late = repetition % 4 < 3 ? grid.exec(repetition % 4) : exec;
    auto const& a = matrices[repetition % 2];
    Vector const from(exec, grid), z(exec, grid), w(exec, grid), found(exec, grid), found_transposed(exec, grid);
    exec.fence();
    Kokkos::parallel_for("Occupy", Kokkos::RangePolicy<Exec>(late, 0, 64), Occupy{20'000'000});
    grid.for_parts([&](int p) {
      auto const& filled = late == exec ? exec : grid.exec(p);
      Kokkos::deep_copy(filled, from.part(p).flat(), given.part(p).flat());
    });
    plan.factor(exec, a);
    apply(exec, a, from, z);
    plan.solve(exec, z, z);
    plan.solve_transposed(exec, z, w);
    copy_at_once(exec, w, found_transposed);
    copy_at_once(exec, z, found);
    auto const& [x, transposed] = expected[repetition % 2];
    EXPECT_TRUE(bitwise_equal(to_host(exec, found), x)) << "repetition " << repetition;
    EXPECT_TRUE(bitwise_equal(to_host(exec, found_transposed), transposed)) << "repetition " << repetition;
  }
  EXPECT_TRUE(plan.status().ok()) << plan.status().message();
}

// Colours come after one another on all devices.
TEST(BlocksOnCudaDevices, instances_that_are_late) {
  std::vector<int> const owners{0, 1, 2, 0, 1, 2, 2, 1, 0, 2, 1, 0};
  auto const parts = [](bool periodic) { return cut_grid(Grid(24, 19, 17), {2, 3, 2}, {periodic, false, false}).grid; };
  expect_order(parts(true), owners, {.coupling = Coupling::coloured}, false);
  expect_order(parts(false), owners, natural, false);
}

// One grid block for each part, and several, whatever the parts are called.
TEST(BlocksOnCudaDevices, natural_goes_through_devices) {
  if (!BlockIlu0Part<double, n, Exec>::lacking().empty()) GTEST_SKIP() << BlockIlu0Part<double, n, Exec>::lacking();
  expect_order(cut_grid(Grid(24, 19, 17), {1, 1, 3}).grid, {1, 2, 0}, natural, true);
  expect_order(cut_grid(Grid(24, 19, 17), {1, 1, 5}).grid, {2, 2, 0, 1, 1}, natural, true);
}

TEST(BlocksOnCudaDevices, failures_through_devices_have_their_grid_block) {
  if (!BlockIlu0Part<double, n, Exec>::lacking().empty()) GTEST_SKIP() << BlockIlu0Part<double, n, Exec>::lacking();
  auto const whole = cut_grid(Grid(5, 4, 9), {1, 1, 3}).grid;
  Exec const exec;
  PartInstances<Exec> const instances(2);
  for (auto const& owners : std::vector<std::vector<int>>{{1, 0, 0}, {0, 0, 1}}) {
    OnDevices const grid(instances.all(), whole, owners);
    MultiBlockOnDevices<Ilu> plan(grid, natural);
    ASSERT_TRUE(plan.goes_through_devices());
    for (int b = 0; b < whole.block_count(); ++b) {
      MultiBlockReference reference(whole, n);
      reference.blocks[b].block(2, Direction::east)(0, 1) = std::numeric_limits<double>::quiet_NaN();
      plan.factor(exec, to_devices<n, double>(exec, grid, reference));
      EXPECT_EQ(plan.status().message(),
                "grid block " + std::to_string(b) + ": not finite at point (3, 0, 0): block east of point (2, 0, 0)");
      plan.factor(exec, to_devices<n, double>(exec, grid, MultiBlockReference(whole, n)));
      EXPECT_TRUE(plan.status().ok()) << plan.status().message();
    }
  }
}

TEST(BlocksOnCudaDevices, what_is_launched_later_waits_also_after_an_error) {
  auto const whole = cut_grid(Grid(6, 4, 4), {2, 1, 1}).grid;
  Exec const exec;
  PartInstances<Exec> const instances(2);
  OnDevices const grid(instances.all(), whole);
  for (int const failing : {-1, 0, 1}) {
    Vector const x(exec, grid), found(exec, grid);
    exec.fence();
    std::vector<double> expected(whole.size() * n, failing == 0 ? 0.0 : 1.0);
    std::fill_n(expected.begin(), whole.block(0).size() * n, 1.0);
    auto const message = message_of([&] {
      grid.run(exec, [&](int p) {
        Kokkos::parallel_for("Occupy", Kokkos::RangePolicy<Exec>(grid.exec(p), 0, 64), Occupy{20'000'000});
        Kokkos::deep_copy(grid.exec(p), x.part(p).flat(), 1.0);
        if (p == failing) fail("part " + std::to_string(p) + " fails");
      });
    });
    copy_at_once(exec, x, found);
    EXPECT_THAT(message, ::testing::HasSubstr(failing < 0 ? "nothing thrown" : "part " + std::to_string(failing)));
    EXPECT_TRUE(bitwise_equal(to_host(exec, found), expected)) << "part " << failing << " fails";
  }
}

TEST(BlocksOnCudaDevices, instances_that_cannot_be_are_refused) {
  auto const whole = cut_grid(Grid(6, 4, 4), {3, 1, 1}).grid;
  PartInstances<Exec> const instances(2);
  std::vector<Exec> const sharing{instances.all()[0], instances.all()[0]};
  EXPECT_THAT(message_of([&] { OnDevices(sharing, whole); }),
              ::testing::HasSubstr("MultiBlockGridOnDevices: parts 0 and 1 are on one stream"));
  if (DeviceInstances::device_count() == 1) return;
  OnDevices const grid(instances.all(), whole);
  MultiBlockVectorOnDevices<double, n, Exec> const x(Exec(), grid), y(Exec(), grid);
  MultiBlockStencil7OnDevices<double, n, Exec> const a(Exec(), grid);
  EXPECT_THAT(message_of([&] { apply(instances.all()[1], a, x, y); }),
              ::testing::HasSubstr("MultiBlockGridOnDevices: the execution space instance is on CUDA device 1, the "
                                   "lowest part on device 0"));
}

}  // namespace
}  // namespace hyperplane::test
