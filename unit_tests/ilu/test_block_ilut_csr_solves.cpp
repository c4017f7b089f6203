// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/csr/transposed_block_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_ilut_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"

// ILUT(tau, p) of block CSR matrices: solves, new values, Krylov methods.
namespace hyperplane::test {
namespace {

template <class Exec>
class BlockIlutCsrSolves : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlutCsrSolves, ExecutionSpaces, SpaceNames);

TYPED_TEST(BlockIlutCsrSolves, solves_by_halves_and_into_another_vector) {
  TypeParam const exec;
  auto const a = to_device<double, 2, double>(exec, random_csr(40, 2));
  for (auto const order : {RowOrder::natural, RowOrder::colours}) {
    BlockIlutCsr<double, 2, TypeParam> ilu(exec, a, {.order = order, .transposed = true});
    compare_halves(exec, ilu, a);
    compare_transposed_halves(exec, ilu, a);
  }
}

TYPED_TEST(BlockIlutCsrSolves, solves_with_the_transposed_factors) {
  TypeParam const exec;
  auto const reference = random_csr(40, 3);
  auto const a = to_device<double, 3, double>(exec, reference);
  auto const u = random_vector(120, 1), v = random_vector(120, 2);
  for (auto const path : csr_paths_of<TypeParam>()) {
    for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
      BlockIlutCsr<double, 3, TypeParam> ilu(
          exec, a, {.drop_tolerance = 0.02, .row_entries = 3, .path = path, .order = order, .transposed = true});
      ilu.factor(exec, a);
      auto const x = to_view<double>(exec, u), y = to_view<double>(exec, v), z = to_view<double>(exec, v);
      ilu.solve(exec, x, x);
      ilu.solve_transposed(exec, y, y);
      auto const mu = to_host(x), mv = to_host(y);
      double left = 0.0, right = 0.0, size = 0.0;
      for (std::size_t e = 0; e < u.size(); ++e) {
        left += mu[e] * v[e];
        right += u[e] * mv[e];
        size += std::abs(mu[e] * v[e]);
      }
      EXPECT_NEAR(left, right, 1e-13 * size);
      ilu.forward_transposed(exec, z, z);
      ilu.backward_transposed(exec, z, z);
      EXPECT_TRUE(bitwise_equal(to_host(z), mv));
    }
  }
}

TYPED_TEST(BlockIlutCsrSolves, factors_new_values_which_have_other_blocks) {
  TypeParam const exec;
  auto const first = random_csr(30, 3);
  auto second = first;
  for (std::size_t block = 0; block < second.blocks.size(); ++block) {
    for (auto& entry : second.blocks[block].entries) entry *= block % 3 == 0 ? -0.25 : 1.5;
  }
  auto const a = to_device<double, 3, double>(exec, first);
  auto const b = random_vector(90);
  BlockIlutCsr<double, 3, TypeParam> ilu(exec, a, {.drop_tolerance = 0.05, .row_entries = 4});
  auto const x = solve_csr_with<double>(exec, ilu, a, b);
  auto const blocks = ilu.blocks();
  auto const before = ilu;
  Kokkos::deep_copy(exec, a.values(), to_device<double, 3, double>(exec, second).values());
  auto const expected = ReferenceCsrIlut(second, natural_order(30), 0.05, 4);
  EXPECT_TRUE(near(solve_csr_with<double>(exec, ilu, a, b), expected.solve(b), rounding<double>(100, 3)));
  EXPECT_EQ(ilu.blocks(), expected.blocks());
  EXPECT_NE(ilu.blocks(), blocks);
  // A copy has the factors of before.
  auto const y = to_view<double>(exec, b);
  before.solve(exec, y, y);
  EXPECT_TRUE(bitwise_equal(to_host(y), x));
  EXPECT_EQ(before.blocks(), blocks);
}

TYPED_TEST(BlockIlutCsrSolves, helps_krylov_methods) {
  TypeParam const exec;
  constexpr int n = 3;
  auto reference = to_csr(random_stencil(Grid(6, 6, 6), n));
  for (int row = 0; row < reference.rows(); ++row) {
    for (auto e = reference.offsets[row]; e < reference.offsets[row + 1]; ++e) {
      // Less dominance of the diagonal, so that there is something to do.
      auto& block = reference.blocks[static_cast<std::size_t>(e)];
      for (int c = 0; c < n; ++c) block(c, c) = reference.columns[e] == row ? 6.05 * n : -1.0 * n;
    }
  }
  auto const a = to_device<double, n, double>(exec, reference);
  using Vector = PointVector<double, n, TypeParam>;
  auto const solution = random_vector(a.rows() * n);
  Vector const b(to_view<double>(exec, reference.dense() * solution)), x(exec, a.rows());
  Fgmres<Vector> const fgmres(exec, a.rows(), {.tolerance = 1e-10, .max_iterations = 300});
  auto const run = [&](const auto& matrix, const auto& m) {
    Kokkos::deep_copy(exec, x.flat(), 0.0);
    auto const result = fgmres.solve(exec, matrix, m, b, x);
    EXPECT_TRUE(result.converged()) << name(result.outcome);
    return result.iterations;
  };
  BlockIlukCsr<double, n, TypeParam> ilu0(exec, a, {.fill = 0});
  BlockIlutCsr<double, n, TypeParam> ilut(exec, a, {.drop_tolerance = 1e-3, .transposed = true});
  ilu0.factor(exec, a);
  ilut.factor(exec, a);
  auto const without_fill = run(a, ilu0);
  EXPECT_LT(run(a, ilut), without_fill);
  EXPECT_TRUE(near(to_host(x.flat()), solution, 1e-6));
  EXPECT_LT(run(transposed(exec, a), transposed(ilut)), without_fill + 2);
}

}  // namespace
}  // namespace hyperplane::test
