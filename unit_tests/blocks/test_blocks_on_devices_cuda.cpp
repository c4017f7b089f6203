// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <hyperplane/blocks/apply_on_devices.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/multi_block_on_devices.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
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

// What has been launched on the instance of a part, and on the caller's, comes before what all parts do, and colours
// come after one another on all devices.
TEST(BlocksOnCudaDevices, instances_that_are_late) {
  auto const whole = cut_grid(Grid(24, 19, 17), {2, 3, 2}, {true, false, false}).grid;
  MultiBlockReference const reference(whole, n);
  auto const values = random_vector(whole.size() * n);
  Exec const exec;
  MultiBlockOptions<BlockIlu0Options> const options{.coupling = Coupling::coloured};
  auto const of_whole = to_device<double, n, double>(exec, reference);
  MultiBlock<Ilu> one(exec, whole, options);
  one.factor(exec, of_whole);
  auto const b = to_device<double, n>(exec, whole, values);
  MultiBlockVector<double, n, Exec> const x(exec, whole), y(exec, whole);
  apply(exec, of_whole, b, x);
  one.solve(exec, x, x);
  one.solve_transposed(exec, x, y);
  auto const expected = to_host(exec, x), expected_transposed = to_host(exec, y);

  PartInstances<Exec> const instances(3);
  OnDevices const grid(instances.all(), whole, {0, 1, 2, 0, 1, 2, 2, 1, 0, 2, 1, 0});
  auto const a = to_devices<n, double>(exec, grid, reference);
  auto const given = to_devices<n>(exec, grid, values);
  MultiBlockOnDevices<Ilu> plan(grid, options);
  exec.fence();
  for (int repetition = 0; repetition < 8; ++repetition) {
    Exec const& late = repetition % 4 < 3 ? grid.exec(repetition % 4) : exec;
    MultiBlockVectorOnDevices<double, n, Exec> const from(exec, grid), z(exec, grid), w(exec, grid);
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
    EXPECT_TRUE(bitwise_equal(to_host(exec, z), expected)) << "repetition " << repetition;
    EXPECT_TRUE(bitwise_equal(to_host(exec, w), expected_transposed)) << "repetition " << repetition;
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
