// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/half.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>
#include <random>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/least_team.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/views.hpp"

// Factorizations and sweeps of block CSR by any number of threads: the bits of one thread, whatever rows wait for.
namespace hyperplane::test {
namespace {

#ifdef KOKKOS_ENABLE_OPENMP
/// A diagonal that dominates, and random blocks where is_block(row, column) says that there are some.
template <class IsBlock>
ReferenceCsr csr_of(int rows, int n, const IsBlock& is_block) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  ReferenceCsr a(n);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < rows; ++column) {
      if (row != column && !is_block(row, column)) continue;
      DenseMatrix block(n);
      for (auto& entry : block.entries) entry = uniform(engine);
      for (int r = 0; r < n && column == row; ++r) block(r, r) += 2.0 * n * rows;
      a.add(column, block);
    }
    a.end_row();
  }
  return a;
}

/// Systems whose rows wait for none, one, many or all others.
std::vector<ReferenceCsr> systems(int n) {
  auto const apart = [](int, int) { return false; };
  auto const chain = [](int row, int column) { return row - column == 1 || column - row == 1; };
  auto const all = [](int, int) { return true; };
  auto const ends = [](int row, int column) { return row % 199 == 0 || column % 199 == 0; };
  return {csr_of(1, n, apart),   csr_of(5, n, all),    csr_of(150, n, apart),
          csr_of(200, n, chain), csr_of(200, n, ends), to_csr(random_stencil(Grid(33, 4, 5), n)),
          random_csr(700, n)};
}

/// What both kinds of solves give, by one after the other.
template <class Plan>
std::vector<double> solves(const Kokkos::OpenMP& exec, const ReferenceCsr& reference,
                           const typename Plan::Options& options) {
  constexpr int n = Plan::block_size;
  auto const a = to_device<double, n, double>(exec, reference);
  Plan plan(exec, a, options);
  plan.factor(exec, a);
  auto const x = to_view<double>(exec, random_vector(a.rows() * n));
  plan.solve(exec, x, x);
  plan.solve_transposed(exec, x, x);
  EXPECT_TRUE(plan.status(exec).ok()) << plan.status(exec).message();
  return to_host(x);
}

template <class Plan>
void compare_threads(typename Plan::Options options) {
  LeastTeam const team(always_teams);
  options.transposed = true;
  for (auto const& reference : systems(Plan::block_size)) {
    for (auto const order : {RowOrder::natural, RowOrder::rcm}) {
      options.order = order;
      options.path = CsrPath::portable;
      auto const expected = solves<Plan>(Kokkos::OpenMP(1), reference, options);
      options.path = CsrPath::team;
      for (int const threads : {1, 2, 3, 4, 5, 6, 7, 8}) {
        EXPECT_TRUE(bitwise_equal(solves<Plan>(Kokkos::OpenMP(threads), reference, options), expected))
            << reference.rows() << " rows, " << threads << " threads, order " << name(order);
      }
    }
  }
}

TEST(CsrThreads, do_not_change_bits_of_ilu) {
  using Exec = Kokkos::OpenMP;
  compare_threads<BlockIlukCsr<double, 1, Exec>>({.fill = 0});
  compare_threads<BlockIlukCsr<double, 5, Exec>>({.fill = 1});
  compare_threads<BlockIlukCsr<double, 2, Exec, Half>>({.fill = 1});
  compare_threads<BlockIlukCsr<double, 5, Exec, Quarter>>({.fill = 0});
  compare_threads<BlockIlukCsr<double, 3, Exec, Quarter>>({.fill = 1});
}

TEST(CsrThreads, do_not_change_bits_of_relaxations) {
  using Exec = Kokkos::OpenMP;
  compare_threads<DiluCsr<double, 5, Exec>>({});
  compare_threads<SsorCsr<double, 3, Exec>>({.relaxation = 1.2});
}
#endif

}  // namespace
}  // namespace hyperplane::test
