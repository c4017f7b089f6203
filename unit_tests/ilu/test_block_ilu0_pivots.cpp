// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <limits>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

// Pivots that are singular, nearly so, or not numbers: which one is reported, wherever it is in the layout.
namespace hyperplane::test::ilu0_pivots {
namespace {

constexpr int n = 3;
// More than one slab for every vector length up to 16.
Grid const grid(4, 35, 3);

template <class Exec>
class BlockIlu0Pivots : public ::testing::Test {
 protected:
  using Matrix = BlockStencil7<double, n, Exec>;

  Matrix on_device(const ReferenceStencil& reference) const { return to_device<double, n, double>(exec, reference); }
  FactorStatus status(const Matrix& a, const SolverPath& path) const {
    auto ilu = path.make<BlockIlu0<double, n, Exec>>(exec, grid);
    ilu.factor(exec, a);
    return ilu.status(exec);
  }

  Exec exec{};
};
TYPED_TEST_SUITE(BlockIlu0Pivots, ExecutionSpaces, SpaceNames);

/// 2 I at every point.
ReferenceStencil diagonal_stencil() {
  ReferenceStencil a(grid, n);
  for (auto& blocks : a.blocks) {
    for (int r = 0; r < n; ++r) blocks[static_cast<int>(Direction::center)](r, r) = 2.0;
  }
  return a;
}

/// At the ends of the grid, at the ends of slabs of 2, 4, 8 and 16 rows, and inside.
std::vector<Point> points() {
  return {{0, 0, 0}, {3, 34, 2}, {1, 2, 1},  {0, 3, 0},  {2, 4, 2},
          {3, 7, 1}, {1, 8, 0},  {2, 15, 1}, {0, 16, 2}, {3, 33, 0}};
}

TYPED_TEST(BlockIlu0Pivots, that_vanish_are_named_wherever_they_are) {
  for (auto const& point : points()) {
    for (int equation = 0; equation < n; ++equation) {
      auto reference = diagonal_stencil();
      reference.block(grid.index(point), Direction::center)(equation, equation) = 0.0;
      auto const a = this->on_device(reference);
      for (SolverPath const path : solver_paths_of<TypeParam>()) {
        auto const status = this->status(a, path);
        EXPECT_FALSE(status.ok());
        EXPECT_EQ(status.point, point) << status.message() << ", path " << name(path);
        EXPECT_EQ(status.equation, equation) << status.message() << ", path " << name(path);
      }
    }
  }
}

TYPED_TEST(BlockIlu0Pivots, that_vanish_by_elimination_are_named) {
  // D is regular; d = D - W d^-1[i-1] E[i-1] is not, for each of the three lower neighbours.
  for (auto const direction : {Direction::west, Direction::south, Direction::bottom}) {
    for (auto const& point : points()) {
      Point const other = neighbour(point, direction);
      if (!grid.contains(other)) continue;
      auto reference = diagonal_stencil();
      for (int r = 0; r < n; ++r) {
        reference.block(grid.index(point), direction)(r, r) = 1.0;
        reference.block(grid.index(other), opposite(direction))(r, r) = r == 1 ? 4.0 : 1.0;
      }
      auto const a = this->on_device(reference);
      for (SolverPath const path : solver_paths_of<TypeParam>()) {
        auto const status = this->status(a, path);
        EXPECT_FALSE(status.ok()) << name(direction) << ", path " << name(path);
        EXPECT_EQ(status.point, point) << status.message() << ", " << name(direction) << ", path " << name(path);
        EXPECT_EQ(status.equation, 1) << status.message();
      }
    }
  }
}

TYPED_TEST(BlockIlu0Pivots, of_a_block_of_rank_one_fail_in_the_second_equation) {
  auto reference = diagonal_stencil();
  Point const point{2, 17, 1};
  for (auto& entry : reference.block(grid.index(point), Direction::center).entries) entry = 3.0;
  auto const a = this->on_device(reference);
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto const status = this->status(a, path);
    EXPECT_EQ(status.point, point);
    EXPECT_EQ(status.equation, 1);
  }
}

TYPED_TEST(BlockIlu0Pivots, first_in_point_order_wins_though_another_is_met_first) {
  // By hyperplanes, and by slabs, points of higher numbers come before: i fastest is neither order.
  auto reference = diagonal_stencil();
  Point const first{3, 34, 0}, second{0, 0, 1}, third{0, 1, 2};
  for (auto const& point : {first, second, third}) {
    for (auto& entry : reference.block(grid.index(point), Direction::center).entries) entry = 0.0;
  }
  auto const a = this->on_device(reference);
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto const status = this->status(a, path);
    EXPECT_EQ(status.point, first) << status.message();
    EXPECT_EQ(status.equation, 0);
  }
}

TYPED_TEST(BlockIlu0Pivots, that_are_not_numbers_are_named) {
  for (double const bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (auto const& point : points()) {
      for (auto const direction : stencil7_directions) {
        Point const other = neighbour(point, direction);
        if (!grid.contains(other)) continue;
        // An upper block is first used by the pivot of the point that it multiplies; the others by their own.
        bool const upper = grid.index(other) > grid.index(point);
        auto reference = diagonal_stencil();
        if (direction != Direction::center) {
          for (auto& entry : reference.block(grid.index(other), opposite(direction)).entries) entry = 1.0;
        }
        reference.block(grid.index(point), direction)(2, 1) = bad;
        auto const a = this->on_device(reference);
        for (SolverPath const path : solver_paths_of<TypeParam>()) {
          auto const status = this->status(a, path);
          EXPECT_FALSE(status.ok()) << bad << " in " << name(direction) << ", path " << name(path);
          EXPECT_EQ(status.point, upper ? other : point) << bad << " in " << name(direction) << ", path " << name(path);
        }
      }
    }
  }
}

TYPED_TEST(BlockIlu0Pivots, with_factors_that_cannot_be_stored_are_named) {
  // In float; also of blocks for points after this one, which show there first.
  for (auto const& point : points()) {
    for (auto const direction : stencil7_directions) {
      Point const other = neighbour(point, direction);
      if (direction == Direction::center || !grid.contains(other)) continue;
      auto reference = diagonal_stencil();
      reference.block(grid.index(point), direction)(1, 0) = 1e40;
      auto const a = this->on_device(reference);
      for (SolverPath const path : solver_paths_of<TypeParam>()) {
        auto ilu = path.make<BlockIlu0<double, n, TypeParam, float>>(this->exec, grid);
        ilu.factor(this->exec, a);
        auto const status = ilu.status(this->exec);
        EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
        EXPECT_EQ(status.point, point) << status.message() << ", " << name(direction) << ", path " << name(path);
      }
    }
  }
}

/// Above the grid there is another part of a box.
struct PartAbove {
  static constexpr bool exists = true;
  KOKKOS_FUNCTION const PartAbove& values() const { return *this; }
  KOKKOS_FUNCTION int number(Direction direction, const Point&) const { return direction == Direction::top ? 0 : -1; }
  KOKKOS_FUNCTION double operator()(int, int) const { return 0; }
};

/// What a part says that has recorded the point above one of its last layer.
template <class Exec>
FactorStatus status_above(const Exec& exec, const BlockStencil7<double, n, Exec>& a, const Point& last) {
  constexpr int W = vector_length_v<double, Exec>;
  using Factors = detail::TriangularFactors<double, n, W>;
  using Words = typename detail::SingularPivotRecord<Exec>::Words;
  std::uint64_t recorded[] = {detail::singular_pivot_word(grid.index(last) + grid.index(0, 0, 1), max_block_size),
                              std::numeric_limits<std::uint64_t>::max()};
  Words const words("words", 2);
  Kokkos::deep_copy(
      words, Kokkos::View<std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(recorded, 2));
  detail::SingularPivotRecord<Exec> const record(words);
  // Factors are not looked at.
  Factors const factors{SlabMap<W>(grid), typename Factors::Lower(nullptr), typename Factors::Upper(nullptr)};
  record.conclude(exec, detail::BlockIlu0Diagnosis<double, n, double, double, W, PartAbove>{a.ref(), factors, {}});
  return record.status(exec, grid);
}

TYPED_TEST(BlockIlu0Pivots, what_is_left_to_a_part_above_is_named_as_in_the_box) {
  Point const last{3, 34, 2}, above{3, 34, 3};
  auto reference = diagonal_stencil();
  EXPECT_EQ(status_above(this->exec, this->on_device(reference), last).message(),
            "overflow at point (3, 34, 2): its factors have values that are too large for their type");
  reference.block(grid.index(last), Direction::top)(1, 0) = std::numeric_limits<double>::infinity();
  auto const status = status_above(this->exec, this->on_device(reference), last);
  EXPECT_EQ(status.failure, FactorFailure::not_finite);
  EXPECT_EQ(status.point, above);
  EXPECT_TRUE(status.block == (BlockPlace{last, Direction::top})) << status.message();
}

TYPED_TEST(BlockIlu0Pivots, that_are_nearly_singular_are_used) {
  // Blocks of condition 1e8: not reported, and wrong by no more than the condition explains.
  auto reference = random_stencil(grid, n, 11);
  double const small = 1e-8;
  for (auto& blocks : reference.blocks) {
    for (auto const d : stencil7_directions) {
      auto& block = blocks[static_cast<int>(d)];
      for (auto& entry : block.entries) entry *= d == Direction::center ? 1.0 : 0.1 * small;
    }
    // The last row is the sum of the others, but for a little.
    auto& center = blocks[static_cast<int>(Direction::center)];
    for (int c = 0; c < n; ++c) center(2, c) = center(0, c) + center(1, c) + (c == 2 ? 10 * small : 0.0);
  }
  auto const rhs = random_vector(reference.rows());
  auto const expected = ReferenceIlu0(reference).solve(rhs);
  auto const a = this->on_device(reference);
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    EXPECT_TRUE(this->status(a, path).ok());
    auto ilu = path.make<BlockIlu0<double, n, TypeParam>>(this->exec, grid);
    ilu.factor(this->exec, a);
    auto const x = to_device<double, n>(this->exec, grid, rhs);
    ilu.solve(this->exec, x, x);
    EXPECT_TRUE(near(to_host(this->exec, x), expected, 100 * rounding<double>(1, n) / small)) << name(path);
  }
}

TYPED_TEST(BlockIlu0Pivots, of_a_new_matrix_do_not_remember_the_old_one) {
  // Refactored after NaN: the same bits as a fresh plan, so nothing of it is left, in padding neither.
  auto bad = random_stencil(grid, n, 3);
  for (auto& entry : bad.block(grid.index(0, 0, 0), Direction::center).entries) {
    entry = std::numeric_limits<double>::quiet_NaN();
  }
  auto const good = to_device<double, n, double>(this->exec, random_stencil(grid, n, 4));
  auto const rhs = random_vector(grid.size() * n);
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    using Plan = BlockIlu0<double, n, TypeParam>;
    auto used = path.make<Plan>(this->exec, grid), fresh = path.make<Plan>(this->exec, grid);
    used.factor(this->exec, to_device<double, n, double>(this->exec, bad));
    EXPECT_FALSE(used.status(this->exec).ok());
    auto const x = to_device<double, n>(this->exec, grid, rhs), y = to_device<double, n>(this->exec, grid, rhs);
    // A vector that is no number either, and is then overwritten.
    BlockVector<double, n, TypeParam> const z(this->exec, grid);
    used.solve(this->exec, x, z);
    used.factor(this->exec, good);
    fresh.factor(this->exec, good);
    EXPECT_TRUE(used.status(this->exec).ok());
    used.solve(this->exec, x, z);
    fresh.solve(this->exec, y, y);
    EXPECT_TRUE(bitwise_equal(to_host(this->exec, z), to_host(this->exec, y))) << name(path);
  }
}

}  // namespace
}  // namespace hyperplane::test::ilu0_pivots
