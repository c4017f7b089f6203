// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <limits>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/ssor_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class SsorTest : public ::testing::Test {};
TYPED_TEST_SUITE(SsorTest, ExecutionSpaces, SpaceNames);

template <class Scalar, int n, class Storage, class Exec>
std::vector<double> ssor_solve(const Exec& exec, const ReferenceStencil& a, const std::vector<double>& rhs,
                               const SsorOptions& options) {
  Ssor<Scalar, n, Exec, Storage> ssor(exec, a.grid, options);
  ssor.factor(exec, to_device<Scalar, n, Storage>(exec, a));
  auto const x = to_device<Scalar, n>(exec, a.grid, rhs);
  ssor.solve(exec, x, x);
  EXPECT_TRUE(ssor.status(exec).ok()) << ssor.status(exec).message();
  return to_host(exec, x);
}

template <class Scalar, int n, class Storage, class Exec>
void compare_with_reference(const Exec& exec) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5), Grid(1, 7, 1)}) {
    auto const a = random_stencil(grid, n);
    auto const rhs = random_vector(a.rows());
    for (double const w : {0.6, 1.0, 1.5}) {
      auto const expected = reference_ssor(a, w, rhs);
      for (SweepPath const path : paths_of<Exec>()) {
        EXPECT_TRUE(near(ssor_solve<Scalar, n, Storage>(exec, a, rhs, {.relaxation = w, .path = path}), expected,
                         rounding<Storage>(100, n)))
            << to_string(grid) << ", n = " << n << ", w = " << w << ", path " << name(path);
      }
    }
  }
}

TYPED_TEST(SsorTest, is_the_serial_reference) {
  TypeParam const exec;
  compare_with_reference<double, 2, double>(exec);
  compare_with_reference<double, 5, double>(exec);
  compare_with_reference<double, 4, float>(exec);
}

TYPED_TEST(SsorTest, product_is_the_definition) {
  // M x is what solve() takes back to x, with M multiplied out from dense parts.
  TypeParam const exec;
  constexpr int n = 2;
  double const w = 1.3;
  auto const a = random_stencil(Grid(3, 4, 2), n);
  auto const dense = a.dense();
  DenseMatrix lower(dense.n), diagonal(dense.n), upper(dense.n);
  for (int r = 0; r < dense.n; ++r) {
    for (int c = 0; c < dense.n; ++c) {
      auto& part = r / n == c / n ? diagonal : c < r ? lower : upper;
      part(r, c) = dense(r, c);
      if (r / n == c / n) lower(r, c) = upper(r, c) = dense(r, c) / w;
    }
  }
  auto const product = lower * inverse(diagonal) * upper;
  auto const x = random_vector(dense.n);
  auto rhs = product * x;
  for (auto& value : rhs) value *= w / (2 - w);
  EXPECT_TRUE(near(ssor_solve<double, n, double>(exec, a, rhs, {.relaxation = w}), x, rounding<double>(100, n)));
}

TYPED_TEST(SsorTest, without_relaxation_is_symmetric_gauss_seidel) {
  // One correction of x is a Gauss-Seidel sweep upwards and one downwards.
  TypeParam const exec;
  constexpr int n = 2;
  Grid const grid(6, 9, 4);
  auto const a = random_stencil(grid, n);
  auto const b = random_vector(a.rows(), 3);
  auto const start = random_vector(a.rows(), 4);
  auto expected = start;
  auto const relax = [&](std::int64_t p) {
    std::vector<double> sum(b.begin() + p * n, b.begin() + (p + 1) * n);
    for (auto const d : stencil7_directions) {
      Point const other = neighbour(grid.point(p), d);
      if (d == Direction::center || !grid.contains(other)) continue;
      auto const q = grid.index(other);
      auto const product =
          a.block(p, d) * std::vector<double>(expected.begin() + q * n, expected.begin() + (q + 1) * n);
      for (int c = 0; c < n; ++c) sum[c] -= product[c];
    }
    auto const solution = inverse(a.block(p, Direction::center)) * sum;
    std::copy(solution.begin(), solution.end(), expected.begin() + p * n);
  };
  for (std::int64_t p = 0; p < grid.size(); ++p) relax(p);
  for (std::int64_t p = grid.size() - 1; p >= 0; --p) relax(p);

  Ssor<double, n, TypeParam> ssor(exec, grid);
  auto const matrix = to_device<double, n, double>(exec, a);
  ssor.factor(exec, matrix);
  auto const x = to_device<double, n>(exec, grid, start);
  using Vector = BlockVector<double, n, TypeParam>;
  Richardson<Vector> const correction(exec, grid, {.tolerance = 0, .max_iterations = 1});
  correction.solve(exec, matrix, ssor, to_device<double, n>(exec, grid, b), x);
  EXPECT_TRUE(near(to_host(exec, x), expected, rounding<double>(100, n)));
}

TYPED_TEST(SsorTest, is_block_jacobi_on_a_block_diagonal_matrix) {
  TypeParam const exec;
  constexpr int n = 2;
  auto a = random_stencil(Grid(7, 10, 3), n);
  for (auto& blocks : a.blocks) {
    for (auto const d : stencil7_directions) {
      if (d != Direction::center) blocks[static_cast<int>(d)] = DenseMatrix(n);
    }
  }
  auto const solution = random_vector(a.rows());
  auto const rhs = a.apply(solution);
  EXPECT_TRUE(near(ssor_solve<double, n, double>(exec, a, rhs, {}), solution, rounding<double>(20, n)));
  auto const x = to_device<double, n>(exec, a.grid, rhs);
  BlockJacobi<double, n, TypeParam> jacobi(exec, a.grid);
  jacobi.factor(exec, to_device<double, n, double>(exec, a));
  jacobi.solve(exec, x, x);
  EXPECT_TRUE(near(ssor_solve<double, n, double>(exec, a, rhs, {}), to_host(exec, x), rounding<double>(20, n)));
}

TYPED_TEST(SsorTest, converges_sooner_than_block_jacobi) {
  TypeParam const exec;
  constexpr int n = 2;
  Grid const grid(12, 11, 10);
  // The seven-point Laplacian, with both unknowns coupled.
  ReferenceStencil reference(grid, n);
  for (auto& blocks : reference.blocks) {
    for (auto const d : stencil7_directions) {
      auto& block = blocks[static_cast<int>(d)];
      for (int c = 0; c < n; ++c) block(c, c) = d == Direction::center ? 6.0 : -1.0;
      if (d == Direction::center) block(0, 1) = -0.5;
    }
  }
  auto const a = to_device<double, n, double>(exec, reference);
  auto const b = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
  using Vector = BlockVector<double, n, TypeParam>;
  BiCgStab<Vector> const method(exec, grid, {.tolerance = 1e-10});
  auto const iterations = [&](auto&& preconditioner) {
    preconditioner.factor(exec, a);
    Vector const x(exec, grid);
    auto const result = method.solve(exec, a, preconditioner, b, x);
    EXPECT_TRUE(result.converged());
    return result.iterations;
  };
  int const jacobi = iterations(BlockJacobi<double, n, TypeParam>(exec, grid));
  int const ssor = iterations(Ssor<double, n, TypeParam>(exec, grid, {.relaxation = 1.3}));
  EXPECT_LT(ssor, 0.7 * jacobi);
}

TYPED_TEST(SsorTest, all_paths_of_a_device_give_the_same_bits) {
  if constexpr (CudaExecutionSpace<TypeParam>) {
    TypeParam const exec;
    auto const a = random_stencil(Grid(20, 19, 18), 5);
    auto const rhs = random_vector(a.rows());
    auto const expected = ssor_solve<double, 5, double>(exec, a, rhs, {.relaxation = 1.2, .path = SweepPath::portable});
    for (SweepPath const path : paths_of<TypeParam>()) {
      EXPECT_TRUE(
          bitwise_equal(ssor_solve<double, 5, double>(exec, a, rhs, {.relaxation = 1.2, .path = path}), expected))
          << name(path);
    }
  }
}

TYPED_TEST(SsorTest, factor_and_solve_allocate_nothing_and_fence_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  Grid const grid(9, 10, 4);
  auto const a = to_device<double, 2, double>(exec, random_stencil(grid, 2));
  auto const x = to_device<double, 2>(exec, grid, random_vector(grid.size() * 2));
  for (SweepPath const path : paths_of<TypeParam>()) {
    Ssor<double, 2, TypeParam> ssor(exec, grid, {.path = path});
    EXPECT_EQ(ssor.path(), path);
    exec.fence();
    KokkosEvents const events;
    ssor.factor(exec, a);
    EXPECT_EQ(events.kernels().size(), 2u);
    ssor.solve(exec, x, x);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.fences(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.copies(), ::testing::IsEmpty()) << name(path);
    EXPECT_GT(events.kernels().size(), 2u);
    for (auto const& kernel : events.kernels()) {
      EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
      EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
    }
  }
}

TYPED_TEST(SsorTest, names_the_first_singular_block_and_refuses_misuse) {
  TypeParam const exec;
  Grid const grid(5, 11, 3);
  auto reference = random_stencil(grid, 2);
  for (auto const& p : {Point{4, 10, 2}, Point{3, 9, 1}}) {
    for (int c = 0; c < 2; ++c) reference.block(grid.index(p), Direction::center)(1, c) = 0.0;
  }
  Ssor<double, 2, TypeParam> ssor(exec, grid);
  BlockVector<double, 2, TypeParam> const x(exec, grid);
  EXPECT_THROW(ssor.solve(exec, x, x), Error);
  EXPECT_THROW(ssor.forward(exec, x, x), Error);
  EXPECT_THROW(ssor.backward(exec, x, x), Error);
  EXPECT_THROW((Ssor<double, 2, TypeParam>(exec, grid, {.right_hand_sides = 4})), Error);
  ssor.factor(exec, to_device<double, 2, double>(exec, reference));
  auto const status = ssor.status(exec);
  EXPECT_EQ(status.point, (Point{3, 9, 1}));
  EXPECT_EQ(status.equation, 1);
  ssor.factor(exec, to_device<double, 2, double>(exec, random_stencil(grid, 2)));
  EXPECT_TRUE(ssor.status(exec).ok()) << "a regular matrix clears the status";

  EXPECT_THROW(ssor.factor(exec, BlockStencil7<double, 2, TypeParam>(exec, Grid(11, 5, 3))), Error);
  EXPECT_THROW(ssor.solve(exec, BlockVector<double, 2, TypeParam>(exec, Grid(11, 5, 3)), x), Error);
  for (auto const& [w, digits] :
       std::vector<std::pair<double, std::string>>{{0.0, "0,"},
                                                   {2.0, "2,"},
                                                   {2.0000000000000004, "2.0000000000000004,"},
                                                   {-1e-12, "-1e-12,"},
                                                   {std::nan(""), "nan,"}}) {
    try {
      Ssor<double, 2, TypeParam> const refused(exec, grid, {.relaxation = w});
      ADD_FAILURE() << w;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("relaxation is " + digits));
    }
  }
}

TYPED_TEST(SsorTest, keeps_padding_of_the_solution_zero) {
  TypeParam const exec;
  Grid const grid(5, 11, 3);
  for (SweepPath const path : paths_of<TypeParam>()) {
    Ssor<double, 2, TypeParam> ssor(exec, grid, {.relaxation = 1.2, .path = path});
    ssor.factor(exec, to_device<double, 2, double>(exec, random_stencil(grid, 2)));
    auto const x = to_device<double, 2>(exec, grid, random_vector(grid.size() * 2));
    ssor.solve(exec, x, x);
    exec.fence();
    auto const flat = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x.flat());
    std::int64_t nonzero = 0;
    for (std::size_t e = 0; e < flat.size(); ++e) nonzero += flat(e) != 0.0;
    EXPECT_EQ(nonzero, grid.size() * 2);
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(SsorOpenMp, the_same_bits_for_1_2_and_4_threads) {
  auto const a = random_stencil(Grid(9, 40, 6), 5);
  auto const rhs = random_vector(a.rows());
  for (SweepPath const path : {SweepPath::portable, SweepPath::slab}) {
    SsorOptions const options{.relaxation = 1.4, .path = path};
    auto const expected = ssor_solve<double, 5, double>(Kokkos::OpenMP(1), a, rhs, options);
    for (int const threads : {2, 4}) {
      EXPECT_TRUE(bitwise_equal(ssor_solve<double, 5, double>(Kokkos::OpenMP(threads), a, rhs, options), expected))
          << threads << " threads, path " << name(path);
    }
  }
}
#endif

}  // namespace
}  // namespace hyperplane::test
