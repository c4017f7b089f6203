// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/ssor/ssor.hpp>
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
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"
#include "support/views.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class SsorCsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(SsorCsrTest, ExecutionSpaces, SpaceNames);

template <int n, class Scalar = double, class Storage = double, class Exec>
void compare_ssor(const Exec& exec, const ReferenceCsr& reference) {
  for (double const w : {0.5, 1.0, 1.6}) {
    compare_relaxation<SsorCsr<Scalar, n, Exec, Storage>>(
        exec, reference, SsorCsrOptions{.relaxation = w},
        [](const ReferenceCsr& a, const std::vector<int>& order, const SsorCsrOptions& options) {
          return ReferenceCsrRelaxation::ssor(a, order, options.relaxation);
        });
  }
}

TYPED_TEST(SsorCsrTest, is_the_formula_on_random_patterns_in_all_orders) {
  TypeParam const exec;
  compare_ssor<1>(exec, random_csr(50, 1));
  compare_ssor<2>(exec, shuffled(random_csr(25, 2)));
  compare_ssor<3>(exec, banded_csr(20, 3, 2));
  compare_ssor<5>(exec, random_csr(12, 5));
  compare_ssor<5>(exec, random_csr(1, 5));
  compare_ssor<16>(exec, random_csr(4, 16));
  compare_ssor<5, double, float>(exec, random_csr(12, 5));
}

TYPED_TEST(SsorCsrTest, is_that_of_the_grid_where_the_mesh_is_one) {
  TypeParam const exec;
  constexpr int n = 3;
  Grid const grid(5, 4, 6);
  auto const stencil = random_stencil(grid, n);
  auto const b = random_vector(stencil.rows());
  Ssor<double, n, TypeParam> on_grid(exec, grid, {.relaxation = 1.3});
  on_grid.factor(exec, to_device<double, n, double>(exec, stencil));
  BlockVector<double, n, TypeParam> const x = to_device<double, n>(exec, grid, b);
  on_grid.solve(exec, x, x);
  auto const a = to_device<double, n, double>(exec, to_csr(stencil));
  SsorCsr<double, n, TypeParam> ssor(exec, a, {.relaxation = 1.3});
  EXPECT_EQ(ssor.relaxation(), 1.3);
  EXPECT_TRUE(near(solve_csr_with<double>(exec, ssor, a, b), to_host(exec, x), rounding<double>(100, n)));
}

TYPED_TEST(SsorCsrTest, without_relaxation_has_the_bits_of_lu_sgs) {
  TypeParam const exec;
  auto const a = to_device<double, 3, double>(exec, random_csr(50, 3));
  auto const b = random_vector(150);
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    SsorCsr<double, 3, TypeParam> ssor(exec, a, {.order = order});
    DiluCsr<double, 3, TypeParam> lu_sgs(exec, a, {.lu_sgs = true, .order = order});
    auto const expected = solve_csr_with<double>(exec, lu_sgs, a, b);
    EXPECT_TRUE(bitwise_equal(solve_csr_with<double>(exec, ssor, a, b), expected));
  }
}

TYPED_TEST(SsorCsrTest, has_the_same_bits_on_all_paths) {
  TypeParam const exec;
  constexpr int n = 5;
  auto const a = to_device<double, n, double>(exec, to_csr(random_stencil(Grid(9, 8, 7), n)));
  auto const b = random_vector(a.rows() * n);
  for (auto const order : {RowOrder::natural, RowOrder::colours}) {
    std::vector<double> expected, expected_transposed;
    for (auto const path : csr_paths_of<TypeParam>()) {
      SsorCsr<double, n, TypeParam> ssor(exec, a,
                                         {.relaxation = 1.2, .path = path, .order = order, .transposed = true});
      auto const x = solve_csr_with<double>(exec, ssor, a, b);
      auto const y = to_view<double>(exec, b);
      ssor.solve_transposed(exec, y, y);
      if (expected.empty()) {
        expected = x;
        expected_transposed = to_host(y);
      }
      EXPECT_TRUE(bitwise_equal(x, expected)) << "path " << static_cast<int>(path);
      EXPECT_TRUE(bitwise_equal(to_host(y), expected_transposed)) << "transposed, path " << static_cast<int>(path);
    }
  }
}

TYPED_TEST(SsorCsrTest, solves_by_halves_and_into_another_vector) {
  TypeParam const exec;
  auto const a = to_device<double, 2, double>(exec, random_csr(40, 2));
  SsorCsr<double, 2, TypeParam> ssor(exec, a, {.relaxation = 1.4, .transposed = true});
  compare_halves(exec, ssor, a);
  compare_transposed_halves(exec, ssor, a);
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(SsorCsrThreads, do_not_change_bits) {
  auto const csr = to_csr(random_stencil(Grid(12, 11, 10), 3));
  auto const a = to_device<double, 3, double>(Kokkos::OpenMP(), csr);
  auto const b = random_vector(12 * 11 * 10 * 3);
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    std::vector<double> alone;
    for (int const threads : {1, 2, 3, 4}) {
      for (auto const path : csr_paths_of<Kokkos::OpenMP>()) {
        Kokkos::OpenMP const exec(threads);
        SsorCsr<double, 3, Kokkos::OpenMP> ssor(exec, a, {.relaxation = 1.2, .path = path, .order = order});
        auto const x = solve_csr_with<double>(exec, ssor, a, b);
        if (alone.empty()) alone = x;
        EXPECT_TRUE(bitwise_equal(x, alone)) << threads << " threads, order " << name(order);
      }
    }
  }
}
#endif

TYPED_TEST(SsorCsrTest, allocates_nothing_and_fences_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const a = to_device<double, 2, double>(exec, random_csr(40, 2));
  auto const x = to_view<double>(exec, random_vector(80));
  SsorCsr<double, 2, TypeParam> ssor(exec, a, {.relaxation = 1.2, .path = CsrPath::portable});
  exec.fence();
  KokkosEvents const events;
  ssor.factor(exec, a);
  ssor.solve(exec, x, x);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  EXPECT_THAT(events.copies(), ::testing::IsEmpty());
  EXPECT_EQ(events.kernels().size(), static_cast<std::size_t>(3 + ssor.forward_levels() + ssor.backward_levels()));
}

TYPED_TEST(SsorCsrTest, refuses_what_makes_no_sense) {
  TypeParam const exec;
  using Csr = BlockCsr<double, 2, TypeParam>;
  using ::testing::HasSubstr;
  auto const message = [&](const Csr& a, const SsorCsrOptions& options) {
    return message_of([&] { SsorCsr<double, 2, TypeParam> const refused(exec, a, options); });
  };
  Csr const right(exec, {0, 1, 3}, {0, 0, 1});
  EXPECT_THAT(message(right, {.relaxation = 0.0}),
              HasSubstr("SsorCsr: relaxation is 0, expected more than 0 and less than 2"));
  EXPECT_THAT(message(right, {.relaxation = 2.0}), HasSubstr("relaxation is 2, expected"));
  EXPECT_THAT(message(right, {.relaxation = -0.5}), HasSubstr("relaxation is -0.5"));
  EXPECT_THAT(message(right, {.relaxation = std::numeric_limits<double>::quiet_NaN()}), HasSubstr("relaxation is nan"));
  if constexpr (!CudaExecutionSpace<TypeParam>) {
    EXPECT_THAT(message(right, {.path = CsrPath::tickets}), HasSubstr("SsorCsr: CsrPath::tickets is for CUDA"));
  }
  EXPECT_THAT(message(Csr(exec, {0, 2, 3}, {0, 1, 0}), {}), HasSubstr("SsorCsr: row 1 has no diagonal block"));
  SsorCsr<double, 2, TypeParam> ssor(exec, right);
  auto const x = to_view<double>(exec, random_vector(4));
  EXPECT_THAT(message_of([&] { ssor.solve(exec, x, x); }), HasSubstr("SsorCsr::solve: called before factor"));
  EXPECT_THAT(message_of([&] { ssor.factor(exec, Csr(exec, {0, 1}, {0})); }),
              HasSubstr("SsorCsr::factor: A has 1 rows"));
  ssor.factor(exec, right);
  EXPECT_EQ(ssor.status(exec).failure, FactorFailure::zero_row);
  EXPECT_THAT(ssor.status(exec).message(), HasSubstr("at row 0"));
}

TYPED_TEST(SsorCsrTest, helps_krylov_methods) {
  TypeParam const exec;
  constexpr int n = 3;
  auto const reference = hard_csr(n);
  auto const a = to_device<double, n, double>(exec, reference);
  SsorCsr<double, n, TypeParam> ssor(exec, a, {.relaxation = 1.2});
  ssor.factor(exec, a);
  BiCgStab<PointVector<double, n, TypeParam>> const bicgstab(exec, a.rows(),
                                                             {.tolerance = 1e-10, .max_iterations = 300});
  EXPECT_LT(iterations_of<n>(exec, bicgstab, a, ssor, reference),
            iterations_of<n>(exec, bicgstab, a, IdentityPreconditioner(), reference));
}

}  // namespace
}  // namespace hyperplane::test
