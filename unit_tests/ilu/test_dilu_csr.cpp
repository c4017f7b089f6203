// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/csr/transposed_block_csr.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_ilu_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/csr_relaxation.hpp"
#include "support/csr_relaxation_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class DiluCsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(DiluCsrTest, ExecutionSpaces, SpaceNames);

DenseMatrix dilu_of(const ReferenceCsr& reference, const std::vector<int>& order, const DiluCsrOptions& options) {
  return options.lu_sgs ? ReferenceCsrRelaxation::ssor(reference, order, 1.0)
                        : ReferenceCsrRelaxation::dilu(reference, order);
}

template <int n, class Scalar = double, class Storage = double, class Exec>
void compare_dilu(const Exec& exec, const ReferenceCsr& reference) {
  for (bool const lu_sgs : {false, true}) {
    compare_relaxation<DiluCsr<Scalar, n, Exec, Storage>>(exec, reference, DiluCsrOptions{.lu_sgs = lu_sgs}, dilu_of);
  }
}

TYPED_TEST(DiluCsrTest, is_the_formula_on_random_patterns_in_all_orders) {
  TypeParam const exec;
  compare_dilu<1>(exec, random_csr(60, 1));
  compare_dilu<2>(exec, random_csr(30, 2));
  compare_dilu<3>(exec, shuffled(random_csr(30, 3)));
  compare_dilu<5>(exec, random_csr(20, 5));
  compare_dilu<8>(exec, random_csr(9, 8));
  compare_dilu<9>(exec, random_csr(8, 9));
  compare_dilu<16>(exec, random_csr(6, 16));
}

TYPED_TEST(DiluCsrTest, is_the_formula_on_meshes_and_of_one_row) {
  TypeParam const exec;
  compare_dilu<3>(exec, to_csr(random_stencil(Grid(4, 3, 3), 3)));
  compare_dilu<2>(exec, banded_csr(25, 2, 3));
  compare_dilu<1>(exec, random_csr(1, 1));
  compare_dilu<5>(exec, random_csr(1, 5));
  compare_dilu<5>(exec, random_csr(2, 5));
}

TYPED_TEST(DiluCsrTest, stores_and_computes_in_other_types) {
  TypeParam const exec;
  compare_dilu<5, double, float>(exec, random_csr(20, 5));
  compare_dilu<3, float, float>(exec, random_csr(30, 3));
}

TYPED_TEST(DiluCsrTest, is_bilu0_where_no_three_rows_are_neighbours) {
  TypeParam const exec;
  for (auto const& reference : {banded_csr(12, 3, 1), to_csr(random_stencil(Grid(5, 4, 6), 3))}) {
    auto const b = random_vector(std::int64_t{reference.rows()} * 3);
    auto const a = to_device<double, 3, double>(exec, reference);
    DiluCsr<double, 3, TypeParam> dilu(exec, a);
    EXPECT_TRUE(near(solve_csr_with<double>(exec, dilu, a, b), solve_csr<double, 3, double>(exec, reference, b),
                     rounding<double>(100, 3)));
    DiluCsr<double, 3, TypeParam> lu_sgs(exec, a, {.lu_sgs = true});
    EXPECT_FALSE(
        near(solve_csr_with<double>(exec, lu_sgs, a, b), solve_csr<double, 3, double>(exec, reference, b), 1e-4));
  }
}

TYPED_TEST(DiluCsrTest, is_exact_where_the_matrix_is_block_tridiagonal) {
  TypeParam const exec;
  auto const reference = banded_csr(15, 2, 1);
  auto const a = to_device<double, 2, double>(exec, reference);
  auto const solution = random_vector(30);
  DiluCsr<double, 2, TypeParam> dilu(exec, a);
  EXPECT_TRUE(
      near(solve_csr_with<double>(exec, dilu, a, reference.dense() * solution), solution, rounding<double>(100, 2)));
}

TYPED_TEST(DiluCsrTest, has_the_levels_of_bilu0) {
  TypeParam const exec;
  auto const a = to_device<double, 1, double>(exec, to_csr(random_stencil(Grid(6, 5, 7), 1)));
  DiluCsr<double, 1, TypeParam> const natural(exec, a), colours(exec, a, {.order = RowOrder::colours});
  EXPECT_EQ(natural.forward_levels(), 6 + 5 + 7 - 2);
  EXPECT_EQ(natural.backward_levels(), 6 + 5 + 7 - 2);
  EXPECT_EQ(colours.forward_levels(), 2);
  EXPECT_EQ(natural.rows(), a.rows());
  EXPECT_EQ(natural.blocks(), a.blocks());
}

TYPED_TEST(DiluCsrTest, takes_a_matrix_without_rows) {
  TypeParam const exec;
  BlockCsr<double, 2, TypeParam> const a(exec, {0}, {});
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::given}) {
    for (auto const path : csr_paths_of<TypeParam>()) {
      DiluCsr<double, 2, TypeParam> dilu(exec, a, {.path = path, .order = order, .transposed = true});
      dilu.factor(exec, a);
      typename BlockCsr<double, 2, TypeParam>::Vector const x("x", 0);
      dilu.solve(exec, x, x);
      dilu.solve_transposed(exec, x, x);
      EXPECT_TRUE(dilu.status(exec).ok());
    }
  }
}

TYPED_TEST(DiluCsrTest, solves_by_halves_and_into_another_vector) {
  TypeParam const exec;
  auto const a = to_device<double, 2, double>(exec, random_csr(40, 2));
  for (bool const lu_sgs : {false, true}) {
    DiluCsr<double, 2, TypeParam> dilu(exec, a, {.lu_sgs = lu_sgs, .transposed = true});
    compare_halves(exec, dilu, a);
    compare_transposed_halves(exec, dilu, a);
  }
}

TYPED_TEST(DiluCsrTest, factors_new_values) {
  TypeParam const exec;
  auto const first = random_csr(30, 3);
  auto second = first;
  for (auto& block : second.blocks) {
    for (auto& entry : block.entries) entry *= -0.5;
  }
  auto const a = to_device<double, 3, double>(exec, first);
  DiluCsr<double, 3, TypeParam> dilu(exec, a);
  dilu.factor(exec, a);
  Kokkos::deep_copy(exec, a.values(), to_device<double, 3, double>(exec, second).values());
  auto const b = random_vector(90);
  auto const m = ReferenceCsrRelaxation::dilu(second, natural_order(30));
  EXPECT_TRUE(near(m * solve_csr_with<double>(exec, dilu, a, b), b, rounding<double>(200, 3)));
  // Of another matrix, whose handle is kept although nobody else has one.
  dilu.factor(exec, to_device<double, 3, double>(exec, first));
  auto const x = to_view<double>(exec, b);
  dilu.solve(exec, x, x);
  EXPECT_TRUE(near(ReferenceCsrRelaxation::dilu(first, natural_order(30)) * to_host(x), b, rounding<double>(200, 3)));
}

TYPED_TEST(DiluCsrTest, helps_krylov_methods) {
  TypeParam const exec;
  constexpr int n = 3;
  auto const reference = hard_csr(n);
  auto const a = to_device<double, n, double>(exec, reference);
  DiluCsr<double, n, TypeParam> dilu(exec, a), lu_sgs(exec, a, {.lu_sgs = true, .transposed = true});
  dilu.factor(exec, a);
  lu_sgs.factor(exec, a);
  using Vector = PointVector<double, n, TypeParam>;
  BiCgStab<Vector> const bicgstab(exec, a.rows(), {.tolerance = 1e-10, .max_iterations = 300});
  Fgmres<Vector> const fgmres(exec, a.rows(), {.tolerance = 1e-10, .max_iterations = 300});
  IdentityPreconditioner const none;
  EXPECT_LT(iterations_of<n>(exec, bicgstab, a, dilu, reference), iterations_of<n>(exec, bicgstab, a, none, reference));
  auto const with_lu_sgs = iterations_of<n>(exec, fgmres, a, lu_sgs, reference);
  EXPECT_LT(iterations_of<n>(exec, fgmres, a, dilu, reference), with_lu_sgs);
  EXPECT_LT(with_lu_sgs, iterations_of<n>(exec, fgmres, a, none, reference));
  auto const at = transposed(exec, a);
  EXPECT_LT(iterations_of<n>(exec, fgmres, at, transposed(lu_sgs), transposed_reference(reference)),
            iterations_of<n>(exec, fgmres, at, none, transposed_reference(reference)));
}

}  // namespace
}  // namespace hyperplane::test
