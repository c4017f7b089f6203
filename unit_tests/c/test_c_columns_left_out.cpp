// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "c/c_grid_columns.hpp"
#include "support/masks.hpp"
#include "support/matchers.hpp"

// Several right-hand sides at a time, on grids: with points that are left out, and with columns that are.
namespace hyperplane::test::grid_columns {
namespace {

// At masked points x is what b is there: zero, or something else, which then is part of the norm.
TEST_P(CColumns, of_masked_matrices_leave_points_out) {
  Grid const grid(5, 4, 3);
  auto const mask = mask_of(grid);
  Grids const on(GetParam(), without_masked(random_stencil(grid, 2), mask));
  CSystem::set(on.a, values_of(with_nonsense(random_stencil(grid, 2), mask)), HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_matrix_mask(on.a, mask.data(), grid.size(), HYPERPLANE_HOST), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  auto const at_masked = [&](double value) { return with_value(random_vector(on.rows, 7), mask, value); };
  auto const zero_there = at_masked(0.0);
  auto only_there = at_masked(3.0);
  for (std::size_t e = 0; e < only_there.size(); ++e) only_there[e] -= zero_there[e];
  std::vector<double> b;
  for (auto const& column : {zero_there, only_there, at_masked(-2.0), zero_there}) {
    b.insert(b.end(), column.begin(), column.end());
  }
  std::vector<double> const guess(b.size(), 0.0);
  for (auto const method : {HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES}) {
    auto* const krylov = on.make_krylov(method);
    for (std::string const name : {"bilu0", "lines"}) {
      auto* const m = on.make(name, "", on.a);
      hyperplane_preconditioner mt = nullptr;
      EXPECT_EQ(hyperplane_preconditioner_transpose(m, &mt), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      expect_columns_as_alone(krylov, on.a, m, b, guess, 4, 3, 1e-7,
                              [&](const std::vector<double>& of) { return on.reference.apply(of); });
      expect_columns_as_alone(krylov, on.at, mt, b, guess, 4, 3, 1e-7,
                              [&](const std::vector<double>& of) { return on.adjoint.apply(of); });
      auto x = guess;
      std::vector<hyperplane_krylov_result> results(4);
      EXPECT_EQ(on.solve(krylov, on.a, m, b, x, results), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      for (int const v : {0, 3}) EXPECT_EQ(on.column(x, v), with_value(on.column(x, v), mask, 0.0)) << v;
      hyperplane_free(mt);
      hyperplane_free(m);
    }
    hyperplane_free(krylov);
  }
}

/// Points of the last two layers are alone, those of the last one with a block [0 1; 0 0], so that there is no solution
/// where the second unknown is in a right-hand side.
ReferenceStencil with_singular_layer(const Grid& grid) {
  auto a = random_stencil(grid, 2);
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    int const k = grid.point(p).k;
    for (auto const d : stencil7_directions) {
      bool const is_diagonal = d == Direction::center;
      if (is_diagonal && k < grid.nk() - 1) continue;
      if (!is_diagonal && std::max(k, neighbour(grid.point(p), d).k) < grid.nk() - 2) continue;
      for (int e = 0; e < 4; ++e) a.block(p, d)(e / 2, e % 2) = is_diagonal && e == 1 ? 1.0 : 0.0;
    }
  }
  return a;
}

TEST_P(CColumns, one_that_breaks_down_is_alone) {
  Grid const grid(4, 3, 4);
  Grids const on(GetParam(), with_singular_layer(grid));
  auto const unknown = [&](int k) { return static_cast<std::size_t>(on.grid.index({1, 1, k}) * 2 + 1); };
  auto const layer = static_cast<std::ptrdiff_t>(2 * grid.ni() * grid.nj());
  // Of the first layers, whose matrix is as any other.
  auto regular = random_vector(on.rows, 5);
  std::fill(regular.begin() + 2 * layer, regular.end(), 0.0);
  // Breaks down in its first iterations; and ends in later ones, in which FGMRES finds nothing any more, while BiCGStab
  // diverges.
  std::vector<double> soon(static_cast<std::size_t>(on.rows), 0.0);
  soon[unknown(3)] = 1.0;
  auto later = soon;
  later[unknown(2)] = 2.0;
  auto const columns_of = [](const std::vector<std::vector<double>>& columns) {
    std::vector<double> all;
    for (auto const& column : columns) all.insert(all.end(), column.begin(), column.end());
    return all;
  };
  for (auto const method : {HYPERPLANE_BICGSTAB, HYPERPLANE_FGMRES}) {
    auto* const krylov = on.make_krylov(method);
    std::vector<double> const guess(static_cast<std::size_t>(4 * on.rows), 0.0);
    std::vector<hyperplane_krylov_result> results(4);
    auto before = guess, after = guess;
    auto const good = columns_of({regular, regular, regular, regular});
    EXPECT_EQ(on.solve(krylov, on.a, nullptr, good, before, results), HYPERPLANE_SUCCESS);
    for (auto const& b : {columns_of({regular, soon, later, regular}), columns_of({later, regular, regular, soon})}) {
      auto const found = columns_as_alone(krylov, on.a, nullptr, b, guess, 4, 3, 1e-7,
                                          [&](const std::vector<double>& of) { return on.reference.apply(of); });
      for (int v = 0; v < 4; ++v) {
        auto const& result = found[static_cast<std::size_t>(v)];
        auto const column = on.column(b, v);
        EXPECT_EQ(result.outcome == HYPERPLANE_CONVERGED, column == regular) << v;
        if (column == soon) {
          EXPECT_EQ(result.breakdown, HYPERPLANE_BREAKDOWN_RECURSION) << v;
        }
      }
    }
    // Nothing of it is left.
    EXPECT_EQ(on.solve(krylov, on.a, nullptr, good, after, results), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(bitwise_equal(after, before));
    hyperplane_free(krylov);
  }
}

}  // namespace
}  // namespace hyperplane::test::grid_columns
