// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <hyperplane/blocks/cut_grid.hpp>
#include <vector>

#include "mpi/c_mpi_fixture.hpp"

namespace hyperplane::test {

/// M^-1 b, the same of vectors, of arrays and in place.
inline std::vector<double> applied(const CRankSystem& system, hyperplane_preconditioner m) {
  EXPECT_EQ(hyperplane_preconditioner_solve(m, system.b, system.x), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  auto const result = system.get(system.x);
  auto const rhs = system.own(system.rhs);
  std::vector<double> x(rhs.size());
  EXPECT_EQ(hyperplane_preconditioner_solve_array(m, 1, rhs.data(), x.data(), std::ssize(x), HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(x, result));
  EXPECT_EQ(hyperplane_vector_set(system.x, rhs.data(), std::ssize(rhs), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_solve(m, system.x, system.x), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(system.get(system.x), result)) << "in place";
  return result;
}

/// That of a preconditioner with these options.
inline std::vector<double> preconditioned(const CRankSystem& system, const hyperplane_preconditioner_options& options) {
  COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, system.block_size,
                                            &options);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS);
  return applied(system, m);
}

/// A system over ranks, and the same in one process that cuts nothing.
struct CRankAndWholeSystem {
  static constexpr int n = CRankSystem::n;

  explicit CRankAndWholeSystem(hyperplane_context where)
      : context(where),
        over_ranks(context, four_parts()),
        a(hyperplane_matrix_create, context, c_grid(grid), n, HYPERPLANE_STORAGE_DOUBLE) {
    auto const boxes = cut_grid(grid, cut).boxes;
    ReferenceStencil whole(grid, n);
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      auto const& block = over_ranks.reference.blocks[b];
      for (std::int64_t p = 0; p < block.grid.size(); ++p) {
        Point const here = block.grid.point(p);
        auto const number = grid.index(boxes[b].begin.i + here.i, boxes[b].begin.j + here.j, boxes[b].begin.k + here.k);
        whole.blocks[number] = block.blocks[p];
        numbers.push_back(number);
        for (int c = 0; c < n; ++c) {
          rhs[number * n + c] = over_ranks.rhs[(over_ranks.whole.first_point(static_cast<int>(b)) + p) * n + c];
        }
      }
    }
    auto const values = CRankSystem::values_of(whole);
    EXPECT_EQ(hyperplane_matrix_set(a, values.data(), std::ssize(values), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
  }

  /// M^-1 b, or M^-T b, of one process in the same parts.
  std::vector<double> preconditioned(hyperplane_preconditioner_options options, bool transposed = false) const {
    std::copy(cut.begin(), cut.end(), options.parts);
    COwned<hyperplane_preconditioner> const m(hyperplane_preconditioner_create, context, c_grid(grid), n, &options);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS);
    COwned<hyperplane_preconditioner> const mt(hyperplane_preconditioner_transpose, m);
    std::vector<double> x(rhs.size());
    EXPECT_EQ(hyperplane_preconditioner_solve_array(transposed ? mt : m, 1, rhs.data(), x.data(), std::ssize(x),
                                                    HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    return x;
  }

  /// What this rank has of a vector of the whole.
  std::vector<double> own(const std::vector<double>& x) const {
    std::vector<double> result;
    for (auto const number : numbers) {
      for (int c = 0; c < n; ++c) result.push_back(x[number * n + c]);
    }
    return over_ranks.own(result);
  }

  hyperplane_context context;
  Grid const grid{7, 6, 5};
  std::array<int, 3> const cut{2, 1, 2};
  CRankSystem over_ranks;
  COwned<hyperplane_matrix> a;
  std::vector<double> rhs = std::vector<double>(grid.size() * n);
  std::vector<std::int64_t> numbers;
};

}  // namespace hyperplane::test
