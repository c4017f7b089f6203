// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/array/updates.hpp>
#include <string>

#include "support/array_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class UpdatesTest : public ::testing::Test {};
TYPED_TEST_SUITE(UpdatesTest, ExecutionSpaces, SpaceNames);

/// Every update on arrays of every layout, the output in another layout than the input.
template <class T, class Exec>
void compare_with_reference(const Exec& exec, const std::array<int, 3>& extents, int components) {
  auto const layouts = layouts_of(extents, components);
  T const alpha = 3, beta = -2;
  double const tolerance =
      std::is_integral_v<T> ? 0.0 : rounding<std::conditional_t<std::is_integral_v<T>, double, T>>(4, 1);
  for (auto const& box : boxes_in(extents)) {
    for (std::size_t l = 0; l < layouts.size(); ++l) {
      TestArray<T, Exec> x(exec, layouts[l], 1);
      TestArray<T, Exec> y(exec, layouts[(2 * l) % layouts.size()], 2);
      auto const check = [&](const char* what, auto&& expect) {
        for_box(box, components, expect);
        EXPECT_TRUE(near(y.found(), y.expected(), tolerance))
            << what << ", box " << to_string(box) << ", layouts " << layouts[l].name << ", "
            << layouts[(2 * l) % layouts.size()].name;
      };
      axpy(exec, box, alpha, x, y);
      check("axpy", [&](int i, int j, int k, int c) { y.at(i, j, k, c) += alpha * x.at(i, j, k, c); });
      axpby(exec, box, alpha, x, beta, y);
      check("axpby",
            [&](int i, int j, int k, int c) { y.at(i, j, k, c) = alpha * x.at(i, j, k, c) + beta * y.at(i, j, k, c); });
      scale(exec, box, alpha, y);
      check("scale", [&](int i, int j, int k, int c) { y.at(i, j, k, c) *= alpha; });
      copy(exec, box, x, y);
      check("copy", [&](int i, int j, int k, int c) { y.at(i, j, k, c) = x.at(i, j, k, c); });
      fill(exec, box, beta, y);
      check("fill", [&](int i, int j, int k, int c) { y.at(i, j, k, c) = beta; });
    }
  }
}

TYPED_TEST(UpdatesTest, are_the_serial_reference) {
  TypeParam const exec;
  compare_with_reference<double>(exec, {7, 5, 4}, 2);
  compare_with_reference<float>(exec, {1, 1, 1}, 1);
  compare_with_reference<int>(exec, {3, 4, 2}, 3);
}

TYPED_TEST(UpdatesTest, take_views_of_any_layout_and_long_rows) {
  TypeParam const exec;
  constexpr int ni = 9001, nj = 3;
  Kokkos::View<double***, Kokkos::LayoutLeft, TypeParam> const x("x", ni, nj, 2);
  Kokkos::View<double***, Kokkos::LayoutRight, TypeParam> const y("y", ni, nj, 2);
  Kokkos::View<double*, TypeParam> const flat(x.data(), x.size());
  Box const inside{{1, 1, 0}, {ni, nj, 2}};
  fill(exec, array_ref(flat).box(), 2.0, flat);
  axpy(exec, inside, 0.5, Kokkos::View<const double***, Kokkos::LayoutLeft, TypeParam>(x), y);
  exec.fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, y);
  for_box(array_ref(y).box(), 1, [&](int i, int j, int k, int) {
    double const expected = i >= 1 && j >= 1 ? 1.0 : 0.0;
    if (host(i, j, k) != expected) FAIL() << i << ' ' << j << ' ' << k << ": " << host(i, j, k);
  });
}

TYPED_TEST(UpdatesTest, take_coefficients_from_memory) {
  TypeParam const exec;
  auto const layout = layouts_of({5, 4, 3}, 1).front();
  TestArray<float, TypeParam> const x(exec, layout, 1), y(exec, layout, 2), z(exec, layout, 2);
  Kokkos::View<double, TypeParam> const alpha("alpha");
  Kokkos::deep_copy(alpha, 0.25);
  Box const box = x.ref().box();
  axpy(exec, box, alpha, x, y);
  axpy(exec, box, 0.25f, x, z);
  EXPECT_TRUE(bitwise_equal(y.found(), z.found()));
  axpy(exec, box, -Coefficient<float, TypeParam>(alpha), x, y);
  axpy(exec, box, Coefficient<float, TypeParam>(alpha.data(), -1.0f), x, z);
  EXPECT_TRUE(bitwise_equal(y.found(), z.found()));
}

TYPED_TEST(UpdatesTest, launch_one_kernel_each_on_the_given_instance) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const layout = layouts_of({5, 4, 3}, 2)[3];
  TestArray<double, TypeParam> const x(exec, layout, 1), y(exec, layout, 2);
  Box const box = x.ref().box();
  exec.fence();
  KokkosEvents const events;
  fill(exec, box, 1.0, x);
  copy(exec, box, x, y);
  scale(exec, box, 2.0, x);
  axpy(exec, box, 2.0, x, y);
  axpby(exec, box, 2.0, x, 3.0, y);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  EXPECT_THAT(events.copies(), ::testing::IsEmpty());
  std::vector<std::string> labels;
  for (auto const& kernel : events.kernels()) {
    labels.push_back(kernel.label);
    EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec));
  }
  EXPECT_THAT(labels, ::testing::ElementsAre("Hyperplane::fill", "Hyperplane::copy", "Hyperplane::scale",
                                             "Hyperplane::axpy", "Hyperplane::axpby"));
}

TYPED_TEST(UpdatesTest, name_what_does_not_fit) {
  TypeParam const exec;
  auto const layout = layouts_of({5, 4, 3}, 2).front();
  TestArray<double, TypeParam> const x(exec, layout), other(exec, layouts_of({5, 4, 3}, 3).front());
  auto const message = [](auto&& function) {
    try {
      function();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message([&] { fill(exec, Box{{0, 0, 0}, {5, 4, 4}}, 0.0, x); }),
              ::testing::HasSubstr("fill: box [0, 5) x [0, 4) x [0, 4) is not inside an array of 5x4x3 points"));
  EXPECT_THAT(message([&] { fill(exec, Box{{-1, 0, 0}, {5, 4, 3}}, 0.0, x); }), ::testing::HasSubstr("[-1, 5)"));
  EXPECT_THAT(message([&] { copy(exec, x.ref().box(), x, other); }), ::testing::HasSubstr("2 and 3 components"));
  EXPECT_THAT(message([&] { fill(exec, Box{{0, 0, 0}, {5, 4, 3}}, 0.0, ArrayRef<double>(nullptr, {5, 4, 3})); }),
              ::testing::HasSubstr("null pointer"));
  EXPECT_THAT(message([] { ArrayRef<double>(nullptr, {5, -4, 3}); }), ::testing::HasSubstr("extent 1 is -4"));
  EXPECT_THAT(message([] { ArrayRef<double>(nullptr, {5, 4, 3}, 0); }), ::testing::HasSubstr("0 components"));
}

}  // namespace
}  // namespace hyperplane::test
