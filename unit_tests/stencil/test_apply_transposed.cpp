// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"
#include "support/transposed_reference.hpp"

// Products with A^T of seven-point block matrices.
namespace hyperplane::test::apply_transposed_tests {
namespace {

template <class Exec>
class ApplyTransposed : public ::testing::Test {};
TYPED_TEST_SUITE(ApplyTransposed, ExecutionSpaces, SpaceNames);

/// Some have more slabs than are taken together.
std::vector<Grid> grids() {
  return {Grid(1, 1, 1),  Grid(2, 1, 1),  Grid(1, 7, 1),  Grid(5, 4, 3), Grid(17, 2, 9),
          Grid(9, 17, 5), Grid(33, 1, 1), Grid(1, 3, 20), Grid(8, 8, 8), Grid(3, 75, 2)};
}

std::vector<double> difference(std::vector<double> b, const std::vector<double>& x) {
  for (std::size_t e = 0; e < b.size(); ++e) b[e] -= x[e];
  return b;
}

template <class Scalar, int n, class Storage, class Exec>
void check(const Exec& exec, const Grid& grid) {
  SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n));
  auto const reference = random_stencil(grid, n);
  auto const x = random_vector(grid.size() * n, 3), b = random_vector(grid.size() * n, 4);
  auto const a = to_device<Scalar, n, Storage>(exec, reference);
  auto const dx = to_device<Scalar, n>(exec, grid, x), db = to_device<Scalar, n>(exec, grid, b);
  auto const y = to_device<Scalar, n>(exec, grid, std::vector<double>(grid.size() * n, 99.0));
  auto const expected = reference_transposed_product(reference, x);
  double const tolerance = rounding<Storage>(20, n);
  apply_transposed(exec, a, dx, y);
  auto const product = to_host(exec, y);
  EXPECT_TRUE(near(product, expected, tolerance));
  apply(exec, transposed(a), dx, y);
  EXPECT_TRUE(bitwise_equal(to_host(exec, y), product));

  residual_transposed(exec, a, db, dx, y);
  auto const r = to_host(exec, y);
  EXPECT_TRUE(near(r, difference(b, expected), tolerance));
  residual(exec, transposed(a), db, dx, db);
  EXPECT_TRUE(bitwise_equal(to_host(exec, db), r)) << "the residual may overwrite b";
}

TYPED_TEST(ApplyTransposed, agrees_with_reference) {
  TypeParam const exec;
  for (auto const& grid : grids()) {
    check<double, 1, double>(exec, grid);
    check<double, 5, double>(exec, grid);
    check<double, 3, float>(exec, grid);
    check<float, 4, float>(exec, grid);
  }
  check<double, 16, double>(exec, Grid(4, 10, 3));
}

/// Of all terms, and of those that leave a line.
template <class Scalar, int n, class Storage, class Exec, class Terms>
void expect_the_kernel_of_devices(const Exec& exec, const Grid& grid, const Terms& terms) {
  SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n));
  auto const a = to_device<Scalar, n, Storage>(exec, random_stencil(grid, n));
  auto const x = to_device<Scalar, n>(exec, grid, random_vector(grid.size() * n, 3));
  auto const b = to_device<Scalar, n>(exec, grid, random_vector(grid.size() * n, 4));
  BlockVector<Scalar, n, Exec> const y(exec, grid), expected(exec, grid);
  detail::apply_transposed_portable<true, Scalar, n>("residual", exec, a.ref(), b.ref(), x.ref(), expected.ref(),
                                                     terms);
  detail::apply_or_residual_transposed<true>("residual", "residual", exec, a, &b, x, y, terms);
  // Compilers choose for each which products they fuse with sums.
  EXPECT_TRUE(near(to_host(exec, y), to_host(exec, expected), rounding<Scalar>(20, n)));
}

TYPED_TEST(ApplyTransposed, agrees_with_the_kernel_of_devices) {
  TypeParam const exec;
  for (auto const& grid : grids()) {
    expect_the_kernel_of_devices<double, 3, double>(exec, grid, detail::AllTerms());
    for (auto const lower : {Direction::west, Direction::south, Direction::bottom}) {
      expect_the_kernel_of_devices<double, 5, float>(exec, grid, detail::OffLineTerms{lower});
    }
  }
}

TYPED_TEST(ApplyTransposed, is_the_adjoint_of_the_plain_product) {
  TypeParam const exec;
  Grid const grid(9, 18, 7);
  auto const a = to_device<double, 4, double>(exec, random_stencil(grid, 4));
  auto const u = random_vector(grid.size() * 4, 1), v = random_vector(grid.size() * 4, 2);
  BlockVector<double, 4, TypeParam> const au(exec, grid), av(exec, grid);
  apply(exec, a, to_device<double, 4>(exec, grid, u), au);
  apply_transposed(exec, a, to_device<double, 4>(exec, grid, v), av);
  EXPECT_TRUE(same_products(to_host(exec, au), v, u, to_host(exec, av), 1e-14));
}

#ifdef KOKKOS_ENABLE_OPENMP
template <class Storage>
void expect_the_same_bits(const Grid& grid) {
  SCOPED_TRACE(to_string(grid));
  constexpr int n = 5;
  auto const reference = random_stencil(grid, n);
  auto const product = [&](int threads) {
    Kokkos::OpenMP const exec(threads);
    auto const a = to_device<double, n, Storage>(exec, reference);
    auto const x = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
    BlockVector<double, n, Kokkos::OpenMP> const y(exec, grid);
    apply_transposed(exec, a, x, y);
    return to_host(exec, y);
  };
  auto const expected = product(1);
  EXPECT_TRUE(bitwise_equal(product(2), expected));
  EXPECT_TRUE(bitwise_equal(product(4), expected));
}

TEST(ApplyTransposedOpenMp, the_same_bits_for_1_2_and_4_threads) {
  expect_the_same_bits<double>(Grid(9, 40, 6));
  // More slabs than take turns, however many lanes they have.
  expect_the_same_bits<float>(Grid(5, 80, 6));
}
#endif

TYPED_TEST(ApplyTransposed, ignores_blocks_that_point_outside_and_keeps_padding_zero) {
  TypeParam const exec;
  constexpr int n = 2;
  for (auto const& grid : grids()) {
    SCOPED_TRACE(to_string(grid));
    auto reference = random_stencil(grid, n);
    auto const x = random_vector(grid.size() * n);
    auto const expected = reference_transposed_product(reference, x);
    for (std::int64_t p = 0; p < grid.size(); ++p) {
      for (auto const d : stencil7_directions) {
        if (grid.contains(neighbour(grid.point(p), d))) continue;
        for (auto& entry : reference.block(p, d).entries) entry = std::numeric_limits<double>::quiet_NaN();
      }
    }
    auto const a = to_device<double, n, double>(exec, reference);
    BlockVector<double, n, TypeParam> const y(exec, grid);
    apply_transposed(exec, a, to_device<double, n>(exec, grid, x), y);
    EXPECT_TRUE(near(to_host(exec, y), expected, rounding<double>(20, n)));
    auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, y.flat());
    auto const again = to_device<double, n>(exec, grid, to_host(exec, y));
    auto const clean = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, again.flat());
    for (std::size_t e = 0; e < values.size(); ++e) ASSERT_EQ(values(e), clean(e));
  }
}

TYPED_TEST(ApplyTransposed, refuses_other_grids_and_aliases) {
  TypeParam const exec;
  BlockStencil7<double, 2, TypeParam> const a(exec, Grid(3, 4, 5));
  BlockVector<double, 2, TypeParam> const x(exec, Grid(3, 4, 5)), y(exec, Grid(4, 3, 5)), r(exec, Grid(3, 4, 5));
  EXPECT_THAT(message_of([&] { apply_transposed(exec, a, x, y); }),
              ::testing::AllOf(::testing::HasSubstr("apply_transposed: the result"), ::testing::HasSubstr("4x3x5"),
                               ::testing::HasSubstr("3x4x5")));
  EXPECT_THROW(apply_transposed(exec, a, y, x), Error);
  EXPECT_THAT(message_of([&] { residual_transposed(exec, a, r, x, x); }),
              ::testing::HasSubstr("residual_transposed: the result must not be x"));
  EXPECT_THROW(residual_transposed(exec, a, y, x, r), Error);
}

}  // namespace
}  // namespace hyperplane::test::apply_transposed_tests
