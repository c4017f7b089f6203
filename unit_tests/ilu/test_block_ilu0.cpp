// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <limits>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/matrix_of_solves.hpp"
#include "support/serial_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class BlockIlu0Test : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0Test, ExecutionSpaces, SpaceNames);

std::vector<Grid> grids() {
  return {Grid(1, 1, 1),  Grid(1, 7, 1), Grid(5, 4, 3),  Grid(17, 2, 9), Grid(9, 17, 5), Grid(33, 1, 1),
          Grid(1, 1, 12), Grid(8, 8, 8), Grid(16, 8, 1), Grid(7, 40, 2), Grid(2, 9, 30), Grid(70, 17, 3)};
}

template <class Scalar, int n, class Exec, class Storage>
std::vector<double> factor_and_solve(const Exec& exec, BlockIlu0<Scalar, n, Exec, Storage>& ilu,
                                     const BlockStencil7<Scalar, n, Exec, Storage>& a, const std::vector<double>& rhs) {
  auto const x = to_device<Scalar, n>(exec, a.grid(), rhs);
  ilu.factor(exec, a);
  ilu.solve(exec, x, x);
  EXPECT_TRUE(ilu.status(exec).ok()) << ilu.status(exec).message();
  return to_host(exec, x);
}
template <class Scalar, int n, class Storage, class Exec>
std::vector<double> factor_and_solve(const Exec& exec, const ReferenceStencil& reference,
                                     const std::vector<double>& rhs, const SolverPath& path) {
  auto ilu = path.make<BlockIlu0<Scalar, n, Exec, Storage>>(exec, reference.grid);
  return factor_and_solve(exec, ilu, to_device<Scalar, n, Storage>(exec, reference), rhs);
}

TEST(ReferenceIlu0, product_equals_the_matrix_on_its_pattern) {
  // The property that defines BILU(0), for the reference that everything else is compared with.
  auto const a = random_stencil(Grid(3, 4, 3), 2);
  auto const dense = a.dense(), product = ReferenceIlu0(a).product();
  int outside = 0;
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    for (std::int64_t q = 0; q < a.grid.size(); ++q) {
      Point const s = a.grid.point(p), t = a.grid.point(q);
      bool const in_pattern = std::abs(s.i - t.i) + std::abs(s.j - t.j) + std::abs(s.k - t.k) <= 1;
      for (int e = 0; e < 4; ++e) {
        auto const r = static_cast<int>(p * 2 + e / 2), c = static_cast<int>(q * 2 + e % 2);
        if (in_pattern) {
          EXPECT_NEAR(product(r, c), dense(r, c), 1e-13);
        } else if (std::abs(product(r, c)) > 1e-3) {
          ++outside;
        }
      }
    }
  }
  EXPECT_GT(outside, 0) << "fill is dropped, not absent";
}

TYPED_TEST(BlockIlu0Test, product_equals_the_matrix_on_its_pattern) {
  // M from its definition: M^-1 column by column through solve, then inverted.
  TypeParam const exec;
  constexpr int n = 2;
  auto const a = random_stencil(Grid(4, 3, 3), n);
  auto const dense = a.dense();
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto const stencil = to_device<double, n, double>(exec, a);
    auto ilu = path.make<BlockIlu0<double, n, TypeParam>>(exec, a.grid);
    ilu.factor(exec, stencil);
    auto const product = matrix_of_solves(exec, ilu);
    for (int r = 0; r < product.n; ++r) {
      for (int c = 0; c < product.n; ++c) {
        Point const s = a.grid.point(r / n), t = a.grid.point(c / n);
        if (std::abs(s.i - t.i) + std::abs(s.j - t.j) + std::abs(s.k - t.k) <= 1) {
          ASSERT_NEAR(product(r, c), dense(r, c), 1e-11) << name(path);
        }
      }
    }
  }
}

TYPED_TEST(BlockIlu0Test, agrees_with_reference_on_every_grid) {
  TypeParam const exec;
  constexpr int n = 3;
  for (auto const& grid : grids()) {
    auto const reference = random_stencil(grid, n);
    auto const rhs = random_vector(grid.size() * n);
    auto const expected = ReferenceIlu0(reference).solve(rhs);
    for (SolverPath const path : solver_paths_of<TypeParam>()) {
      SCOPED_TRACE(to_string(grid) + ", path " + name(path));
      EXPECT_TRUE(
          near(factor_and_solve<double, n, double>(exec, reference, rhs, path), expected, rounding<double>(100, n)));
    }
  }
}

TYPED_TEST(BlockIlu0Test, float_and_mixed_storage) {
  TypeParam const exec;
  constexpr int n = 4;
  Grid const grid(9, 17, 5);
  auto const reference = random_stencil(grid, n);
  auto const rhs = random_vector(grid.size() * n);
  auto const expected = ReferenceIlu0(reference).solve(rhs);
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto const in_float = factor_and_solve<float, n, float>(exec, reference, rhs, path);
    auto const mixed = factor_and_solve<double, n, float>(exec, reference, rhs, path);
    EXPECT_TRUE(near(in_float, expected, rounding<float>(20, n)));
    EXPECT_TRUE(near(mixed, expected, rounding<float>(20, n)));
  }
}

TYPED_TEST(BlockIlu0Test, is_exact_on_one_line_in_each_direction) {
  TypeParam const exec;
  constexpr int n = 5;
  for (auto const& grid : {Grid(23, 1, 1), Grid(1, 23, 1), Grid(1, 1, 23)}) {
    auto const reference = random_stencil(grid, n);
    auto const solution = random_vector(grid.size() * n);
    for (SolverPath const path : solver_paths_of<TypeParam>()) {
      EXPECT_TRUE(near(factor_and_solve<double, n, double>(exec, reference, reference.apply(solution), path), solution,
                       rounding<double>(100, n)));
    }
  }
}

TYPED_TEST(BlockIlu0Test, one_unknown_is_scalar_ilu0) {
  // Textbook ILU(0) (IKJ) on the dense matrix, entries outside the pattern dropped.
  TypeParam const exec;
  auto const reference = random_stencil(Grid(4, 5, 3), 1);
  auto const pattern = reference.dense();
  DenseMatrix f = pattern;
  for (int i = 1; i < f.n; ++i) {
    for (int k = 0; k < i; ++k) {
      if (pattern(i, k) == 0.0) continue;
      f(i, k) /= f(k, k);
      for (int j = k + 1; j < f.n; ++j) {
        if (pattern(i, j) != 0.0) f(i, j) -= f(i, k) * f(k, j);
      }
    }
  }
  auto const rhs = random_vector(f.n);
  auto expected = rhs;
  for (int i = 0; i < f.n; ++i) {
    for (int k = 0; k < i; ++k) expected[i] -= f(i, k) * expected[k];
  }
  for (int i = f.n - 1; i >= 0; --i) {
    for (int k = i + 1; k < f.n; ++k) expected[i] -= f(i, k) * expected[k];
    expected[i] /= f(i, i);
  }
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    EXPECT_TRUE(near(factor_and_solve<double, 1, double>(exec, reference, rhs, path), expected, 1e-14));
  }
}

TYPED_TEST(BlockIlu0Test, needs_pivoting_inside_a_block) {
  // A saddle point block has a zero on its diagonal.
  TypeParam const exec;
  constexpr int n = 3;
  auto reference = random_stencil(Grid(6, 5, 4), n);
  for (auto& blocks : reference.blocks) {
    auto& d = blocks[static_cast<int>(Direction::center)];
    d(0, 0) = 0.0;
    d(0, 2) = 9.0;
    d(2, 0) = 9.0;
    d(2, 2) = 0.0;
  }
  auto const rhs = random_vector(reference.rows());
  auto const expected = ReferenceIlu0(reference).solve(rhs);
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    EXPECT_TRUE(near(factor_and_solve<double, n, double>(exec, reference, rhs, path), expected, 1e-10));
  }
}

TYPED_TEST(BlockIlu0Test, refactoring_gives_what_a_fresh_plan_gives) {
  TypeParam const exec;
  constexpr int n = 2;
  Grid const grid(9, 10, 4);
  auto const first = random_stencil(grid, n, 5), second = random_stencil(grid, n, 6);
  auto const rhs = random_vector(grid.size() * n);
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto const stencil = to_device<double, n, double>(exec, first);
    auto ilu = path.make<BlockIlu0<double, n, TypeParam>>(exec, grid);
    ilu.factor(exec, stencil);
    ilu.factor(exec, to_device<double, n, double>(exec, second));
    auto const b = to_device<double, n>(exec, grid, rhs);
    BlockVector<double, n, TypeParam> const x(exec, grid);
    ilu.solve(exec, b, x);
    auto const once = to_host(exec, x);
    EXPECT_TRUE(bitwise_equal(once, factor_and_solve<double, n, double>(exec, second, rhs, path)));
    ilu.solve(exec, b, x);
    EXPECT_TRUE(bitwise_equal(to_host(exec, x), once)) << "a solve can be repeated";
    EXPECT_TRUE(bitwise_equal(to_host(exec, b), rhs)) << "the right-hand side is kept";
  }
}

TYPED_TEST(BlockIlu0Test, does_not_read_the_matrix_after_factor) {
  TypeParam const exec;
  constexpr int n = 2;
  Grid const grid(5, 6, 7);
  auto const reference = random_stencil(grid, n);
  auto const rhs = random_vector(grid.size() * n);
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto const stencil = to_device<double, n, double>(exec, reference);
    auto ilu = path.make<BlockIlu0<double, n, TypeParam>>(exec, grid);
    ilu.factor(exec, stencil);
    Kokkos::deep_copy(exec, stencil.flat(), std::numeric_limits<double>::quiet_NaN());
    auto const x = to_device<double, n>(exec, grid, rhs);
    ilu.solve(exec, x, x);
    EXPECT_TRUE(bitwise_equal(to_host(exec, x), factor_and_solve<double, n, double>(exec, reference, rhs, path)));
  }
}

TYPED_TEST(BlockIlu0Test, keeps_padding_of_the_solution_zero) {
  TypeParam const exec;
  Grid const grid(5, 11, 3);
  auto const a = to_device<double, 2, double>(exec, random_stencil(grid, 2));
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto ilu = path.make<BlockIlu0<double, 2, TypeParam>>(exec, grid);
    ilu.factor(exec, a);
    auto const x = to_device<double, 2>(exec, grid, random_vector(grid.size() * 2));
    ilu.solve(exec, x, x);
    exec.fence();
    auto const flat = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x.flat());
    std::int64_t nonzero = 0;
    for (std::size_t e = 0; e < flat.size(); ++e) nonzero += flat(e) != 0.0;
    EXPECT_EQ(nonzero, grid.size() * 2);
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(BlockIlu0OpenMp, the_same_bits_for_1_2_and_4_threads) {
  constexpr int n = 5;
  for (auto const& grid : {Grid(17, 2, 9), Grid(9, 40, 6), Grid(30, 64, 20)}) {
    auto const a = to_device<double, n, double>(Kokkos::OpenMP(1), random_stencil(grid, n));
    auto const rhs = random_vector(grid.size() * n);
    for (SolverPath const path : {SweepPath::portable, SweepPath::slab}) {
      std::vector<double> expected;
      for (int const threads : {1, 2, 4}) {
        Kokkos::OpenMP const exec(threads);
        auto ilu = path.make<BlockIlu0<double, n, Kokkos::OpenMP>>(exec, grid);
        for (int repetition = 0; repetition < 3; ++repetition) {
          auto const values = factor_and_solve(exec, ilu, a, rhs);
          if (expected.empty()) expected = values;
          EXPECT_TRUE(bitwise_equal(values, expected))
              << to_string(grid) << ", " << threads << " threads, path " << name(path);
        }
      }
    }
  }
}
#endif

}  // namespace
}  // namespace hyperplane::test
