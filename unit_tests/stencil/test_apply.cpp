// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hyperplane/stencil/apply.hpp>
#include <limits>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test::apply_tests {
namespace {

template <class Exec>
class Apply : public ::testing::Test {};
TYPED_TEST_SUITE(Apply, ExecutionSpaces, SpaceNames);

std::vector<Grid> grids() {
  return {Grid(1, 1, 1), Grid(1, 7, 1), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5), Grid(33, 1, 1), Grid(8, 8, 8)};
}

template <class Scalar, int n, class Storage, class Exec>
void check(const Exec& exec, const Grid& grid) {
  SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n));
  auto const reference = random_stencil(grid, n);
  auto const x = random_vector(grid.size() * n, 3), b = random_vector(grid.size() * n, 4);
  auto const a = to_device<Scalar, n, Storage>(exec, reference);
  auto const dx = to_device<Scalar, n>(exec, grid, x), db = to_device<Scalar, n>(exec, grid, b);
  auto const y = to_device<Scalar, n>(exec, grid, std::vector<double>(grid.size() * n, 99.0));
  auto const expected = reference.apply(x);
  double const tolerance = rounding<Storage>(20, n);
  apply(exec, a, dx, y);
  EXPECT_TRUE(near(to_host(exec, y), expected, tolerance));

  auto r = b;
  for (std::size_t e = 0; e < r.size(); ++e) r[e] -= expected[e];
  residual(exec, a, db, dx, y);
  EXPECT_TRUE(near(to_host(exec, y), r, tolerance));
  residual(exec, a, db, dx, db);
  EXPECT_TRUE(near(to_host(exec, db), r, tolerance)) << "the residual may overwrite b";
}

TYPED_TEST(Apply, agrees_with_reference) {
  TypeParam const exec;
  for (auto const& grid : grids()) {
    check<double, 1, double>(exec, grid);
    check<double, 5, double>(exec, grid);
    check<double, 3, float>(exec, grid);
    check<float, 4, float>(exec, grid);
  }
}

TYPED_TEST(Apply, the_kernel_of_devices_agrees_too) {
  // One thread per point: what runs on devices without a kernel of their own, compared on every execution space.
  TypeParam const exec;
  constexpr int n = 3;
  for (auto const& grid : grids()) {
    auto const reference = random_stencil(grid, n);
    auto const x = random_vector(grid.size() * n, 3), b = random_vector(grid.size() * n, 4);
    auto const a = to_device<double, n, double>(exec, reference);
    auto const dx = to_device<double, n>(exec, grid, x), db = to_device<double, n>(exec, grid, b);
    BlockVector<double, n, TypeParam> const y(exec, grid);
    auto const expected = reference.apply(x);
    detail::apply_portable<false, double, n>("apply", exec, a.ref(), db.ref(), dx.ref(), y.ref());
    EXPECT_TRUE(near(to_host(exec, y), expected, rounding<double>(20, n)));
    auto r = b;
    for (std::size_t e = 0; e < r.size(); ++e) r[e] -= expected[e];
    detail::apply_portable<true, double, n>("residual", exec, a.ref(), db.ref(), dx.ref(), y.ref());
    EXPECT_TRUE(near(to_host(exec, y), r, rounding<double>(20, n)));
  }
}

#ifdef KOKKOS_ENABLE_CUDA
/// The kernel of CUDA and the portable one, of some of the seven terms.
template <class Scalar, int n, class Storage, class Terms>
void expect_the_same_bits(const Grid& grid, const Terms& terms) {
  SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n));
  Kokkos::Cuda const exec;
  auto const a = to_device<Scalar, n, Storage>(exec, random_stencil(grid, n));
  auto const x = to_device<Scalar, n>(exec, grid, random_vector(grid.size() * n, 3));
  auto const b = to_device<Scalar, n>(exec, grid, random_vector(grid.size() * n, 4));
  BlockVector<Scalar, n, Kokkos::Cuda> const y(exec, grid), expected(exec, grid);
  detail::apply_portable<true, Scalar, n>("residual", exec, a.ref(), b.ref(), x.ref(), expected.ref(), terms);
  detail::apply_cuda<true, Scalar, n>("residual", exec, a.ref(), b.ref(), x.ref(), y.ref(), terms);
  EXPECT_TRUE(bitwise_equal(to_host(exec, y), to_host(exec, expected)));
  detail::apply_portable<false, Scalar, n>("apply", exec, a.ref(), b.ref(), x.ref(), expected.ref(), terms);
  detail::apply_cuda<false, Scalar, n>("apply", exec, a.ref(), b.ref(), x.ref(), y.ref(), terms);
  EXPECT_TRUE(bitwise_equal(to_host(exec, y), to_host(exec, expected)));
}

TEST(ApplyCuda, the_same_bits_as_the_portable_kernel) {
  auto more = grids();
  more.push_back(Grid(67, 33, 21));
  for (auto const& grid : more) {
    expect_the_same_bits<double, 1, double>(grid, detail::AllTerms());
    expect_the_same_bits<double, 16, float>(grid, detail::AllTerms());
    expect_the_same_bits<float, 3, float>(grid, detail::AllTerms());
    for (auto const lower : {Direction::west, Direction::south, Direction::bottom}) {
      expect_the_same_bits<double, 5, double>(grid, detail::OffLineTerms{lower});
    }
  }
}
#endif

#ifdef KOKKOS_ENABLE_OPENMP
TEST(ApplyOpenMp, the_same_bits_for_1_2_and_4_threads) {
  constexpr int n = 5;
  Grid const grid(9, 40, 6);
  auto const reference = random_stencil(grid, n);
  auto const product = [&](int threads) {
    Kokkos::OpenMP const exec(threads);
    auto const a = to_device<double, n, double>(exec, reference);
    auto const x = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
    BlockVector<double, n, Kokkos::OpenMP> const y(exec, grid);
    apply(exec, a, x, y);
    return to_host(exec, y);
  };
  auto const expected = product(1);
  EXPECT_TRUE(bitwise_equal(product(2), expected));
  EXPECT_TRUE(bitwise_equal(product(4), expected));
}
#endif

TYPED_TEST(Apply, a_vector_recovers_from_values_that_were_not_finite) {
  TypeParam const exec;
  Grid const grid(5, 11, 3);
  auto const reference = random_stencil(grid, 2);
  auto const a = to_device<double, 2, double>(exec, reference);
  auto const good = random_vector(grid.size() * 2);
  BlockVector<double, 2, TypeParam> const x(exec, grid), y(exec, grid);
  Kokkos::deep_copy(exec, x.flat(), std::numeric_limits<double>::quiet_NaN());
  Kokkos::View<double*, TypeParam> const rows("rows", good.size());
  unpack(exec, to_device<double, 2>(exec, grid, good), rows);
  pack(exec, rows, x);
  apply(exec, a, x, y);
  EXPECT_TRUE(near(to_host(exec, y), reference.apply(good), rounding<double>(20, 2)));
}

TYPED_TEST(Apply, ignores_blocks_that_point_outside) {
  TypeParam const exec;
  Grid const grid(1, 1, 1);
  auto const reference = random_stencil(grid, 2);
  auto const x = to_device<double, 2>(exec, grid, {1.0, 2.0});
  BlockVector<double, 2, TypeParam> const y(exec, grid);
  apply(exec, to_device<double, 2, double>(exec, reference), x, y);
  EXPECT_TRUE(near(to_host(exec, y), reference.block(0, Direction::center) * std::vector<double>{1.0, 2.0}, 1e-15));
}

TYPED_TEST(Apply, keeps_padding_zero) {
  TypeParam const exec;
  Grid const grid(5, 11, 3);
  auto const a = to_device<double, 2, double>(exec, random_stencil(grid, 2));
  auto const x = to_device<double, 2>(exec, grid, random_vector(grid.size() * 2));
  BlockVector<double, 2, TypeParam> const y(exec, grid), again(exec, grid);
  apply(exec, a, x, y);
  pack(exec,
       Kokkos::create_mirror_view_and_copy(typename TypeParam::memory_space{},
                                           [&] {
                                             auto const values = to_host(exec, y);
                                             Kokkos::View<double*, Kokkos::HostSpace> rows("rows", values.size());
                                             for (std::size_t e = 0; e < values.size(); ++e) rows(e) = values[e];
                                             return rows;
                                           }()),
       again);
  exec.fence();
  auto const left = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, y.flat());
  auto const right = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, again.flat());
  for (std::size_t e = 0; e < left.size(); ++e) ASSERT_EQ(left(e), right(e));
}

TYPED_TEST(Apply, refuses_other_grids_and_aliases) {
  TypeParam const exec;
  BlockStencil7<double, 2, TypeParam> const a(exec, Grid(3, 4, 5));
  BlockVector<double, 2, TypeParam> const x(exec, Grid(3, 4, 5)), y(exec, Grid(4, 3, 5));
  try {
    apply(exec, a, x, y);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("4x3x5"), ::testing::HasSubstr("3x4x5")));
  }
  EXPECT_THROW(apply(exec, a, y, x), Error);
  EXPECT_THROW(apply(exec, a, x, x), Error);
  EXPECT_THROW(residual(exec, a, y, x, BlockVector<double, 2, TypeParam>(exec, Grid(3, 4, 5))), Error);
}

}  // namespace
}  // namespace hyperplane::test::apply_tests
