// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/scalars_in_blocks.hpp>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class ScalarMatrices : public ::testing::Test {};
TYPED_TEST_SUITE(ScalarMatrices, ExecutionSpaces, SpaceNames);

/// Rows with their entries in falling columns.
struct ScalarRows {
  std::vector<int> offsets{0};
  std::vector<int> columns;
  std::vector<double> values;
};

/// Of a matrix in blocks those entries of which each third is left out.
ScalarRows with_holes(const DenseMatrix& a) {
  ScalarRows result;
  for (int r = 0; r < a.n; ++r) {
    for (int c = a.n - 1; c >= 0; --c) {
      if (a(r, c) == 0.0 || (r + c) % 3 == 1) continue;
      result.columns.push_back(c);
      result.values.push_back(a(r, c));
    }
    result.offsets.push_back(static_cast<int>(result.columns.size()));
  }
  return result;
}

DenseMatrix dense(const ScalarRows& rows, double factor) {
  DenseMatrix result(static_cast<int>(rows.offsets.size()) - 1);
  for (int r = 0; r < result.n; ++r) {
    for (int e = rows.offsets[r]; e < rows.offsets[r + 1]; ++e) result(r, rows.columns[e]) = factor * rows.values[e];
  }
  return result;
}

template <int n, class Exec>
void check(const Exec& exec, int points) {
  auto const rows = with_holes(random_csr(points, n).dense());
  ScalarsInBlocks<double, n, Exec> const blocks(exec, rows.offsets, rows.columns);
  auto const x = random_vector(static_cast<std::size_t>(points) * n);
  auto const dx = to_view<double>(exec, x), y = to_view<double>(exec, std::vector<double>(x.size(), 0.0));
  for (double const factor : {1.0, -2.0}) {
    auto values = rows.values;
    for (auto& value : values) value *= factor;
    blocks.set_values(exec, to_view<double>(exec, values));
    apply(exec, blocks.matrix(), dx, y);
    EXPECT_TRUE(near(to_host(y), dense(rows, factor) * x, rounding<double>(20, n))) << n << ", " << points;
  }
}

TYPED_TEST(ScalarMatrices, are_matrices_of_blocks_with_zeros_in_their_holes) {
  TypeParam const exec;
  for (int const points : {1, 2, 23}) {
    check<1>(exec, points);
    check<2>(exec, points);
    check<5>(exec, points);
  }
}

TYPED_TEST(ScalarMatrices, have_the_blocks_with_entries_alone) {
  TypeParam const exec;
  // Rows 0 and 1 have entries in columns 4 and 1, rows 2 and 3 none, rows 4 and 5 in 5, 4 and 0.
  ScalarsInBlocks<double, 2, TypeParam> const blocks(exec, std::vector<std::int64_t>{0, 1, 2, 2, 2, 4, 5},
                                                     {4, 1, 5, 4, 0});
  EXPECT_EQ(blocks.matrix().rows(), 3);
  EXPECT_THAT(detail::to_vector(exec, blocks.matrix().offsets()), ::testing::ElementsAre(0, 2, 2, 4));
  EXPECT_THAT(detail::to_vector(exec, blocks.matrix().columns()), ::testing::ElementsAre(0, 2, 0, 2));
  blocks.set_values(exec, to_view<double>(exec, std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_THAT(detail::to_vector(exec, blocks.matrix().values()),
              ::testing::ElementsAre(0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 5, 0, 4, 3, 0, 0));
}

TYPED_TEST(ScalarMatrices, that_are_wrong_are_refused) {
  TypeParam const exec;
  using ::testing::HasSubstr;
  auto const made = [&](const std::vector<int>& offsets, const std::vector<int>& columns) {
    return message_of([&] { ScalarsInBlocks<double, 2, TypeParam>(exec, offsets, columns); });
  };
  EXPECT_THAT(made({}, {}), HasSubstr("ScalarsInBlocks: offsets are empty"));
  EXPECT_THAT(made({0, 1, 2, 3}, {0, 1, 2}), HasSubstr("ScalarsInBlocks: 3 rows in blocks of 2"));
  EXPECT_THAT(made({0, 1, 2}, {0, 2}), HasSubstr("row 1 has column 2, expected 0 to 1"));
  EXPECT_THAT(made({0, 1, 3}, {0, 1, 1}), HasSubstr("row 1 has column 1 twice"));
  EXPECT_THAT(made({0, 3, 2}, {0, 1}), HasSubstr("row 0 has blocks 0 to 3 of 2"));
  EXPECT_THAT(made({1, 2, 2}, {0, 1}), HasSubstr("offsets[0] is 1, expected 0"));
  EXPECT_THAT(made({0, 1, 2}, {0, 1, 1}), HasSubstr("the last offset is 2, but there are 3 columns"));
  ScalarsInBlocks<double, 2, TypeParam> const blocks(exec, std::vector<int>{0, 1, 2}, {0, 1});
  EXPECT_THAT(message_of([&] { blocks.set_values(exec, to_view<double>(exec, std::vector<double>{1.0})); }),
              HasSubstr("there are 1 values for 2 entries"));
}

}  // namespace
}  // namespace hyperplane::test
