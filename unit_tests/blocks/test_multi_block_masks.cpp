// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/blocks/mask_points.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "multi_block_grids.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/masks.hpp"
#include "support/matchers.hpp"
#include "support/multi_block_reference.hpp"
#include "support/reduced_system.hpp"
#include "support/transfer.hpp"

// mask_points() over several grid blocks: couplings across interfaces to masked points are zero, from both sides.
namespace hyperplane::test::multi_block_masks {
namespace {

constexpr double nonsense = std::numeric_limits<double>::quiet_NaN();

/// Masks of all points by name: all kinds of places in each grid block, and a layer on one side of the interfaces.
std::vector<std::pair<std::string, Mask>> masks_of_blocks(const MultiBlockGrid& grid) {
  std::vector<std::pair<std::string, Mask>> result = {{"one side of interfaces", Mask(grid.size(), 1)}};
  for (auto const& interface : grid.interfaces()) {
    if (interface.block > interface.donor) continue;
    auto const& [begin, end] = interface.points;
    for (int k = begin.k; k < end.k; ++k) {
      for (int j = begin.j; j < end.j; ++j) {
        for (int i = begin.i; i < end.i; ++i) {
          result[0].second[grid.first_point(interface.block) + grid.block(interface.block).index(i, j, k)] = 0;
        }
      }
    }
  }
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const parts = masks_of(grid.block(b));
    for (std::size_t m = 0; m < parts.size(); ++m) {
      if (b == 0) result.emplace_back(parts[m].first, Mask{});
      auto& mask = result[m + 1].second;
      mask.insert(mask.end(), parts[m].second.begin(), parts[m].second.end());
    }
  }
  return result;
}

/// `edit(stencil, mask)` of each grid block, and `block(coupling)` for each coupling from or to a masked point.
template <class Edit, class EditBlock>
MultiBlockReference edited(MultiBlockReference a, const Mask& mask, const Edit& edit, const EditBlock& edit_coupling) {
  auto const& grid = a.grid;
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const first = mask.begin() + grid.first_point(b);
    a.blocks[b] = edit(a.blocks[b], Mask(first, first + grid.block(b).size()), std::array<bool, 3>{});
  }
  for (auto const& interface : grid.interfaces()) {
    auto const& [begin, end] = interface.points;
    for (int k = begin.k; k < end.k; ++k) {
      for (int j = begin.j; j < end.j; ++j) {
        for (int i = begin.i; i < end.i; ++i) {
          auto const p = grid.block(interface.block).index(i, j, k);
          auto const q = grid.block(interface.donor).index(interface.donor_point({i, j, k}));
          if (mask[grid.first_point(interface.donor) + q] == 0) {
            edit_coupling(a.blocks[interface.block].block(p, interface.face));
          }
        }
      }
    }
  }
  return a;
}
MultiBlockReference without_masked_points(const MultiBlockReference& a, const Mask& mask) {
  return edited(a, mask, without_masked, [n = a.n](DenseMatrix& block) { block = DenseMatrix(n); });
}
MultiBlockReference with_nonsense_at_masked_points(const MultiBlockReference& a, const Mask& mask) {
  return edited(a, mask, with_nonsense, [](DenseMatrix& block) {
    for (auto& entry : block.entries) entry = nonsense;
  });
}

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

  /// The product with M of the other points in the order of Coupling::coloured; `expected_of(rows, places)` is M of
  /// theirs.
  template <class P, class ExpectedOf>
  void expect_coloured(const std::string& what, const MultiBlockGrid& grid, const ExpectedOf& expected_of) const {
    constexpr int n = P::Vector::block_size;
    MultiBlockReference const reference(grid, n);
    auto const values = random_vector(grid.size() * n, 4);
    for (auto const& [which, mask] : masks_of_blocks(grid)) {
      SCOPED_TRACE(what + ", masked: " + which);
      auto const points = to_view<std::int8_t>(exec, mask);
      auto const a = to_device<double, n, double>(exec, with_nonsense_at_masked_points(reference, mask));
      auto const x = to_device<double, n>(exec, grid, with_value(values, mask, nonsense));
      mask_points(exec, points, a);
      mask_points(exec, points, x);
      MultiBlock<P> plan(exec, grid, {.coupling = Coupling::coloured});
      plan.factor(exec, a);
      ASSERT_TRUE(plan.status(exec).ok()) << plan.status(exec).message();
      plan.solve(exec, x, x);
      ReducedSystem const reduced(reference.rows_without_own(), mask);
      auto const expected = expected_of(reduced.rows(), reduced.places(coloured_places(grid, plan.colours())));
      EXPECT_TRUE(near(to_host(exec, x), reduced.embedded(expected.solve(reduced.taken(values))), 1e-12));
    }
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
