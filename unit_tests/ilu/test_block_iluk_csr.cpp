// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_ilu_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"

// Levels of fill, and orders of rows, of BlockIlukCsr and BlockIlu0Csr.
namespace hyperplane::test {
namespace {

template <class Exec>
class BlockIlukCsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlukCsrTest, ExecutionSpaces, SpaceNames);

std::vector<int> shuffled_rows(int rows) {
  auto order = natural_order(rows);
  std::mt19937_64 engine(11);
  std::shuffle(order.begin(), order.end(), engine);
  return order;
}

template <int n, class Storage = double, class Exec>
void compare_fill(const Exec& exec, const ReferenceCsr& reference, int fill) {
  auto const a = to_device<double, n, Storage>(exec, reference);
  auto const b = random_vector(std::int64_t{reference.rows()} * n);
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::given}) {
    auto const given = order == RowOrder::given ? shuffled_rows(reference.rows()) : std::vector<int>();
    auto const rows = given.empty() ? order_rows(order, reference.offsets, reference.columns) : given;
    ReferenceCsrIlu const expected(reference, rows, fill);
    auto const x = expected.solve(b);
    for (auto const path : csr_paths_of<Exec>()) {
      BlockIlukCsr<double, n, Exec, Storage> ilu(exec, a,
                                                 {.fill = fill, .path = path, .order = order, .given_order = given});
      EXPECT_EQ(ilu.blocks(), expected.blocks()) << fill;
      EXPECT_EQ(ilu.fill(), fill);
      EXPECT_TRUE(near(solve_csr_with<double>(exec, ilu, a, b), x, rounding<Storage>(100, n)))
          << n << ", fill " << fill << ", order " << static_cast<int>(order) << ", path " << static_cast<int>(path);
    }
  }
}

TYPED_TEST(BlockIlukCsrTest, is_the_textbook_on_random_patterns_in_all_orders) {
  TypeParam const exec;
  for (int const fill : {0, 1, 2, 5}) {
    compare_fill<1>(exec, random_csr(60, 1), fill);
    compare_fill<3>(exec, shuffled(random_csr(40, 3)), fill);
  }
  compare_fill<5>(exec, random_csr(1, 5), 1);
  compare_fill<5>(exec, to_csr(random_stencil(Grid(4, 3, 5), 5)), 1);
  compare_fill<2, float>(exec, random_csr(30, 2), 2);
}

TYPED_TEST(BlockIlukCsrTest, of_many_levels_is_exact) {
  TypeParam const exec;
  auto const reference = random_csr(30, 2);
  auto const solution = random_vector(60);
  auto const a = to_device<double, 2, double>(exec, reference);
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    BlockIlukCsr<double, 2, TypeParam> ilu(exec, a, {.fill = std::numeric_limits<int>::max(), .order = order});
    EXPECT_TRUE(
        near(solve_csr_with<double>(exec, ilu, a, reference.dense() * solution), solution, rounding<double>(100, 2)));
  }
}

TYPED_TEST(BlockIlukCsrTest, without_fill_has_the_bits_of_ilu0) {
  TypeParam const exec;
  auto const reference = random_csr(50, 3);
  auto const a = to_device<double, 3, double>(exec, reference);
  auto const b = random_vector(150);
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    BlockIlukCsr<double, 3, TypeParam> iluk(exec, a, {.fill = 0, .order = order});
    BlockIlu0Csr<double, 3, TypeParam> ilu0(exec, a, {.order = order});
    auto const expected = solve_csr_with<double>(exec, ilu0, a, b);
    EXPECT_TRUE(bitwise_equal(solve_csr_with<double>(exec, iluk, a, b), expected));
  }
}

TYPED_TEST(BlockIlukCsrTest, has_the_same_bits_on_all_paths) {
  TypeParam const exec;
  auto const stencil = random_stencil(Grid(9, 8, 7), 3);
  auto const a = to_device<double, 3, double>(exec, to_csr(stencil));
  auto const b = random_vector(stencil.rows());
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    std::vector<double> first;
    for (auto const path : csr_paths_of<TypeParam>()) {
      BlockIlukCsr<double, 3, TypeParam> ilu(exec, a, {.fill = 2, .path = path, .order = order});
      auto const x = solve_csr_with<double>(exec, ilu, a, b);
      if (first.empty()) first = x;
      EXPECT_TRUE(bitwise_equal(x, first)) << static_cast<int>(path);
    }
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(BlockIlukCsrThreads, do_not_change_bits) {
  auto const csr = to_csr(random_stencil(Grid(12, 11, 10), 3));
  auto const a = to_device<double, 3, double>(Kokkos::OpenMP(), csr);
  auto const b = random_vector(12 * 11 * 10 * 3);
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    std::vector<double> alone;
    for (int const threads : {1, 2, 3, 4}) {
      Kokkos::OpenMP const exec(threads);
      BlockIlukCsr<double, 3, Kokkos::OpenMP> ilu(exec, a, {.fill = 1, .order = order});
      auto const x = solve_csr_with<double>(exec, ilu, a, b);
      if (threads == 1) alone = x;
      EXPECT_TRUE(bitwise_equal(x, alone)) << threads << " threads, order " << static_cast<int>(order);
    }
  }
}
#endif

TYPED_TEST(BlockIlukCsrTest, by_colours_has_as_many_levels_as_colours) {
  TypeParam const exec;
  auto const a = to_device<double, 1, double>(exec, to_csr(random_stencil(Grid(6, 5, 7), 1)));
  BlockIlu0Csr<double, 1, TypeParam> const natural(exec, a), colours(exec, a, {.order = RowOrder::colours});
  EXPECT_EQ(natural.forward_levels(), 6 + 5 + 7 - 2);
  EXPECT_EQ(colours.forward_levels(), 2);
  EXPECT_EQ(colours.backward_levels(), 2);
}

TYPED_TEST(BlockIlukCsrTest, compares_structures_without_the_fill) {
  TypeParam const exec;
  auto const reference = random_csr(20, 2);
  BlockIlukCsr<double, 2, TypeParam> ilu(exec, to_device<double, 2, double>(exec, reference), {.fill = 2});
  auto const message = [&](const ReferenceCsr& other) {
    return message_of([&] { ilu.factor(exec, to_device<double, 2, double>(exec, other)); });
  };
  EXPECT_EQ(message(reference), "nothing thrown");
  EXPECT_THAT(message(shuffled(reference)), ::testing::HasSubstr("BlockIlukCsr::factor: row "));
  EXPECT_THAT(message(random_csr(19, 2)), ::testing::HasSubstr("BlockIlukCsr::factor: A has 19 rows"));
  auto longer = reference;
  longer.add(0, DenseMatrix(2));
  longer.offsets.back() = static_cast<std::int64_t>(longer.columns.size());
  EXPECT_THAT(message(longer), ::testing::HasSubstr("expected 20 and " + std::to_string(reference.columns.size())));
}

TYPED_TEST(BlockIlukCsrTest, names_the_row_that_is_taken_first_of_those_that_fail) {
  for (auto const path : csr_paths_of<TypeParam>()) {
    expect_first_taken<BlockIlukCsr<double, 2, TypeParam>>(TypeParam(), {.path = path});
  }
}

TYPED_TEST(BlockIlukCsrTest, refuses_options_that_make_no_sense) {
  TypeParam const exec;
  auto const a = to_device<double, 1, double>(exec, random_csr(3, 1));
  using Options = BlockIlukCsrOptions;
  auto const message = [&](const Options& options) {
    return message_of([&] { BlockIlukCsr<double, 1, TypeParam> const refused(exec, a, options); });
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message({.fill = -1}), HasSubstr("fill is -1, expected 0 or more"));
  auto const given = [](const std::vector<int>& rows) {
    return Options{.order = RowOrder::given, .given_order = rows};
  };
  EXPECT_THAT(message(given({0, 1})), HasSubstr("given_order has 2 rows, expected 3"));
  EXPECT_THAT(message(given({0, 3, 1})), HasSubstr("given_order[1] is 3, expected 0 to 2"));
  EXPECT_THAT(message(given({0, 1, -1})), HasSubstr("given_order[2] is -1, expected 0 to 2"));
  EXPECT_THAT(message(given({2, 1, 2})), HasSubstr("given_order[2] is 2, which comes twice"));
  EXPECT_THAT(message({.given_order = {0, 1, 2}}),
              HasSubstr("given_order has 3 rows, but the order is not RowOrder::given"));
  EXPECT_EQ(message(given({2, 0, 1})), "nothing thrown");
}

TYPED_TEST(BlockIlukCsrTest, takes_offsets_of_32_bits) {
  compare_offsets<BlockIlukCsr<double, 3, TypeParam>, BlockIlukCsr<double, 3, TypeParam, double, int>>(
      TypeParam(), {.order = RowOrder::rcm});
}

TYPED_TEST(BlockIlukCsrTest, takes_a_matrix_without_rows) {
  TypeParam const exec;
  BlockCsr<double, 2, TypeParam> const a(exec, {0}, {});
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::given}) {
    BlockIlukCsr<double, 2, TypeParam> ilu(exec, a, {.order = order});
    ilu.factor(exec, a);
    typename BlockCsr<double, 2, TypeParam>::Vector const x("x", 0);
    ilu.solve(exec, x, x);
    EXPECT_TRUE(ilu.status(exec).ok());
  }
}

}  // namespace
}  // namespace hyperplane::test
