// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <cstdint>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/mask_points.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>

#include "distributed_fixture.hpp"
#include "support/views.hpp"

// Masks over ranks: the matrix and the vector have the values of one process, also where a masked point and its
// neighbour are on different ranks.
namespace hyperplane::test::distributed_masks {
namespace {

using ::testing::HasSubstr;

/// About a third of the points, those on interfaces among them.
std::vector<std::int8_t> scattered_mask(const MultiBlockGrid& grid, int seed) {
  std::vector<std::int8_t> mask;
  for (double const value : random_vector(grid.size(), seed)) mask.push_back(value > -0.3 ? 1 : 0);
  return mask;
}

/// The mask of this rank's grid blocks.
std::vector<std::int8_t> mask_of_rank(const DistributedGrid& grid, const std::vector<std::int8_t>& mask) {
  std::vector<std::int8_t> own;
  for (int const b : grid.blocks()) {
    auto const first = mask.begin() + grid.whole().first_point(b);
    own.insert(own.end(), first, first + grid.whole().block(b).size());
  }
  return own;
}

template <class Block>
std::vector<double> values_of(const Block& block) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, block.flat());
  return {host.data(), host.data() + host.size()};
}

template <class Exec>
class DistributedMasks : public DistributedTest<Exec> {
 protected:
  template <int n, class Storage = double>
  void expect_masked(const std::string& what, const MultiBlockGrid& whole) {
    MultiBlockReference const reference(whole, n);
    auto const x_values = random_vector(whole.size() * n);
    for (int const seed : {5, 6}) {
      auto const mask = scattered_mask(whole, seed);
      auto const a_one = to_device<double, n, Storage>(this->exec, reference);
      auto const x_one = to_device<double, n>(this->exec, whole, x_values);
      mask_points(this->exec, to_view<std::int8_t>(this->exec, mask), a_one);
      mask_points(this->exec, to_view<std::int8_t>(this->exec, mask), x_one);
      for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
        SCOPED_TRACE(what + ", " + how + ", n = " + std::to_string(n));
        DistributedGrid const grid(this->world, whole, owners);
        auto const a = to_ranks<double, n, Storage>(this->exec, grid, reference);
        auto const x = to_ranks<double, n>(this->exec, grid, x_values);
        auto const points = to_view<std::int8_t>(this->exec, mask_of_rank(grid, mask));
        mask_points(this->exec, points, a);
        mask_points(this->exec, points, x);
        for (int const b : grid.blocks()) {
          EXPECT_TRUE(bitwise_equal(values_of(a.block(b)), values_of(a_one.block(b)))) << "grid block " << b;
          EXPECT_TRUE(bitwise_equal(values_of(x.block(b)), values_of(x_one.block(b)))) << "grid block " << b;
        }
      }
    }
  }
};

TYPED_TEST_SUITE(DistributedMasks, ExecutionSpaces, SpaceNames);

TYPED_TEST(DistributedMasks, leave_the_matrix_of_one_process) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_masked<1>(what, grid);
    this->template expect_masked<3, float>(what, grid);
  }
}

TYPED_TEST(DistributedMasks, whatever_the_axes_of_the_neighbour) {
  for (auto const& transform : all_transforms()) {
    this->template expect_masked<2>(to_string(transform), joined_pair(Grid(3, 5, 2), transform));
  }
}

TYPED_TEST(DistributedMasks, coupled_solves_have_the_bits_of_one_process) {
  constexpr int n = 2;
  using Ilu = BlockIlu0<double, n, TypeParam>;
  auto const& exec = this->exec;
  auto const whole = cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid;
  MultiBlockReference const reference(whole, n);
  auto const values = random_vector(whole.size() * n);
  auto const mask = scattered_mask(whole, 5);
  for (auto const coupling : {Coupling::coloured, Coupling::natural}) {
    auto const all = to_view<std::int8_t>(exec, mask);
    auto const a_one = to_device<double, n, double>(exec, reference);
    auto const x_one = to_device<double, n>(exec, whole, values);
    mask_points(exec, all, a_one);
    mask_points(exec, all, x_one);
    MultiBlock<Ilu> one(exec, whole, {.coupling = coupling});
    one.factor(exec, a_one);
    one.solve(exec, x_one, x_one);
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      DistributedGrid const grid(this->world, whole, owners);
      auto const a = to_ranks<double, n, double>(exec, grid, reference);
      auto const x = to_ranks<double, n>(exec, grid, values);
      auto const own = to_view<std::int8_t>(exec, mask_of_rank(grid, mask));
      mask_points(exec, own, a);
      mask_points(exec, own, x);
      DistributedMultiBlock<Ilu> plan(exec, grid, {.coupling = coupling});
      plan.factor(exec, a);
      plan.solve(exec, x, x);
      EXPECT_TRUE(bitwise_equal(to_host(exec, x), part_of_rank(grid, n, to_host(exec, x_one))))
          << name(coupling) << ", " << how;
    }
  }
}

// A mask of one rank that is too short is an error on all of them, and no message is left.
TYPED_TEST(DistributedMasks, of_another_size_are_refused_on_all_ranks) {
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole);
  auto const a = to_ranks<double, 1, double>(this->exec, grid, MultiBlockReference(whole, 1));
  auto const missing = this->world.rank() == 0 ? 1 : 0;
  std::vector<std::int8_t> const mask(static_cast<std::size_t>(grid.local().size() - missing), 1);
  auto const points = to_view<std::int8_t>(this->exec, mask);
  EXPECT_THAT(thrown_text([&] { mask_points(this->exec, points, a); }), HasSubstr("mask_points: the mask has"));
  this->template expect_masked<1>("afterwards", whole);
}

}  // namespace
}  // namespace hyperplane::test::distributed_masks
