// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

// What solves with M^T promise beside their values.
namespace hyperplane::test {
namespace {

template <class Exec>
class TransposedSweepsContract : public ::testing::Test {};
TYPED_TEST_SUITE(TransposedSweepsContract, ExecutionSpaces, SpaceNames);

#ifdef KOKKOS_ENABLE_OPENMP
TEST(TransposedSweepsOpenMp, the_same_bits_for_1_2_and_4_threads) {
  constexpr int n = 5;
  for (auto const& grid : {Grid(17, 2, 9), Grid(9, 40, 6), Grid(30, 64, 20)}) {
    auto const a = to_device<double, n, double>(Kokkos::OpenMP(), random_stencil(grid, n));
    auto const b = to_device<double, n>(Kokkos::OpenMP(), grid, random_vector(grid.size() * n));
    for (SweepPath const path : {SweepPath::portable, SweepPath::slab}) {
      std::vector<double> expected;
      for (int const threads : {1, 2, 4}) {
        Kokkos::OpenMP const exec(threads);
        BlockIlu0<double, n, Kokkos::OpenMP> ilu(exec, grid, {.path = path});
        ilu.factor(exec, a);
        BlockVector<double, n, Kokkos::OpenMP> const x(exec, grid);
        for (int repetition = 0; repetition < 3; ++repetition) {
          ilu.solve_transposed(exec, b, x);
          auto const values = to_host(exec, x);
          if (expected.empty()) expected = values;
          EXPECT_TRUE(bitwise_equal(values, expected))
              << to_string(grid) << ", " << threads << " threads, path " << name(path);
        }
      }
    }
  }
}
#endif

TYPED_TEST(TransposedSweepsContract, allocate_nothing_and_fence_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  constexpr int n = 2;
  Grid const grid(9, 10, 4);
  auto const a = to_device<double, n, double>(exec, random_stencil(grid, n));
  auto const x = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto ilu = path.make<BlockIlu0<double, n, TypeParam>>(exec, grid);
    ilu.factor(exec, a);
    exec.fence();
    KokkosEvents const events;
    ilu.solve_transposed(exec, x, x);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.fences(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.copies(), ::testing::IsEmpty()) << name(path);
    auto const instance = Kokkos::Tools::Experimental::device_id(exec);
    EXPECT_FALSE(events.kernels().empty());
    for (auto const& kernel : events.kernels()) {
      EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::BlockIlu0::solve_transposed"));
      EXPECT_EQ(kernel.device_and_instance, instance) << kernel.label << " is not on the given instance";
    }
  }
}

TYPED_TEST(TransposedSweepsContract, can_be_prepared_before) {
  TypeParam const exec;
  constexpr int n = 2;
  Grid const grid(9, 10, 4);
  auto const a = to_device<double, n, double>(exec, random_stencil(grid, n));
  auto const b = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto const solved = [&](int times) {
      auto ilu = path.make<BlockIlu0<double, n, TypeParam>>(exec, grid);
      for (int t = 0; t < times; ++t) ilu.sweeps().prepare_transposed(exec);
      ilu.factor(exec, a);
      BlockVector<double, n, TypeParam> const x(exec, grid);
      ilu.solve_transposed(exec, b, x);
      return to_host(exec, x);
    };
    EXPECT_TRUE(bitwise_equal(solved(2), solved(0))) << name(path);
  }
}

TYPED_TEST(TransposedSweepsContract, refuse_what_solve_refuses) {
  TypeParam const exec;
  using ::testing::HasSubstr;
  Grid const grid(5, 11, 3);
  Ssor<double, 2, TypeParam> ssor(exec, grid);
  BlockVector<double, 2, TypeParam> const x(exec, grid), wrong(exec, Grid(11, 5, 3));
  EXPECT_THAT(message_of([&] { ssor.solve_transposed(exec, x, x); }),
              HasSubstr("Ssor::solve_transposed: called before factor"));
  EXPECT_THAT(message_of([&] { ssor.forward_transposed(exec, x, x); }),
              HasSubstr("Ssor::forward_transposed: called before factor"));
  EXPECT_THAT(message_of([&] { ssor.backward_transposed(exec, x, x); }),
              HasSubstr("Ssor::backward_transposed: called before factor"));
  ssor.factor(exec, to_device<double, 2, double>(exec, random_stencil(grid, 2)));
  EXPECT_THAT(message_of([&] { ssor.solve_transposed(exec, wrong, x); }),
              HasSubstr("Ssor::solve_transposed: the right-hand side"));
  EXPECT_THAT(message_of([&] { ssor.backward_transposed(exec, x, wrong); }), HasSubstr("Ssor::backward_transposed: x"));
}

/// A^T of a stencil.
ReferenceStencil transposed_stencil(const ReferenceStencil& a) {
  ReferenceStencil result(a.grid, a.n);
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      Point const other = neighbour(a.grid.point(p), d);
      if (a.grid.contains(other)) result.block(a.grid.index(other), opposite(d)) = transposed_dense(a.block(p, d));
    }
  }
  return result;
}

TYPED_TEST(TransposedSweepsContract, are_a_preconditioner_for_krylov_methods) {
  TypeParam const exec;
  constexpr int n = 3;
  using Vector = BlockVector<double, n, TypeParam>;
  auto const reference = random_stencil(Grid(11, 9, 10), n);
  auto const transposed_reference = transposed_stencil(reference);
  auto const solution = random_vector(reference.rows());
  auto const a = to_device<double, n, double>(exec, reference);
  auto const at = to_device<double, n, double>(exec, transposed_reference);
  auto const b = to_device<double, n>(exec, reference.grid, transposed_reference.apply(solution));
  Vector const x(exec, reference.grid);
  auto const solve = [&](const auto& method, const auto& m) {
    Kokkos::deep_copy(exec, x.flat(), 0.0);
    auto const result = method.solve(exec, at, transposed(m), b, x);
    EXPECT_TRUE(result.converged()) << name(result.outcome);
    EXPECT_TRUE(near(to_host(exec, x), solution, 1e-6));
    EXPECT_LT(result.iterations, 15);
  };
  BlockIlu0<double, n, TypeParam> ilu(exec, reference.grid);
  ilu.factor(exec, a);
  solve(Fgmres<Vector>(exec, reference.grid, {.tolerance = 1e-10, .max_iterations = 100}), ilu);
  Ssor<double, n, TypeParam> ssor(exec, reference.grid);
  ssor.factor(exec, a);
  solve(BiCgStab<Vector>(exec, reference.grid, {.tolerance = 1e-10, .max_iterations = 100}), ssor);
}

}  // namespace
}  // namespace hyperplane::test
