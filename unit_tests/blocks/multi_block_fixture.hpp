// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/apply_transposed.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <string>
#include <vector>

#include "multi_block_grids.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/multi_block_reference.hpp"
#include "support/random_system.hpp"

namespace hyperplane::test {

template <class Exec>
class MultiBlockTest : public ::testing::Test {
 protected:
  template <int n>
  void expect_product(const std::string& what, const MultiBlockGrid& grid) {
    MultiBlockReference const reference(grid, n);
    auto const rows = reference.rows();
    auto const a = to_device<double, n, double>(exec, reference);
    expect_product<n>(what, grid, rows, a);
    expect_product<n>(what + ", transposed", grid, rows.transposed(), transposed(a));
  }

  template <int n, class Matrix>
  void expect_product(const std::string& what, const MultiBlockGrid& grid, const BlockRows& rows, const Matrix& a) {
    auto const x_values = random_vector(grid.size() * n), b_values = random_vector(grid.size() * n, 3);
    auto const expected = rows * x_values;
    auto const x = to_device<double, n>(exec, grid, x_values);
    auto const y = to_device<double, n>(exec, grid, b_values);
    apply(exec, a, x, y);
    EXPECT_TRUE(near(to_host(exec, y), expected, 1e-13)) << what << ", n = " << n;
    // In place.
    auto const b = to_device<double, n>(exec, grid, b_values);
    residual(exec, a, b, x, b);
    std::vector<double> rest(b_values.size());
    for (std::size_t e = 0; e < rest.size(); ++e) rest[e] = b_values[e] - expected[e];
    EXPECT_TRUE(near(to_host(exec, b), rest, 1e-13)) << what << ", n = " << n;
  }

  /// A solve with P, coupled, is that of a reference over the whole matrix: `reference_of(rows, colours)`.
  template <class P, class MatrixStorage, class ReferenceOf>
  void expect_coupled(const std::string& what, const MultiBlockGrid& grid,
                      const typename MultiBlock<P>::Options& options, const ReferenceOf& reference_of,
                      double tolerance) {
    constexpr int n = P::Vector::block_size;
    MultiBlockReference const reference(grid, n);
    auto const a = to_device<double, n, MatrixStorage>(exec, reference);
    auto const before = to_host(a.flat());
    MultiBlock<P> plan(exec, grid, options);
    EXPECT_EQ(plan.coupling(), options.coupling);
    plan.factor(exec, a);
    ASSERT_TRUE(plan.status(exec).ok()) << what << ": " << plan.status(exec).message();
    EXPECT_TRUE(bitwise_equal(to_host(a.flat()), before)) << what;
    // A may go.
    Kokkos::deep_copy(exec, a.flat(), static_cast<MatrixStorage>(0));
    auto const expected = reference_of(reference, plan.colours());
    auto const values = random_vector(grid.size() * n, 4);
    auto const rhs = to_device<double, n>(exec, grid, values);
    MultiBlockVector<double, n, Exec> const x(exec, grid);
    plan.solve(exec, rhs, x);
    EXPECT_TRUE(near(to_host(exec, x), expected.solve(values), tolerance)) << what << ", n = " << n;
    EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), values)) << what;
    plan.solve(exec, rhs, rhs);
    EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), to_host(exec, x))) << what << ", in place";
  }

  /// A solve with Coupling::coloured is that of BILU(0) of the whole matrix in that order.
  template <int n, class Storage = double, class MatrixStorage = Storage>
  void expect_coloured(const std::string& what, const MultiBlockGrid& grid, const std::vector<int>& colours,
                       double tolerance) {
    expect_coupled<BlockIlu0<double, n, Exec, Storage>, MatrixStorage>(
        what, grid, {.coupling = Coupling::coloured, .colours = colours},
        [&](const MultiBlockReference& a, const std::vector<int>& found) {
          return ReferenceOrderedIlu0(a.rows_without_own(), coloured_places(grid, found));
        },
        tolerance);
  }

  /// A solve with Coupling::natural is that of BILU(0) of the box that was cut, in the order of its points.
  template <int n, class Storage = double>
  void expect_natural(const std::string& what, const CutGrid& cut, double tolerance) {
    expect_coupled<BlockIlu0<double, n, Exec, Storage>, Storage>(
        what, cut.grid, {.coupling = Coupling::natural},
        [&](const MultiBlockReference& a, const std::vector<int>&) {
          return ReferenceOrderedIlu0(a.rows_without_own(), natural_places(cut));
        },
        tolerance);
  }

  Exec exec{};
};

}  // namespace hyperplane::test
