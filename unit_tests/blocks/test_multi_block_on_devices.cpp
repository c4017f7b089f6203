// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hyperplane/blocks/apply_on_devices.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/multi_block_line_implicit.hpp>
#include <hyperplane/blocks/multi_block_on_devices.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blocks_on_devices.hpp"
#include "coupling_reference.hpp"
#include "multi_block_grids.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/random_system.hpp"

// Preconditioners of grid blocks over devices: M and the bits of one device.
namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;

template <class Exec>
class MultiBlockOnDevicesTest : public ::testing::Test {
 protected:
  /// Solves and transposed solves, with all ways to give grid blocks to parts.
  template <class P>
  void expect_solves(const std::string& what, const MultiBlockGrid& whole, int parts,
                     const typename MultiBlock<P>::Options& options) const {
    constexpr int n = P::Vector::block_size;
    MultiBlockReference const reference(whole, n);
    auto const values = random_vector(whole.size() * n, 4);
    MultiBlock<P> one(exec, whole, options);
    one.factor(exec, to_device<double, n, double>(exec, reference));
    auto const expected = solutions(one, to_device<double, n>(exec, whole, values));
    PartInstances<Exec> const instances(parts);
    for (auto const& [how, owners] : owners_of_parts(whole, parts)) {
      SCOPED_TRACE(what + " in " + std::to_string(parts) + " parts, " + how + ", n = " + std::to_string(n));
      MultiBlockGridOnDevices<Exec> const grid(instances.all(), whole, owners);
      auto const a = to_devices<n, double>(exec, grid, reference);
      MultiBlockOnDevices<P> plan(grid, options);
      EXPECT_EQ(plan.colours(), one.colours());
      // The second factorization begins as the first one did.
      plan.factor(exec, a);
      plan.factor(exec, a);
      ASSERT_TRUE(plan.status().ok()) << plan.status().message();
      auto const found = solutions(plan, to_devices<n>(exec, grid, values));
      for (std::size_t s = 0; s < found.size(); ++s) EXPECT_TRUE(bitwise_equal(found[s], expected[s])) << "solve " << s;
    }
  }

  Exec exec{};

 private:
  /// With M, in place, and with M^T.
  template <class Plan, class Vector>
  std::vector<std::vector<double>> solutions(const Plan& plan, const Vector& rhs) const {
    Vector const x(exec, rhs.grid()), y(exec, rhs.grid());
    plan.solve(exec, rhs, x);
    plan.solve_transposed(exec, rhs, y);
    plan.solve(exec, rhs, rhs);
    return {to_host(exec, x), to_host(exec, y), to_host(exec, rhs)};
  }
};
TYPED_TEST_SUITE(MultiBlockOnDevicesTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(MultiBlockOnDevicesTest, coloured_has_the_bits_of_one_device) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_solves<BlockIlu0<double, 2, TypeParam>>(what, grid, 3, {.coupling = Coupling::coloured});
  }
  auto const grid = cut_grid(Grid(7, 12, 5), {2, 3, 2}, {true, false, false}).grid;
  Coupling const coloured = Coupling::coloured;
  this->template expect_solves<BlockIlu0<double, 5, TypeParam, float>>("float", grid, 4, {.coupling = coloured});
  this->template expect_solves<BlockIlu0<double, 2, TypeParam>>(
      "a colour for each", grid, 2, {.coupling = coloured, .colours = {11, 3, 5, 7, 9, 1, 2, 0, 4, 6, 8, 10}});
  this->template expect_solves<Ssor<double, 2, TypeParam>>("SSOR", grid, 3,
                                                           {.coupling = coloured, .block = {.relaxation = 1.3}});
  this->template expect_solves<Sip<double, TypeParam>>("SIP", grid, 3, {.coupling = coloured});
}

TYPED_TEST(MultiBlockOnDevicesTest, coloured_whatever_the_axes_of_the_neighbour) {
  for (auto const& transform : all_transforms()) {
    this->template expect_solves<BlockIlu0<double, 2, TypeParam>>(
        to_string(transform), joined_pair(Grid(3, 5, 2), transform), 2, {.coupling = Coupling::coloured});
  }
}

// On the path of slabs of hosts kernels take neighbours of other parts at their place; elsewhere these are ghost
// points, where one device has the box.
TYPED_TEST(MultiBlockOnDevicesTest, natural_has_the_bits_of_one_device) {
  Coupling const natural = Coupling::natural;
  auto const cut = cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid;
  // The second one is below the first; the third lies beside both of them, and they fill no box.
  MultiBlockGrid const open(
      {Grid(4, 3, 2), Grid(4, 3, 5), Grid(2, 3, 7)},
      {{.block = 1, .face = Direction::top, .points = {{0, 0, 4}, {4, 3, 5}}, .donor = 0},
       {.block = 0, .face = Direction::east, .points = {{3, 0, 0}, {4, 3, 2}}, .donor = 2, .donor_begin = {0, 0, 5}}});
  auto const stacked = cut_grid(Grid(5, 9, 8), {1, 1, 5}).grid;
  auto const periodic = cut_grid(Grid(6, 9, 4), {3, 1, 2}, {true, true, false}).grid;
  for (auto const path : paths_of<TypeParam>()) {
    std::string const how = name(path);
    for (auto const& [what, grid] : {std::pair("cut", cut), std::pair("open", open), std::pair("stacked", stacked)}) {
      this->template expect_solves<BlockIlu0<double, 2, TypeParam>>(what + (", " + how), grid, 3,
                                                                    {.coupling = natural, .block = {.path = path}});
    }
    this->template expect_solves<Ssor<double, 2, TypeParam>>(
        "SSOR, " + how, cut, 3, {.coupling = natural, .block = {.relaxation = 1.3, .path = path}});
    this->template expect_solves<BlockIlu0<double, 5, TypeParam, float>>(
        "float, " + how, cut, 4, {.coupling = natural, .block = {.path = path}});
    this->template expect_solves<BlockIlu0<double, 2, TypeParam>>("periodic, " + how, periodic, 3,
                                                                  {.coupling = natural, .block = {.path = path}});
  }
}

TYPED_TEST(MultiBlockOnDevicesTest, without_coupling_the_bits_of_one_device) {
  auto const grid = cut_grid(Grid(9, 12, 5), {2, 2, 2}, {false, true, false}).grid;
  this->template expect_solves<BlockIlu0<double, 2, TypeParam>>("BILU(0)", grid, 3, {});
  this->template expect_solves<BlockJacobi<double, 2, TypeParam>>("block Jacobi", grid, 3, {});
  this->template expect_solves<LineImplicit<double, 2, TypeParam>>("lines", grid, 3, {});
}

TYPED_TEST(MultiBlockOnDevicesTest, agree_with_reference) {
  expect_couplings_of_size<2, TypeParam, OnDevices>(cut_grid(Grid(5, 19, 2), {2, 2, 1}));
}

TYPED_TEST(MultiBlockOnDevicesTest, failures_are_those_of_one_device) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(6, 4, 4), {3, 1, 1}).grid;
  PartInstances<TypeParam> const instances(2);
  MultiBlockGridOnDevices<TypeParam> const grid(instances.all(), whole, {1, 0, 1});
  for (auto const& options : std::vector<MultiBlockOptions<BlockIlu0Options>>{
           {},
           {.coupling = Coupling::coloured, .colours = {0, 1, 0}},
           {.coupling = Coupling::coloured, .colours = {2, 1, 0}},
           {.coupling = Coupling::natural},
           {.coupling = Coupling::natural, .block = {.path = SweepPath::portable}}}) {
    MultiBlock<BlockIlu0<double, n, TypeParam>> one(this->exec, whole, options);
    MultiBlockOnDevices<BlockIlu0<double, n, TypeParam>> plan(grid, options);
    auto const same_ok = [&](const MultiBlockReference& reference) {
      one.factor(this->exec, to_device<double, n, double>(this->exec, reference));
      plan.factor(this->exec, to_devices<n, double>(this->exec, grid, reference));
      EXPECT_EQ(plan.status().message(), one.status(this->exec).message());
      return plan.status().ok();
    };
    for (auto const& blocks : std::vector<std::vector<int>>{{0}, {1}, {2}, {0, 1, 2}}) {
      MultiBlockReference singular(whole, n), coupling(whole, n);
      for (int const b : blocks) {
        for (int c = 0; c < n; ++c) {
          singular.blocks[b].block(0, Direction::center)(1, c) = 0.0;
          singular.blocks[b].block(0, Direction::west)(1, c) = 0.0;
        }
        coupling.blocks[b].block(4, Direction::west)(0, 1) = std::numeric_limits<double>::quiet_NaN();
      }
      EXPECT_FALSE(same_ok(singular));
      EXPECT_TRUE(same_ok(MultiBlockReference(whole, n)));
      // Where nothing is coupled, it depends on the path whether such a block is read.
      bool const found = !same_ok(coupling);
      EXPECT_TRUE(found || options.coupling == Coupling::none || blocks == std::vector{0});
    }
  }
}

// What it has found in couplings is no failure of the next one.
TYPED_TEST(MultiBlockOnDevicesTest, a_factorization_that_throws_leaves_the_next_one_alone) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(6, 4, 4), {3, 1, 1}).grid;
  PartInstances<TypeParam> const instances(2);
  MultiBlockGridOnDevices<TypeParam> const grid(instances.all(), whole, {1, 0, 1});
  MultiBlockReference const regular(whole, n);
  auto not_finite = regular;
  not_finite.blocks[2].block(4, Direction::west)(0, 1) = std::numeric_limits<double>::quiet_NaN();
  auto const a = to_devices<n, double>(this->exec, grid, not_finite);
  auto const b = to_devices<n, double>(this->exec, grid, regular);
  MultiBlockVectorOnDevices<double, n, TypeParam> const x(this->exec, grid);
  namespace tools = Kokkos::Tools::Experimental;
  for (auto const coupling : {Coupling::coloured, Coupling::natural}) {
    MultiBlockOnDevices<BlockIlu0<double, n, TypeParam>> plan(grid, {.coupling = coupling});
    tools::set_begin_parallel_for_callback([](const char* label, std::uint32_t, std::uint64_t*) {
      if (std::string_view(label) == "Hyperplane::MultiBlockOnDevices::factor::copy") fail("no launches");
    });
    auto const message = message_of([&] { plan.factor(this->exec, a); });
    tools::set_begin_parallel_for_callback(nullptr);
    EXPECT_THAT(message, HasSubstr("no launches"));
    EXPECT_THAT(message_of([&] { plan.solve(this->exec, x, x); }), HasSubstr("called before factor"));
    plan.factor(this->exec, b);
    EXPECT_TRUE(plan.status().ok()) << plan.status().message();
  }
}

TYPED_TEST(MultiBlockOnDevicesTest, krylov_methods_run_over_devices) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(12, 9, 8), {2, 2, 2}, {true, false, false}).grid;
  MultiBlockReference const reference(whole, n);
  auto const a = to_device<double, n, double>(this->exec, reference);
  auto const b = to_device<double, n>(this->exec, whole, random_vector(whole.size() * n));
  using Ilu = BlockIlu0<double, n, TypeParam>;
  MultiBlock<Ilu> one(this->exec, whole, {.coupling = Coupling::coloured});
  one.factor(this->exec, a);
  PartInstances<TypeParam> const instances(3);
  MultiBlockGridOnDevices<TypeParam> const grid(instances.all(), whole, {2, 0, 2, 0, 2, 0, 2, 0});
  auto const parts = to_devices<n, double>(this->exec, grid, reference);
  auto const right = to_devices<n>(this->exec, grid, random_vector(whole.size() * n));
  MultiBlockOnDevices<Ilu> plan(grid, {.coupling = Coupling::coloured});
  plan.factor(this->exec, parts);
  using Whole = MultiBlockVector<double, n, TypeParam>;
  using Vector = MultiBlockVectorOnDevices<double, n, TypeParam>;
  KrylovOptions const options{.tolerance = 1e-10, .max_iterations = 100, .restart = 6, .recycled = 2};
  auto const expect_as_one = [&]<template <class> class Method>(const auto& of_whole, const auto& m,
                                                                const auto& of_parts, const auto& of_devices,
                                                                bool bitwise) {
    Whole const x(this->exec, whole);
    Vector const y(this->exec, grid);
    auto const expected = Method<Whole>(this->exec, whole, options).solve(this->exec, of_whole, m, b, x);
    auto const result = Method<Vector>(this->exec, grid, options).solve(this->exec, of_parts, of_devices, right, y);
    EXPECT_TRUE(result.converged()) << result.message();
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_TRUE(near(to_host(this->exec, y), to_host(this->exec, x), bitwise ? 0.0 : 1e-8));
    if (bitwise) {
      EXPECT_TRUE(bitwise_equal(result.history, expected.history));
    }
  };
  expect_as_one.template operator()<BiCgStab>(a, one, parts, plan, false);
  expect_as_one.template operator()<Fgmres>(a, one, parts, plan, false);
  expect_as_one.template operator()<Fgcrodr>(a, one, parts, plan, false);
  // Nothing in it depends on the order of sums.
  expect_as_one.template operator()<Richardson>(a, one, parts, plan, true);
  expect_as_one.template operator()<Richardson>(transposed(a), transposed(one), transposed(parts), transposed(plan),
                                                true);
}

TYPED_TEST(MultiBlockOnDevicesTest, wrong_use_is_refused) {
  using Ilu = MultiBlockOnDevices<BlockIlu0<double, 2, TypeParam>>;
  auto const whole = cut_grid(Grid(6, 4, 4), {3, 1, 1}).grid;
  PartInstances<TypeParam> const instances(2);
  MultiBlockGridOnDevices<TypeParam> const grid(instances.all(), whole), other(instances.all(), whole, {0, 1, 0});
  EXPECT_THAT(message_of([&] { MultiBlockOnDevices<Sip<double, TypeParam>>(grid, {.coupling = Coupling::natural}); }),
              HasSubstr("MultiBlock: this preconditioner has no coupling natural"));
  MultiBlockGridOnDevices<TypeParam> const turned(instances.all(),
                                                  joined_pair(Grid(3, 5, 2), AxisTransform{{2, 1, 3}}));
  EXPECT_THAT(message_of([&] { Ilu(turned, {.coupling = Coupling::natural}); }),
              HasSubstr("coupling natural is for parts of one box, but at the east face of grid block 0"));
  EXPECT_THAT(message_of([&] { Ilu(grid, {.coupling = Coupling::coloured, .colours = {0, 0, 1}}); }),
              HasSubstr("grid blocks 0 and 1 have an interface and the same colour, 0"));
  Ilu ilu(grid);
  MultiBlockVectorOnDevices<double, 2, TypeParam> const x(this->exec, grid), y(this->exec, other);
  EXPECT_THAT(message_of([&] { ilu.solve(this->exec, x, x); }),
              HasSubstr("MultiBlockOnDevices::solve: called before factor"));
  EXPECT_THAT(message_of([&] { ilu.solve(this->exec, x, y); }),
              HasSubstr("MultiBlockOnDevices::solve: x is on " + to_string(other)));
}

}  // namespace
}  // namespace hyperplane::test
