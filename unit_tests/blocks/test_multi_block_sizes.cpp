// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <string>
#include <utility>

#include "support/matchers.hpp"
#include "support/multi_block_reference.hpp"

// Every coupling at every block size, on the host: a program of its own, which is compiled beside the others.
namespace hyperplane::test {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// A solve with P is that of Reference(rows that M has of the whole matrix, places of points, arguments ...).
template <class P, class Reference, class... Arguments>
void check(const CutGrid& cut, const typename P::Options& options, const Arguments&... arguments) {
  constexpr int n = P::block_size;
  MultiBlockReference const reference(cut.grid, n);
  auto const values = random_vector(cut.grid.size() * n);
  for (auto const coupling : {Coupling::none, Coupling::coloured, Coupling::natural}) {
    SCOPED_TRACE(std::string(name(coupling)) + ", n = " + std::to_string(n));
    Exec const exec;
    MultiBlock<P> plan(exec, cut.grid, {.coupling = coupling, .block = options});
    auto const a = to_device<double, n, double>(exec, reference);
    plan.factor(exec, a);
    EXPECT_TRUE(plan.status(exec).ok());
    auto const x = to_device<double, n>(exec, cut.grid, values);
    plan.solve(exec, x, x);
    auto const rows = reference.rows([&](const Interface&) { return coupling != Coupling::none; });
    auto const places =
        coupling == Coupling::coloured ? coloured_places(cut.grid, plan.colours()) : natural_places(cut);
    EXPECT_TRUE(near(to_host(exec, x), Reference(rows, places, arguments...).solve(values), rounding<double>(100, n)));
  }
}

template <int n>
void check_size(const CutGrid& cut) {
  check<BlockIlu0<double, n, Exec>, ReferenceOrderedIlu0>(cut, {});
  double const w = 1.3;
  check<Ssor<double, n, Exec>, ReferenceOrderedSsor>(cut, {.relaxation = w}, w);
}

TEST(MultiBlockSizes, every_coupling_agrees_with_reference) {
  // Parts with full SIMD groups and with others, and of odd extents.
  auto const cut = cut_grid(Grid(5, 19, 2), {2, 2, 1});
  [&]<int... n>(std::integer_sequence<int, n...>) {
    (check_size<n + 1>(cut), ...);
  }(std::make_integer_sequence<int, max_block_size>{});
}

}  // namespace
}  // namespace hyperplane::test
