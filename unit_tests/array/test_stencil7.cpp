// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/array/stencil7.hpp>
#include <string>

#include "stencil7_fixture.hpp"
#include "support/array_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"

// Products with seven-point stencils on arrays.
namespace hyperplane::test {
namespace {

TYPED_TEST_SUITE(Stencil7Test, ExecutionSpaces, SpaceNames);

/// The sum over the directions that have a point in the array.
template <class T, class Exec, class Coefficient>
T product_at(const TestArray<T, Exec>& x, const std::array<int, 3>& e, const Point& p, int c,
             const Coefficient& coefficient) {
  T sum = 0;
  for (auto const d : stencil7_directions) {
    Point const q = neighbour(p, d);
    if (Grid(e[0], e[1], e[2]).contains(q)) sum += coefficient(d) * x.at(q.i, q.j, q.k, c);
  }
  return sum;
}

/// One for each direction, none like another.
template <class T>
ConstantStencil7<T> seven_coefficients() {
  return {.bottom = T(-1),
          .south = T(-2),
          .west = T(-3),
          .center = T(12),
          .east = T(-1.5),
          .north = T(-0.5),
          .top = T(-2.5)};
}

template <class T, class Exec>
void compare_with_reference(const Exec& exec, const std::array<int, 3>& extents, int components) {
  auto const constant = seven_coefficients<T>();
  auto const layouts = layouts_of(extents, components);
  auto const matrix_layouts = layouts_of(extents, stencil7_size);
  for (auto const& box : boxes_in(extents)) {
    for (std::size_t l = 0; l < layouts.size(); ++l) {
      TestArray<T, Exec> const x(exec, layouts[l], 1);
      TestArray<T, Exec> y(exec, layouts[(5 * l) % layouts.size()], 2);
      auto const where = to_string(box) + " of " + layouts[l].name;
      apply(exec, box, constant, x, y);
      for_box(box, components, [&](int i, int j, int k, int c) {
        y.at(i, j, k, c) = product_at(x, extents, {i, j, k}, c, [&](Direction d) { return constant[d]; });
      });
      EXPECT_TRUE(near(y.found(), y.expected(), rounding<T>(20, 1))) << "constant, " << where;

      auto const a = random_coefficients<T>(exec, matrix_layouts[(l + 1) % matrix_layouts.size()]);
      apply(exec, box, VariableStencil7<T>(ArrayRef<const T>(a.ref())), x, y);
      for_box(box, components, [&](int i, int j, int k, int c) {
        y.at(i, j, k, c) =
            product_at(x, extents, {i, j, k}, c, [&](Direction d) { return a.at(i, j, k, static_cast<int>(d)); });
      });
      EXPECT_TRUE(near(y.found(), y.expected(), rounding<T>(20, 1))) << "variable, " << where;
    }
  }
}

TYPED_TEST(Stencil7Test, product_is_the_serial_reference) {
  TypeParam const exec;
  compare_with_reference<double>(exec, {7, 5, 4}, 2);
  compare_with_reference<double>(exec, {1, 1, 1}, 1);
  compare_with_reference<float>(exec, {35, 9, 18}, 1);
  // Rows that are computed in several parts.
  compare_with_reference<double>(exec, {1030, 3, 2}, 1);
}

/// Rows begin anywhere in lines of memory, and share them with what is not to be written.
template <class T, class Exec>
void compare_with_layers(const Exec& exec, const std::array<int, 3>& extents, const Box& box) {
  SCOPED_TRACE(to_string(box));
  auto const array = [&](const std::string& label) {
    return Kokkos::View<T***, Kokkos::LayoutLeft, Exec>(label, extents[0], extents[1], extents[2]);
  };
  auto const x = array("x"), y = array("y"), z = array("z");
  auto const values = Kokkos::create_mirror_view(x);
  Box const all = array_ref(x).box();
  for_box(all, 1, [&](int i, int j, int k, int) { values(i, j, k) = static_cast<T>((7 * i + 11 * j + 13 * k) % 17); });
  Kokkos::deep_copy(x, values);
  // Whole numbers, so that no order of operations rounds.
  ConstantStencil7<T> const a{.bottom = -1, .south = -2, .west = -3, .center = 20, .east = -4, .north = -5, .top = -6};
  apply(exec, box, a, x, y);
  for (int k = box.begin.k; k < box.end.k; ++k) {
    apply(exec, {{box.begin.i, box.begin.j, k}, {box.end.i, box.end.j, k + 1}}, a, x, z);
  }
  exec.fence();
  auto const whole = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, y);
  auto const layers = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, z);
  std::size_t different = 0;
  for_box(all, 1, [&](int i, int j, int k, int) { different += whole(i, j, k) != layers(i, j, k); });
  EXPECT_EQ(different, 0u);
}

TYPED_TEST(Stencil7Test, product_of_more_than_caches_hold_is_that_of_its_layers) {
  TypeParam const exec;
  Box const inside{{1, 1, 1}, {575, 47, 42}};
  compare_with_layers<float>(exec, {576, 48, 43}, {{0, 0, 0}, {576, 48, 43}});
  compare_with_layers<float>(exec, {579, 48, 43}, inside);
  compare_with_layers<double>(exec, {579, 48, 43}, inside);
  // Lines of some cache lines, whose ends lack a neighbour and share cache lines with the lines before and behind.
  compare_with_layers<double>(exec, {131, 67, 61}, {{0, 0, 0}, {131, 67, 61}});
}

/// Constant coefficients in rows of neighbours, of a box large enough for blocks that march through layers.
template <class T, class Exec>
void compare_large_boxes(const Exec& exec, const std::array<int, 3>& extents) {
  auto const a = seven_coefficients<T>();
  Box const all{{0, 0, 0}, {extents[0], extents[1], extents[2]}};
  auto const layouts = layouts_of(extents, 1);
  for (auto const& box : {all, all.without_boundary(1), Box{{2, 0, 3}, {extents[0], extents[1] - 1, extents[2]}}}) {
    for (auto const& [from, to] : {std::array{0, 0}, std::array{0, 3}, std::array{3, 0}}) {
      TestArray<T, Exec> const x(exec, layouts[from], 1);
      TestArray<T, Exec> y(exec, layouts[to], 2);
      apply(exec, box, a, x, y);
      for_box(box, 1, [&](int i, int j, int k, int c) {
        y.at(i, j, k, c) = product_at(x, extents, {i, j, k}, c, [&](Direction d) { return a[d]; });
      });
      EXPECT_TRUE(near(y.found(), y.expected(), rounding<T>(20, 1)))
          << to_string(box) << ", x " << layouts[from].name << ", y " << layouts[to].name;
    }
  }
}

TYPED_TEST(Stencil7Test, product_of_large_boxes_is_the_serial_reference) {
  TypeParam const exec;
  compare_large_boxes<double>(exec, {69, 35, 142});
  compare_large_boxes<float>(exec, {134, 18, 142});
  compare_large_boxes<float>(exec, {80, 33, 90});
  compare_large_boxes<float>(exec, {66, 5, 700});
}

TYPED_TEST(Stencil7Test, takes_seven_arrays) {
  TypeParam const exec;
  std::array<int, 3> const extents = {5, 4, 3};
  auto const layout = layouts_of(extents, 1)[0];
  auto const together = random_coefficients<double>(exec, layouts_of(extents, stencil7_size)[0]);
  VariableStencil7<double> const one(ArrayRef<const double>(together.ref()));
  VariableStencil7<double> const seven({one[Direction::bottom], one[Direction::south], one[Direction::west],
                                        one[Direction::center], one[Direction::east], one[Direction::north],
                                        one[Direction::top]});
  TestArray<double, TypeParam> const x(exec, layout, 1), y(exec, layout, 2), z(exec, layout, 2);
  Box const box = x.ref().box();
  apply(exec, box, one, x, y);
  apply(exec, box, seven, x, z);
  EXPECT_TRUE(bitwise_equal(y.found(), z.found()));
  EXPECT_THROW(apply(exec, box, one, x, x), Error);
  EXPECT_THROW(VariableStencil7<double>(ArrayRef<const double>(x.ref())), Error);
  EXPECT_THROW(VariableStencil7<double>({one[Direction::bottom], one[Direction::south], one[Direction::west],
                                         ArrayRef<const double>(x.ref().data(), {4, 5, 3}), one[Direction::east],
                                         one[Direction::north], one[Direction::top]}),
               Error);
  EXPECT_THROW(apply(exec, Box::of(Grid(5, 4, 4)), one, x, y), Error);
}

}  // namespace
}  // namespace hyperplane::test
