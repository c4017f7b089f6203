// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hyperplane/grid/hyperplane_map.hpp>
#include <hyperplane/grid/red_black_order.hpp>
#include <hyperplane/stencil/convert.hpp>
#include <string>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class Convert : public ::testing::Test {};
TYPED_TEST_SUITE(Convert, ExecutionSpaces, SpaceNames);

constexpr int n = 3;
Grid const grid(5, 11, 3);

/// Through a view of another shape and layout and back.
template <class View, class Exec, class... Extents>
void round_trip(const Exec& exec, Extents... extents) {
  auto const values = random_vector(grid.size() * n);
  auto const vector = to_device<double, n>(exec, grid, values);
  View const view("view", extents...);
  unpack(exec, vector, view);
  BlockVector<double, n, Exec> const back(exec, grid);
  pack(exec, view, back);
  EXPECT_TRUE(bitwise_equal(to_host(exec, back), values));
}

TYPED_TEST(Convert, vectors_of_every_shape_and_layout) {
  TypeParam const exec;
  using Kokkos::LayoutLeft, Kokkos::LayoutRight;
  auto const points = grid.size();
  round_trip<Kokkos::View<double*, TypeParam>>(exec, points * n);
  round_trip<Kokkos::View<double**, LayoutLeft, TypeParam>>(exec, points, n);
  round_trip<Kokkos::View<double**, LayoutRight, TypeParam>>(exec, points, n);
  round_trip<Kokkos::View<double* [n], LayoutRight, TypeParam>>(exec, points);
}

template <class Exec, class Order>
void compare_orders(const Exec& exec, const Grid& on, const Order& order) {
  auto const values = random_vector(on.size());
  auto const vector = to_device<double, 1>(exec, on, values);
  Kokkos::View<double*, Exec> const view("view", on.size());
  unpack(exec, vector, view, order);
  auto const ordered = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  for (std::int64_t p = 0; p < on.size(); ++p) EXPECT_EQ(ordered(order.index(on.point(p))), values[p]);
  BlockVector<double, 1, Exec> const back(exec, on);
  pack(exec, view, back, order);
  EXPECT_TRUE(bitwise_equal(to_host(exec, back), values));

  auto const reference = random_stencil(on, 1);
  auto const stencil = to_device<double, 1, double>(exec, reference);
  Kokkos::View<double**, Kokkos::LayoutLeft, Exec> const arrays("arrays", on.size(), stencil7_size);
  unpack(exec, stencil, arrays, order);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), arrays);
  for (std::int64_t p = 0; p < on.size(); ++p) {
    for (auto const d : stencil7_directions) {
      EXPECT_EQ(host(order.index(on.point(p)), static_cast<int>(d)), reference.block(p, d)(0, 0));
    }
  }
  BlockStencil7<double, 1, Exec> const again(exec, on);
  pack(exec, arrays, again, order);
  Kokkos::View<double**, Kokkos::LayoutLeft, Exec> const natural("natural", on.size(), stencil7_size);
  Kokkos::View<double**, Kokkos::LayoutLeft, Exec> const expected("expected", on.size(), stencil7_size);
  unpack(exec, again, natural);
  unpack(exec, stencil, expected);
  auto const actual_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), natural);
  auto const expected_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  for (std::size_t e = 0; e < actual_host.size(); ++e) EXPECT_EQ(actual_host.data()[e], expected_host.data()[e]);
}

TYPED_TEST(Convert, points_in_red_black_order_and_by_hyperplanes) {
  TypeParam const exec;
  for (auto const& on : {Grid(1, 1, 1), Grid(5, 11, 3), Grid(4, 6, 5), Grid(5, 4, 3), Grid(8, 9, 2)}) {
    compare_orders(exec, on, on);
    compare_orders(exec, on, RedBlackOrder(on));
    compare_orders(exec, on, HyperplaneMap(on));
  }
}

TYPED_TEST(Convert, refuses_the_order_of_another_grid) {
  TypeParam const exec;
  Kokkos::View<double*, TypeParam> const view("view", 60);
  Kokkos::View<double**, TypeParam> const arrays("arrays", 60, stencil7_size);
  BlockVector<double, 1, TypeParam> const vector(exec, Grid(5, 4, 3));
  BlockStencil7<double, 1, TypeParam> const stencil(exec, Grid(5, 4, 3));
  Grid const other(5, 3, 4);
  EXPECT_THROW(pack(exec, view, vector, RedBlackOrder(other)), Error);
  EXPECT_THROW(unpack(exec, vector, view, HyperplaneMap(other)), Error);
  EXPECT_THROW(pack(exec, arrays, stencil, other), Error);
  EXPECT_THROW(unpack(exec, stencil, arrays, RedBlackOrder(other)), Error);
}

TYPED_TEST(Convert, a_strided_view_is_read_in_place) {
  TypeParam const exec;
  auto const values = random_vector(grid.size() * n);
  auto const vector = to_device<double, n>(exec, grid, values);
  // Every second column of a wider array, as in a flow code that keeps more than the unknowns.
  Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> const wide("wide", grid.size(), 2 * n + 1);
  auto const strided = Kokkos::subview(wide, Kokkos::ALL, std::pair(1, 1 + n));
  unpack(exec, vector, strided);
  BlockVector<double, n, TypeParam> const back(exec, grid);
  pack(exec, strided, back);
  EXPECT_TRUE(bitwise_equal(to_host(exec, back), values));
}

TYPED_TEST(Convert, any_strides_constness_and_scalar) {
  TypeParam const exec;
  using Kokkos::LayoutStride;
  auto const points = static_cast<std::size_t>(grid.size());
  round_trip<Kokkos::View<double*, LayoutStride, TypeParam>>(exec, LayoutStride(points * n, 3));
  // Unknowns outermost, with gaps everywhere.
  round_trip<Kokkos::View<double**, LayoutStride, TypeParam>>(exec, LayoutStride(points, 2, n, 2 * points + 1));

  std::vector<double> values = random_vector(grid.size() * n);
  for (auto& value : values) value = static_cast<float>(value);
  auto const vector = to_device<double, n>(exec, grid, values);
  Kokkos::View<float**, Kokkos::LayoutLeft, TypeParam> const narrow("narrow", points, n);
  unpack(exec, vector, narrow);
  BlockVector<double, n, TypeParam> const back(exec, grid);
  pack(exec, Kokkos::View<const float**, Kokkos::LayoutLeft, TypeParam>(narrow), back);
  EXPECT_TRUE(bitwise_equal(to_host(exec, back), values));
}

TYPED_TEST(Convert, rows_are_point_major_and_i_fastest) {
  TypeParam const exec;
  std::vector<double> values(grid.size() * n);
  for (std::size_t row = 0; row < values.size(); ++row) values[row] = static_cast<double>(row);
  auto const vector = to_device<double, n>(exec, grid, values);
  Kokkos::View<double****, TypeParam> const view("view", 5, 11, 3, n);
  unpack(exec, vector, view, {.axes = AxisOrder::ijk});
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  EXPECT_EQ(host(4, 9, 2, 1), (4 + 5 * (9 + 11 * 2)) * n + 1);
}

TYPED_TEST(Convert, padding_of_a_vector_stays_zero) {
  TypeParam const exec;
  auto const vector = to_device<double, n>(exec, grid, std::vector<double>(grid.size() * n, 1.0));
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, vector.flat());
  double sum = 0;
  for (std::size_t e = 0; e < host.size(); ++e) sum += host(e);
  EXPECT_EQ(sum, static_cast<double>(grid.size() * n));
  EXPECT_GT(host.size(), static_cast<std::size_t>(grid.size() * n));
}

TYPED_TEST(Convert, stencils_and_narrow_storage) {
  TypeParam const exec;
  auto const reference = random_stencil(grid, n);
  auto const check = [&](auto storage) {
    using Storage = decltype(storage);
    auto const stencil = to_device<double, n, Storage>(exec, reference);
    Kokkos::View<double****, Kokkos::LayoutLeft, TypeParam> const view("view", grid.size(), stencil7_size, n, n);
    unpack(exec, stencil, view);
    exec.fence();
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
    for (std::int64_t p = 0; p < grid.size(); ++p) {
      for (int d = 0; d < stencil7_size; ++d) {
        for (int r = 0; r < n; ++r) {
          for (int c = 0; c < n; ++c) {
            ASSERT_EQ(host(p, d, r, c), static_cast<double>(static_cast<Storage>(reference.blocks[p][d](r, c))));
          }
        }
      }
    }
  };
  check(double{});
  check(float{});
}

TYPED_TEST(Convert, stencils_from_strided_views) {
  // Directions outermost, then the block, points fastest: seven arrays of coefficients.
  TypeParam const exec;
  auto const points = static_cast<std::size_t>(grid.size());
  using Strided = Kokkos::View<double****, Kokkos::LayoutStride, TypeParam>;
  Strided const arrays("arrays",
                       Kokkos::LayoutStride(points, 1, stencil7_size, n * n * points, n, n * points, n, points));
  auto const stencil = to_device<double, n, double>(exec, random_stencil(grid, n));
  BlockStencil7<double, n, TypeParam> const back(exec, grid);
  unpack(exec, stencil, arrays);
  pack(exec, Kokkos::View<const double****, Kokkos::LayoutStride, TypeParam>(arrays), back);
  exec.fence();
  auto const expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, stencil.flat());
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, back.flat());
  for (std::size_t e = 0; e < expected.size(); ++e) ASSERT_EQ(found(e), expected(e));
}

TYPED_TEST(Convert, wrong_extents_are_refused_by_name) {
  TypeParam const exec;
  BlockVector<double, n, TypeParam> const vector(exec, grid);
  Kokkos::View<double*, TypeParam> const wrong("velocity", grid.size() * n + 1);
  try {
    pack(exec, wrong, vector);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("velocity"),
                                               ::testing::HasSubstr(std::to_string(grid.size() * n + 1)),
                                               ::testing::HasSubstr(std::to_string(grid.size() * n))));
  }
  EXPECT_THROW(unpack(exec, vector, Kokkos::View<double**, TypeParam>("v", grid.size(), n + 1)), Error);
  EXPECT_THROW(pack(exec, Kokkos::View<double*, TypeParam>("v", 0), vector), Error);

  BlockStencil7<double, n, TypeParam> const stencil(exec, grid);
  using Blocks = Kokkos::View<double****, TypeParam>;
  EXPECT_NO_THROW(pack(exec, Blocks("v", grid.size(), 7, n, n), stencil));
  EXPECT_THROW(pack(exec, Blocks("v", grid.size() - 1, 7, n, n), stencil), Error);
  EXPECT_THROW(pack(exec, Blocks("v", 7, grid.size(), n, n), stencil), Error);
  EXPECT_THROW(unpack(exec, stencil, Blocks("v", grid.size(), 7, n, n + 1)), Error);
}

}  // namespace
}  // namespace hyperplane::test
