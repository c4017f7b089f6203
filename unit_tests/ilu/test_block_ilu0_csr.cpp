// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/timers.hpp>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/line/line_implicit_csr.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_ilu_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class BlockIlu0CsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0CsrTest, ExecutionSpaces, SpaceNames);

template <class Scalar, int n, class Storage, class Exec>
void compare_with_reference(const Exec& exec, const ReferenceCsr& reference) {
  auto const b = random_vector(std::int64_t{reference.rows()} * n);
  auto const expected = ReferenceCsrIlu(reference).solve(b);
  for (auto const path : csr_paths_of<Exec>()) {
    EXPECT_TRUE(near(solve_csr<Scalar, n, Storage>(exec, reference, b, path), expected, rounding<Storage>(100, n)))
        << n << ", path " << static_cast<int>(path);
  }
}

TYPED_TEST(BlockIlu0CsrTest, is_the_textbook_on_random_patterns) {
  TypeParam const exec;
  for (int const rows : {1, 2, 60}) {
    compare_with_reference<double, 1, double>(exec, random_csr(rows, 1));
    compare_with_reference<double, 2, double>(exec, random_csr(rows, 2));
    compare_with_reference<double, 3, double>(exec, random_csr(rows, 3));
    compare_with_reference<double, 5, double>(exec, random_csr(rows, 5));
    compare_with_reference<double, 7, double>(exec, random_csr(rows, 7));
  }
  compare_with_reference<double, 8, double>(exec, random_csr(20, 8));
  compare_with_reference<double, 9, double>(exec, random_csr(20, 9));
  compare_with_reference<double, 11, double>(exec, random_csr(20, 11));
  compare_with_reference<double, 16, double>(exec, random_csr(20, 16));
}

TYPED_TEST(BlockIlu0CsrTest, stores_and_computes_in_other_types) {
  TypeParam const exec;
  compare_with_reference<double, 4, float>(exec, random_csr(40, 4));
  compare_with_reference<double, 5, float>(exec, random_csr(40, 5));
  compare_with_reference<double, 9, float>(exec, random_csr(20, 9));
  compare_with_reference<float, 3, float>(exec, random_csr(40, 3));
  compare_with_reference<float, 5, float>(exec, random_csr(40, 5));
  compare_with_reference<float, 9, float>(exec, random_csr(20, 9));
}

TYPED_TEST(BlockIlu0CsrTest, takes_rows_in_any_order) {
  compare_with_reference<double, 3, double>(TypeParam(), shuffled(random_csr(50, 3)));
}

/// M, from the inverse that the plan applies to unit vectors.
template <int n, class Exec>
DenseMatrix product_of_factors(const Exec& exec, const ReferenceCsr& reference) {
  int const size = reference.rows() * n;
  DenseMatrix inverse_m(size);
  for (int c = 0; c < size; ++c) {
    std::vector<double> unit(static_cast<std::size_t>(size), 0.0);
    unit[static_cast<std::size_t>(c)] = 1.0;
    auto const column = solve_csr<double, n, double>(exec, reference, unit);
    for (int r = 0; r < size; ++r) inverse_m(r, c) = column[static_cast<std::size_t>(r)];
  }
  return inverse(inverse_m);
}

TYPED_TEST(BlockIlu0CsrTest, is_the_matrix_on_its_pattern_and_not_elsewhere) {
  constexpr int n = 2;
  auto const reference = random_csr(20, n);
  auto const a = reference.dense(), m = product_of_factors<n>(TypeParam(), reference);
  auto const textbook = ReferenceCsrIlu(reference).product();
  EXPECT_TRUE(near(m.entries, textbook.entries, rounding<double>(100, n)));
  DenseMatrix on_pattern(a.n);
  for (int row = 0; row < reference.rows(); ++row) {
    for (auto e = reference.offsets[row]; e < reference.offsets[row + 1]; ++e) {
      for (int entry = 0; entry < n * n; ++entry) {
        int const r = row * n + entry / n, c = reference.columns[e] * n + entry % n;
        on_pattern(r, c) = m(r, c);
      }
    }
  }
  EXPECT_TRUE(near(on_pattern.entries, a.entries, rounding<double>(100, n)));
  EXPECT_FALSE(near(m.entries, a.entries, 1e-6));
}

TYPED_TEST(BlockIlu0CsrTest, is_exact_where_there_is_no_fill) {
  TypeParam const exec;
  constexpr int n = 3;
  int const rows = 12;
  for (int const width : {1, rows}) {
    auto const reference = banded_csr(rows, n, width);
    auto const solution = random_vector(rows * n);
    EXPECT_TRUE(near(solve_csr<double, n, double>(exec, reference, reference.dense() * solution), solution,
                     rounding<double>(100, n)))
        << width;
  }
}

TYPED_TEST(BlockIlu0CsrTest, is_that_of_the_grid_where_the_mesh_is_one) {
  TypeParam const exec;
  constexpr int n = 3;
  Grid const grid(5, 4, 6);
  auto const stencil = random_stencil(grid, n);
  auto const b = random_vector(stencil.rows());
  auto const a = to_device<double, n, double>(exec, stencil);
  BlockIlu0<double, n, TypeParam> ilu(exec, grid);
  ilu.factor(exec, a);
  BlockVector<double, n, TypeParam> const x = to_device<double, n>(exec, grid, b);
  ilu.solve(exec, x, x);
  EXPECT_TRUE(near(solve_csr<double, n, double>(exec, to_csr(stencil), b), to_host(exec, x), rounding<double>(100, n)));
  BlockIlu0Csr<double, n, TypeParam> const plan(exec, to_device<double, n, double>(exec, to_csr(stencil)));
  EXPECT_EQ(plan.forward_levels(), 5 + 4 + 6 - 2);
  EXPECT_EQ(plan.backward_levels(), 5 + 4 + 6 - 2);
}

TYPED_TEST(BlockIlu0CsrTest, has_levels_of_both_triangles) {
  TypeParam const exec;
  using Csr = BlockCsr<double, 1, TypeParam>;
  using Ilu = BlockIlu0Csr<double, 1, TypeParam>;
  Ilu const diagonal(exec, Csr(exec, {0, 1, 2, 3}, {0, 1, 2}));
  EXPECT_EQ(diagonal.forward_levels(), 1);
  EXPECT_EQ(diagonal.backward_levels(), 1);
  // Row 1 waits for row 0 in the forward sweep; no row waits in the backward one.
  Ilu const lower(exec, Csr(exec, {0, 1, 3, 4}, {0, 1, 0, 2}));
  EXPECT_EQ(lower.forward_levels(), 2);
  EXPECT_EQ(lower.backward_levels(), 1);
  EXPECT_EQ(lower.rows(), 3);
  EXPECT_EQ(lower.blocks(), 4);
}

TYPED_TEST(BlockIlu0CsrTest, takes_a_matrix_without_rows) {
  TypeParam const exec;
  BlockCsr<double, 2, TypeParam> const a(exec, {0}, {});
  for (auto const path : csr_paths_of<TypeParam>()) {
    for (auto const order : {RowOrder::natural, RowOrder::rcm}) {
      BlockIlu0Csr<double, 2, TypeParam> ilu(exec, a, {.path = path, .order = order, .transposed = true});
      EXPECT_EQ(ilu.forward_levels(), 0);
      ilu.factor(exec, a);
      typename BlockCsr<double, 2, TypeParam>::Vector const x("x", 0);
      ilu.solve(exec, x, x);
      ilu.solve_transposed(exec, x, x);
      EXPECT_TRUE(ilu.status(exec).ok());
    }
  }
}

TYPED_TEST(BlockIlu0CsrTest, counts_the_bytes_that_a_solve_moves) {
  if constexpr (HostExecutionSpace<TypeParam>) {
    constexpr int n = 2;
    TypeParam const exec;
    auto const a = to_device<double, n, double>(exec, random_csr(40, n));
    auto const b = to_view<double>(exec, random_vector(40 * n)), x = to_view<double>(exec, random_vector(40 * n));
    double const blocks = (8.0 * n * n + 4) * static_cast<double>(a.blocks()), vector = 8.0 * n * 40;
    auto const expect_vectors = [&](RowOrder order, int plain, int transposed) {
      BlockIlu0Csr<double, n, TypeParam> ilu(exec, a, {.order = order, .transposed = true});
      ilu.factor(exec, a);
      Timers::start();
      ilu.solve(exec, b, x);
      ilu.solve_transposed(exec, b, x);
      Timers::stop();
      std::map<std::string, double> bytes;
      for (auto const& entry : Timers::entries()) bytes[entry.label] = entry.bytes;
      Timers::reset();
      std::string const of = "Hyperplane::BlockIlu0Csr::";
      EXPECT_EQ(bytes[of + "forward"] + bytes[of + "backward"], blocks + plain * vector);
      // For more threads rows may gather their products, and nothing is copied.
      if (exec.concurrency() > 2) return;
      EXPECT_EQ(bytes[of + "forward_transposed"] + bytes[of + "backward_transposed"], blocks + transposed * vector);
    };
    expect_vectors(RowOrder::natural, 4, 6);
    expect_vectors(RowOrder::rcm, 5, 7);
  }
}

TYPED_TEST(BlockIlu0CsrTest, solves_by_halves_and_into_another_vector) {
  TypeParam const exec;
  auto const a = to_device<double, 2, double>(exec, random_csr(40, 2));
  for (auto const order : {RowOrder::natural, RowOrder::colours}) {
    BlockIlu0Csr<double, 2, TypeParam> ilu(exec, a, {.order = order, .transposed = true});
    compare_halves(exec, ilu, a);
    compare_transposed_halves(exec, ilu, a);
  }
}

TYPED_TEST(BlockIlu0CsrTest, factors_new_values) {
  TypeParam const exec;
  auto const first = random_csr(30, 3);
  auto second = first;
  for (auto& block : second.blocks) {
    for (auto& entry : block.entries) entry *= -0.5;
  }
  auto const a = to_device<double, 3, double>(exec, first);
  BlockIlu0Csr<double, 3, TypeParam> ilu(exec, a);
  ilu.factor(exec, a);
  Kokkos::deep_copy(exec, a.values(), to_device<double, 3, double>(exec, second).values());
  ilu.factor(exec, a);
  auto const b = random_vector(90);
  auto const x = to_view<double>(exec, b);
  ilu.solve(exec, x, x);
  EXPECT_TRUE(near(to_host(x), ReferenceCsrIlu(second).solve(b), rounding<double>(100, 3)));
}

TYPED_TEST(BlockIlu0CsrTest, helps_krylov_methods) {
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
  auto const points = a.rows();
  auto const solution = random_vector(points * n);
  Vector const b(to_view<double>(exec, reference.dense() * solution)), x(exec, points);
  BlockIlu0Csr<double, n, TypeParam> ilu(exec, a);
  ilu.factor(exec, a);
  LineImplicitCsr<double, n, TypeParam> jacobi(exec, a, LineSet::lists(points, {0}, {}));
  jacobi.factor(exec, a);
  auto const run = [&](const auto& method, const auto& m) {
    Kokkos::deep_copy(exec, x.flat(), 0.0);
    auto const result = method.solve(exec, a, m, b, x);
    EXPECT_TRUE(result.converged()) << name(result.outcome);
    EXPECT_TRUE(near(to_host(x.flat()), solution, 1e-6));
    return result.iterations;
  };
  BiCgStab<Vector> const bicgstab(exec, points, {.tolerance = 1e-10, .max_iterations = 300});
  EXPECT_LT(run(bicgstab, ilu), run(bicgstab, jacobi));
  EXPECT_LT(run(bicgstab, ilu), run(bicgstab, IdentityPreconditioner()));
  Fgmres<Vector> const fgmres(exec, points, {.tolerance = 1e-10, .max_iterations = 300});
  EXPECT_LT(run(fgmres, ilu), run(fgmres, jacobi));
}

}  // namespace
}  // namespace hyperplane::test
