// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include "execution_spaces.hpp"
#include "kokkos_events.hpp"

// A counter that sees nothing would pass every test that expects nothing.
namespace hyperplane::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class Exec>
class KokkosEventsTest : public ::testing::Test {};
TYPED_TEST_SUITE(KokkosEventsTest, ExecutionSpaces, SpaceNames);

template <class Exec>
struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
  KOKKOS_FUNCTION void operator()(int, int& sum) const { ++sum; }
  KOKKOS_FUNCTION void operator()(int, int& sum, bool) const { ++sum; }
};

std::vector<std::string> labels(const KokkosEvents& events) {
  std::vector<std::string> result;
  for (auto const& kernel : events.kernels()) result.push_back(kernel.label);
  return result;
}

TYPED_TEST(KokkosEventsTest, sees_kernels_of_every_kind) {
  TypeParam const exec;
  KokkosEvents const events;
  int sum = 0;
  Kokkos::RangePolicy<TypeParam> const range(exec, 0, 3);
  Kokkos::parallel_for("a loop", range, Nothing<TypeParam>{});
  Kokkos::parallel_reduce("a sum", range, Nothing<TypeParam>{}, sum);
  Kokkos::parallel_scan("a scan", range, Nothing<TypeParam>{});
  EXPECT_THAT(labels(events), Contains("a loop"));
  EXPECT_THAT(labels(events), Contains("a sum"));
  EXPECT_THAT(labels(events), Contains("a scan"));
}

TYPED_TEST(KokkosEventsTest, sees_allocations_fences_and_copies) {
  using View = Kokkos::View<double*, typename TypeParam::memory_space>;
  TypeParam const exec;
  View const source("source", 5);
  KokkosEvents const events;
  View const target("target", 5);
  EXPECT_THAT(events.allocations(), Contains("target"));
  Kokkos::deep_copy(target, source);
  EXPECT_THAT(events.copies(), Contains("target"));
  exec.fence("an instance");
  EXPECT_THAT(events.fences(), Contains(HasSubstr("an instance")));
  Kokkos::fence("all instances");
  EXPECT_THAT(events.fences(), Contains(HasSubstr("all instances")));
}

TYPED_TEST(KokkosEventsTest, forgets_what_was_before_and_sees_nothing_when_nothing_happens) {
  TypeParam const exec;
  {
    KokkosEvents const before;
    exec.fence("before");
    EXPECT_FALSE(before.fences().empty());
  }
  KokkosEvents const events;
  EXPECT_THAT(labels(events), IsEmpty());
  EXPECT_THAT(events.allocations(), IsEmpty());
  EXPECT_THAT(events.fences(), IsEmpty());
  EXPECT_THAT(events.copies(), IsEmpty());
}

}  // namespace
}  // namespace hyperplane::test
