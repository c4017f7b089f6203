// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <vector>

#include "csr_ilu_reference.hpp"
#include "csr_reference.hpp"
#include "matchers.hpp"
#include "serial_reference.hpp"
#include "views.hpp"

namespace hyperplane::test {

/// The paths of BlockIlu0Csr that the execution space can run, the portable one first.
template <class Exec>
std::vector<CsrPath> csr_paths_of() {
  if constexpr (HostExecutionSpace<Exec>) return {CsrPath::portable, CsrPath::team};
  if constexpr (CudaExecutionSpace<Exec>) return {CsrPath::portable, CsrPath::tickets};
  return {CsrPath::portable};
}

/// Those that there are for the factors of a plan: none of 8 bits by tickets.
template <class Plan>
std::vector<CsrPath> csr_paths_of_plan() {
  using Exec = typename Plan::execution_space;
  if constexpr (StorageReal<typename Plan::storage_type> || !CudaExecutionSpace<Exec>) {
    return csr_paths_of<Exec>();
  } else {
    return {CsrPath::portable};
  }
}

/// x = M^-1 b, in place.
template <class Scalar, class Plan, class Matrix>
std::vector<double> solve_csr_with(const typename Plan::execution_space& exec, Plan& plan, const Matrix& a,
                                   const std::vector<double>& b) {
  plan.factor(exec, a);
  auto const x = to_view<Scalar>(exec, b);
  plan.solve(exec, x, x);
  EXPECT_TRUE(plan.status(exec).ok()) << plan.status(exec).message();
  return to_host(x);
}

/// Both halves of solves with M^T, or with M, have the bits of a solve, in place or not, and leave the right-hand side
/// alone.
template <bool transposed, class Plan, class Matrix>
void compare_halves_of(const typename Plan::execution_space& exec, Plan& plan, const Matrix& a) {
  auto const size = a.rows() * Plan::block_size;
  plan.factor(exec, a);
  auto const solve = [&](const auto& from, const auto& to) {
    if constexpr (transposed) {
      plan.solve_transposed(exec, from, to);
    } else {
      plan.solve(exec, from, to);
    }
  };
  auto const given = random_vector(size);
  auto const b = to_view<double>(exec, given), x = to_view<double>(exec, random_vector(size, 3));
  auto const y = to_view<double>(exec, random_vector(size, 4)), z = to_view<double>(exec, random_vector(size, 5));
  solve(b, x);
  if constexpr (transposed) {
    plan.forward_transposed(exec, b, y);
    plan.backward_transposed(exec, y, z);
  } else {
    plan.forward(exec, b, y);
    plan.backward(exec, y, z);
  }
  EXPECT_TRUE(bitwise_equal(to_host(z), to_host(x)));
  EXPECT_TRUE(bitwise_equal(to_host(b), given));
  solve(b, b);
  EXPECT_TRUE(bitwise_equal(to_host(b), to_host(x)));
}

template <class Plan, class Matrix>
void compare_halves(const typename Plan::execution_space& exec, Plan& plan, const Matrix& a) {
  compare_halves_of<false>(exec, plan, a);
}
template <class Plan, class Matrix>
void compare_transposed_halves(const typename Plan::execution_space& exec, Plan& plan, const Matrix& a) {
  compare_halves_of<true>(exec, plan, a);
}

/// Plans with offsets of 32 bits have the bits of those with 64.
template <class Wide, class Narrow>
void compare_offsets(const typename Wide::execution_space& exec, const typename Wide::Options& options) {
  using Exec = typename Wide::execution_space;
  using Scalar = typename Wide::scalar_type;
  constexpr int n = Wide::block_size;
  auto const reference = random_csr(30, n);
  auto const wide = to_device<Scalar, n, Scalar>(exec, reference);
  std::vector<int> const offsets(reference.offsets.begin(), reference.offsets.end());
  BlockCsr<Scalar, n, Exec, Scalar, int> const narrow(exec, offsets, reference.columns);
  Kokkos::deep_copy(exec, narrow.values(), wide.values());
  Wide of_wide(exec, wide, options);
  Narrow of_narrow(exec, narrow, options);
  auto const b = random_vector(30 * n);
  EXPECT_TRUE(bitwise_equal(solve_csr_with<Scalar>(exec, of_narrow, narrow, b),
                            solve_csr_with<Scalar>(exec, of_wide, wide, b)));
}

/// Of two rows that fail, the status has the one that is taken first, in the order of numbers and backwards.
template <class Plan>
void expect_first_taken(const typename Plan::execution_space& exec, typename Plan::Options options) {
  auto const a = to_device<double, 2, double>(exec, with_zero_equation(with_zero_equation(random_csr(20, 2), 5), 14));
  Plan natural(exec, a, options);
  options.order = RowOrder::given;
  options.given_order = natural_order(20);
  std::ranges::reverse(options.given_order);
  Plan other(exec, a, options);
  natural.factor(exec, a);
  other.factor(exec, a);
  EXPECT_EQ(natural.status(exec).row, 5);
  EXPECT_EQ(other.status(exec).row, 14);
  EXPECT_EQ(other.status(exec).failure, FactorFailure::zero_row);
  EXPECT_EQ(other.status(exec).equation, 1);
}

/// The same by BILU(0).
template <class Scalar, int n, class Storage, class Exec>
std::vector<double> solve_csr(const Exec& exec, const ReferenceCsr& reference, const std::vector<double>& b,
                              CsrPath path = CsrPath::automatic) {
  auto const a = to_device<Scalar, n, Storage>(exec, reference);
  BlockIlu0Csr<Scalar, n, Exec, Storage> ilu(exec, a, {.path = path});
  return solve_csr_with<Scalar>(exec, ilu, a, b);
}

}  // namespace hyperplane::test
