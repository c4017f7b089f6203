// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <hyperplane/csr/block_csr.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class BlockCsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(BlockCsrTest, ExecutionSpaces, SpaceNames);

template <class Scalar, int n, class Storage, class Exec>
void compare_with_dense(const Exec& exec, const ReferenceCsr& reference) {
  auto const dense = reference.dense();
  auto const a = to_device<Scalar, n, Storage>(exec, reference);
  auto const x = random_vector(dense.n, 1), b = random_vector(dense.n, 2);
  auto const product = dense * x;
  auto const dx = to_view<Scalar>(exec, x), db = to_view<Scalar>(exec, b);
  auto const y = to_view<Scalar>(exec, std::vector<double>(dense.n, 0.0));
  apply(exec, a, dx, y);
  EXPECT_TRUE(near(to_host(y), product, rounding<Storage>(20, n)));
  residual(exec, a, db, dx, db);
  auto expected = b;
  for (std::size_t r = 0; r < b.size(); ++r) expected[r] -= product[r];
  EXPECT_TRUE(near(to_host(db), expected, rounding<Storage>(20, n)));
}

TYPED_TEST(BlockCsrTest, multiplies) {
  TypeParam const exec;
  for (int const rows : {1, 2, 37}) {
    compare_with_dense<double, 1, double>(exec, random_csr(rows, 1));
    compare_with_dense<double, 5, double>(exec, random_csr(rows, 5));
    compare_with_dense<double, 4, float>(exec, random_csr(rows, 4));
    compare_with_dense<float, 3, float>(exec, random_csr(rows, 3));
  }
}

template <class Scalar, class Storage, class Exec, int... n_minus_1>
void compare_all_sizes(const Exec& exec, int rows, std::integer_sequence<int, n_minus_1...>) {
  (compare_with_dense<Scalar, n_minus_1 + 1, Storage>(exec, random_csr(rows, n_minus_1 + 1)), ...);
}

TYPED_TEST(BlockCsrTest, multiplies_blocks_of_all_sizes) {
  TypeParam const exec;
  constexpr std::make_integer_sequence<int, max_block_size> sizes;
  for (int const rows : {1, 2, 9}) compare_all_sizes<double, double>(exec, rows, sizes);
  compare_all_sizes<double, float>(exec, 9, sizes);
  compare_all_sizes<float, float>(exec, 9, sizes);
}

// Kernels may read values behind a block or behind x, which are not used.
TYPED_TEST(BlockCsrTest, takes_no_values_from_behind_its_arrays) {
  TypeParam const exec;
  constexpr int n = 5;
  auto const reference = random_csr(12, n);
  auto const a = to_device<double, n, double>(exec, reference);
  auto const x = random_vector(12 * n);
  double const not_a_number = std::numeric_limits<double>::quiet_NaN();
  auto const with_more_behind = [&](const auto& view) {
    auto values = to_host(view);
    auto const size = values.size();
    values.resize(size + 16, not_a_number);
    return Kokkos::subview(to_view<double>(exec, values), std::pair(std::size_t{0}, size));
  };
  BlockCsr<double, n, TypeParam> const same(a.offsets(), a.columns(), with_more_behind(a.values()));
  auto const y = to_view<double>(exec, x);
  apply(exec, same, with_more_behind(to_view<double>(exec, x)), y);
  EXPECT_TRUE(near(to_host(y), reference.dense() * x, rounding<double>(20, n)));
}

TYPED_TEST(BlockCsrTest, multiplies_rows_without_blocks) {
  ReferenceCsr a(2);
  a.end_row();
  a.add(0, identity(2));
  a.end_row();
  a.end_row();
  compare_with_dense<double, 2, double>(TypeParam(), a);
}

// Arrays without values need no address.
TYPED_TEST(BlockCsrTest, multiplies_a_matrix_without_blocks) {
  TypeParam const exec;
  using Matrix = BlockCsr<double, 2, TypeParam>;
  Matrix const a(Matrix(exec, {0, 0, 0, 0}, {}).offsets(), {}, {});
  ASSERT_EQ(a.values().data(), nullptr);
  auto const x = random_vector(6);
  auto const dx = to_view<double>(exec, x), y = to_view<double>(exec, x);
  apply(exec, a, dx, y);
  EXPECT_TRUE(bitwise_equal(to_host(y), std::vector<double>(6, 0.0)));
  residual(exec, a, dx, dx, y);
  EXPECT_TRUE(bitwise_equal(to_host(y), x));
}

TYPED_TEST(BlockCsrTest, products_allocate_nothing_and_fence_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const a = to_device<double, 2, double>(exec, random_csr(20, 2));
  auto const x = to_view<double>(exec, random_vector(40)), y = to_view<double>(exec, random_vector(40));
  KokkosEvents const events;
  apply(exec, a, x, y);
  residual(exec, a, y, x, y);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  ASSERT_EQ(events.kernels().size(), 2u);
  for (auto const& kernel : events.kernels()) {
    EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
  }
  EXPECT_EQ(events.kernels()[0].label, "Hyperplane::BlockCsr::apply");
}

TYPED_TEST(BlockCsrTest, refuses_what_is_no_matrix) {
  TypeParam const exec;
  using Csr = BlockCsr<double, 2, TypeParam>;
  auto const message = [&](const std::vector<std::int64_t>& offsets, const std::vector<int>& columns) -> std::string {
    try {
      Csr const refused(exec, offsets, columns);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message({}, {}), HasSubstr("offsets are empty"));
  EXPECT_THAT(message({1, 2}, {0, 0}), HasSubstr("offsets[0] is 1"));
  EXPECT_THAT(message({0, 2, 1}, {0}), HasSubstr("offsets fall after row 1"));
  EXPECT_THAT(message({0, 1, 2}, {0}), HasSubstr("the last offset is 2, but there are 1 columns"));
  EXPECT_THAT(message({0, 1, 2}, {0, 2}), HasSubstr("columns[1] is 2, expected 0 to 1"));
  EXPECT_THAT(message({0, 1}, {-1}), HasSubstr("columns[0] is -1"));

  Csr const a(exec, {0, 1, 2}, {0, 1});
  EXPECT_THROW(Csr(a.offsets(), a.columns(), typename Csr::Values("values", 7)), Error);
  typename Csr::Vector const right("right", 4), wrong("wrong", 3);
  EXPECT_THROW(apply(exec, a, right, right), Error);
  EXPECT_THROW(apply(exec, a, wrong, right), Error);
  EXPECT_THROW(apply(exec, a, right, wrong), Error);
  EXPECT_THROW(residual(exec, a, wrong, right, wrong), Error);
}

}  // namespace
}  // namespace hyperplane::test
