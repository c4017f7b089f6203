// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <hyperplane/blocks/parted.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/mask_points.hpp>
#include <limits>
#include <string>
#include <type_traits>

#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// What Parted says of failures and of wrong use, and what it launches.
namespace hyperplane::test::parted_contract {
namespace {

using ::testing::HasSubstr;

template <class Exec>
class PartedContract : public ::testing::Test {
 protected:
  Exec exec{};
};
TYPED_TEST_SUITE(PartedContract, ExecutionSpaces, SpaceNames);

/// A preconditioner as any other.
using HostExec = Kokkos::DefaultHostExecutionSpace;
static_assert(PreconditionerPlan<Parted<BlockIlu0<double, 2, HostExec>>, BlockStencil7<double, 2, HostExec>>);
static_assert(PreconditionerPlan<Parted<Ssor<double, 2, HostExec, float>>, BlockStencil7<double, 2, HostExec, float>>);

TYPED_TEST(PartedContract, failures_are_at_points_of_the_grid) {
  constexpr int n = 2;
  Grid const grid(6, 9, 8);
  auto const status_of = [&](const ReferenceStencil& a, Coupling coupling) {
    Parted<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid, {.parts = {2, 3, 2}, .coupling = coupling});
    ilu.factor(this->exec, to_device<double, n, double>(this->exec, a));
    auto const status = ilu.status(this->exec);
    ilu.factor(this->exec, to_device<double, n, double>(this->exec, random_stencil(grid, n)));
    EXPECT_TRUE(ilu.status(this->exec).ok());
    return status;
  };
  for (auto const coupling : {Coupling::none, Coupling::coloured, Coupling::natural}) {
    for (Point const p : {Point{0, 0, 0}, Point{3, 4, 5}, Point{5, 8, 7}}) {
      auto a = random_stencil(grid, n);
      auto& blocks = a.blocks[grid.index(p.i, p.j, p.k)];
      // What neighbours subtract from that row is zero.
      for (auto& block : blocks) block(1, 0) = block(1, 1) = 0.0;
      auto const status = status_of(a, coupling);
      EXPECT_EQ(status.failure, FactorFailure::zero_row) << name(coupling) << ": " << status.message();
      EXPECT_EQ(status.point, p);
    }
  }
  // A coupling between two parts points out of one of them, not out of the grid.
  auto a = random_stencil(grid, n);
  a.block(grid.index(3, 4, 5), Direction::west)(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(status_of(a, Coupling::coloured).message(), "not finite at point (3, 4, 5): block west");
}

TYPED_TEST(PartedContract, one_launch_copies_all_parts) {
  constexpr int n = 2;
  Grid const grid(9, 14, 5);
  auto const a = to_device<double, n, double>(this->exec, random_stencil(grid, n));
  BlockVector<double, n, TypeParam> const x(this->exec, grid);
  Parted<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid, {.parts = {2, 3, 2}});
  auto const copies = [&](const auto& run) {
    KokkosEvents const events;
    run();
    EXPECT_TRUE(events.allocations().empty());
    EXPECT_TRUE(events.fences().empty());
    return std::ranges::count_if(
        events.kernels(), [](const auto& kernel) { return kernel.label.starts_with("Hyperplane::Parted::copy"); });
  };
  EXPECT_EQ(copies([&] { ilu.factor(this->exec, a); }), 1);
  EXPECT_EQ(copies([&] { ilu.solve(this->exec, x, x); }), 2);
}

TYPED_TEST(PartedContract, wrong_use_is_refused) {
  constexpr int n = 2;
  Grid const grid(6, 4, 4);
  using Ilu = Parted<BlockIlu0<double, n, TypeParam>>;
  EXPECT_THAT(message_of([&] { Ilu(this->exec, grid, {.parts = {1, 5, 1}}); }),
              HasSubstr("5 parts of 4 points along j of a grid of 6x4x4 points"));
  EXPECT_THAT(message_of([&] { Ilu(this->exec, grid, {.parts = {0, 1, 1}}); }),
              HasSubstr("0 parts of 6 points along i"));
  using Jacobi = Parted<BlockJacobi<double, n, TypeParam>>;
  for (std::array<int, 3> const parts : {std::array{1, 1, 1}, std::array{1, 1, 2}}) {
    EXPECT_THAT(message_of([&] { Jacobi(this->exec, grid, {.parts = parts, .coupling = Coupling::coloured}); }),
                HasSubstr("this preconditioner has no coupling coloured"));
    Ilu ilu(this->exec, grid, {.parts = parts});
    BlockVector<double, n, TypeParam> const x(this->exec, grid), y(this->exec, Grid(4, 6, 4));
    EXPECT_THAT(message_of([&] { ilu.solve(this->exec, x, x); }), HasSubstr("Parted::solve: called before factor"));
    EXPECT_THAT(message_of([&] { ilu.solve_transposed(this->exec, x, x); }),
                HasSubstr("Parted::solve_transposed: called before factor"));
    EXPECT_THAT(message_of([&] { ilu.solve_transposed(this->exec, x, y); }),
                HasSubstr("Parted::solve_transposed: x is on"));
    EXPECT_THAT(message_of([&] { ilu.solve(this->exec, y, x); }),
                HasSubstr("Parted::solve: the right-hand side is on a grid of 4x6x4 points, expected 6x4x4"));
    EXPECT_THAT(message_of([&] { ilu.solve(this->exec, x, y); }), HasSubstr("Parted::solve: x is on"));
    EXPECT_THAT(message_of([&] { ilu.factor(this->exec, BlockStencil7<double, n, TypeParam>(this->exec, y.grid())); }),
                HasSubstr("Parted::factor: A is on"));
  }
}

TYPED_TEST(PartedContract, a_mask_that_is_refused_leaves_the_factors_as_they_are) {
  Grid const grid(6, 4, 4);
  auto const a = to_device<double, 1, double>(this->exec, random_stencil(grid, 1));
  auto const rhs = to_device<double, 1>(this->exec, grid, random_vector(grid.size()));
  auto const expect_refused = [&](const std::array<int, 3>& parts, std::int64_t mask_size, const std::string& what) {
    Parted<Sip<double, TypeParam>> sip(this->exec, grid, {.parts = parts});
    BlockVector<double, 1, TypeParam> const x(this->exec, grid), y(this->exec, grid);
    Kokkos::View<std::int8_t*, TypeParam> const mask("mask", mask_size);
    auto const refusal = [&] { return message_of([&] { sip.factor(this->exec, a, PointMask<TypeParam>(mask)); }); };
    EXPECT_THAT(refusal(), HasSubstr(what));
    EXPECT_THAT(message_of([&] { sip.solve(this->exec, rhs, x); }), HasSubstr("called before factor"));
    sip.factor(this->exec, a);
    sip.solve(this->exec, rhs, x);
    EXPECT_THAT(refusal(), HasSubstr(what));
    sip.solve(this->exec, rhs, y);
    EXPECT_TRUE(bitwise_equal(to_host(this->exec, y), to_host(this->exec, x)));
  };
  expect_refused({1, 1, 2}, grid.size(), "Parted::factor: a grid in parts takes no mask");
  expect_refused({1, 1, 1}, grid.size() - 1, "the mask has 95 values, expected 96");
}

TYPED_TEST(PartedContract, has_the_couplings_of_its_preconditioner) {
  auto const has = []<class P>(std::type_identity<Parted<P>>) {
    std::string couplings;
    for (auto const coupling : all_couplings) {
      if (Parted<P>::has_coupling(coupling)) couplings += std::string(name(coupling)) + ' ';
    }
    return couplings;
  };
  EXPECT_EQ(has(std::type_identity<Parted<BlockIlu0<double, 3, TypeParam>>>{}), "none coloured natural ");
  EXPECT_EQ(has(std::type_identity<Parted<Ssor<double, 3, TypeParam, float>>>{}), "none coloured natural ");
  EXPECT_EQ(has(std::type_identity<Parted<Sip<double, TypeParam>>>{}), "none coloured ");
  EXPECT_EQ(has(std::type_identity<Parted<BlockJacobi<double, 3, TypeParam>>>{}), "none ");
}

}  // namespace
}  // namespace hyperplane::test::parted_contract
