// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <hyperplane/stencil/narrow.hpp>
#include <limits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"
#include "support/views.hpp"

// Copies of a matrix on a grid in float.
namespace hyperplane::test::narrow_stencil {
namespace {

template <class Exec>
class NarrowStencil : public ::testing::Test {
 protected:
  template <int n>
  using Matrix = BlockStencil7<double, n, Exec>;
  template <int n>
  using Copy = BlockStencil7<double, n, Exec, float>;

  template <int n>
  Matrix<n> matrix(const Grid& grid, unsigned seed = 1) {
    return to_device<double, n, double>(exec, random_stencil(grid, n, seed));
  }
  /// The values as they are stored, padding too.
  template <int n, class Storage>
  static std::vector<double> values(const BlockStencil7<double, n, Exec, Storage>& a) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a.flat());
    return {host.data(), host.data() + host.size()};
  }
  template <int n>
  void expect_rounded(const Copy<n>& copy, const Matrix<n>& a) {
    auto expected = values(a);
    for (auto& value : expected) value = static_cast<float>(value);
    EXPECT_TRUE(bitwise_equal(values(copy), expected)) << to_string(a.grid());
  }
  template <int n>
  void set(const Matrix<n>& a, const Point& p, Direction direction, int r, int c, double value) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a.flat());
    typename Matrix<n>::Ref(a.map(), typename Matrix<n>::Ref::Packs(host.data()))(p, direction, r, c) = value;
    Kokkos::deep_copy(exec, a.flat(), host);
    exec.fence();
  }

  Exec exec{};
};
TYPED_TEST_SUITE(NarrowStencil, ExecutionSpaces, SpaceNames);

TYPED_TEST(NarrowStencil, has_the_rounded_values_and_is_renewed) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(4, 19, 3), Grid(1, 33, 2), Grid(31, 30, 29)}) {
    auto const check = [&]<int n> {
      auto const a = this->template matrix<n>(grid);
      auto const copy = narrowed<float>(this->exec, a);
      this->template expect_rounded<n>(copy, a);
      auto const other = this->template matrix<n>(grid, 5);
      narrow(this->exec, other, copy);
      this->template expect_rounded<n>(copy, other);
    };
    check.template operator()<1>();
    check.template operator()<3>();
  }
}

TYPED_TEST(NarrowStencil, names_what_overflows) {
  Grid const grid(5, 19, 3);
  auto const message = [&](const Point& p, Direction direction, double value) {
    auto const a = this->template matrix<3>(grid);
    this->template set<3>(a, p, direction, 2, 1, value);
    return message_of([&] { narrowed<float>(this->exec, a); });
  };
  EXPECT_THAT(message({2, 17, 1}, Direction::south, -1e300),
              ::testing::HasSubstr("narrow: block south of point (2, 17, 1): entry (2, 1) is -1e+300, more than the "
                                   "storage type of the copy holds"));
  EXPECT_THAT(message({0, 0, 0}, Direction::center, 3.5e38),
              ::testing::HasSubstr("narrow: block center of point (0, 0, 0): entry (2, 1) is 3.5e+38"));
  EXPECT_THAT(
      message({4, 18, 2}, Direction::top, 1e39),
      ::testing::HasSubstr("narrow: block top of point (4, 18, 2), which points out of the grid: entry (2, 1)"));
  EXPECT_EQ(message({4, 18, 2}, Direction::top, std::numeric_limits<float>::max()), "nothing thrown");
}

TYPED_TEST(NarrowStencil, keeps_what_is_not_finite_and_loses_what_is_too_small) {
  auto const a = this->template matrix<3>(Grid(5, 4, 3));
  for (double const value : {std::numeric_limits<double>::infinity(), std::nan(""), 1e-60}) {
    this->template set<3>(a, {1, 2, 0}, Direction::west, 0, 2, value);
    auto found = this->values(narrowed<float>(this->exec, a)), given = this->values(a);
    for (std::size_t e = 0; e < given.size(); ++e) {
      if (std::isnan(given[e])) {
        EXPECT_TRUE(std::isnan(found[e]));
      } else {
        EXPECT_EQ(found[e], static_cast<float>(given[e]));
      }
    }
  }
}

TYPED_TEST(NarrowStencil, wants_the_same_grid) {
  auto const a = this->template matrix<3>(Grid(5, 4, 3));
  typename TestFixture::template Copy<3> const copy(this->exec, Grid(5, 4, 2));
  EXPECT_THAT(message_of([&] { narrow(this->exec, a, copy); }),
              ::testing::HasSubstr("narrow: the copy is on a grid of 5x4x2 points, expected 5x4x3"));
}

TYPED_TEST(NarrowStencil, says_which_block_is_another_one) {
  auto const a = this->template matrix<2>(Grid(5, 9, 3));
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  this->set(a, {0, 0, 0}, Direction::center, 0, 0, nan);
  auto const copy = narrowed<float>(this->exec, a);
  EXPECT_EQ(describe_other_copy(this->exec, a, copy), "");
  for (double const value : {nan, 3.0, 1e-50}) {
    this->set(a, {4, 8, 1}, Direction::north, 1, 0, value);
    EXPECT_EQ(describe_other_copy(this->exec, a, copy),
              "the copy is not of A as it is now, but differs in block north of point (4, 8, 1), which points out of "
              "the grid");
  }
  this->set(a, {3, 2, 0}, Direction::west, 0, 1, 7.0);
  EXPECT_THAT(describe_other_copy(this->exec, a, copy), ::testing::EndsWith(" block west of point (3, 2, 0)"));
}

}  // namespace
}  // namespace hyperplane::test::narrow_stencil
