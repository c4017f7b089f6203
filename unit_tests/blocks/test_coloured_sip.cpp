// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/sip/sip.hpp>
#include <numeric>
#include <vector>

#include "multi_block_fixture.hpp"
#include "support/sip_reference.hpp"
#include "support/solver_paths.hpp"

// SIP whose grid blocks are coupled as those of ILU(0) are.
namespace hyperplane::test {
namespace {

/// SIP of each grid block, in the order of the colours: neighbours of lower ones subtract from its diagonal.
class ReferenceColouredSip {
 public:
  ReferenceColouredSip(const MultiBlockReference& a, const std::vector<int>& colours, double alpha)
      : m_grid(a.grid), m_rows(a.rows_without_own()), m_colours(colours), m_order(colours.size()) {
    std::iota(m_order.begin(), m_order.end(), 0);
    std::ranges::stable_sort(m_order, {}, [&](int b) { return colours[b]; });
    for (int b = 0; b < m_grid.block_count(); ++b) {
      m_blocks.insert(m_blocks.end(), m_grid.block(b).size(), b);
      m_factors.emplace_back(a.blocks[b], alpha);
    }
    for (int const b : m_order) {
      auto matrix = a.blocks[b];
      for (std::int64_t p = 0; p < m_grid.block(b).size(); ++p) {
        auto const own = m_grid.first_point(b) + p;
        for_neighbours(own, true, [&](std::int64_t q, double coupling) {
          double const reverse = m_rows.blocks[q].at(own)(0, 0);
          matrix.block(p, Direction::center)(0, 0) -= coupling * reverse / diagonal(q);
        });
      }
      m_factors[b] = ReferenceSip(matrix, alpha);
    }
  }

  std::vector<double> solve(std::vector<double> x) const {
    for (int const b : m_order) {
      sweep(
          x, b,
          [&](std::int64_t p) {
            double sum = 0;
            for_neighbours(p, true, [&](std::int64_t q, double coupling) { sum += coupling * x[q]; });
            return sum;
          },
          &ReferenceSip::forward);
    }
    for (auto b = m_order.rbegin(); b != m_order.rend(); ++b) {
      sweep(
          x, *b,
          [&](std::int64_t p) {
            double sum = 0;
            for_neighbours(p, false, [&](std::int64_t q, double coupling) { sum += coupling * x[q]; });
            return sum / diagonal(p);
          },
          &ReferenceSip::backward);
    }
    return x;
  }

 private:
  double diagonal(std::int64_t p) const { return m_factors[m_blocks[p]].diagonal(p - m_grid.first_point(m_blocks[p])); }

  /// use(q, coupling) for neighbours of lower colours, or of higher ones.
  template <class Use>
  void for_neighbours(std::int64_t p, bool lower, const Use& use) const {
    for (auto const& [q, block] : m_rows.blocks[p]) {
      int const own = m_colours[m_blocks[p]], other = m_colours[m_blocks[q]];
      if (own != other && (other < own) == lower) use(q, block(0, 0));
    }
  }
  template <class Sum>
  void sweep(std::vector<double>& x, int b, const Sum& sum,
             std::vector<double> (ReferenceSip::*half)(std::vector<double>) const) const {
    std::vector<double> part;
    auto const first = m_grid.first_point(b);
    for (std::int64_t p = first; p < first + m_grid.block(b).size(); ++p) part.push_back(x[p] - sum(p));
    std::ranges::copy((m_factors[b].*half)(part), x.begin() + first);
  }

  MultiBlockGrid m_grid;
  BlockRows m_rows;
  std::vector<int> m_colours, m_order;
  std::vector<int> m_blocks;  ///< of points
  std::vector<ReferenceSip> m_factors;
};

template <class Exec>
class ColouredSip : public MultiBlockTest<Exec> {
 protected:
  template <class Storage = double, class MatrixStorage = Storage>
  void expect_in_order(const std::string& what, const MultiBlockGrid& grid, const std::vector<int>& colours,
                       double tolerance) {
    for (double const alpha : {0.0, 0.92}) {
      this->template expect_coupled<Sip<double, Exec, Storage>, MatrixStorage>(
          what + ", alpha = " + std::to_string(alpha), grid,
          {.coupling = Coupling::coloured, .colours = colours, .block = {.alpha = alpha}},
          [&](const MultiBlockReference& a, const std::vector<int>& found) {
            return ReferenceColouredSip(a, found, alpha);
          },
          tolerance);
    }
  }
};
TYPED_TEST_SUITE(ColouredSip, ExecutionSpaces, SpaceNames);

TYPED_TEST(ColouredSip, is_sip_of_grid_blocks_with_couplings_of_ilu0) {
  for (auto const& [what, grid] : awkward_grids()) this->expect_in_order(what, grid, {}, 1e-12);
  auto const grid = cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid;
  this->expect_in_order("a colour for each", grid, {11, 3, 5, 7, 9, 1, 2, 0, 4, 6, 8, 10}, 1e-12);
  this->template expect_in_order<float>("stored as float", grid, {}, 1e-5);
  this->template expect_in_order<float, double>("factors stored as float", grid, {}, 1e-5);
  for (auto const& transform : all_transforms()) {
    this->expect_in_order(to_string(transform), joined_pair(Grid(3, 5, 2), transform), {1, 0}, 1e-12);
  }
}

// With alpha = 0 SIP is ILU(0).
TYPED_TEST(ColouredSip, is_ilu0_of_the_whole_matrix_without_extrapolation) {
  auto const grid = cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid;
  this->template expect_coupled<Sip<double, TypeParam>, double>(
      "alpha = 0", grid, {.coupling = Coupling::coloured, .block = {.alpha = 0}},
      [&](const MultiBlockReference& a, const std::vector<int>& found) {
        return ReferenceOrderedIlu0(a.rows_without_own(), coloured_places(grid, found));
      },
      1e-12);
}

TYPED_TEST(ColouredSip, paths_agree) {
  auto const grid = cut_grid(Grid(9, 17, 6), {2, 2, 2}).grid;
  auto const a = to_device<double, 1, double>(this->exec, MultiBlockReference(grid, 1));
  auto const rhs = to_device<double, 1>(this->exec, grid, random_vector(grid.size()));
  std::vector<double> first;
  for (auto const path : paths_of<TypeParam>()) {
    MultiBlock<Sip<double, TypeParam>> plan(this->exec, grid,
                                            {.coupling = Coupling::coloured, .block = {.path = path}});
    MultiBlockVector<double, 1, TypeParam> const x(this->exec, grid);
    plan.factor(this->exec, a);
    plan.solve(this->exec, rhs, x);
    if (first.empty()) first = to_host(this->exec, x);
    EXPECT_TRUE(near(to_host(this->exec, x), first, 1e-13)) << name(path);
  }
}

/// -1 to each neighbour, also across interfaces, and their number on the diagonal, with a little more.
MultiBlockReference poisson(const MultiBlockGrid& grid) {
  MultiBlockReference a(grid, 1);
  for (auto& block : a.blocks) {
    for (std::int64_t p = 0; p < block.grid.size(); ++p) {
      for (auto const d : stencil7_directions) block.block(p, d)(0, 0) = d == Direction::center ? 6.001 : -1.0;
    }
  }
  return a;
}

TYPED_TEST(ColouredSip, takes_fewer_iterations_than_without_couplings) {
  auto const grid = cut_grid(Grid(24, 20, 16), {2, 2, 2}).grid;
  auto const reference = poisson(grid);
  auto const a = to_device<double, 1, double>(this->exec, reference);
  auto const b = to_device<double, 1>(this->exec, grid, random_vector(grid.size()));
  auto const iterations = [&](Coupling coupling) {
    using Vector = MultiBlockVector<double, 1, TypeParam>;
    MultiBlock<Sip<double, TypeParam>> plan(this->exec, grid, {.coupling = coupling});
    plan.factor(this->exec, a);
    Vector const x(this->exec, grid);
    auto const result = BiCgStab<Vector>(this->exec, grid, {.tolerance = 1e-8}).solve(this->exec, a, plan, b, x);
    EXPECT_TRUE(result.converged());
    return result.iterations;
  };
  EXPECT_LT(iterations(Coupling::coloured), iterations(Coupling::none));
}

TYPED_TEST(ColouredSip, has_no_natural_order) {
  auto const grid = cut_grid(Grid(6, 4, 4), {2, 1, 1}).grid;
  EXPECT_THAT(([&] { MultiBlock<Sip<double, TypeParam>>(this->exec, grid, {.coupling = Coupling::natural}); }),
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("this preconditioner has no coupling natural")));
}

}  // namespace
}  // namespace hyperplane::test
