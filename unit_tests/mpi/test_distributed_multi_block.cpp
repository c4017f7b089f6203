// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <limits>
#include <stdexcept>

#include "distributed_fixture.hpp"

namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;

/// A preconditioner as any other, of vectors as any others.
using HostExec = Kokkos::DefaultHostExecutionSpace;
static_assert(PreconditionerPlan<DistributedMultiBlock<BlockIlu0<double, 2, HostExec>>,
                                 DistributedStencil7<double, 2, HostExec>>);
static_assert(KrylovVector<DistributedVector<double, 2, HostExec>>);

/// Does not work on a rank of the options.
template <class Exec>
class FailingBlock {
 public:
  struct Options {
    bool constructor_fails = false, factor_fails = false, status_fails = false;
  };
  using Vector = BlockVector<double, 2, Exec>;

  FailingBlock(const Exec&, const Grid&, const Options& options) : m_options(options) {
    if (m_options.constructor_fails) throw std::runtime_error("no memory");
  }
  template <class Matrix>
  void factor(const Exec&, const Matrix&) {
    if (m_options.factor_fails) throw std::runtime_error("no factors");
  }
  void solve(const Exec&, const Vector&, const Vector&) const {}
  FactorStatus status(const Exec&) const {
    if (m_options.status_fails) throw std::runtime_error("no status");
    return {};
  }

 private:
  Options m_options;
};

template <class Exec>
class DistributedMultiBlockTest : public DistributedTest<Exec> {};
TYPED_TEST_SUITE(DistributedMultiBlockTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(DistributedMultiBlockTest, solves_are_those_of_one_process) {
  constexpr int n = 2;
  auto const check = [&]<class P>(const char* what, const MultiBlockGrid& whole) {
    MultiBlockReference const reference(whole, n);
    auto const values = random_vector(whole.size() * n);
    MultiBlock<P> one(this->exec, whole);
    one.factor(this->exec, to_device<double, n, double>(this->exec, reference));
    MultiBlockVector<double, n, TypeParam> const expected(this->exec, whole);
    one.solve(this->exec, to_device<double, n>(this->exec, whole, values), expected);
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      DistributedGrid const grid(this->world, whole, owners);
      DistributedMultiBlock<P> all(this->exec, grid);
      EXPECT_EQ(all.coupling(), Coupling::none);
      all.factor(this->exec, to_ranks<double, n, double>(this->exec, grid, reference));
      EXPECT_TRUE(all.status(this->exec).ok());
      EXPECT_EQ(all.status(this->exec).message(), one.status(this->exec).message());
      auto const x = to_ranks<double, n>(this->exec, grid, values);
      all.solve(this->exec, x, x);
      EXPECT_TRUE(bitwise_equal(to_host(this->exec, x), part_of_rank(grid, n, to_host(this->exec, expected))))
          << what << ", " << how;
    }
  };
  for (auto const& [what, whole] : awkward_grids()) {
    check.template operator()<BlockIlu0<double, n, TypeParam>>(what.c_str(), whole);
  }
  auto const whole = cut_grid(Grid(9, 12, 5), {2, 2, 2}).grid;
  check.template operator()<BlockJacobi<double, n, TypeParam>>("BlockJacobi", whole);
  check.template operator()<LineImplicit<double, n, TypeParam>>("LineImplicit", whole);
}

TYPED_TEST(DistributedMultiBlockTest, failures_are_the_same_on_all_ranks) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
    DistributedGrid const grid(this->world, whole, owners);
    DistributedMultiBlock<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid);
    MultiBlockReference reference(whole, n);
    // The lowest number counts, whichever rank has it.
    for (int const b : {3, 2, 1}) {
      auto& center = reference.blocks[b].block(0, Direction::center);
      center(1, 0) = center(1, 1) = 0.0;
      for (int c = 0; c < n; ++c) reference.blocks[b].block(0, Direction::west)(1, c) = 0.0;
      ilu.factor(this->exec, to_ranks<double, n, double>(this->exec, grid, reference));
      auto const status = ilu.status(this->exec);
      EXPECT_EQ(status.grid_block, b) << how;
      EXPECT_EQ(status.rank, owners[b]) << how;
      EXPECT_EQ(status.message(),
                "grid block " + std::to_string(b) + " (rank " + std::to_string(owners[b]) +
                    "): singular pivot at point (0, 0, 0), equation 1: the row of the pivot block is zero");
    }
    // The next one begins anew.
    ilu.factor(this->exec, to_ranks<double, n, double>(this->exec, grid, MultiBlockReference(whole, n)));
    EXPECT_TRUE(ilu.status(this->exec).ok()) << how;
  }
}

TYPED_TEST(DistributedMultiBlockTest, exceptions_on_one_rank_are_errors_on_all) {
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole);
  DistributedStencil7<double, 2, TypeParam> const a(this->exec, grid);
  using Failing = DistributedMultiBlock<FailingBlock<TypeParam>>;
  int const failing = this->world.size() - 1;
  bool const fails = this->world.rank() == failing;
  auto const who = "rank " + std::to_string(failing) + ": ";
  EXPECT_EQ(thrown_text([&] { Failing(this->exec, grid, {.block = {.constructor_fails = fails}}); }),
            who + "no memory");
  Failing unfactored(this->exec, grid, {.block = {.factor_fails = fails}});
  EXPECT_EQ(thrown_text([&] { unfactored.factor(this->exec, a); }), who + "no factors");
  DistributedVector<double, 2, TypeParam> const x(this->exec, grid);
  // On all ranks, also where the factors of this one are there.
  EXPECT_THAT(thrown_text([&] { unfactored.solve(this->exec, x, x); }), HasSubstr("solve: called before factor"));
  Failing unknown(this->exec, grid, {.block = {.status_fails = fails}});
  unknown.factor(this->exec, a);
  EXPECT_EQ(thrown_text([&] { (void)unknown.status(this->exec); }), who + "no status");
}

TYPED_TEST(DistributedMultiBlockTest, wrong_use_is_refused) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole), other(Communicator(MPI_COMM_WORLD), whole);
  using Vector = DistributedVector<double, n, TypeParam>;
  using Matrix = DistributedStencil7<double, n, TypeParam>;
  DistributedMultiBlock<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid);
  Vector const x(this->exec, grid), y(this->exec, other);
  EXPECT_THAT(thrown_text([&] { ilu.solve(this->exec, x, x); }),
              HasSubstr("DistributedMultiBlock::solve: called before factor"));
  EXPECT_THAT(thrown_text([&] { ilu.solve(this->exec, y, x); }),
              HasSubstr("DistributedMultiBlock::solve: the right-hand side is on 4 grid blocks"));
  EXPECT_THAT(thrown_text([&] { ilu.solve(this->exec, x, y); }), HasSubstr("solve: x is on 4 grid blocks"));
  // On one rank.
  Matrix const a(this->exec, grid), b(this->exec, other);
  EXPECT_THAT(thrown_text([&] { ilu.factor(this->exec, this->world.rank() == 0 ? b : a); }),
              HasSubstr("rank 0: DistributedMultiBlock::factor: A is on 4 grid blocks"));
}

}  // namespace
}  // namespace hyperplane::test
