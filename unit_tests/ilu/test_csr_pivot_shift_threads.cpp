// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_reference.hpp"
#include "support/csr_zero_pivots.hpp"
#include "support/same_bits_on_threads.hpp"
#include "support/serial_reference.hpp"

// Pivots of block CSR that are replaced, by any number of threads.
namespace hyperplane::test {
namespace {

#ifdef KOKKOS_ENABLE_OPENMP
/// A solve with factors of a matrix of which four pivots are replaced, that of row 0 first.
template <class Plan, class Matrix>
std::vector<double> solve_replacing_four(const Kokkos::OpenMP& exec, Plan& plan, const Matrix& a,
                                         const std::vector<double>& b) {
  auto const x = solve_csr_with<double>(exec, plan, a, b);
  EXPECT_EQ(plan.status(exec).replaced, 4);
  EXPECT_EQ(plan.status(exec).first_replaced, 0);
  return x;
}

template <class Plan>
void compare_threads(typename Plan::Options options) {
  options.pivot_shift = share;
  constexpr int n = Plan::block_size;
  auto const reference = with_zero_pivots(n, {0, 2, 12, 13, 29}, natural_order(mesh_rows));
  auto const b = random_vector(mesh_rows * n);
  expect_same_bits_on_threads([&](const Kokkos::OpenMP& exec) {
    auto const a = to_device<double, n, double>(exec, reference);
    Plan plan(exec, a, options);
    plan.factor(exec, a);
    auto const status = plan.status(exec);
    // Row 29 has no blocks behind the diagonal.
    EXPECT_EQ(status.row, 29);
    auto values = reference;
    for (auto e = values.offsets[29]; e < values.offsets[30]; ++e) {
      if (values.columns[e] == 29) values.blocks[e] = identity(n);
    }
    auto const regular = to_device<double, n, double>(exec, values);
    return solve_replacing_four(exec, plan, regular, b);
  });
}

TEST(CsrPivotShiftThreads, do_not_change_bits) {
  compare_threads<BlockIlu0Csr<double, 3, Kokkos::OpenMP>>({});
  compare_threads<BlockIlukCsr<double, 3, Kokkos::OpenMP>>({});
  compare_threads<BlockIlutCsr<double, 3, Kokkos::OpenMP>>({});
}

template <class Plan>
void compare_threads_with_shifts(typename Plan::Options options) {
  options.pivot_shift = share;
  constexpr int n = Plan::block_size;
  auto const reference = with_zero_pivots(n, {0, 2, 12, 13}, natural_order(mesh_rows));
  auto const b = random_vector(mesh_rows * n);
  expect_same_bits_on_threads([&](const Kokkos::OpenMP& exec) {
    auto const a = to_device<double, n, double>(exec, reference);
    Plan plan(exec, a, options);
    return solve_replacing_four(exec, plan, a, b);
  });
}

TEST(CsrRelaxationShiftThreads, do_not_change_bits) {
  compare_threads_with_shifts<DiluCsr<double, 3, Kokkos::OpenMP>>({});
  compare_threads_with_shifts<SsorCsr<double, 3, Kokkos::OpenMP>>({.relaxation = 1.3});
  compare_threads_with_shifts<BlockJacobiCsr<double, 3, Kokkos::OpenMP>>({});
}
#endif

}  // namespace
}  // namespace hyperplane::test
