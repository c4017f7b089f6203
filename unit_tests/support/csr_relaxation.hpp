// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <random>
#include <vector>

#include "csr_ilu_plan.hpp"
#include "csr_ilu_reference.hpp"
#include "csr_reference.hpp"
#include "csr_relaxation_reference.hpp"
#include "matchers.hpp"
#include "serial_reference.hpp"
#include "views.hpp"

/// What tests of DiluCsr, SsorCsr and BlockJacobiCsr share.
namespace hyperplane::test {

/// M x = b and M^T x = b on all paths and in all orders, with M = product(reference, order, options). The matrix is
/// stored in the type of the arithmetic.
template <class Plan, class Exec, class Options, class Product>
void compare_relaxation(const Exec& exec, const ReferenceCsr& reference, Options options, const Product& product) {
  using Scalar = typename Plan::scalar_type;
  using Storage = typename Plan::storage_type;
  constexpr int n = Plan::block_size;
  auto const a = to_device<Scalar, n, Scalar>(exec, reference);
  auto const b = random_vector(std::int64_t{reference.rows()} * n);
  options.transposed = true;
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::given}) {
    auto rows = natural_order(reference.rows());
    std::mt19937_64 engine(11);
    if (order == RowOrder::given) std::shuffle(rows.begin(), rows.end(), engine);
    options.order = order;
    options.given_order = order == RowOrder::given ? rows : std::vector<int>();
    if (order != RowOrder::given) rows = order_rows(order, reference.offsets, reference.columns);
    auto const m = product(reference, rows, options), mt = transposed_dense(m);
    for (auto const path : csr_paths_of<Exec>()) {
      options.path = path;
      Plan plan(exec, a, options);
      EXPECT_EQ(plan.path(), path);
      plan.factor(exec, a);
      auto const x = to_view<Scalar>(exec, b), y = to_view<Scalar>(exec, b);
      plan.solve(exec, x, x);
      plan.solve_transposed(exec, y, y);
      EXPECT_TRUE(plan.status(exec).ok()) << plan.status(exec).message();
      EXPECT_TRUE(near(m * to_host(x), b, rounding<Storage>(200, n)))
          << n << ", order " << name(order) << ", path " << static_cast<int>(path);
      EXPECT_TRUE(near(mt * to_host(y), b, rounding<Storage>(200, n)))
          << "transposed, " << n << ", order " << name(order) << ", path " << static_cast<int>(path);
    }
  }
}

/// Less dominance of the diagonal than random_csr() has, so that there is something to do.
inline ReferenceCsr hard_csr(int n) {
  auto reference = to_csr(random_stencil(Grid(6, 6, 6), n));
  for (int row = 0; row < reference.rows(); ++row) {
    for (auto e = reference.offsets[row]; e < reference.offsets[row + 1]; ++e) {
      auto& block = reference.blocks[static_cast<std::size_t>(e)];
      for (int c = 0; c < n; ++c) block(c, c) = reference.columns[e] == row ? 6.05 * n : -1.0 * n;
    }
  }
  return reference;
}

/// A^T of a matrix with a symmetric pattern.
inline ReferenceCsr transposed_reference(const ReferenceCsr& a) {
  auto result = a;
  for (int row = 0; row < a.rows(); ++row) {
    for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
      int const other = a.columns[e];
      auto at = a.offsets[other];
      while (a.columns[at] != row) ++at;
      result.blocks[e] = transposed_dense(a.blocks[at]);
    }
  }
  return result;
}

/// Iterations of a Krylov method with a plan for a solution that is known; `reference` is A.
template <int n, class Exec, class Method, class Matrix, class M>
int iterations_of(const Exec& exec, const Method& method, const Matrix& a, const M& m, const ReferenceCsr& reference) {
  using Vector = PointVector<double, n, Exec>;
  auto const solution = random_vector(a.rows() * n);
  Vector const b(to_view<double>(exec, reference.dense() * solution)), x(exec, a.rows());
  Kokkos::deep_copy(exec, x.flat(), 0.0);
  auto const result = method.solve(exec, a, m, b, x);
  EXPECT_TRUE(result.converged()) << name(result.outcome);
  EXPECT_TRUE(near(to_host(x.flat()), solution, 1e-6));
  return result.iterations;
}

}  // namespace hyperplane::test
