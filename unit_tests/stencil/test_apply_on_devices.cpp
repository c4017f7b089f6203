// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/apply_on_devices_cuda.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <limits>
#include <vector>

#include "support/matchers.hpp"
#include "support/occupy.hpp"
#include "support/on_devices.hpp"

// Products over devices: the bits of the whole box on one.
namespace hyperplane::test::on_devices {
namespace {

/// A product and a residual of the whole box, and the same with A^T.
template <int n, class Storage>
std::vector<std::vector<double>> products_of_whole(const Exec& exec, const ReferenceStencil& system,
                                                   const std::vector<double>& x, const std::vector<double>& b) {
  auto const a = to_device<double, n, Storage>(exec, system);
  auto const from = to_device<double, n>(exec, system.grid, x);
  auto const y = to_device<double, n>(exec, system.grid, b), r = to_device<double, n>(exec, system.grid, b);
  apply(exec, a, from, y);
  residual(exec, a, y, from, r);
  auto const yt = to_device<double, n>(exec, system.grid, b), rt = to_device<double, n>(exec, system.grid, b);
  apply_transposed(exec, a, from, yt);
  residual_transposed(exec, a, y, from, rt);
  return {to_host(exec, y), to_host(exec, r), to_host(exec, yt), to_host(exec, rt)};
}

template <int n, class Storage = double>
void expect_products_of_whole(const Grid& box, int count) {
  auto const system = random_stencil(box, n);
  auto const x = random_vector(system.rows()), b = random_vector(system.rows(), 3);
  DeviceInstances const instances(count);
  GridOnDevices<Exec> const grid(instances.all(), box);
  Exec const exec;
  auto const expected = products_of_whole<n, Storage>(exec, system, x, b);
  auto const a = to_devices<n, Storage>(exec, grid, system);
  auto const from = to_devices<n>(exec, grid, x);
  auto const y = to_devices<n>(exec, grid, b), r = to_devices<n>(exec, grid, b);
  apply(exec, a, from, y);
  residual(exec, a, y, from, r);
  auto const yt = to_devices<n>(exec, grid, b), rt = to_devices<n>(exec, grid, b);
  apply_transposed(exec, a, from, yt);
  residual_transposed(exec, a, y, from, rt);
  exec.fence();
  int product = 0;
  for (auto const& result : {y, r, yt, rt}) {
    EXPECT_TRUE(bitwise_equal(from_parts(grid, result.parts()), expected[product]))
        << to_string(grid) << ", n = " << n << ", product " << product;
    ++product;
  }
}

TEST(ApplyOnDevices, bits_of_the_whole_box) {
  for (auto const& box : {Grid(1, 1, 2), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5), Grid(1, 33, 12)}) {
    expect_products_of_whole<5>(box, 1);
    expect_products_of_whole<5>(box, 2);
    expect_products_of_whole<1>(box, 2);
  }
  expect_products_of_whole<5, float>(Grid(11, 13, 19), 3);
}

TEST(ApplyOnDevices, parts_of_one_layer) {
  expect_products_of_whole<5>(Grid(12, 11, 4), 4);
  expect_products_of_whole<1>(Grid(3, 1, 3), 3);
}

// What has been launched on the instance of a part, and on the caller's, comes before the products of all parts.
TEST(ApplyOnDevices, instances_that_are_late) {
  constexpr int n = 1;
  auto const system = random_stencil(Grid(9, 17, 7), n);
  auto const x = random_vector(system.rows());
  DeviceInstances const instances(2);
  GridOnDevices<Exec> const grid(instances.all(), system.grid);
  Exec const exec;
  auto const expected = products_of_whole<n, double>(exec, system, x, x);
  auto const a = to_devices<n>(exec, grid, system);
  auto const values = to_devices<n>(exec, grid, x);
  exec.fence();
  for (auto const& late : {grid.exec(0), grid.exec(1), exec}) {
    BlockVectorOnDevices<double, n, Exec> const from(exec, grid), y(exec, grid), r(exec, grid);
    exec.fence();
    Kokkos::parallel_for("Occupy", Kokkos::RangePolicy<Exec>(late, 0, 64), Occupy{20'000'000});
    grid.for_parts([&](int p) {
      auto const& filled = late == exec ? exec : grid.exec(p);
      Kokkos::deep_copy(filled, from.part(p).flat(), values.part(p).flat());
    });
    apply(exec, a, from, y);
    residual(exec, a, y, from, r);
    exec.fence();
    EXPECT_TRUE(bitwise_equal(from_parts(grid, y.parts()), expected[0]));
    EXPECT_TRUE(bitwise_equal(from_parts(grid, r.parts()), expected[1]));
  }
}

struct Magnitudes {
  const double* m_x;
  KOKKOS_FUNCTION void operator()(std::int64_t e, double& sum) const { sum += Kokkos::abs(m_x[e]); }
};

TEST(ApplyOnDevices, padding_stays_zero_and_a_copy_is_the_same_vector) {
  DeviceInstances const instances(2);
  GridOnDevices<Exec> const grid(instances.all(), Grid(3, 5, 5));
  Exec const exec;
  auto const a = to_devices<5>(exec, grid, random_stencil(grid.box(), 5));
  BlockVectorOnDevices<double, 5, Exec> const x(exec, grid), y(exec, grid);
  auto const copy = x;
  EXPECT_EQ(copy.flat().data(), x.flat().data());
  EXPECT_EQ(x.first_value(0), 0);
  EXPECT_EQ(x.part(1).flat().data(), x.flat().data() + x.first_value(1));
  apply(exec, a, x, y);
  double sum = 1.0;
  Kokkos::parallel_reduce("Magnitudes", Kokkos::RangePolicy<Exec>(exec, 0, y.flat().size()),
                          Magnitudes{y.flat().data()}, sum);
  EXPECT_EQ(sum, 0.0);
}

TEST(ApplyOnDevices, what_is_not_finite_is_named_with_its_point_of_the_box) {
  DeviceInstances const instances(2);
  auto system = random_stencil(Grid(4, 3, 6), 1);
  GridOnDevices<Exec> const grid(instances.all(), system.grid);
  Exec const exec;
  EXPECT_EQ(describe_not_finite(exec, to_devices<1>(exec, grid, system)), "");
  system.block(system.grid.index(1, 2, 3), Direction::bottom)(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(describe_not_finite(exec, to_devices<1>(exec, grid, system)),
            "block bottom of point (1, 2, 3) is not finite");
}

TEST(ApplyOnDevices, what_cannot_be_is_refused) {
  DeviceInstances const two(2), other_two(2);
  Grid const box(4, 4, 4);
  GridOnDevices<Exec> const grid(two.all(), box), same(two.all(), box), other(other_two.all(), box);
  EXPECT_TRUE(grid == same);
  EXPECT_FALSE(grid == other);
  Exec const exec;
  BlockStencil7OnDevices<double, 1, Exec> const a(exec, grid);
  BlockVectorOnDevices<double, 1, Exec> const x(exec, same), y(exec, other);
  EXPECT_THAT([&] { apply(exec, a, x, y); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr(
                  "apply: the result is on 4x4x4 in 2 parts, expected 4x4x4 in 2 parts with the same instances")));
  EXPECT_THAT([&] { apply(exec, a, x, x); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("the result must not be x")));
  if (DeviceInstances::device_count() == 1) return;
  EXPECT_THAT([&] { apply(two.all()[1], a, x, BlockVectorOnDevices<double, 1, Exec>(exec, grid)); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("on CUDA device 1, the lowest part on device 0")));
}

}  // namespace
}  // namespace hyperplane::test::on_devices
