// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// The progress words of the slab path under more threads than cores, on many odd grids, plans used over and over: any
// value that is read too early changes the bits, a lost wake-up hangs.
namespace hyperplane::test {
namespace {

#ifdef KOKKOS_ENABLE_OPENMP

using Exec = Kokkos::OpenMP;

/// Short rows and long ones, with one slab and with many, of sizes that no vector length divides; and such that slabs
/// are cut into strips where there are more threads.
std::vector<Grid> grids() {
  std::vector<Grid> result = {Grid(8, 8, 70), Grid(64, 1, 23), Grid(40, 12, 16), Grid(25, 17, 40)};
  for (int const ni : {1, 2, 7, 61}) {
    for (int const nj : {1, 9, 17, 33, 131}) {
      for (int const nk : {1, 3, 11}) result.emplace_back(ni, nj, nk);
    }
  }
  return result;
}

/// A system, and what one thread makes of it.
template <int n, class Storage>
class Case {
 public:
  using Plan = BlockIlu0<double, n, Exec, Storage>;

  explicit Case(const Grid& grid)
      : m_grid(grid), m_rhs(random_vector(grid.size() * n)), m_a(to_device<double, n, Storage>(Exec(1), random(grid))) {
    Exec const one(1);
    Plan plan(one, m_grid, {.path = SweepPath::slab});
    plan.factor(one, m_a);
    auto const x = to_device<double, n>(one, m_grid, m_rhs);
    plan.solve(one, x, x);
    m_expected = to_host(one, x);
    auto const y = to_device<double, n>(one, m_grid, m_rhs);
    plan.solve_transposed(one, y, y);
    m_expected_transposed = to_host(one, y);
  }

  /// The same with one plan again and again, on `exec`.
  void repeat(const Exec& exec, int repetitions) const {
    Plan plan(exec, m_grid, {.path = SweepPath::slab});
    BlockVector<double, n, Exec> const x(exec, m_grid), y(exec, m_grid), b = to_device<double, n>(exec, m_grid, m_rhs);
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      plan.factor(exec, m_a);
      // One solve after the other without a look at the result: the next sweep finds its words ready.
      plan.solve(exec, b, x);
      plan.solve(exec, b, x);
      plan.solve_transposed(exec, b, y);
      auto const of = [&] {
        return to_string(m_grid) + ", " + std::to_string(detail::concurrency_of(exec)) + " threads, repetition " +
               std::to_string(repetition);
      };
      ASSERT_TRUE(bitwise_equal(to_host(exec, x), m_expected)) << of();
      ASSERT_TRUE(bitwise_equal(to_host(exec, y), m_expected_transposed)) << of() << ", transposed";
    }
  }

 private:
  static ReferenceStencil random(const Grid& grid) { return random_stencil(grid, n); }

  Grid m_grid;
  std::vector<double> m_rhs;
  BlockStencil7<double, n, Exec, Storage> m_a;
  std::vector<double> m_expected;
  std::vector<double> m_expected_transposed;
};

TEST(BlockIlu0Stress, many_threads_on_many_grids) {
  for (auto const& grid : grids()) {
    Case<1, double> const scalar(grid);
    Case<3, float> const block(grid);
    for (int const threads : {2, 3, 8}) {
      Exec const exec(threads);
      scalar.repeat(exec, 5);
      block.repeat(exec, 3);
    }
  }
}

TEST(BlockIlu0Stress, the_default_instance_has_all_threads) {
  Case<1, double> const scalar(Grid(13, 131, 7));
  scalar.repeat(Exec(), 50);
}

TEST(BlockIlu0Stress, plans_on_two_instances_at_once) {
  Case<1, double> const first(Grid(17, 67, 9));
  Case<3, float> const second(Grid(9, 41, 5));
  Exec const one(3), other(4);
  std::thread background([&] { first.repeat(one, 20); });
  second.repeat(other, 20);
  background.join();
}

#else

TEST(BlockIlu0Stress, needs_openmp) { GTEST_SKIP() << "this Kokkos has no OpenMP"; }

#endif

}  // namespace
}  // namespace hyperplane::test
