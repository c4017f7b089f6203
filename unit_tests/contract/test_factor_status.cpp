// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/line/line_jacobi.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/sip_iteration/sip_iteration.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/serial_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

// Why a factorization failed, of every solver on every path: rows and columns of zeros by their number, what is not
// finite, and what cannot be stored.
namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;

Grid const grid(5, 9, 4);
Point const bad{3, 4, 2};

/// 2 I at every point.
ReferenceStencil diagonal_stencil(int n, double value = 2.0) {
  ReferenceStencil a(grid, n);
  for (auto& blocks : a.blocks) {
    for (int r = 0; r < n; ++r) blocks[static_cast<int>(Direction::center)](r, r) = value;
  }
  return a;
}
DenseMatrix& center(ReferenceStencil& a) { return a.block(grid.index(bad), Direction::center); }

/// What the statuses of all solvers have.
struct Found {
  std::string solver;
  FactorFailure failure;
  int equation;
  std::string message;
};

template <class Exec>
class FactorStatuses : public ::testing::Test {
 protected:
  template <class Solver, class Matrix>
  void add(const char* name, Solver solver, const Matrix& a) {
    solver.factor(exec, a);
    auto const status = solver.status(exec);
    found.push_back({name, status.failure, status.equation, status.message()});
  }

  /// What all solvers of blocks find, with factors in Storage, of a matrix in MatrixStorage.
  template <int n, class Storage = double, class MatrixStorage = double>
  void factor(const ReferenceStencil& reference) {
    auto const a = to_device<double, n, MatrixStorage>(exec, reference);
    found.clear();
    for (SolverPath const path : solver_paths_of<Exec>()) {
      add(name(path), path.make<BlockIlu0<double, n, Exec, Storage>>(exec, grid), a);
    }
    add("SSOR", Ssor<double, n, Exec, Storage>(exec, grid), a);
    add("SSOR portable", Ssor<double, n, Exec, Storage>(exec, grid, {.path = SweepPath::portable}), a);
    add("Jacobi", BlockJacobi<double, n, Exec, Storage>(exec, grid), a);
    if constexpr (n == 1) {
      for (SolverPath const path : solver_paths_of<Exec>()) {
        add("SIP", path.make<Sip<double, Exec, Storage>>(exec, grid), a);
      }
      if constexpr (std::is_same_v<MatrixStorage, double>) {
        add("SIP iteration", SipIteration<double, Exec, Storage>(exec, grid), a);
      }
    }
    for (auto const direction : {LineDirection::i, LineDirection::j, LineDirection::k}) {
      auto const lines = LineSet::along(grid, direction);
      for (LinePath const path : line_paths_of<Exec>()) {
        for (int const partitions : {1, 2}) {
          add(partitions == 1 ? "lines" : "cut lines",
              BlockTridiagonal<double, n, Exec, Storage>(exec, lines, {.path = path, .partitions = partitions}), a);
        }
      }
      add("line Jacobi", LineJacobi<double, n, Exec, Storage>(exec, lines), a);
    }
  }

  void expect(FactorFailure failure, int equation, const std::string& text) const {
    for (auto const& [solver, its_failure, its_equation, message] : found) {
      EXPECT_STREQ(name(its_failure), name(failure)) << solver << ": " << message;
      EXPECT_EQ(its_equation, equation) << solver << ": " << message;
      EXPECT_THAT(message, HasSubstr("(3, 4, 2)")) << solver;
      EXPECT_THAT(message, HasSubstr(text)) << solver;
    }
  }

  Exec exec{};
  std::vector<Found> found;
};
TYPED_TEST_SUITE(FactorStatuses, ExecutionSpaces, SpaceNames);

TYPED_TEST(FactorStatuses, name_a_row_of_zeros) {
  for (int row = 0; row < 3; ++row) {
    auto a = diagonal_stencil(3);
    // Not the column of the same number, in which there is a pivot.
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) center(a)(r, c) = r == row ? 0.0 : 1.0 + r * r + (r == c ? 3.0 * c : 0.5 * c);
    }
    this->template factor<3>(a);
    this->expect(FactorFailure::zero_row, row,
                 "equation " + std::to_string(row) + ": the row of the pivot block is zero");
  }
}

TYPED_TEST(FactorStatuses, name_a_column_of_zeros) {
  for (int column = 0; column < 3; ++column) {
    auto a = diagonal_stencil(3);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) center(a)(r, c) = c == column ? 0.0 : 1.0 + r * r + (r == c ? 3.0 * c : 0.5 * c);
    }
    this->template factor<3>(a);
    this->expect(FactorFailure::zero_column, column,
                 "unknown " + std::to_string(column) + ": the column of the pivot block is zero");
  }
}

TYPED_TEST(FactorStatuses, say_where_elimination_stopped) {
  auto a = diagonal_stencil(3);
  // The last row is the difference of the others, and nothing is rounded.
  double const rows[3][3] = {{4, 2, 1}, {2, 3, 1}, {2, -1, 0}};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) center(a)(r, c) = rows[r][c];
  }
  this->template factor<3>(a);
  this->expect(FactorFailure::singular, 2, "elimination stopped at column 2 of the pivot block");
}

TYPED_TEST(FactorStatuses, of_scalars_name_their_equation) {
  auto a = diagonal_stencil(1);
  center(a)(0, 0) = 0.0;
  this->template factor<1>(a);
  this->expect(FactorFailure::zero_row, 0, "equation 0");
}

TYPED_TEST(FactorStatuses, say_that_a_matrix_is_not_finite) {
  for (double const value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto a = diagonal_stencil(3);
    center(a)(1, 2) = value;
    this->template factor<3>(a);
    this->expect(FactorFailure::not_finite, 0, "not finite");
    for (auto const& each : this->found) {
      EXPECT_TRUE(each.message.find("block center") != std::string::npos ||
                  each.message.find("diagonal block") != std::string::npos || each.solver == "cut lines")
          << each.solver << ": " << each.message;
    }
    auto scalars = diagonal_stencil(1);
    center(scalars)(0, 0) = value;
    this->template factor<1>(scalars);
    this->expect(FactorFailure::not_finite, 0, "not finite");
  }
}

TYPED_TEST(FactorStatuses, say_which_other_block_is_not_finite) {
  // Used by point (3, 4, 2): its own lower block, and the upper one that points to it.
  for (auto const direction : {Direction::west, Direction::south, Direction::bottom}) {
    auto a = diagonal_stencil(3);
    a.block(grid.index(bad), direction)(0, 1) = std::numeric_limits<double>::quiet_NaN();
    for (SolverPath const path : solver_paths_of<TypeParam>()) {
      auto ilu = path.make<BlockIlu0<double, 3, TypeParam>>(this->exec, grid);
      ilu.factor(this->exec, to_device<double, 3, double>(this->exec, a));
      auto const status = ilu.status(this->exec);
      EXPECT_EQ(status.failure, FactorFailure::not_finite) << name(path);
      EXPECT_EQ(status.message(), std::string("not finite at point (3, 4, 2): block ") + name(direction)) << name(path);
    }
    a = diagonal_stencil(3);
    Point const other = neighbour(bad, direction);
    a.block(grid.index(other), opposite(direction))(0, 1) = std::numeric_limits<double>::infinity();
    for (SolverPath const path : solver_paths_of<TypeParam>()) {
      auto ilu = path.make<BlockIlu0<double, 3, TypeParam>>(this->exec, grid);
      ilu.factor(this->exec, to_device<double, 3, double>(this->exec, a));
      auto const status = ilu.status(this->exec);
      EXPECT_EQ(status.failure, FactorFailure::not_finite) << name(path);
      ASSERT_TRUE(status.block.has_value()) << name(path);
      EXPECT_EQ(*status.block, (BlockPlace{other, opposite(direction)})) << status.message();
      EXPECT_EQ(status.point, bad) << name(path);
    }
  }
}

TYPED_TEST(FactorStatuses, blame_no_block_that_points_out_of_the_grid_for_a_row_of_zeros) {
  auto a = diagonal_stencil(3);
  for (int c = 0; c < 3; ++c) a.block(0, Direction::center)(1, c) = 0.0;
  a.block(0, Direction::west)(0, 1) = std::numeric_limits<double>::quiet_NaN();
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto ilu = path.make<BlockIlu0<double, 3, TypeParam>>(this->exec, grid);
    ilu.factor(this->exec, to_device<double, 3, double>(this->exec, a));
    auto const status = ilu.status(this->exec);
    EXPECT_EQ(status.failure, FactorFailure::zero_row) << name(path) << ": " << status.message();
  }
}

TYPED_TEST(FactorStatuses, take_the_largest_value_of_storage) {
  for (double const value : {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()}) {
    auto a = diagonal_stencil(3);
    a.block(grid.index(bad), Direction::south)(2, 0) = value;
    for (SolverPath const path : solver_paths_of<TypeParam>()) {
      auto ilu = path.make<BlockIlu0<double, 3, TypeParam, float>>(this->exec, grid);
      ilu.factor(this->exec, to_device<double, 3, double>(this->exec, a));
      EXPECT_TRUE(ilu.status(this->exec).ok()) << name(path) << ": " << ilu.status(this->exec).message();
    }
  }
}

TYPED_TEST(FactorStatuses, find_an_inverse_that_storage_cannot_hold) {
  for (double const value : {1e-44, -3e-41}) {
    auto a = diagonal_stencil(3);
    for (int r = 0; r < 3; ++r) center(a)(r, r) = value;
    this->template factor<3, float>(a);
    this->expect(FactorFailure::overflow, 0, "overflow");
    this->template factor<3, float, float>(a);
    this->expect(FactorFailure::overflow, 0, "overflow");
    auto scalars = diagonal_stencil(1);
    center(scalars)(0, 0) = value;
    this->template factor<1, float>(scalars);
    this->expect(FactorFailure::overflow, 0, "overflow");
    this->template factor<1, float, float>(scalars);
    this->expect(FactorFailure::overflow, 0, "overflow");
    this->template factor<3>(a);
    for (auto const& each : this->found) EXPECT_EQ(each.failure, FactorFailure::none) << each.message;
  }
  // The inverse of a denormal number.
  auto a = diagonal_stencil(1);
  center(a)(0, 0) = 1e-310;
  this->template factor<1>(a);
  this->expect(FactorFailure::overflow, 0, "overflow");
  a = diagonal_stencil(3);
  center(a)(1, 1) = 1e-310;
  this->template factor<3>(a);
  this->expect(FactorFailure::overflow, 0, "overflow");
}

TYPED_TEST(FactorStatuses, find_a_whole_matrix_that_is_too_small_for_its_storage) {
  // By 1e-44, of which the last ones become zero in float.
  auto a = random_stencil(grid, 2, 3);
  for (auto& blocks : a.blocks) {
    for (auto& block : blocks) {
      for (auto& entry : block.entries) entry *= 1e-44;
    }
  }
  this->template factor<2, float, float>(a);
  for (auto const& each : this->found) EXPECT_NE(each.failure, FactorFailure::none) << each.solver;
}

TYPED_TEST(FactorStatuses, find_a_lower_block_that_storage_cannot_hold) {
  // The pivots are 1e40 and their inverses fit, what is to the west does not.
  auto a = diagonal_stencil(3);
  a.block(grid.index(bad), Direction::west)(1, 1) = 1e40;
  a.block(grid.index(bad), Direction::south)(1, 1) = 1e40;
  a.block(grid.index(bad), Direction::bottom)(1, 1) = 1e40;
  this->template factor<3, float>(a);
  for (auto const& each : this->found) {
    // What couples a part to a separator is not kept.
    if (each.solver == "Jacobi" || each.solver == "cut lines") continue;
    EXPECT_EQ(each.failure, FactorFailure::overflow) << each.solver << ": " << each.message;
  }
}

TYPED_TEST(FactorStatuses, forget_what_was_wrong_with_the_matrix_before) {
  auto singular = diagonal_stencil(3);
  center(singular)(1, 1) = 0.0;
  auto const bad_matrix = to_device<double, 3, double>(this->exec, singular);
  auto const good = to_device<double, 3, double>(this->exec, diagonal_stencil(3));
  BlockIlu0<double, 3, TypeParam> ilu(this->exec, grid);
  EXPECT_TRUE(ilu.status(this->exec).ok()) << "before the first factorization";
  for (int repeat = 0; repeat < 2; ++repeat) {
    ilu.factor(this->exec, bad_matrix);
    EXPECT_FALSE(ilu.status(this->exec).ok());
    EXPECT_FALSE(ilu.status(this->exec).ok()) << "asked again";
    ilu.factor(this->exec, good);
    EXPECT_TRUE(ilu.status(this->exec).ok());
  }
}

}  // namespace
}  // namespace hyperplane::test
