// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/folded_order.hpp"
#include "support/least_team.hpp"
#include "support/matchers.hpp"
#include "support/matrix_of_solves.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"
#include "support/transposed_reference.hpp"

// BILU(0) from the corners of the grid to its middle.
namespace hyperplane::test::ilu0_folded {
namespace {

template <class Exec>
class BlockIlu0Folded : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0Folded, ExecutionSpaces, SpaceNames);

constexpr FoldedDirections all_folded{true, true, true};

std::vector<Grid> grids() {
  return {Grid(1, 1, 1), Grid(2, 2, 2), Grid(5, 4, 3),  Grid(17, 2, 9), Grid(6, 17, 5),
          Grid(8, 8, 8), Grid(9, 9, 1), Grid(7, 20, 2), Grid(1, 9, 12), Grid(3, 3, 3)};
}

template <class Scalar, int n, class Storage, class Exec>
BlockIlu0<Scalar, n, Exec, Storage> factored(const Exec& exec, const ReferenceStencil& reference,
                                             const FoldedDirections& folded, SweepPath path = SweepPath::automatic) {
  BlockIlu0<Scalar, n, Exec, Storage> ilu(exec, reference.grid, {.path = path, .folded = folded});
  ilu.factor(exec, to_device<Scalar, n, std::conditional_t<ShortReal<Storage>, Scalar, Storage>>(exec, reference));
  EXPECT_TRUE(ilu.status(exec).ok()) << ilu.status(exec).message();
  EXPECT_TRUE(path == SweepPath::automatic || ilu.path() == path) << name(ilu.path());
  return ilu;
}

template <class Scalar, int n, class Storage, class Exec>
std::vector<double> solve(const Exec& exec, const ReferenceStencil& reference, const std::vector<double>& rhs,
                          const FoldedDirections& folded, bool transposed = false,
                          SweepPath path = SweepPath::automatic) {
  auto const ilu = factored<Scalar, n, Storage>(exec, reference, folded, path);
  auto const x = to_device<Scalar, n>(exec, reference.grid, rhs);
  transposed ? ilu.solve_transposed(exec, x, x) : ilu.solve(exec, x, x);
  return to_host(exec, x);
}

ReferenceIlu0<ReferenceStencil> reference_ilu(const ReferenceStencil& a, const FoldedDirections& folded) {
  return {a, folded_order(a.grid, folded)};
}

bool in_pattern(const Grid& grid, std::int64_t p, std::int64_t q) {
  Point const s = grid.point(p), t = grid.point(q);
  return std::abs(s.i - t.i) + std::abs(s.j - t.j) + std::abs(s.k - t.k) <= 1;
}

TEST(ReferenceIlu0, product_equals_the_matrix_on_its_pattern_in_folded_orders) {
  for (auto const& folded : foldings()) {
    auto const a = random_stencil(Grid(4, 5, 3), 2);
    auto const dense = a.dense(), product = reference_ilu(a, folded).product();
    for (int r = 0; r < dense.n; ++r) {
      for (int c = 0; c < dense.n; ++c) {
        if (!in_pattern(a.grid, r / 2, c / 2)) continue;
        ASSERT_NEAR(product(r, c), dense(r, c), 1e-13) << letters(folded);
      }
    }
  }
}

TYPED_TEST(BlockIlu0Folded, product_equals_the_matrix_on_its_pattern) {
  // M from its definition: M^-1 column by column through solve, then inverted.
  TypeParam const exec;
  constexpr int n = 2;
  auto const a = random_stencil(Grid(4, 3, 3), n);
  auto const dense = a.dense();
  auto const ilu = factored<double, n, double>(exec, a, all_folded);
  auto const product = matrix_of_solves(exec, ilu);
  for (int r = 0; r < product.n; ++r) {
    for (int c = 0; c < product.n; ++c) {
      if (!in_pattern(a.grid, r / n, c / n)) continue;
      ASSERT_NEAR(product(r, c), dense(r, c), 1e-11);
    }
  }
}

TYPED_TEST(BlockIlu0Folded, agrees_with_the_reference_on_every_grid) {
  TypeParam const exec;
  constexpr int n = 3;
  for (auto const& grid : grids()) {
    auto const a = random_stencil(grid, n);
    auto const rhs = random_vector(a.rows());
    for (auto const& folded : foldings()) {
      if (!folded.any()) continue;
      SCOPED_TRACE(to_string(grid) + ", folded " + letters(folded));
      auto const expected = reference_ilu(a, folded);
      EXPECT_TRUE(near(solve<double, n, double>(exec, a, rhs, folded), expected.solve(rhs), rounding<double>(100, n)));
      EXPECT_TRUE(near(solve<double, n, double>(exec, a, rhs, folded, true), expected.solve_transposed(rhs),
                       rounding<double>(100, n)));
    }
  }
}

template <class Scalar, int n, class Storage, class Exec>
void compare(const Exec& exec, double tolerance) {
  auto const a = random_stencil(Grid(6, 9, 5), n);
  auto const rhs = random_vector(a.rows());
  auto const expected = reference_ilu(a, all_folded);
  EXPECT_TRUE(near(solve<Scalar, n, Storage>(exec, a, rhs, all_folded), expected.solve(rhs), tolerance)) << n;
  EXPECT_TRUE(
      near(solve<Scalar, n, Storage>(exec, a, rhs, all_folded, true), expected.solve_transposed(rhs), tolerance))
      << n;
}

TYPED_TEST(BlockIlu0Folded, block_sizes_and_storage) {
  TypeParam const exec;
  compare<double, 1, double>(exec, rounding<double>(100, 1));
  compare<double, 5, double>(exec, rounding<double>(100, 5));
  compare<double, 9, double>(exec, rounding<double>(100, 9));
  compare<float, 4, float>(exec, rounding<float>(20, 4));
  compare<double, 4, float>(exec, rounding<float>(20, 4));
}

TYPED_TEST(BlockIlu0Folded, is_exact_on_one_line_of_any_length) {
  TypeParam const exec;
  constexpr int n = 2;
  for (int const length : {1, 2, 3, 4, 5, 6, 23, 24}) {
    for (auto const& grid : {Grid(length, 1, 1), Grid(1, length, 1), Grid(1, 1, length)}) {
      auto const a = random_stencil(grid, n);
      auto const solution = random_vector(a.rows());
      EXPECT_TRUE(
          near(solve<double, n, double>(exec, a, a.apply(solution), all_folded), solution, rounding<double>(100, n)))
          << to_string(grid);
    }
  }
}

TYPED_TEST(BlockIlu0Folded, transposed_solves_have_the_same_products) {
  TypeParam const exec;
  constexpr int n = 2;
  auto const a = random_stencil(Grid(7, 10, 4), n);
  auto const u = random_vector(a.rows(), 1), v = random_vector(a.rows(), 2);
  EXPECT_TRUE(same_products(solve<double, n, double>(exec, a, u, all_folded), v, u,
                            solve<double, n, double>(exec, a, v, all_folded, true), rounding<double>(100, n)));
}

TYPED_TEST(BlockIlu0Folded, halves_and_several_vectors_are_single_solves) {
  TypeParam const exec;
  constexpr int n = 2;
  auto const a = random_stencil(Grid(5, 11, 4), n);
  BlockIlu0<double, n, TypeParam> ilu(exec, a.grid, {.right_hand_sides = 2, .folded = all_folded});
  ilu.factor(exec, to_device<double, n, double>(exec, a));
  auto const x = [&](const std::vector<double>& values) { return to_device<double, n>(exec, a.grid, values); };
  std::vector<BlockVector<double, n, TypeParam>> rhs, several;
  for (unsigned v = 0; v < 3; ++v) {
    rhs.push_back(x(random_vector(a.rows(), v)));
    several.push_back(x(std::vector<double>(a.rows(), 1.0)));
  }
  ilu.solve(exec, rhs, several);
  for (std::size_t v = 0; v < 3; ++v) {
    auto const one = x(to_host(exec, rhs[v])), half = x(to_host(exec, rhs[v]));
    ilu.solve(exec, one, one);
    ilu.forward(exec, half, half);
    ilu.backward(exec, half, half);
    EXPECT_TRUE(bitwise_equal(to_host(exec, half), to_host(exec, one)));
    EXPECT_TRUE(near(to_host(exec, several[v]), to_host(exec, one), rounding<double>(10, n)));
    ilu.solve_transposed(exec, rhs[v], one);
    ilu.forward_transposed(exec, rhs[v], half);
    ilu.backward_transposed(exec, half, half);
    EXPECT_TRUE(bitwise_equal(to_host(exec, half), to_host(exec, one)));
  }
}

TYPED_TEST(BlockIlu0Folded, keeps_padding_zero_and_ignores_what_points_out_of_the_grid) {
  TypeParam const exec;
  auto a = random_stencil(Grid(5, 11, 3), 2);
  auto const rhs = random_vector(a.rows());
  auto const expected = reference_ilu(a, all_folded).solve(rhs);
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      if (a.grid.contains(neighbour(a.grid.point(p), d))) continue;
      for (auto& entry : a.block(p, d).entries) entry = std::numeric_limits<double>::quiet_NaN();
    }
  }
  auto const ilu = factored<double, 2, double>(exec, a, all_folded);
  auto const x = to_device<double, 2>(exec, a.grid, rhs);
  ilu.solve(exec, x, x);
  EXPECT_TRUE(near(to_host(exec, x), expected, rounding<double>(100, 2)));
  auto const flat = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x.flat());
  std::int64_t nonzero = 0;
  for (std::size_t e = 0; e < flat.size(); ++e) nonzero += flat(e) != 0.0;
  EXPECT_EQ(nonzero, a.rows());
}

/// On devices, to the last bit. On hosts compilers choose which products they fuse with sums, for each path.
template <class Scalar, int n, class Storage, class Exec>
::testing::AssertionResult agree(const std::vector<double>& found, const std::vector<double>& expected) {
  if (!HostExecutionSpace<Exec>) return bitwise_equal(found, expected);
  // A factor that is rounded otherwise is another one of its type.
  constexpr double units = 4;
  constexpr double of_storage = std::is_same_v<Storage, Scalar>     ? 0
                                : std::is_same_v<Storage, Half>     ? units * 0x1p-10
                                : std::is_same_v<Storage, BFloat16> ? units * 0x1p-7
                                                                    : units * 0x1p-23;
  return near(found, expected, std::max(rounding<Scalar>(100, n), of_storage));
}

/// Of what a solve has, and of one with M^T.
template <class Scalar, int n, class Storage, class Exec>
void expect_the_same(const Exec& exec, const Grid& grid, const FoldedDirections& folded) {
  auto const a = random_stencil(grid, n);
  auto const rhs = random_vector(a.rows());
  for (bool const transposed : {false, true}) {
    std::vector<std::vector<double>> found;
    for (auto const path : folded_paths_of<Exec>()) {
      found.push_back(solve<Scalar, n, Storage>(exec, a, rhs, folded, transposed, path));
    }
    EXPECT_TRUE((agree<Scalar, n, Storage, Exec>(found.back(), found.front())))
        << to_string(grid) << ", n " << n << ", folded " << letters(folded) << (transposed ? ", transposed" : "");
  }
}

TYPED_TEST(BlockIlu0Folded, paths_agree_on_every_grid) {
  TypeParam const exec;
  for (auto const& grid : grids()) {
    for (auto const& folded : foldings()) {
      if (folded.any()) expect_the_same<double, 2, double>(exec, grid, folded);
    }
  }
  // Several tiles of a line, and slabs whose middle line is the first or the last one.
  for (auto const& grid : {Grid(150, 17, 3), Grid(35, 16, 4), Grid(67, 31, 1)}) {
    expect_the_same<double, 2, double>(exec, grid, all_folded);
  }
}

TYPED_TEST(BlockIlu0Folded, paths_agree_for_all_block_sizes_and_storages) {
  TypeParam const exec;
  for (auto const& grid : {Grid(7, 20, 5), Grid(4, 9, 3)}) {
    expect_the_same<double, 1, double>(exec, grid, all_folded);
    expect_the_same<double, 5, double>(exec, grid, all_folded);
    expect_the_same<double, 6, float>(exec, grid, all_folded);
    expect_the_same<float, 3, float>(exec, grid, all_folded);
    expect_the_same<double, 10, double>(exec, grid, all_folded);
    expect_the_same<double, 16, double>(exec, grid, all_folded);
    expect_the_same<double, 3, Half>(exec, grid, all_folded);
    expect_the_same<float, 2, BFloat16>(exec, grid, all_folded);
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(BlockIlu0FoldedOpenMp, the_same_bits_for_1_2_and_4_threads) {
  constexpr int n = 5;
  LeastTeam const teams(always_teams);
  for (auto const& folded : {FoldedDirections{.i = true}, FoldedDirections{.j = true}, FoldedDirections{.k = true}}) {
    auto const a = random_stencil(Grid(21, 18, 6), 2);
    auto const rhs = random_vector(a.rows());
    auto const solve_by = [&](int threads) {
      return solve<double, 2, BFloat16>(Kokkos::OpenMP(threads), a, rhs, folded, false, SweepPath::slab);
    };
    auto const expected = solve_by(1);
    for (int const threads : {2, 4}) {
      EXPECT_TRUE(bitwise_equal(solve_by(threads), expected)) << letters(folded) << ", " << threads << " threads";
    }
  }
  for (auto const& grid : {Grid(17, 2, 9), Grid(9, 14, 6), Grid(40, 33, 5)}) {
    auto const a = random_stencil(grid, n);
    auto const rhs = random_vector(a.rows());
    for (bool const transposed : {false, true}) {
      for (auto const path : folded_paths_of<Kokkos::OpenMP>()) {
        auto const solve_by = [&](int threads) {
          return solve<double, n, double>(Kokkos::OpenMP(threads), a, rhs, all_folded, transposed, path);
        };
        auto const expected = solve_by(1);
        for (int const threads : {2, 4}) {
          EXPECT_TRUE(bitwise_equal(solve_by(threads), expected))
              << to_string(grid) << ", " << threads << " threads, path " << name(path);
        }
      }
    }
  }
}
#endif

}  // namespace
}  // namespace hyperplane::test::ilu0_folded
