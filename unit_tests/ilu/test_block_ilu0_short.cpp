// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>

#include "support/execution_spaces.hpp"
#include "support/least_team.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// Factors of 16 bits.
namespace hyperplane::test::ilu0_short {
namespace {

template <class Exec>
class BlockIlu0Short : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0Short, ExecutionSpaces, SpaceNames);

std::vector<Grid> grids() {
  return {Grid(1, 1, 1), Grid(1, 7, 1), Grid(5, 4, 3), Grid(9, 17, 5), Grid(1, 1, 12), Grid(2, 9, 13)};
}

/// Paths that factors of 16 bits have.
template <class Exec>
std::vector<SweepPath> paths() {
  if constexpr (HostExecutionSpace<Exec>) return paths_of<Exec>();
  return {SweepPath::portable};
}

template <class Storage>
inline constexpr double unit = std::same_as<Storage, Half> ? 0x1p-11 : 0x1p-8;

template <class Scalar, int n, class Storage, class Exec>
std::vector<double> factor_and_solve(const Exec& exec, const ReferenceStencil& reference,
                                     const std::vector<double>& rhs, SweepPath path, bool transposed = false) {
  auto const x = to_device<Scalar, n>(exec, reference.grid, rhs);
  BlockIlu0<Scalar, n, Exec, Storage> ilu(exec, reference.grid, {.path = path});
  ilu.factor(exec, to_device<Scalar, n, Scalar>(exec, reference));
  if (transposed) {
    ilu.solve_transposed(exec, x, x);
  } else {
    ilu.solve(exec, x, x);
  }
  EXPECT_TRUE(ilu.status(exec).ok()) << ilu.status(exec).message();
  return to_host(exec, x);
}

template <int n, class Storage, class Exec>
void compare_with_double(const Exec& exec) {
  for (auto const& grid : grids()) {
    auto const reference = random_stencil(grid, n);
    auto const rhs = random_vector(grid.size() * n);
    for (SweepPath const path : paths<Exec>()) {
      SCOPED_TRACE(to_string(grid) + ", path " + name(path));
      for (bool const transposed : {false, true}) {
        auto const expected = factor_and_solve<double, n, double>(exec, reference, rhs, path, transposed);
        double const tolerance = 10 * n * unit<Storage>;
        EXPECT_TRUE(
            near(factor_and_solve<double, n, Storage>(exec, reference, rhs, path, transposed), expected, tolerance));
        EXPECT_TRUE(
            near(factor_and_solve<float, n, Storage>(exec, reference, rhs, path, transposed), expected, tolerance));
      }
    }
  }
}

TYPED_TEST(BlockIlu0Short, are_those_of_double_to_rounding) {
  TypeParam const exec;
  compare_with_double<1, Half>(exec);
  compare_with_double<4, Half>(exec);
  compare_with_double<5, Half>(exec);
  compare_with_double<1, BFloat16>(exec);
  compare_with_double<3, BFloat16>(exec);
  compare_with_double<5, BFloat16>(exec);
}

/// What unknowns, and what equations at a point are multiplied by, say by other units and by areas of cells.
double of_unknown(int c) { return std::pow(10.0, 5 - 5 * (c % 3)); }
double of_equation(std::int64_t point, int r) {
  return std::pow(10.0, static_cast<double>(point * 7 % 13) - 6 + 4 * (r % 4) - 6);
}

/// The blocks of a system with such units: rows times those of equations, columns divided by those of unknowns.
ReferenceStencil in_other_units(const ReferenceStencil& a) {
  auto result = a;
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    for (auto& block : result.blocks[static_cast<std::size_t>(p)]) {
      for (int r = 0; r < a.n; ++r) {
        for (int c = 0; c < a.n; ++c) block(r, c) *= of_equation(p, r) / of_unknown(c);
      }
    }
  }
  return result;
}

template <int n, class Storage, class Exec>
void compare_in_other_units(const Exec& exec) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(9, 17, 5), Grid(40, 20, 3)}) {
    auto const reference = random_stencil(grid, n);
    auto const scaled = in_other_units(reference);
    auto const rhs = random_vector(grid.size() * n);
    auto with_units = rhs;
    for (std::size_t e = 0; e < rhs.size(); ++e) {
      auto const row = static_cast<std::int64_t>(e);
      with_units[e] *= of_equation(row / n, static_cast<int>(row % n));
    }
    for (SweepPath const path : paths<Exec>()) {
      SCOPED_TRACE(to_string(grid) + ", path " + name(path));
      auto const expected = factor_and_solve<double, n, double>(exec, reference, rhs, path);
      auto found = factor_and_solve<double, n, Storage>(exec, scaled, with_units, path);
      for (std::size_t e = 0; e < found.size(); ++e) found[e] /= of_unknown(static_cast<int>(e % n));
      EXPECT_TRUE(near(found, expected, 10 * n * unit<Storage>));
      // With M^T the right-hand side has the units of unknowns, and the solution has those of equations.
      auto const transposed = factor_and_solve<double, n, double>(exec, reference, rhs, path, true);
      for (std::size_t e = 0; e < rhs.size(); ++e) with_units[e] = rhs[e] / of_unknown(static_cast<int>(e % n));
      found = factor_and_solve<double, n, Storage>(exec, scaled, with_units, path, true);
      for (std::size_t e = 0; e < found.size(); ++e) {
        auto const row = static_cast<std::int64_t>(e);
        found[e] *= of_equation(row / n, static_cast<int>(row % n));
        with_units[e] = rhs[e] * of_equation(row / n, static_cast<int>(row % n));
      }
      EXPECT_TRUE(near(found, transposed, 10 * n * unit<Storage>));
    }
  }
}

TYPED_TEST(BlockIlu0Short, do_not_depend_on_units) {
  TypeParam const exec;
  compare_in_other_units<1, Half>(exec);
  compare_in_other_units<5, Half>(exec);
  compare_in_other_units<5, BFloat16>(exec);
}

TYPED_TEST(BlockIlu0Short, do_not_depend_on_rows_that_are_much_larger) {
  // As where values are prescribed by a large number on the diagonal.
  TypeParam const exec;
  constexpr int n = 4;
  Grid const grid(9, 17, 5);
  auto reference = in_other_units(random_stencil(grid, n));
  auto rhs = random_vector(grid.size() * n);
  for (std::int64_t p = 0; p < grid.size(); p += 7) {
    for (int r = 0; r < n; ++r) {
      reference.block(p, Direction::center)(r, r) = 1e25;
      rhs[static_cast<std::size_t>(p * n + r)] *= 1e25;
    }
  }
  for (SweepPath const path : paths<TypeParam>()) {
    auto expected = factor_and_solve<double, n, double>(exec, reference, rhs, path);
    auto found = factor_and_solve<double, n, Half>(exec, reference, rhs, path);
    for (auto* const x : {&expected, &found}) {
      for (std::size_t e = 0; e < x->size(); ++e) (*x)[e] /= of_unknown(static_cast<int>(e % n));
    }
    EXPECT_TRUE(near(found, expected, 10 * n * unit<Half>)) << name(path);
  }
}

TYPED_TEST(BlockIlu0Short, have_the_same_bits_for_any_number_of_threads) {
  TypeParam const exec;
  constexpr int n = 3;
  auto const reference = random_stencil(Grid(9, 33, 5), n);
  auto const rhs = random_vector(reference.grid.size() * n);
  for (SweepPath const path : paths<TypeParam>()) {
    std::vector<double> of_one;
    {
      LeastTeam const team(never_teams);
      of_one = factor_and_solve<double, n, Half>(exec, reference, rhs, path);
    }
    LeastTeam const team(always_teams);
    EXPECT_TRUE(bitwise_equal(factor_and_solve<double, n, Half>(exec, reference, rhs, path), of_one)) << name(path);
  }
}

template <int n, class Storage, class Exec>
FactorStatus status_of(const Exec& exec, const ReferenceStencil& a, SweepPath path) {
  BlockIlu0<double, n, Exec, Storage> ilu(exec, a.grid, {.path = path});
  ilu.factor(exec, to_device<double, n, double>(exec, a));
  return ilu.status(exec);
}

TYPED_TEST(BlockIlu0Short, that_are_too_large_are_a_status) {
  TypeParam const exec;
  constexpr int n = 2;
  Grid const grid(5, 19, 4);
  Point const bad{2, 10, 1};
  for (auto const direction :
       {Direction::west, Direction::south, Direction::bottom, Direction::east, Direction::north, Direction::top}) {
    for (SweepPath const path : paths<TypeParam>()) {
      SCOPED_TRACE(std::string(name(direction)) + ", path " + name(path));
      auto a = random_stencil(grid, n);
      // What the neighbour has for the point is nothing, so that no pivot block is large.
      auto const other = grid.index(neighbour(bad, direction));
      for (auto& entry : a.block(other, opposite(direction)).entries) entry = 0;
      a.block(grid.index(bad), direction)(1, 0) = 1e7;
      auto const status = status_of<n, Half>(exec, a, path);
      EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
      EXPECT_EQ(status.point, bad);
      auto const of_range = status_of<n, BFloat16>(exec, a, path);
      EXPECT_TRUE(of_range.ok()) << of_range.message();
      a.block(grid.index(bad), direction)(1, 0) = 1e40;
      auto const larger = status_of<n, BFloat16>(exec, a, path);
      EXPECT_EQ(larger.failure, FactorFailure::overflow) << larger.message();
      EXPECT_EQ(larger.point, bad);
    }
  }
}

TYPED_TEST(BlockIlu0Short, do_not_depend_on_what_points_out_of_the_grid) {
  TypeParam const exec;
  constexpr int n = 3;
  auto const reference = random_stencil(Grid(5, 19, 4), n);
  auto outside = reference;
  for (std::int64_t p = 0; p < outside.grid.size(); ++p) {
    for (auto const direction : stencil7_directions) {
      if (outside.grid.contains(neighbour(outside.grid.point(p), direction))) continue;
      for (auto& entry : outside.block(p, direction).entries) entry = 1e100;
    }
  }
  auto const rhs = random_vector(reference.grid.size() * n);
  for (SweepPath const path : paths<TypeParam>()) {
    EXPECT_TRUE(bitwise_equal(factor_and_solve<double, n, Half>(exec, outside, rhs, path),
                              factor_and_solve<double, n, Half>(exec, reference, rhs, path)));
    EXPECT_TRUE(bitwise_equal(factor_and_solve<double, n, BFloat16>(exec, outside, rhs, path),
                              factor_and_solve<double, n, BFloat16>(exec, reference, rhs, path)));
  }
}

TYPED_TEST(BlockIlu0Short, are_computed_with_in_full_precision) {
  // Diagonal blocks that are exact in every step: what is left is arithmetic in double.
  TypeParam const exec;
  constexpr int n = 3;
  ReferenceStencil reference(Grid(4, 19, 3), n);
  for (auto& blocks : reference.blocks) {
    for (int r = 0; r < n; ++r) blocks[static_cast<int>(Direction::center)](r, r) = 0.5;
  }
  auto const rhs = random_vector(reference.grid.size() * n);
  auto expected = rhs;
  for (auto& value : expected) value *= 2.0;
  for (SweepPath const path : paths<TypeParam>()) {
    EXPECT_TRUE(bitwise_equal(factor_and_solve<double, n, Half>(exec, reference, rhs, path), expected));
    EXPECT_TRUE(bitwise_equal(factor_and_solve<double, n, BFloat16>(exec, reference, rhs, path), expected));
  }
}

TYPED_TEST(BlockIlu0Short, say_which_paths_they_lack) {
  if constexpr (CudaExecutionSpace<TypeParam>) {
    using Plan = BlockIlu0<double, 2, TypeParam, Half>;
    TypeParam const exec;
    EXPECT_EQ(Plan(exec, Grid(3, 3, 3)).path(), SweepPath::portable);
    for (SweepPath const path : {SweepPath::slab, SweepPath::cuda_graph}) {
      EXPECT_EQ(message_of([&] { Plan(exec, Grid(3, 3, 3), {.path = path}); }),
                std::string("BlockIlu0: Cuda has no path ") + name(path) + " for factors of 16 bits");
    }
  }
}

}  // namespace
}  // namespace hyperplane::test::ilu0_short
