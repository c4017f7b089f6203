// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/csr/transposed_block_csr.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_ilu_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/csr_relaxation.hpp"
#include "support/csr_relaxation_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/least_team.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class BlockJacobiCsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(BlockJacobiCsrTest, ExecutionSpaces, SpaceNames);

template <int n, class Scalar = double, class Storage = double, class Exec>
void compare_jacobi(const Exec& exec, const ReferenceCsr& reference) {
  // With values of another type than that of the factors.
  auto const a = to_device<Scalar, n, Scalar>(exec, reference);
  auto const b = random_vector(std::int64_t{reference.rows()} * n);
  for (double const w : {0.4, 1.0, 1.7}) {
    auto const m = ReferenceCsrRelaxation::jacobi(reference, w);
    BlockJacobiCsr<Scalar, n, Exec, Storage> jacobi(exec, a, {.relaxation = w});
    EXPECT_EQ(jacobi.relaxation(), w);
    EXPECT_EQ(jacobi.rows(), reference.rows());
    EXPECT_TRUE(near(m * solve_csr_with<Scalar>(exec, jacobi, a, b), b, rounding<Storage>(100, n))) << n << ", " << w;
    auto const from = to_view<Scalar>(exec, b), x = to_view<Scalar>(exec, b), y = to_view<Scalar>(exec, b);
    jacobi.solve_transposed(exec, x, x);
    EXPECT_TRUE(near(transposed_dense(m) * to_host(x), b, rounding<Storage>(100, n))) << n << ", " << w;
    // Into another vector: the same bits, and nothing but the result is written.
    jacobi.solve_transposed(exec, from, y);
    EXPECT_TRUE(bitwise_equal(to_host(y), to_host(x)));
    jacobi.solve(exec, from, y);
    EXPECT_TRUE(bitwise_equal(to_host(y), solve_csr_with<Scalar>(exec, jacobi, a, b)));
    EXPECT_TRUE(bitwise_equal(to_host(from), to_host(to_view<Scalar>(exec, b))));
  }
}

TYPED_TEST(BlockJacobiCsrTest, is_the_formula) {
  TypeParam const exec;
  compare_jacobi<1>(exec, random_csr(40, 1));
  compare_jacobi<2>(exec, shuffled(random_csr(30, 2)));
  compare_jacobi<3>(exec, random_csr(30, 3));
  compare_jacobi<5>(exec, shuffled(random_csr(20, 5)));
  compare_jacobi<5>(exec, random_csr(1, 5));
  compare_jacobi<9>(exec, random_csr(7, 9));
  compare_jacobi<16>(exec, random_csr(5, 16));
  compare_jacobi<5, double, float>(exec, random_csr(20, 5));
  compare_jacobi<3, float, float>(exec, random_csr(20, 3));
}

TYPED_TEST(BlockJacobiCsrTest, takes_a_matrix_without_rows) {
  TypeParam const exec;
  BlockCsr<double, 2, TypeParam> const a(exec, {0}, {});
  BlockJacobiCsr<double, 2, TypeParam> jacobi(exec, a);
  jacobi.factor(exec, a);
  typename BlockCsr<double, 2, TypeParam>::Vector const x("x", 0);
  jacobi.solve(exec, x, x);
  jacobi.solve_transposed(exec, x, x);
  EXPECT_TRUE(jacobi.status(exec).ok());
}

TYPED_TEST(BlockJacobiCsrTest, keeps_its_factors_when_the_matrix_changes_and_factors_new_values) {
  TypeParam const exec;
  auto const first = random_csr(30, 3), second = random_csr(30, 3, 8);
  auto const a = to_device<double, 3, double>(exec, first);
  BlockJacobiCsr<double, 3, TypeParam> jacobi(exec, a);
  auto const b = random_vector(90);
  auto const expected = solve_csr_with<double>(exec, jacobi, a, b);
  Kokkos::deep_copy(exec, a.values(), 0.0);
  auto const x = to_view<double>(exec, b);
  jacobi.solve(exec, x, x);
  EXPECT_TRUE(bitwise_equal(to_host(x), expected));
  auto negative = first;
  for (auto& block : negative.blocks) {
    for (auto& entry : block.entries) entry *= -0.5;
  }
  EXPECT_TRUE(near(ReferenceCsrRelaxation::jacobi(negative, 1.0) *
                       solve_csr_with<double>(exec, jacobi, to_device<double, 3, double>(exec, negative), b),
                   b, rounding<double>(100, 3)));
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(BlockJacobiCsrThreads, do_not_change_bits) {
  auto const csr = to_csr(random_stencil(Grid(12, 11, 10), 3));
  auto const a = to_device<double, 3, double>(Kokkos::OpenMP(), csr);
  auto const b = random_vector(12 * 11 * 10 * 3);
  std::vector<double> alone;
  for (int const threads : {1, 2, 3, 4}) {
    Kokkos::OpenMP const exec(threads);
    BlockJacobiCsr<double, 3, Kokkos::OpenMP> jacobi(exec, a, {.relaxation = 0.7});
    auto const x = solve_csr_with<double>(exec, jacobi, a, b);
    if (threads == 1) alone = x;
    EXPECT_TRUE(bitwise_equal(x, alone)) << threads << " threads";
    LeastTeam const never(never_teams);
    EXPECT_TRUE(bitwise_equal(solve_csr_with<double>(exec, jacobi, a, b), alone)) << threads << " threads";
  }
}
#endif

TYPED_TEST(BlockJacobiCsrTest, allocates_nothing_and_fences_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const a = to_device<double, 2, double>(exec, random_csr(40, 2));
  auto const x = to_view<double>(exec, random_vector(80));
  BlockJacobiCsr<double, 2, TypeParam> jacobi(exec, a);
  exec.fence();
  KokkosEvents const events;
  jacobi.factor(exec, a);
  jacobi.solve(exec, x, x);
  jacobi.solve_transposed(exec, x, x);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  EXPECT_THAT(events.copies(), ::testing::IsEmpty());
  EXPECT_EQ(events.kernels().size(), 5u);
  for (auto const& kernel : events.kernels()) {
    EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
    EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
  }
}

TYPED_TEST(BlockJacobiCsrTest, refuses_what_makes_no_sense) {
  TypeParam const exec;
  using Csr = BlockCsr<double, 2, TypeParam>;
  using Jacobi = BlockJacobiCsr<double, 2, TypeParam>;
  using ::testing::HasSubstr;
  auto const message = [&](const Csr& a, double w) {
    return message_of([&] { Jacobi const refused(exec, a, {.relaxation = w}); });
  };
  Csr const right(exec, {0, 1, 3}, {0, 0, 1});
  EXPECT_THAT(message(right, 0.0), HasSubstr("BlockJacobiCsr: relaxation is 0, expected more than 0 and less than 2"));
  EXPECT_THAT(message(right, 2.5), HasSubstr("relaxation is 2.5"));
  EXPECT_THAT(message(right, -1.0), HasSubstr("relaxation is -1"));
  EXPECT_THAT(message(right, std::numeric_limits<double>::quiet_NaN()), HasSubstr("relaxation is nan"));
  EXPECT_THAT(message(Csr(exec, {0, 2, 3}, {0, 1, 0}), 1.0), HasSubstr("row 1 has no diagonal block, column 1"));

  Jacobi jacobi(exec, right);
  auto const x = to_view<double>(exec, random_vector(4)), wrong = to_view<double>(exec, random_vector(5));
  EXPECT_THAT(message_of([&] { jacobi.solve(exec, x, x); }), HasSubstr("BlockJacobiCsr::solve: called before factor"));
  EXPECT_THAT(message_of([&] { jacobi.solve_transposed(exec, x, x); }), HasSubstr("solve_transposed: called before"));
  auto const factor = [&](const Csr& other) { return message_of([&] { jacobi.factor(exec, other); }); };
  EXPECT_THAT(factor(Csr(exec, {0, 1}, {0})), HasSubstr("A has 1 rows and 1 blocks, expected 2 and 3"));
  EXPECT_THAT(factor(Csr(exec, {0, 1, 3}, {0, 1, 0})), HasSubstr("row 1 of A has other columns"));
  // The same structure in other arrays is the same structure.
  EXPECT_EQ(factor(Csr(exec, {0, 1, 3}, {0, 0, 1})), "nothing thrown");
  EXPECT_THROW(jacobi.solve(exec, wrong, x), Error);
  EXPECT_THROW(jacobi.solve(exec, x, wrong), Error);
  EXPECT_THROW(jacobi.solve_transposed(exec, x, wrong), Error);
}

TYPED_TEST(BlockJacobiCsrTest, names_the_row_that_fails_and_why) {
  TypeParam const exec;
  auto const regular = random_csr(20, 2);
  BlockJacobiCsr<double, 2, TypeParam, float> jacobi(exec, to_device<double, 2, double>(exec, regular));
  auto const status_of = [&](const ReferenceCsr& reference) {
    jacobi.factor(exec, to_device<double, 2, double>(exec, reference));
    return jacobi.status(exec);
  };
  auto const with_diagonal = [&](std::initializer_list<int> rows, double factor, int row_of_block) {
    auto result = regular;
    for (int const row : rows) {
      for (int c = 0; c < 2; ++c) result.blocks[block_at(regular, row, row)](row_of_block, c) *= factor;
    }
    return result;
  };
  auto status = status_of(with_diagonal({5, 14}, 0.0, 1));
  EXPECT_EQ(status.row, 5);
  EXPECT_EQ(status.failure, FactorFailure::zero_row);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("singular pivot at row 5, equation 1"));
  status = status_of(with_diagonal({7}, std::numeric_limits<double>::infinity(), 0));
  EXPECT_EQ(status.failure, FactorFailure::not_finite);
  EXPECT_EQ(status.row, 7);
  EXPECT_EQ(status.column, 7);
  status = status_of(with_diagonal({3}, 1e-45, 0));
  EXPECT_EQ(status.failure, FactorFailure::overflow);
  EXPECT_EQ(status.row, 3);
  EXPECT_TRUE(status_of(regular).ok());
}

TYPED_TEST(BlockJacobiCsrTest, is_a_preconditioner_for_krylov_methods) {
  TypeParam const exec;
  constexpr int n = 3;
  // Equations of very different sizes.
  auto reference = hard_csr(n);
  for (int row = 0; row < reference.rows(); ++row) {
    for (auto e = reference.offsets[row]; e < reference.offsets[row + 1]; ++e) {
      for (int c = 0; c < n; ++c) reference.blocks[static_cast<std::size_t>(e)](row % n, c) *= 30.0;
    }
  }
  auto const a = to_device<double, n, double>(exec, reference);
  BlockJacobiCsr<double, n, TypeParam> jacobi(exec, a);
  jacobi.factor(exec, a);
  Fgmres<PointVector<double, n, TypeParam>> const fgmres(exec, a.rows(), {.tolerance = 1e-12, .max_iterations = 500});
  auto const with = iterations_of<n>(exec, fgmres, a, jacobi, reference);
  EXPECT_LT(with, iterations_of<n>(exec, fgmres, a, IdentityPreconditioner(), reference));
  EXPECT_GT(iterations_of<n>(exec, fgmres, transposed(exec, a), transposed(jacobi), transposed_reference(reference)),
            0);
}

}  // namespace
}  // namespace hyperplane::test
