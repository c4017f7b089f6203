// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/blocks/mask_points.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <string>
#include <vector>

#include "coloured_sip_reference.hpp"
#include "masked_blocks.hpp"
#include "multi_block_grids.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/line_implicit_reference.hpp"
#include "support/matchers.hpp"
#include "support/reduced_system.hpp"
#include "support/transfer.hpp"

// mask_points() over several grid blocks: couplings across interfaces to masked points are zero, from both sides.
namespace hyperplane::test::multi_block_masks {
namespace {

/// The line-implicit iteration of each grid block by itself: one sweep along i, then along k.
struct ReferenceLinesOfBlocks {
  MultiBlockReference a;

  std::vector<double> solve(const std::vector<double>& rhs) const {
    std::vector<double> result;
    for (int g = 0; g < a.grid.block_count(); ++g) {
      auto const first = rhs.begin() + a.grid.first_point(g) * a.n;
      std::vector<double> const b(first, first + a.grid.block(g).size() * a.n);
      std::vector<double> x(b.size(), 0.0);
      for (auto const direction : {LineDirection::i, LineDirection::k}) {
        x = line_implicit_sweep(a.blocks[g], direction, 1.0, b, x, solve_exactly);
      }
      result.insert(result.end(), x.begin(), x.end());
    }
    return result;
  }
};

template <class Exec>
class MultiBlockMasks : public ::testing::Test {
 protected:
  template <int n, class Storage = double>
  void expect_masked(const std::string& what, const MultiBlockGrid& grid) const {
    MultiBlockReference const reference(grid, n);
    auto const values = random_vector(grid.size() * n);
    for (auto const& [which, mask] : masks_of_blocks(grid)) {
      SCOPED_TRACE(what + ", n = " + std::to_string(n) + ", masked: " + which);
      auto const points = to_view<std::int8_t>(exec, mask);
      auto const a = to_device<double, n, Storage>(exec, with_nonsense_at_masked_points(reference, mask));
      mask_points(exec, points, a);
      auto const expected = to_device<double, n, Storage>(exec, without_masked_points(reference, mask));
      EXPECT_TRUE(bitwise_equal(to_host(a.flat()), to_host(expected.flat())));
      auto const x = to_device<double, n>(exec, grid, with_value(values, mask, nonsense));
      mask_points(exec, points, x);
      auto const zeroed = to_device<double, n>(exec, grid, with_value(values, mask, 0.0));
      EXPECT_TRUE(bitwise_equal(to_host(x.flat()), to_host(zeroed.flat())));
      // As without these points.
      ReducedSystem const reduced(reference.rows(), mask);
      MultiBlockVector<double, n, Exec> const y(exec, grid);
      apply(exec, a, x, y);
      EXPECT_TRUE(
          near(to_host(exec, y), reduced.embedded(reduced.rows() * reduced.taken(values)), rounding<Storage>(30, n)));
    }
  }

  /// A solve leaves expected_of(matrix, mask, values, colours).
  template <class P, class ExpectedOf>
  void expect_solve(const std::string& what, const MultiBlockGrid& grid, const typename MultiBlock<P>::Options& options,
                    const ExpectedOf& expected_of) const {
    constexpr int n = MultiBlock<P>::block_size;
    MultiBlockReference const reference(grid, n);
    auto const values = random_vector(grid.size() * n, 4);
    for (auto const& [which, mask] : masks_of_blocks(grid)) {
      SCOPED_TRACE(what + ", masked: " + which);
      auto const points = to_view<std::int8_t>(exec, mask);
      auto const a = to_device<double, n, double>(exec, with_nonsense_at_masked_points(reference, mask));
      auto const x = to_device<double, n>(exec, grid, with_value(values, mask, nonsense));
      mask_points(exec, points, a);
      mask_points(exec, points, x);
      MultiBlock<P> plan(exec, grid, options);
      plan.factor(exec, a);
      ASSERT_TRUE(plan.status(exec).ok()) << plan.status(exec).message();
      plan.solve(exec, x, x);
      EXPECT_TRUE(near(to_host(exec, x), expected_of(reference, mask, values, plan.colours()), 1e-12));
    }
  }

  /// A solve with Coupling::coloured is that with M of the other points in its order; `reference_of(rows, places)` is M
  /// of theirs.
  template <class P, class ReferenceOf>
  void expect_coloured(const std::string& what, const MultiBlockGrid& grid, const ReferenceOf& reference_of) const {
    expect_solve<P>(what, grid, {.coupling = Coupling::coloured},
                    [&](const MultiBlockReference& a, const Mask& mask, const std::vector<double>& values,
                        const std::vector<int>& colours) {
                      ReducedSystem const reduced(a.rows_without_own(), mask);
                      auto const m = reference_of(reduced.rows(), reduced.places(coloured_places(grid, colours)));
                      return reduced.embedded(m.solve(reduced.taken(values)));
                    });
  }

  /// A solve is that of a reference of the matrix without the masked points, which leaves zeros there:
  /// `reference_of(matrix, colours)`.
  template <class P, class ReferenceOf>
  void expect_as_without_masked(const std::string& what, const MultiBlockGrid& grid,
                                const typename MultiBlock<P>::Options& options, const ReferenceOf& reference_of) const {
    expect_solve<P>(what, grid, options,
                    [&](const MultiBlockReference& a, const Mask& mask, const std::vector<double>& values,
                        const std::vector<int>& colours) {
                      return reference_of(without_masked_points(a, mask), colours).solve(with_value(values, mask, 0.0));
                    });
  }

  Exec exec{};
};
TYPED_TEST_SUITE(MultiBlockMasks, ExecutionSpaces, SpaceNames);

TYPED_TEST(MultiBlockMasks, leave_unit_rows_and_zeros_on_both_sides_of_interfaces) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_masked<1>(what, grid);
    this->template expect_masked<3, float>(what, grid);
  }
}

TYPED_TEST(MultiBlockMasks, whatever_the_axes_of_the_neighbour) {
  for (auto const& transform : all_transforms()) {
    this->template expect_masked<2>(to_string(transform), joined_pair(Grid(3, 5, 2), transform));
  }
}

TYPED_TEST(MultiBlockMasks, coloured_is_that_of_the_other_points) {
  using Rows = BlockRows;
  using Places = std::vector<std::int64_t>;
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_coloured<BlockIlu0<double, 2, TypeParam>>(
        what, grid, [](const Rows& rows, const Places& places) { return ReferenceOrderedIlu0(rows, places); });
    this->template expect_coloured<Ssor<double, 2, TypeParam>>(
        what, grid, [](const Rows& rows, const Places& places) { return ReferenceOrderedSsor(rows, places, 1.0); });
  }
}

TYPED_TEST(MultiBlockMasks, coloured_sip_is_that_of_the_other_points) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_as_without_masked<Sip<double, TypeParam>>(
        what, grid, {.coupling = Coupling::coloured, .block = {.alpha = 0.92}},
        [](const MultiBlockReference& a, const std::vector<int>& colours) {
          return ReferenceColouredSip(a, colours, 0.92);
        });
  }
}

TYPED_TEST(MultiBlockMasks, natural_is_that_of_the_other_points) {
  for (auto const& cut : {cut_grid(Grid(7, 12, 5), {2, 3, 2}), cut_grid(Grid(4, 9, 7), {1, 1, 3})}) {
    auto const places = natural_places(cut);
    this->template expect_as_without_masked<BlockIlu0<double, 2, TypeParam>>(
        "BlockIlu0", cut.grid, {.coupling = Coupling::natural},
        [&](const MultiBlockReference& a, const std::vector<int>&) { return ReferenceOrderedIlu0(a.rows(), places); });
    this->template expect_as_without_masked<Ssor<double, 2, TypeParam>>(
        "Ssor", cut.grid, {.coupling = Coupling::natural}, [&](const MultiBlockReference& a, const std::vector<int>&) {
          return ReferenceOrderedSsor(a.rows(), places, 1.0);
        });
  }
}

// What A has across interfaces is in no M then, masked or not.
TYPED_TEST(MultiBlockMasks, without_couplings_it_is_that_of_the_other_points_of_each_grid_block) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_as_without_masked<BlockIlu0<double, 2, TypeParam>>(
        what, grid, {}, [](const MultiBlockReference& a, const std::vector<int>&) {
          auto const no_order = coloured_places(a.grid, std::vector<int>(a.blocks.size()));
          return ReferenceOrderedIlu0(a.rows([](const Interface&) { return false; }), no_order);
        });
    this->template expect_as_without_masked<LineImplicit<double, 2, TypeParam>>(
        what + ", lines", grid, {.block = {.directions = {LineDirection::i, LineDirection::k}}},
        [](const MultiBlockReference& a, const std::vector<int>&) { return ReferenceLinesOfBlocks{a}; });
  }
}

TYPED_TEST(MultiBlockMasks, krylov_methods_solve_for_the_other_points) {
  constexpr int n = 2;
  using Vector = MultiBlockVector<double, n, TypeParam>;
  auto const& exec = this->exec;
  auto const grid = cut_grid(Grid(5, 8, 3), {2, 2, 1}, {true, false, false}).grid;
  MultiBlockReference const reference(grid, n);
  auto const values = random_vector(grid.size() * n);
  for (auto const& [which, mask] : masks_of_blocks(grid)) {
    auto const points = to_view<std::int8_t>(exec, mask);
    auto const a = to_device<double, n, double>(exec, with_nonsense_at_masked_points(reference, mask));
    auto const b = to_device<double, n>(exec, grid, with_value(values, mask, nonsense));
    mask_points(exec, points, a);
    mask_points(exec, points, b);
    MultiBlock<BlockIlu0<double, n, TypeParam>> ilu(exec, grid, {.coupling = Coupling::coloured});
    ilu.factor(exec, a);
    Vector const x(exec, grid);
    auto const result = BiCgStab<Vector>(exec, grid, {.tolerance = 1e-11}).solve(exec, a, ilu, b, x);
    EXPECT_TRUE(result.converged()) << which << ": " << result.message();
    ReducedSystem const reduced(reference.rows(), mask);
    EXPECT_TRUE(near(to_host(exec, x), reduced.solve(reduced.dense(), values), 1e-8)) << which;
  }
}

TYPED_TEST(MultiBlockMasks, allocate_nothing_and_refuse_another_size) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const grid = cut_grid(Grid(9, 10, 4), {2, 1, 1}).grid;
  MultiBlockStencil7<double, 2, TypeParam> const a(exec, grid);
  MultiBlockVector<double, 2, TypeParam> const x(exec, grid);
  auto const points = to_view<std::int8_t>(exec, Mask(360, 1));
  exec.fence();
  {
    KokkosEvents const events;
    mask_points(exec, points, a);
    EXPECT_EQ(events.kernels().size(), 3u);
    mask_points(exec, points, x);
    EXPECT_EQ(events.kernels().size(), 5u);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
    EXPECT_THAT(events.fences(), ::testing::IsEmpty());
    for (auto const& kernel : events.kernels()) {
      EXPECT_THAT(kernel.label, ::testing::HasSubstr("::mask_points"));
      EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
    }
  }
  auto const expect_refused = [&](const auto& given) {
    try {
      mask_points(exec, to_view<std::int8_t>(exec, Mask(180, 1)), given);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("the mask has 180 values, expected 360"));
    }
  };
  expect_refused(a);
  expect_refused(x);
}

}  // namespace
}  // namespace hyperplane::test::multi_block_masks
