// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <hyperplane/array/reductions.hpp>
#include <limits>
#include <string>

#include "support/array_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class ReductionsTest : public ::testing::Test {};
TYPED_TEST_SUITE(ReductionsTest, ExecutionSpaces, SpaceNames);

template <class Exec>
std::vector<ReductionPath> reduction_paths_of() {
  if constexpr (CudaExecutionSpace<Exec>) return {ReductionPath::portable, ReductionPath::single_launch};
  return {ReductionPath::portable};
}

template <class T, class Exec>
Kokkos::View<T, typename Exec::memory_space> device_value(const Exec&, T value) {
  Kokkos::View<T, typename Exec::memory_space> const result("value");
  Kokkos::deep_copy(result, value);
  return result;
}

/// In extended precision.
struct ReferenceSums {
  long double sum = 0, norm_1 = 0, squares = 0, dot = 0, largest = 0;
  double min = std::numeric_limits<double>::infinity(), max = -min;
};

template <class T, class Exec>
void compare_with_reference(const Exec& exec, const std::array<int, 3>& extents, int components,
                            const ReductionsOptions& options) {
  Reductions<Exec> const reductions(exec, options);
  auto const layouts = layouts_of(extents, components);
  // Sums are in double: less than a rounding error for each element.
  double const tolerance = 100 * std::numeric_limits<double>::epsilon();
  for (auto const& box : boxes_in(extents)) {
    for (std::size_t l = 0; l < layouts.size(); ++l) {
      TestArray<T, Exec> const x(exec, layouts[l], 1);
      TestArray<T, Exec> const y(exec, layouts[(3 * l + 1) % layouts.size()], 2);
      ReferenceSums expected;
      for_box(box, components, [&](int i, int j, int k, int c) {
        long double const value = x.at(i, j, k, c);
        expected.sum += value;
        expected.norm_1 += std::abs(value);
        expected.squares += value * value;
        expected.largest = std::max(expected.largest, std::abs(value));
        expected.dot += value * y.at(i, j, k, c);
        expected.min = std::min(expected.min, static_cast<double>(value));
        expected.max = std::max(expected.max, static_cast<double>(value));
      });
      auto const where = to_string(box) + " of " + layouts[l].name + ", path " + name(options.path);
      double const scale = static_cast<double>(expected.norm_1);
      auto const expect_near = [&](double found, long double value, const char* what) {
        EXPECT_NEAR(found, static_cast<double>(value), tolerance * scale) << what << " " << where;
      };
      expect_near(reductions.sum(exec, box, x), expected.sum, "sum");
      expect_near(reductions.norm_1(exec, box, x), expected.norm_1, "norm_1");
      expect_near(reductions.dot(exec, box, x, y), expected.dot, "dot");
      EXPECT_EQ(reductions.norm_inf(exec, box, x), static_cast<double>(expected.largest)) << where;
      if constexpr (!std::is_integral_v<T>)
        expect_near(reductions.norm_2(exec, box, x), std::sqrt(expected.squares), "norm_2");
      if (box.empty()) {
        EXPECT_EQ(reductions.min(exec, box, x), detail::highest<T>);
        EXPECT_EQ(reductions.max(exec, box, x), detail::lowest<T>);
      } else {
        EXPECT_EQ(reductions.min(exec, box, x), expected.min) << where;
        EXPECT_EQ(reductions.max(exec, box, x), expected.max) << where;
      }
    }
  }
}

TYPED_TEST(ReductionsTest, are_the_serial_reference) {
  TypeParam const exec;
  for (auto const path : reduction_paths_of<TypeParam>()) {
    compare_with_reference<double>(exec, {7, 5, 4}, 2, {.path = path});
    compare_with_reference<double>(exec, {1, 1, 1}, 1, {.path = path});
    compare_with_reference<float>(exec, {37, 3, 5}, 1, {.path = path});
    compare_with_reference<int>(exec, {3, 4, 2}, 3, {.path = path});
  }
}

TYPED_TEST(ReductionsTest, of_large_boxes) {
  // Rows that are cut, more rows than partial results, and lanes that go round several times.
  TypeParam const exec;
  for (auto const path : reduction_paths_of<TypeParam>()) {
    Reductions<TypeParam> const reductions(exec, {.path = path});
    for (auto const& extents :
         {std::array<int, 3>{100003, 3, 2}, std::array<int, 3>{5, 211, 307}, std::array<int, 3>{37, 150, 130}}) {
      Kokkos::View<int***, Kokkos::LayoutLeft, TypeParam> const x("x", extents[0], extents[1], extents[2]);
      auto const host = Kokkos::create_mirror_view(x);
      std::int64_t sum = 0, squares = 0, smallest = 1000, largest = 0;
      Box const box = array_ref(x).box();
      Box const inside{{1, 1, 0}, {extents[0] - 1, extents[1], extents[2]}};
      for_box(box, 1, [&](int i, int j, int k, int) { host(i, j, k) = (i * 7 + j * 11 + k * 13) % 1001 - 400; });
      for_box(inside, 1, [&](int i, int j, int k, int) {
        sum += host(i, j, k);
        smallest = std::min<std::int64_t>(smallest, host(i, j, k));
        largest = std::max<std::int64_t>(largest, std::abs(host(i, j, k)));
        squares += std::int64_t{host(i, j, k)} * host(i, j, k);
      });
      Kokkos::deep_copy(x, host);
      EXPECT_EQ(reductions.sum(exec, inside, x), sum);
      EXPECT_EQ(reductions.dot(exec, inside, x, x), squares);
      EXPECT_EQ(reductions.min(exec, inside, x), smallest);
      EXPECT_EQ(reductions.norm_inf(exec, inside, x), largest);
    }
  }
}

TYPED_TEST(ReductionsTest, several_dot_products_in_one_pass) {
  TypeParam const exec;
  auto const layout = layouts_of({9, 6, 5}, 2)[3];
  TestArray<double, TypeParam> const x(exec, layout, 1), y(exec, layout, 2), z(exec, layout, 3);
  Box const box = x.ref().box().without_boundary(1);
  for (auto const path : reduction_paths_of<TypeParam>()) {
    Reductions<TypeParam> const reductions(exec, {.path = path});
    Kokkos::View<double*, typename TypeParam::memory_space> const results("results", 4);
    reductions.dots(exec, box, std::array{dot_pair(x, y), dot_pair(x, x), dot_pair(y, z), dot_pair(z, x)}, results);
    exec.fence();
    auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, results);
    // Each as if alone: the same elements are added in the same order.
    EXPECT_EQ(found(0), reductions.dot(exec, box, x, y));
    EXPECT_EQ(found(1), reductions.dot(exec, box, x, x));
    EXPECT_EQ(found(2), reductions.dot(exec, box, y, z));
    EXPECT_EQ(found(3), reductions.dot(exec, box, z, x));
    Kokkos::View<double*, typename TypeParam::memory_space> const one("one", 1);
    EXPECT_THROW(reductions.dots(exec, box, std::array{dot_pair(x, y), dot_pair(x, x)}, one), Error);
  }
}

TYPED_TEST(ReductionsTest, updates_with_dot_products) {
  TypeParam const exec;
  std::array<int, 3> const extents = {17, 6, 5};
  auto const layouts = layouts_of(extents, 1);
  Box const box{{1, 0, 1}, {17, 5, 5}};
  auto const tolerance = rounding<double>(100, 1);
  for (auto const path : reduction_paths_of<TypeParam>()) {
    Reductions<TypeParam> const reductions(exec, {.path = path});
    for (auto const& layout : layouts) {
      TestArray<double, TypeParam> p(exec, layout, 1), q(exec, layouts[0], 2), x(exec, layouts[3], 3),
          r(exec, layout, 4);
      auto const alpha = device_value(exec, 0.3);
      double const found = reductions.update_dot(exec, box, alpha, p, q, x, r);
      double expected = 0;
      for_box(box, 1, [&](int i, int j, int k, int) {
        x.at(i, j, k) += 0.3 * p.at(i, j, k);
        r.at(i, j, k) -= 0.3 * q.at(i, j, k);
        expected += r.at(i, j, k) * r.at(i, j, k);
      });
      EXPECT_TRUE(near(x.found(), x.expected(), tolerance)) << layout.name;
      EXPECT_TRUE(near(r.found(), r.expected(), tolerance)) << layout.name;
      EXPECT_NEAR(found, expected, tolerance * expected) << layout.name;

      double const other = reductions.axpy_dot(exec, box, -0.5, p, x, q);
      double const same = reductions.axpy_dot(exec, box, 0.25, p, r, r);
      double expected_other = 0, expected_same = 0;
      for_box(box, 1, [&](int i, int j, int k, int) {
        x.at(i, j, k) -= 0.5 * p.at(i, j, k);
        r.at(i, j, k) += 0.25 * p.at(i, j, k);
        expected_other += x.at(i, j, k) * q.at(i, j, k);
        expected_same += r.at(i, j, k) * r.at(i, j, k);
      });
      EXPECT_TRUE(near(x.found(), x.expected(), tolerance)) << layout.name;
      EXPECT_TRUE(near(r.found(), r.expected(), tolerance)) << layout.name;
      EXPECT_NEAR(other, expected_other, tolerance * 100) << layout.name;
      EXPECT_NEAR(same, expected_same, tolerance * 100) << layout.name;
    }
  }
}

template <class T, class Exec>
void find_what_is_not_finite(const Exec& exec, ReductionPath path) {
  using Limits = std::numeric_limits<T>;
  Reductions<Exec> const reductions(exec, {.path = path});
  Kokkos::View<T***, Kokkos::LayoutLeft, Exec> const x("x", 40, 5, 5);
  auto const host = Kokkos::create_mirror_view(x);
  Box const box = array_ref(x).box();
  auto const set = [&](int place, T value) {
    for_box(box, 1, [&](int i, int j, int k, int) { host(i, j, k) = T((i + j + k) % 3 - 1); });
    host(place, 2, 3) = value;
    Kokkos::deep_copy(x, host);
  };
  for (int const place : {0, 7, 39}) {
    for (T const nan : {Limits::quiet_NaN(), std::copysign(Limits::quiet_NaN(), T(-1))}) {
      set(place, nan);
      EXPECT_TRUE(std::isnan(reductions.min(exec, box, x)));
      EXPECT_TRUE(std::isnan(reductions.max(exec, box, x)));
      EXPECT_TRUE(std::isnan(reductions.norm_inf(exec, box, x)));
      EXPECT_TRUE(std::isnan(reductions.sum(exec, box, x)));
    }
    for (T const infinity : {Limits::infinity(), -Limits::infinity()}) {
      set(place, infinity);
      EXPECT_EQ(reductions.min(exec, box, x), std::min(infinity, T(-1)));
      EXPECT_EQ(reductions.max(exec, box, x), std::max(infinity, T(1)));
      EXPECT_EQ(reductions.norm_inf(exec, box, x), Limits::infinity());
      EXPECT_EQ(reductions.sum(exec, box, x), infinity);
    }
  }
}

TYPED_TEST(ReductionsTest, show_what_is_not_finite) {
  TypeParam const exec;
  for (auto const path : reduction_paths_of<TypeParam>()) {
    find_what_is_not_finite<double>(exec, path);
    find_what_is_not_finite<float>(exec, path);
  }
}

TYPED_TEST(ReductionsTest, asynchronous_forms_allocate_nothing_and_fence_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const layout = layouts_of({5, 4, 3}, 2)[3];
  TestArray<double, TypeParam> const x(exec, layout, 1), y(exec, layout, 2);
  Box const box = x.ref().box();
  Kokkos::View<double*, typename TypeParam::memory_space> const results("results", 2);
  Kokkos::View<double, typename TypeParam::memory_space> const result("result");
  for (auto const path : reduction_paths_of<TypeParam>()) {
    Reductions<TypeParam> const reductions(exec, {.path = path});
    EXPECT_EQ(reductions.path(), path);
    exec.fence();
    KokkosEvents const events;
    reductions.sum(exec, box, x, result);
    auto const launches = events.kernels().size();
    EXPECT_EQ(launches, path == ReductionPath::single_launch ? 1u : HostExecutionSpace<TypeParam> ? 2u : 3u);
    reductions.min(exec, box, x, result);
    reductions.max(exec, box, x, result);
    reductions.norm_1(exec, box, x, result);
    reductions.norm_2(exec, box, x, result);
    reductions.norm_inf(exec, box, x, result);
    reductions.dot(exec, box, x, y, result);
    reductions.dots(exec, box, std::array{dot_pair(x, y), dot_pair(x, x)}, results);
    reductions.axpy_dot(exec, box, 0.5, x, y, y, result);
    reductions.update_dot(exec, box, result, x, x, y, y, result);
    EXPECT_EQ(events.kernels().size(), 10 * launches);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
    EXPECT_THAT(events.fences(), ::testing::IsEmpty());
    EXPECT_THAT(events.copies(), ::testing::IsEmpty());
    for (auto const& kernel : events.kernels()) {
      EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
      EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
    }
  }
}

TYPED_TEST(ReductionsTest, refuse_what_does_not_fit) {
  TypeParam const exec;
  Reductions<TypeParam> const reductions(exec);
  TestArray<double, TypeParam> const x(exec, layouts_of({5, 4, 3}, 1).front());
  TestArray<double, TypeParam> const y(exec, layouts_of({5, 4, 2}, 1).front());
  try {
    static_cast<void>(reductions.dot(exec, x.ref().box(), x, y));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("dot: box [0, 5) x [0, 4) x [0, 3) is not inside an array of 5x4x2 points"));
  }
  if constexpr (HostExecutionSpace<TypeParam>) {
    EXPECT_THROW(Reductions<TypeParam>(exec, {.path = ReductionPath::single_launch}), Error);
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(ReductionsOpenMp, the_same_bits_for_1_2_and_4_threads) {
  using Exec = Kokkos::OpenMP;
  for (auto const& extents : {std::array<int, 3>{33, 61, 17}, std::array<int, 3>{20001, 3, 1}}) {
    for (auto const& layout : layouts_of(extents, 2)) {
      TestArray<double, Exec> const x(Exec(), layout, 1), y(Exec(), layout, 2);
      Box const box{{1, 1, 0}, {extents[0] - 1, extents[1], extents[2]}};
      std::vector<double> expected;
      for (int const threads : {1, 2, 4}) {
        Exec const exec(threads);
        Reductions<Exec> const reductions(exec);
        std::vector<double> const found = {reductions.sum(exec, box, x), reductions.dot(exec, box, x, y),
                                           reductions.norm_2(exec, box, x)};
        if (threads == 1) expected = found;
        EXPECT_TRUE(bitwise_equal(found, expected)) << threads << " threads, " << layout.name;
      }
    }
  }
}
#endif

}  // namespace
}  // namespace hyperplane::test
