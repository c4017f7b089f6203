// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <new>

#include "distributed_fixture.hpp"

// A rank whose own product throws inside of an iteration, while the others wait for its message and its sum: they never
// learn of it, but it has its exception, gives up all it has without waiting for anybody, and can end the program.
namespace hyperplane::test::throwing_rank {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Vector = DistributedVector<double, 2, Exec>;
using Matrix = DistributedStencil7<double, 2, Exec>;

/// A product that finds no memory in its third call on the last rank.
struct FailingProduct {
  Matrix a;
  int* calls;
};
void apply(const Exec& exec, const FailingProduct& product, const Vector& x, const Vector& y) {
  auto const& world = product.a.grid().communicator();
  if (++*product.calls == 3 && world.rank() + 1 == world.size()) throw std::bad_alloc();
  apply(exec, product.a, x, y);
}

void solve() {
  Exec const exec;
  Communicator const world(MPI_COMM_WORLD);
  auto const whole = cut_grid(Grid(4, 3, 2 * world.size()), {1, 1, world.size()}).grid;
  DistributedGrid const grid(world, whole);
  MultiBlockReference const reference(whole, 2);
  int calls = 0;
  FailingProduct const a{to_ranks<double, 2, double>(exec, grid, reference), &calls};
  auto const b = to_ranks<double, 2>(exec, grid, random_vector(whole.size() * 2));
  DistributedMultiBlock<BlockIlu0<double, 2, Exec>> ilu(exec, grid, {.coupling = Coupling::coloured});
  ilu.factor(exec, a.a);
  Vector const x(exec, grid);
  BiCgStab<Vector>(exec, grid, {.tolerance = 1e-10}).solve(exec, a, ilu, b, x);
}

TEST(ThrowingRank, has_its_exception_and_ends_the_program) {
  if (std::getenv("HYPERPLANE_TEST_THROWING_RANK") == nullptr)
    GTEST_SKIP() << "it ends the program: CTest runs it alone";
  try {
    solve();
  } catch (const std::bad_alloc&) {
    std::puts("the rank that throws ends the program");
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  FAIL() << "nothing was thrown";
}

}  // namespace
}  // namespace hyperplane::test::throwing_rank
