// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/colours.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/mpi/detail/stages_of_ranks.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "distributed_coloured_fixture.hpp"

// Grid blocks that are large enough to be cut into pieces where ranks meet.
namespace hyperplane::test {
namespace {

template <class Exec>
class DistributedPieces : public DistributedColoured<Exec> {
 protected:
  /// Grid blocks are cut into pieces on hosts where ranks meet: more stages than colours.
  template <class P>
  void expect_pieces(const MultiBlockGrid& whole) {
    // For more threads pieces are larger than these grid blocks.
    if (detail::concurrency_of(this->exec) > 2) return;
    auto const colours = detail::ranked_colours(find_colours(whole));
    DistributedGrid const grid(this->world, whole);
    auto const stages = detail::stages_of_ranks<P>(this->exec, grid, typename P::Options{}, colours);
    EXPECT_EQ(stages.are_cut(), HostExecutionSpace<Exec> && this->world.size() > 1);
    EXPECT_TRUE(!stages.are_cut() || stages.count() > 1 + std::ranges::max(colours));
  }
};

TYPED_TEST_SUITE(DistributedPieces, ExecutionSpaces, SpaceNames);

TYPED_TEST(DistributedPieces, have_the_bits_of_one_process) {
  using Ilu = BlockIlu0<double, 5, TypeParam>;
  Grid const box(5, 37, 10);
  for (auto const& parts : {std::array{1, 1, 3}, std::array{2, 1, 2}, std::array{1, 2, 2}}) {
    auto const whole = cut_grid(box, parts).grid;
    this->template expect_pieces<Ilu>(whole);
    this->template expect_same_bits<5>("natural in pieces", whole, {}, Coupling::natural);
    this->template expect_same_bits<5>("in pieces", whole);
  }
  auto const whole = cut_grid(box, {1, 1, 2}).grid;
  this->template expect_same_bits<5, float, double>("stored as float, the other colour first", whole, {1, 0});
  using WithSsor = Ssor<double, 5, TypeParam>;
  for (auto const coupling : {Coupling::coloured, Coupling::natural}) {
    this->template expect_bits_of_one_process<WithSsor>("SSOR in pieces", whole,
                                                        {.coupling = coupling, .block = {.relaxation = 1.2}});
  }
  auto const scalars = cut_grid(Grid(16, 40, 32), {1, 1, 2}).grid;
  this->template expect_pieces<Sip<double, TypeParam>>(scalars);
  this->template expect_bits_of_one_process<Sip<double, TypeParam>, double>("SIP in pieces", scalars,
                                                                            {.coupling = Coupling::coloured});
  auto const transforms = all_transforms();
  for (std::size_t t = 0; t < transforms.size(); t += 17) {
    this->template expect_same_bits<5>("pieces, " + to_string(transforms[t]),
                                       joined_pair(Grid(6, 31, 5), transforms[t]), {0, 1});
  }
}

// Where pieces of a higher colour are factored before others of a lower one.
TYPED_TEST(DistributedPieces, failures_are_those_of_one_process) {
  constexpr int n = 5;
  using Ilu = BlockIlu0<double, n, TypeParam>;
  auto const whole = cut_grid(Grid(5, 37, 10), {1, 1, 2}).grid;
  auto const spoiled = [&](MultiBlockReference& reference, int block, const Point& p, Direction direction) {
    auto& own = reference.blocks[block];
    own.block(own.grid.index(p), direction)(0, 1) = std::numeric_limits<double>::quiet_NaN();
  };
  auto const check = [&](const std::vector<int>& colours, Direction direction) {
    MultiBlockReference late_and_early(whole, n), early_and_late(whole, n);
    spoiled(late_and_early, 0, {2, 36, 1}, Direction::center);
    spoiled(late_and_early, 1, {3, 0, 0}, direction);
    this->template expect_failure_of_one_process<Ilu>(late_and_early, colours);
    spoiled(early_and_late, 0, {2, 0, 4}, Direction::top);
    spoiled(early_and_late, 1, {1, 36, 0}, direction);
    this->template expect_failure_of_one_process<Ilu>(early_and_late, colours);
  };
  check({0, 1}, Direction::center);
  check({1, 0}, Direction::bottom);
}

TYPED_TEST(DistributedPieces, an_error_between_pieces_is_an_error_on_all) {
  constexpr int n = 5;
  auto const whole = cut_grid(Grid(5, 37, 4 * 5), {1, 1, 4}).grid;
  DistributedGrid const grid(this->world, whole, Transport::host);
  auto const a = to_ranks<double, n, double>(this->exec, grid, MultiBlockReference(whole, n));
  auto const before = to_host(a.flat());
  DistributedMultiBlock<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid,
                                                             {.coupling = Coupling::coloured, .colours = {0, 1, 2, 3}});
  auto const b = to_ranks<double, n>(this->exec, grid, random_vector(whole.size() * n));
  DistributedVector<double, n, TypeParam> const expected(this->exec, grid), x(this->exec, grid);
  ilu.factor(this->exec, a);
  ilu.solve(this->exec, b, expected);
  namespace tools = Kokkos::Tools::Experimental;
  static int left = 0;
  for (int failing = 0; failing < this->world.size(); ++failing) {
    if (this->world.rank() == failing) {
      // After some messages of this rank, where it has some.
      left = HostExecutionSpace<TypeParam> ? 2 : 0;
      tools::set_begin_fence_callback([](const char* label, std::uint32_t, std::uint64_t*) {
        if (std::string_view(label) != "Hyperplane: values for other ranks are packed") return;
        if (left-- == 0) throw std::runtime_error("the device has failed");
      });
    }
    auto const text = thrown_text([&] { ilu.factor(this->exec, a); });
    tools::set_begin_fence_callback(nullptr);
    EXPECT_EQ(text, this->world.size() == 1 ? "nothing thrown"
                                            : "rank " + std::to_string(failing) + ": the device has failed");
    EXPECT_TRUE(bitwise_equal(to_host(a.flat()), before));
    ilu.factor(this->exec, a);
    EXPECT_TRUE(ilu.status(this->exec).ok()) << ilu.status(this->exec).message();
    ilu.solve(this->exec, b, x);
    EXPECT_TRUE(bitwise_equal(to_host(this->exec, x), to_host(this->exec, expected)));
  }
}

}  // namespace
}  // namespace hyperplane::test
