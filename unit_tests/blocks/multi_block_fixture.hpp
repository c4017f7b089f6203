// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <hyperplane/blocks/apply.hpp>
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
    auto const x_values = random_vector(grid.size() * n), b_values = random_vector(grid.size() * n, 3);
    auto const expected = rows * x_values;
    auto const a = to_device<double, n, double>(exec, reference);
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

  /// A solve with Coupling::coloured is that of BILU(0) of the whole matrix in that order.
  template <int n, class Storage = double, class MatrixStorage = Storage>
  void expect_coloured(const std::string& what, const MultiBlockGrid& grid, const std::vector<int>& colours,
                       double tolerance) {
    MultiBlockReference const reference(grid, n);
    auto const a = to_device<double, n, MatrixStorage>(exec, reference);
    auto const before = to_host(a.flat());
    using Ilu = MultiBlock<BlockIlu0<double, n, Exec, Storage>>;
    Ilu ilu(exec, grid, {.coupling = Coupling::coloured, .colours = colours});
    ilu.factor(exec, a);
    ASSERT_TRUE(ilu.status(exec).ok()) << what << ": " << ilu.status(exec).message();
    EXPECT_TRUE(bitwise_equal(to_host(a.flat()), before)) << what;
    // A may go.
    Kokkos::deep_copy(exec, a.flat(), static_cast<MatrixStorage>(0));
    ReferenceOrderedIlu0 const expected(reference.rows_without_own(), coloured_places(grid, ilu.colours()));
    auto const values = random_vector(grid.size() * n, 4);
    auto const rhs = to_device<double, n>(exec, grid, values);
    MultiBlockVector<double, n, Exec> const x(exec, grid);
    ilu.solve(exec, rhs, x);
    EXPECT_TRUE(near(to_host(exec, x), expected.solve(values), tolerance)) << what << ", n = " << n;
    EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), values)) << what;
    ilu.solve(exec, rhs, rhs);
    EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), to_host(exec, x))) << what << ", in place";
  }

  /// A solve with Coupling::natural is that of BILU(0) of the box that was cut, in the order of its points.
  template <int n, class Storage = double>
  void expect_natural(const std::string& what, const CutGrid& cut, double tolerance) {
    auto const& grid = cut.grid;
    MultiBlockReference const reference(grid, n);
    MultiBlock<BlockIlu0<double, n, Exec, Storage>> ilu(exec, grid, {.coupling = Coupling::natural});
    EXPECT_EQ(ilu.coupling(), Coupling::natural);
    ilu.factor(exec, to_device<double, n, Storage>(exec, reference));
    ReferenceOrderedIlu0 const expected(reference.rows(), natural_places(cut));
    auto const values = random_vector(grid.size() * n, 4);
    auto const x = to_device<double, n>(exec, grid, values);
    ilu.solve(exec, x, x);
    EXPECT_TRUE(near(to_host(exec, x), expected.solve(values), tolerance)) << what << ", n = " << n;
  }

  Exec exec{};
};

}  // namespace hyperplane::test
