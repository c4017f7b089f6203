// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/line/line_implicit_csr.hpp>
#include <hyperplane/line/line_set.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"
#include "support/message_of.hpp"
#include "support/several_vectors.hpp"

// The line-implicit iteration of block CSR with several vectors at a time.
namespace hyperplane::test {
namespace {

template <class Exec>
class LineImplicitSeveral : public ::testing::Test {};
TYPED_TEST_SUITE(LineImplicitSeveral, ExecutionSpaces, SpaceNames);

template <class Scalar, int n, class Storage, int count, class Exec>
void compare_several(const Exec& exec, LineImplicitOptions options) {
  auto const lines = LineSet::lists(30, {0, 5, 6, 13, 16}, {3, 4, 5, 6, 7, 20, 19, 18, 17, 16, 15, 14, 13, 29, 0, 11});
  auto const a = to_device<Scalar, n, Storage>(exec, random_csr(30, n));
  options.transposed = true;
  LineImplicitCsr<Scalar, n, Exec, Storage> iteration(exec, a, lines, options);
  iteration.factor(exec, a);
  compare_solves_with_single<count>(exec, iteration, a.rows());
}

TYPED_TEST(LineImplicitSeveral, takes_several_vectors_as_single_ones) {
  TypeParam const exec;
  compare_several<double, 5, double, 4>(exec, {});
  compare_several<double, 1, double, 8>(exec, {.relaxation = 0.8});
  compare_several<double, 2, float, 3>(exec, {.sweeps = 3, .relaxation = 1.1, .vectors = 5});
  compare_several<float, 3, float, 1>(exec, {.sweeps = 2});
  // Lines that are cut, and none.
  constexpr int n = 2, count = 2;
  auto const a = to_device<double, n, double>(exec, random_csr(60, n));
  std::vector<std::int64_t> along(60);
  std::iota(along.begin(), along.end(), 0);
  for (auto const& lines : {LineSet::lists(60, {0, 60}, along), LineSet::lists(60, {0}, {})}) {
    LineImplicitCsr<double, n, TypeParam> iteration(exec, a, lines, {.transposed = true}, {.partitions = 3});
    iteration.factor(exec, a);
    compare_solves_with_single<count>(exec, iteration, a.rows());
  }
}

TYPED_TEST(LineImplicitSeveral, names_what_is_wrong_with_several_vectors) {
  TypeParam const exec;
  auto const a = to_device<double, 2, double>(exec, random_csr(6, 2));
  LineImplicitCsr<double, 2, TypeParam> lines(exec, a, LineSet::lists(6, {0}, {}), {.sweeps = 2, .vectors = 2});
  PointVectors<double, 2, 3, TypeParam> const three(exec, 6);
  PointVectors<double, 2, 2, TypeParam> const two(exec, 6), wrong(exec, 7);
  EXPECT_THAT(message_of([&] { lines.solve(exec, two, two); }), ::testing::HasSubstr("called before factor"));
  lines.factor(exec, a);
  EXPECT_THAT(message_of([&] { lines.solve(exec, three, three); }),
              ::testing::HasSubstr("3 vectors in several sweeps, the option vectors is 2"));
  EXPECT_THAT(message_of([&] { lines.solve(exec, two, wrong); }), ::testing::HasSubstr("x has 28 rows, expected 24"));
  EXPECT_THAT(message_of([&] { lines.solve_transposed(exec, two, two); }),
              ::testing::HasSubstr("without the option transposed"));
  for (int const vectors : {0, 9}) {
    EXPECT_THAT(message_of([&] {
                  LineImplicitCsr<double, 2, TypeParam> const refused(exec, a, LineSet::lists(6, {0}, {}),
                                                                      {.vectors = vectors});
                }),
                ::testing::HasSubstr("vectors is " + std::to_string(vectors) + ", expected 1 to 8"));
  }
  KokkosEvents const events;
  lines.solve(exec, two, two);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace hyperplane::test
