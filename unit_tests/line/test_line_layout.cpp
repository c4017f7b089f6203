// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_vector.hpp>
#include <set>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/line_transfer.hpp"
#include "support/matchers.hpp"

namespace hyperplane::test {
namespace {

std::vector<LineSet> line_sets() {
  std::vector<LineSet> sets{LineSet::uniform(1, 1), LineSet::uniform(37, 5),
                            LineSet::lists(12, {0, 1, 4, 6, 11}, {5, 1, 2, 3, 9, 8, 4, 0, 11, 7, 6})};
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 3, 4), Grid(19, 21, 2), Grid(2, 9, 17)}) {
    for (auto const direction : {LineDirection::i, LineDirection::j, LineDirection::k}) {
      sets.push_back(LineSet::along(grid, direction));
    }
  }
  return sets;
}

/// Writes 21 lines of 4 points as scalars; how many values are different as vectors, internal vectors, and by line and
/// position.
template <int n, class Exec>
int different_values(const Exec& exec, const LineVector<double, n, Exec>& vector) {
  constexpr int width = LineVector<double, n, Exec>::vector_length;
  constexpr int internal = LineVector<double, n, Exec>::internal_vector_length;
  auto const vectors = vector.as_vectors();
  auto const internals = vector.as_internal_vectors();
  auto const scalars = vector.as_scalars();
  auto const ref = vector.ref();
  auto const items = vector.layout().items();
  int const entries = n * vector.columns();
  Kokkos::parallel_for(
      "write", Kokkos::RangePolicy<Exec>(exec, 0, items), KOKKOS_LAMBDA(std::int64_t item) {
        for (int e = 0; e < entries; ++e) {
          for (int lane = 0; lane < width; ++lane) scalars(item, e, lane) = 1000.0 * item + 100.0 * e + lane;
        }
      });
  int of_vectors = 0, of_lines = 0;
  Kokkos::parallel_reduce(
      "compare", Kokkos::RangePolicy<Exec>(exec, 0, items),
      KOKKOS_LAMBDA(std::int64_t item, int& count) {
        for (int e = 0; e < entries; ++e) {
          for (int lane = 0; lane < width; ++lane) {
            double const value = scalars(item, e, lane);
            count += vectors(item, e)[lane] != value;
            count += internals(item, e, lane / internal)[lane % internal] != value;
          }
        }
      },
      of_vectors);
  Kokkos::parallel_reduce(
      "compare", Kokkos::RangePolicy<Exec>(exec, 0, 21),
      KOKKOS_LAMBDA(std::int64_t line, int& count) {
        for (int p = 0; p < 4; ++p) {
          for (int e = 0; e < entries; ++e) {
            auto const item = line / width * 4 + p;
            count += ref(line, p, e % n, e / n) != scalars(item, e, static_cast<int>(line % width));
          }
        }
      },
      of_lines);
  return of_vectors + of_lines;
}

template <class Exec>
class LineLayouts : public ::testing::Test {};
TYPED_TEST_SUITE(LineLayouts, ExecutionSpaces, SpaceNames);

TYPED_TEST(LineLayouts, give_every_point_a_slot_of_its_own) {
  TypeParam const exec;
  for (auto const& lines : line_sets()) {
    LineLayout<double, TypeParam> const layout(exec, lines);
    constexpr int width = LineLayout<double, TypeParam>::vector_length;
    auto const& tables = layout.tables();
    EXPECT_EQ(tables.first_items.size(), static_cast<std::size_t>(layout.packs()) + 1);
    std::set<std::int64_t> seen;
    for (std::int64_t line = 0; line < lines.count(); ++line) {
      auto const slot = tables.slots[line];
      EXPECT_EQ(tables.ordinals[slot], lines.first(line));
      EXPECT_EQ(tables.ends[slot] - tables.begins[slot], lines.length(line));
      EXPECT_LE(tables.ends[slot], tables.first_items[slot / width + 1] - tables.first_items[slot / width]);
      EXPECT_TRUE(seen.insert(slot).second);
    }
  }
}

TYPED_TEST(LineLayouts, put_lists_of_about_the_same_length_together) {
  constexpr int width = LineLayout<double, TypeParam>::vector_length;
  // Alternately long and short: half of the packs are short.
  std::vector<std::int64_t> offsets{0}, points;
  for (int line = 0; line < 4 * width; ++line) {
    for (int p = 0; p < (line % 2 == 0 ? 9 : 2); ++p) points.push_back(static_cast<std::int64_t>(points.size()));
    offsets.push_back(static_cast<std::int64_t>(points.size()));
  }
  TypeParam const exec;
  LineLayout<double, TypeParam> const layout(exec,
                                             LineSet::lists(static_cast<std::int64_t>(points.size()), offsets, points));
  EXPECT_EQ(layout.items(), 2 * 9 + 2 * 2);
}

TYPED_TEST(LineLayouts, show_the_same_memory_as_vectors_internal_vectors_and_scalars) {
  TypeParam const exec;
  constexpr int n = 3, columns = 2;
  LineLayout<double, TypeParam> const layout(exec, LineSet::uniform(21, 4));
  LineVector<double, n, TypeParam> const vector(exec, layout, columns);
  constexpr int width = decltype(vector)::vector_length, internal = decltype(vector)::internal_vector_length;
  auto const vectors = vector.as_vectors();
  auto const internals = vector.as_internal_vectors();
  auto const scalars = vector.as_scalars();
  EXPECT_EQ(static_cast<void*>(vectors.data()), static_cast<void*>(vector.flat().data()));
  EXPECT_EQ(static_cast<void*>(internals.data()), static_cast<void*>(vector.flat().data()));
  EXPECT_EQ(static_cast<void*>(scalars.data()), static_cast<void*>(vector.flat().data()));
  EXPECT_EQ(vectors.extent(0), static_cast<std::size_t>(layout.items()));
  EXPECT_EQ(vectors.extent(1), static_cast<std::size_t>(n * columns));
  EXPECT_EQ(internals.extent(2), static_cast<std::size_t>(width / internal));
  EXPECT_EQ(scalars.extent(2), static_cast<std::size_t>(width));

  EXPECT_EQ(different_values(exec, vector), 0);

  BlockTridiagonalMatrix<double, n, TypeParam> const matrix(exec, layout);
  EXPECT_EQ(matrix.as_vectors().extent(1), 27u);
  EXPECT_EQ(matrix.as_scalars().size(), matrix.flat().size());
}

TYPED_TEST(LineLayouts, keep_vectors) {
  TypeParam const exec;
  constexpr int n = 2;
  for (auto const& lines : line_sets()) {
    LineLayout<double, TypeParam> const layout(exec, lines);
    auto const values = random_vector(lines.size() * n * 3);
    EXPECT_TRUE(bitwise_equal(to_host(exec, to_lines<double, n>(exec, layout, 3, values)), values));
  }
  LineLayout<double, TypeParam> const layout(exec, LineSet::uniform(2, 2));
  EXPECT_THROW((LineVector<double, n, TypeParam>(exec, layout, 0)), Error);
}

}  // namespace
}  // namespace hyperplane::test
