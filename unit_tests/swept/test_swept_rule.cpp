// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <hyperplane/swept/euler.hpp>
#include <hyperplane/swept/heat.hpp>
#include <hyperplane/swept/kuramoto_sivashinsky.hpp>
#include <hyperplane/swept/swept_rule.hpp>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/swept_reference.hpp"

// Every variant against a serial loop over all points and levels.
namespace hyperplane::test {
namespace {

template <class Exec>
class Swept : public ::testing::Test {};
TYPED_TEST_SUITE(Swept, ExecutionSpaces, SpaceNames);

/// On the host the reference's bits; on a device to rounding, because its host may not have fused operations.
template <class Exec, class Scalar>
::testing::AssertionResult same(const std::vector<double>& a, const std::vector<double>& b) {
  if constexpr (HostExecutionSpace<Exec>) return bitwise_equal(a, b);
  return near(a, b, rounding<Scalar>(1000, 1));
}

template <class Problem, class Exec>
void check(const Exec& exec, std::int64_t points, std::int64_t steps, const SweptOptions& options) {
  auto const problem = SweptExample<Problem>::problem();
  auto const initial = random_line<Problem>(points);
  SweptReference<Problem> reference(problem, initial);
  reference.advance(steps);
  ASSERT_TRUE(all_finite(values_of<Problem>(reference.states())));
  SweptRule<Problem, Exec> rule(exec, problem, points, options);
  auto const u = swept_line<Problem>(exec, initial);
  rule.advance(exec, u, steps);
  EXPECT_TRUE((same<Exec, typename Problem::scalar_type>(values_of(exec, u), values_of<Problem>(reference.states()))))
      << name(options.variant) << ": " << points << " points, " << steps << " steps, tiles of " << options.tile_points;
}

/// What the variant `tiles` can have on hosts; a device's sizes are another test's.
template <class Problem, class Exec>
std::vector<std::int64_t> tile_sizes_of_tiles(std::int64_t points) {
  if (!HostExecutionSpace<Exec> || points <= 2 * Problem::half_width) return {};
  return {0, 1, 64, 200};
}

template <class Problem, class Exec>
void check_portable_variants(const Exec& exec) {
  for (std::int64_t const points : {1, 2, 3, 5, 8, 17, 64, 97, 131, 256, 1000}) {
    for (std::int64_t const steps : {0, 1, 2, 3, 7, 20, 41}) {
      check<Problem>(exec, points, steps, {.variant = SweptVariant::classic});
      for (std::int64_t const tile : {0, 13, 32, 48}) {
        check<Problem>(exec, points, steps, {.variant = SweptVariant::shared, .tile_points = tile});
      }
      check<Problem>(exec, points, steps, {.variant = SweptVariant::hybrid, .tile_points = 32});
      // At most so many: lanes have as many points as a tile reads of the next.
      for (std::int64_t const tile : tile_sizes_of_tiles<Problem, Exec>(points)) {
        check<Problem>(exec, points, steps, {.variant = SweptVariant::tiles, .tile_points = tile});
      }
    }
  }
}

TYPED_TEST(Swept, heat_is_the_reference) { check_portable_variants<HeatEquation<double>>(TypeParam()); }
TYPED_TEST(Swept, kuramoto_sivashinsky_is_the_reference) {
  check_portable_variants<KuramotoSivashinsky<double>>(TypeParam());
}
TYPED_TEST(Swept, euler_is_the_reference) { check_portable_variants<EulerEquations<double>>(TypeParam()); }
TYPED_TEST(Swept, single_precision_is_the_reference) {
  check_portable_variants<HeatEquation<float>>(TypeParam());
  check_portable_variants<EulerEquations<float>>(TypeParam());
}
TYPED_TEST(Swept, three_sub_steps_of_seven_points_with_every_boundary_are_the_reference) {
  check_portable_variants<WideProblem<SweptBoundary::insulated>>(TypeParam());
  check_portable_variants<WideProblem<SweptBoundary::periodic>>(TypeParam());
  check_portable_variants<WideProblem<SweptBoundary::fixed>>(TypeParam());
}

TYPED_TEST(Swept, a_uniform_gas_divides_by_nothing) {
  using Problem = EulerEquations<double>;
  auto const problem = Problem::sod(0.1);
  TypeParam const exec;
  auto const u = swept_line<Problem>(exec, std::vector<Problem::State>(200, problem.left));
  std::feclearexcept(FE_ALL_EXCEPT);
  SweptRule<Problem, TypeParam>(exec, problem, 200).advance(exec, u, 7);
  exec.fence();
  // Of the thread that does it all where there is but one; threads have their own.
  EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO | FE_INVALID), 0);
  EXPECT_EQ(values_of(exec, u)[0], problem.left[0]);
}

TYPED_TEST(Swept, goes_on_where_it_stopped) {
  using Problem = HeatEquation<double>;
  TypeParam const exec;
  auto const initial = random_line<Problem>(311);
  auto const in_one = swept_line<Problem>(exec, initial);
  auto const in_parts = swept_line<Problem>(exec, initial);
  SweptRule<Problem, TypeParam> rule(exec, {0.25}, 311, {.variant = SweptVariant::shared, .tile_points = 40});
  rule.advance(exec, in_one, 57);
  for (int const steps : {1, 7, 0, 20, 29}) rule.advance(exec, in_parts, steps);
  EXPECT_TRUE(bitwise_equal(values_of(exec, in_one), values_of(exec, in_parts)));
}

TYPED_TEST(Swept, allocates_nothing_and_fences_nothing_in_advance) {
  using Problem = KuramotoSivashinsky<double>;
  auto const exec = OtherInstance<TypeParam>::make();
  auto const u = swept_line<Problem>(exec, random_line<Problem>(500));
  for (auto const variant : {SweptVariant::classic, SweptVariant::shared}) {
    SweptRule<Problem, TypeParam> rule(exec, {0.01, 0.6}, 500, {.variant = variant, .tile_points = 64});
    exec.fence();
    KokkosEvents const events;
    rule.advance(exec, u, 30);
    // On a device Kokkos itself looks after the scratch memory of teams.
    if (HostExecutionSpace<TypeParam> || variant == SweptVariant::classic) {
      EXPECT_THAT(events.allocations(), ::testing::IsEmpty()) << name(variant);
    }
    EXPECT_THAT(events.fences(), ::testing::IsEmpty()) << name(variant);
    EXPECT_THAT(events.copies(), ::testing::IsEmpty()) << name(variant);
    // A tile of 62 or 63 points: triangles of 13 levels.
    EXPECT_EQ(events.kernels().size(), variant == SweptVariant::classic ? 60u : 6u);
    for (auto const& kernel : events.kernels()) {
      EXPECT_EQ(kernel.label, std::string("Hyperplane::SweptRule::") + name(variant));
      EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
    }
  }
}

TYPED_TEST(Swept, tiles_allocate_nothing_and_fence_nothing_on_hosts) {
  if constexpr (HostExecutionSpace<TypeParam>) {
    using Problem = HeatEquation<double>;
    auto const exec = OtherInstance<TypeParam>::make();
    auto const u = swept_line<Problem>(exec, random_line<Problem>(100000));
    SweptRule<Problem, TypeParam> rule(exec, {0.25}, 100000, {.variant = SweptVariant::tiles});
    KokkosEvents const events;
    rule.advance(exec, u, 500);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
    EXPECT_THAT(events.fences(), ::testing::IsEmpty());
    EXPECT_THAT(events.copies(), ::testing::IsEmpty());
    EXPECT_EQ(events.kernels().size(), 2u);  // of 250 steps each, so that the second ends in u
  }
}

TYPED_TEST(Swept, takes_a_variant_at_its_word_and_refuses_misuse) {
  using Problem = EulerEquations<double>;
  using Rule = SweptRule<Problem, TypeParam>;
  TypeParam const exec;
  auto const problem = Problem::sod(0.1);
  EXPECT_NE(Rule(exec, problem, 4096).variant(), SweptVariant::automatic);
  auto const runs = swept_variants<TypeParam>();
  for (auto const variant :
       {SweptVariant::classic, SweptVariant::cuda_graph, SweptVariant::shared, SweptVariant::hybrid,
        SweptVariant::registers, SweptVariant::tiles, SweptVariant::resident}) {
    if (variant == SweptVariant::classic || std::find(runs.begin(), runs.end(), variant) != runs.end()) {
      EXPECT_EQ(Rule(exec, problem, 4096, {.variant = variant}).variant(), variant);
    } else {
      EXPECT_THROW(Rule(exec, problem, 4096, {.variant = variant}), Error) << name(variant);
    }
  }
  EXPECT_THROW(Rule(exec, problem, 0), Error);
  EXPECT_THROW(Rule(exec, problem, 10, {.tile_points = -1}), Error);
  EXPECT_THROW(Rule(exec, problem, 10, {.tile_steps = -1}), Error);
  if constexpr (!HostExecutionSpace<TypeParam>) {
    // More than the scratch memory of a team.
    for (auto const variant : {SweptVariant::shared, SweptVariant::hybrid}) {
      EXPECT_THROW(Rule(exec, problem, 1 << 16, {.variant = variant, .tile_points = 1 << 15}), Error);
    }
  }
  Rule rule(exec, problem, 10);
  EXPECT_THROW(rule.advance(exec, SweptLine<Problem, TypeParam>("u", 11, 3), 1), Error);
  EXPECT_THROW(rule.advance(exec, SweptLine<Problem, TypeParam>("u", 10, 2), 1), Error);
  EXPECT_THROW(rule.advance(exec, SweptLine<Problem, TypeParam>("u", 10, 3), -1), Error);
}

}  // namespace
}  // namespace hyperplane::test
