// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/swept/swept_rule.hpp>
#include <set>
#include <type_traits>
#include <vector>

#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/swept_reference.hpp"

// The variants of CUDA against `classic` on the same device, bit by bit.
namespace hyperplane::test {
namespace {

template <class Problem>
class SweptCuda : public ::testing::Test {
 protected:
  using Rule = SweptRule<Problem, Kokkos::Cuda>;
  Kokkos::Cuda exec;
  Problem problem = SweptExample<Problem>::problem();

  std::vector<double> advanced(std::int64_t points, const std::vector<int>& steps, const SweptOptions& options) {
    auto const u = swept_line<Problem>(exec, random_line<Problem>(points));
    Rule rule(exec, problem, points, options);
    for (int const count : steps) rule.advance(exec, u, count);
    return values_of(exec, u);
  }

  void check(std::int64_t points, const std::vector<int>& steps, const std::vector<SweptOptions>& all) {
    auto const classic = advanced(points, steps, {.variant = SweptVariant::classic});
    ASSERT_TRUE(all_finite(classic)) << points;
    for (auto const& options : all) {
      EXPECT_TRUE(bitwise_equal(advanced(points, steps, options), classic))
          << name(options.variant) << ": " << points << " points, first " << steps.front() << " steps, tiles of "
          << options.tile_points;
    }
  }

  /// What kernels have been compiled for.
  static std::set<std::int64_t> tile_sizes() {
    std::set<std::int64_t> sizes;
    for (auto const& entry : detail::swept_tile_entries<Problem>()) {
      sizes.insert(std::int64_t{32} * entry.m_lane_points * entry.m_warps);
    }
    return sizes;
  }
};
/// And `resident` where it runs.
std::vector<SweptVariant> with_resident(std::vector<SweptVariant> variants) {
  if (has_capability_90<Kokkos::Cuda>()) variants.push_back(SweptVariant::resident);
  return variants;
}

using Problems = ::testing::Types<HeatEquation<double>, KuramotoSivashinsky<double>, EulerEquations<double>,
                                  HeatEquation<float>, EulerEquations<float>, WideProblem<SweptBoundary::insulated>>;
TYPED_TEST_SUITE(SweptCuda, Problems);

TYPED_TEST(SweptCuda, graph_and_registers_are_classic) {
  for (std::int64_t const points : {301, 1024, 5003}) {
    for (auto const& steps : std::vector<std::vector<int>>{{1}, {2}, {7}, {65}, {130, 1, 0, 5}}) {
      this->check(points, steps, {{.variant = SweptVariant::cuda_graph}, {.variant = SweptVariant::registers}});
    }
  }
}

TYPED_TEST(SweptCuda, hybrid_is_classic) {
  for (std::int64_t const points : {3, 301, 1024, 5003}) {
    for (std::int64_t const tile : {0, 64, 200}) {
      for (auto const& steps : std::vector<std::vector<int>>{{1}, {2}, {65}, {130, 1, 0, 5}}) {
        SweptOptions const options{.variant = SweptVariant::hybrid, .tile_points = tile};
        if constexpr (std::is_same_v<TypeParam, EulerEquations<double>>) {
          // Of doubles, a host's reciprocals and square roots are not a device's.
          auto const classic = this->advanced(points, steps, {.variant = SweptVariant::classic});
          EXPECT_TRUE(near(this->advanced(points, steps, options), classic, rounding<double>(1000, 1))) << points;
        } else {
          this->check(points, steps, {options});
        }
      }
    }
  }
}

TYPED_TEST(SweptCuda, tiles_of_every_size_are_classic) {
  for (auto const size : this->tile_sizes()) {
    for (std::int64_t const points : {size, size + 1, 3 * size - 7, std::int64_t{40001}}) {
      for (auto const& steps : std::vector<std::vector<int>>{{1}, {2}, {33}, {300, 1, 0, 5}}) {
        this->check(points, steps, {{.variant = SweptVariant::tiles, .tile_points = size}});
      }
    }
  }
}

TYPED_TEST(SweptCuda, resident_tiles_of_every_size_are_classic) {
  if (!has_capability_90<Kokkos::Cuda>()) GTEST_SKIP() << "compute capability below 9.0";
  for (auto const size : this->tile_sizes()) {
    for (std::int64_t const points : {size, size + 1, 3 * size - 7, std::int64_t{20001}}) {
      for (auto const& steps : std::vector<std::vector<int>>{{1}, {2}, {33}, {700, 1, 0, 5}}) {
        this->check(points, steps, {{.variant = SweptVariant::resident, .tile_points = size}});
      }
    }
  }
}

TYPED_TEST(SweptCuda, tiles_of_any_number_of_steps_are_classic) {
  for (auto const variant : with_resident({SweptVariant::tiles})) {
    for (std::int64_t const most : {1, 2, 7, 1000000}) {
      this->check(20001, {41, 1, 8}, {{.variant = variant, .tile_steps = most}});
    }
  }
}

TYPED_TEST(SweptCuda, automatic_is_classic_for_any_number_of_points) {
  for (std::int64_t const points : {1, 2, 31, 127, 128, 2048, 33000, 300000}) {
    this->check(points, {57}, {{}});
  }
}

TYPED_TEST(SweptCuda, allocates_nothing_and_fences_nothing_in_advance) {
  auto const exec = OtherInstance<Kokkos::Cuda>::make();
  auto const u = swept_line<TypeParam>(exec, random_line<TypeParam>(4096));
  for (auto const variant : with_resident({SweptVariant::cuda_graph, SweptVariant::registers, SweptVariant::tiles})) {
    SweptRule<TypeParam, Kokkos::Cuda> rule(exec, this->problem, 4096, {.variant = variant});
    exec.fence();
    KokkosEvents const events;
    rule.advance(exec, u, 100);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty()) << name(variant);
    EXPECT_THAT(events.fences(), ::testing::IsEmpty()) << name(variant);
    ASSERT_EQ(events.kernels().size(), 1u);
    EXPECT_EQ(events.kernels()[0].label, std::string("Hyperplane::SweptRule::") + name(variant));
    EXPECT_EQ(events.kernels()[0].device_and_instance, Kokkos::Tools::Experimental::device_id(exec));
  }
}

TYPED_TEST(SweptCuda, hybrid_fences_nothing_and_launches_on_the_instance) {
  auto const exec = OtherInstance<Kokkos::Cuda>::make();
  auto const u = swept_line<TypeParam>(exec, random_line<TypeParam>(4096));
  SweptRule<TypeParam, Kokkos::Cuda> rule(exec, this->problem, 4096, {.variant = SweptVariant::hybrid});
  exec.fence();
  KokkosEvents const events;
  rule.advance(exec, u, 100);
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  ASSERT_GE(events.kernels().size(), 2u);
  for (auto const& kernel : events.kernels()) {
    EXPECT_EQ(kernel.label, "Hyperplane::SweptRule::hybrid");
    EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec));
  }
}

TYPED_TEST(SweptCuda, a_plan_of_one_instance_works_on_another) {
  auto const initial = random_line<TypeParam>(1 << 20);
  auto const other = OtherInstance<Kokkos::Cuda>::make();
  std::vector<std::vector<double>> results;
  for (auto const variant : {SweptVariant::classic, SweptVariant::tiles, SweptVariant::shared}) {
    auto const u = swept_line<TypeParam>(other, initial);
    // The plan's line is being filled by its own instance when the other one begins.
    SweptRule<TypeParam, Kokkos::Cuda>(this->exec, this->problem, 1 << 20, {.variant = variant}).advance(other, u, 3);
    results.push_back(values_of(other, u));
    EXPECT_TRUE(bitwise_equal(results.back(), results.front())) << name(variant);
  }
}

TYPED_TEST(SweptCuda, refuses_what_does_not_fit) {
  using Rule = SweptRule<TypeParam, Kokkos::Cuda>;
  EXPECT_THROW(Rule(this->exec, this->problem, 20, {.variant = SweptVariant::registers}), Error);
  EXPECT_THROW(Rule(this->exec, this->problem, 20, {.variant = SweptVariant::tiles}), Error);
  EXPECT_THROW(Rule(this->exec, this->problem, 20, {.variant = SweptVariant::resident}), Error);
  EXPECT_THROW(Rule(this->exec, this->problem, 1 << 24, {.variant = SweptVariant::resident}), Error);
  EXPECT_THROW(Rule(this->exec, this->problem, 5000, {.variant = SweptVariant::tiles, .tile_points = 100}), Error);
}

}  // namespace
}  // namespace hyperplane::test
