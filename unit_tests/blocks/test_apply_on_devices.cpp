// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/apply_on_devices.hpp>
#include <hyperplane/blocks/apply_transposed.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/ghost_points_on_devices.hpp>
#include <hyperplane/blocks/mask_points_on_devices.hpp>
#include <limits>
#include <string>
#include <vector>

#include "blocks_on_devices.hpp"
#include "masked_blocks.hpp"
#include "multi_block_grids.hpp"
#include "support/execution_spaces.hpp"
#include "support/ghost_fields.hpp"
#include "support/masks.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/random_system.hpp"
#include "support/views.hpp"

// Products, masks and ghost points of grid blocks over devices: the bits of one device.
namespace hyperplane::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace multi_block_masks;

template <class Exec>
class BlocksOnDevices : public ::testing::Test {
 protected:
  template <int n, class Storage = double>
  void expect_products(const std::string& what, const MultiBlockGrid& whole, int parts) const {
    MultiBlockReference const reference(whole, n);
    auto const x_values = random_vector(whole.size() * n), b_values = random_vector(whole.size() * n, 3);
    auto const vector = [&](const std::vector<double>& values) { return to_device<double, n>(exec, whole, values); };
    auto const expected =
        products(to_device<double, n, Storage>(exec, reference), vector(x_values), vector(b_values), vector(b_values));
    PartInstances<Exec> const instances(parts);
    for (auto const& [name, owners] : owners_of_parts(whole, parts)) {
      MultiBlockGridOnDevices<Exec> const grid(instances.all(), whole, owners);
      auto const found = products(to_devices<n, Storage>(exec, grid, reference), to_devices<n>(exec, grid, x_values),
                                  to_devices<n>(exec, grid, b_values), to_devices<n>(exec, grid, b_values));
      for (std::size_t product = 0; product < found.size(); ++product) {
        EXPECT_TRUE(bitwise_equal(found[product], expected[product]))
            << what << " in " << parts << " parts, " << name << ", n = " << n << ", product " << product;
      }
    }
  }

  template <int n>
  void expect_masked(const std::string& what, const MultiBlockGrid& whole, int parts) const {
    MultiBlockReference const reference(whole, n);
    auto const values = random_vector(whole.size() * n);
    PartInstances<Exec> const instances(parts);
    MultiBlockGridOnDevices<Exec> const grid(instances.all(), whole);
    for (auto const& [which, mask] : masks_of_blocks(whole)) {
      SCOPED_TRACE(what + ", n = " + std::to_string(n) + ", masked: " + which);
      auto const points = to_view<std::int8_t>(exec, mask);
      auto const a = to_devices<n, double>(exec, grid, with_nonsense_at_masked_points(reference, mask));
      auto const x = to_devices<n>(exec, grid, with_value(values, mask, nonsense));
      mask_points(exec, points, a);
      mask_points(exec, points, x);
      auto const expected = without_masked_points(reference, mask);
      EXPECT_TRUE(bitwise_equal(to_host(exec, x), with_value(values, mask, 0.0)));
      for (int b = 0; b < whole.block_count(); ++b) {
        EXPECT_TRUE(bitwise_equal(to_host(a.block(b).flat()),
                                  to_host(to_device<double, n, double>(exec, expected.blocks[b]).flat())))
            << b;
      }
    }
  }

  Exec exec{};

 private:
  /// A product, a residual in place, and the same with A^T.
  template <class Matrix, class Vector>
  std::vector<std::vector<double>> products(const Matrix& a, const Vector& x, const Vector& b, const Vector& c) const {
    std::vector<std::vector<double>> result;
    Vector const y(exec, a.grid());
    apply(exec, a, x, y);
    result.push_back(to_host(exec, y));
    residual(exec, a, b, x, b);
    result.push_back(to_host(exec, b));
    apply_transposed(exec, a, x, y);
    result.push_back(to_host(exec, y));
    residual_transposed(exec, a, c, x, c);
    result.push_back(to_host(exec, c));
    return result;
  }
};
TYPED_TEST_SUITE(BlocksOnDevices, ExecutionSpaces, SpaceNames);

TYPED_TEST(BlocksOnDevices, products_have_the_bits_of_one_device) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_products<1>(what, grid, 2);
    this->template expect_products<3>(what, grid, 3);
  }
  this->template expect_products<2>("other axes", joined_pair(Grid(3, 5, 2), {{-2, 3, 1}}), 2);
  this->template expect_products<3, float>("four parts", cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid, 4);
}

TYPED_TEST(BlocksOnDevices, products_whatever_the_axes_of_the_neighbour) {
  for (auto const& transform : all_transforms()) {
    this->template expect_products<3>(to_string(transform), joined_pair(Grid(3, 5, 2), transform), 2);
  }
}

TYPED_TEST(BlocksOnDevices, masks_leave_the_bits_of_one_device) {
  this->template expect_masked<3>("cut along all", cut_grid(Grid(7, 6, 5), {2, 3, 2}, {true, false, false}).grid, 3);
  this->template expect_masked<1>("other axes", joined_pair(Grid(3, 5, 2), {{-2, 3, 1}}), 2);
}

// Each ghost point is written once, on whichever device.
TYPED_TEST(BlocksOnDevices, ghost_points_have_the_values_of_donors) {
  PartInstances<TypeParam> const instances(3);
  for (auto const& [what, whole] : awkward_grids()) {
    for (auto const& [how, owners] : owners_of_parts(whole, 3)) {
      MultiBlockGridOnDevices<TypeParam> const grid(instances.all(), whole, owners);
      GhostPointsOnDevices<TypeParam> const ghosts(grid, 2);
      GhostField<TypeParam> const field(this->exec, whole, 2, [](int b) { return b; });
      ghosts.fill(this->exec, 2, field.read(), field.write());
      this->exec.fence();
      auto const expected = expected_ghost_fields(whole, 2, 2);
      for (int b = 0; b < whole.block_count(); ++b) {
        EXPECT_EQ(field.values_of(b), expected[static_cast<std::size_t>(b)]) << what << ", " << how << ", " << b;
      }
      EXPECT_EQ(ghosts.size(), GhostPoints<TypeParam>(this->exec, whole, 2).size()) << what << ", " << how;
    }
  }
}

TYPED_TEST(BlocksOnDevices, grid_blocks_and_their_parts) {
  auto const whole = cut_grid(Grid(8, 4, 4), {8, 1, 1}).grid;
  PartInstances<TypeParam> const instances(3);
  MultiBlockGridOnDevices<TypeParam> const by_points(instances.all(), whole);
  EXPECT_THAT(by_points.owners(), ElementsAre(0, 0, 0, 1, 1, 2, 2, 2));
  MultiBlockGridOnDevices<TypeParam> const grid(instances.all(), whole, {2, 2, 0, 0, 2, 2, 0, 2});
  EXPECT_EQ(grid.count(), 3);
  EXPECT_EQ(to_string(grid), to_string(whole) + " in 3 parts");
  EXPECT_THAT(grid.blocks(0), ElementsAre(2, 3, 6));
  EXPECT_THAT(grid.blocks(1), ElementsAre());
  EXPECT_EQ(grid.part(1).block_count(), 0);
  EXPECT_EQ(grid.part(0).interfaces().size(), 2U);
  EXPECT_EQ(grid.place(6), 2);
  EXPECT_EQ(grid.owner(7), 2);
  MultiBlockVectorOnDevices<double, 3, TypeParam> const x(this->exec, grid);
  auto const copy = x;
  EXPECT_EQ(copy.flat().data(), x.flat().data());
  for (int p = 0; p < 3; ++p) EXPECT_EQ(x.part(p).flat().data(), x.flat().data() + x.first_value(p));
  EXPECT_EQ(x.block(6).flat().data(), x.part(0).block(2).flat().data());
}

TYPED_TEST(BlocksOnDevices, what_is_not_finite_is_named_with_its_grid_block) {
  auto const whole = cut_grid(Grid(6, 4, 4), {3, 1, 1}).grid;
  PartInstances<TypeParam> const instances(2);
  MultiBlockGridOnDevices<TypeParam> const grid(instances.all(), whole, {1, 1, 0});
  MultiBlockReference reference(whole, 2);
  EXPECT_EQ(describe_not_finite(this->exec, to_devices<2, double>(this->exec, grid, reference)), "");
  for (int const b : {2, 1}) {
    reference.blocks[b].block(3, Direction::north)(0, 1) = std::numeric_limits<double>::infinity();
    EXPECT_EQ(describe_not_finite(this->exec, to_devices<2, double>(this->exec, grid, reference)),
              "grid block " + std::to_string(b) + ": block north of point (1, 1, 0) is not finite");
  }
}

TYPED_TEST(BlocksOnDevices, what_cannot_be_is_refused) {
  using OnDevices = MultiBlockGridOnDevices<TypeParam>;
  auto const whole = cut_grid(Grid(6, 4, 4), {3, 1, 1}).grid;
  PartInstances<TypeParam> const instances(2);
  EXPECT_THAT(message_of([&] { OnDevices({}, whole); }),
              HasSubstr("MultiBlockGridOnDevices: there is no execution space instance"));
  EXPECT_THAT(message_of([&] { OnDevices(instances.all(), whole, {0, 1}); }),
              HasSubstr("MultiBlockGridOnDevices: 2 owners for 3 grid blocks"));
  EXPECT_THAT(message_of([&] { OnDevices(instances.all(), whole, {0, 1, 2}); }),
              HasSubstr("MultiBlockGridOnDevices: the owner of grid block 2 is part 2, there are 2"));
  OnDevices const grid(instances.all(), whole), same(instances.all(), whole), other(instances.all(), whole, {0, 1, 0});
  EXPECT_TRUE(grid == same);
  EXPECT_FALSE(grid == other);
  EXPECT_THAT(message_of([&] { grid.owner(3); }), HasSubstr("there is no grid block 3 in 3 grid blocks"));
  MultiBlockStencil7OnDevices<double, 1, TypeParam> const a(this->exec, grid);
  MultiBlockVectorOnDevices<double, 1, TypeParam> const x(this->exec, same), y(this->exec, other);
  EXPECT_THAT(message_of([&] { apply(this->exec, a, x, y); }),
              HasSubstr("apply: the result is on " + to_string(other) + ", expected " + to_string(grid) +
                        " with the same interfaces, owners and instances"));
  EXPECT_THAT(message_of([&] { apply(this->exec, a, x, x); }), HasSubstr("apply: the result must not be x"));
  PointMask<TypeParam> const mask = to_view<std::int8_t>(this->exec, Mask(95, 1));
  EXPECT_THAT(message_of([&] { mask_points(this->exec, mask, a); }), HasSubstr("the mask has 95 values, expected 96"));
}

}  // namespace
}  // namespace hyperplane::test
