// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/apply_on_devices.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/multi_block_on_devices.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <string>
#include <vector>

#include "blocks_on_devices.hpp"
#include "support/matchers.hpp"
#include "support/multi_block_reference.hpp"
#include "support/random_system.hpp"

// Solves with every coupling beside a serial reference that has the whole matrix.
namespace hyperplane::test {

/// What is made of values, and with which colours.
struct Made {
  std::vector<double> product, solution;
  std::vector<int> colours;
};

/// Grid blocks on one device.
template <class P>
struct OnOneDevice {
  using Plan = MultiBlock<P>;

  Made operator()(const MultiBlockReference& reference, const std::vector<double>& values,
                  const typename Plan::Options& options) const {
    constexpr int n = P::block_size;
    typename P::execution_space const exec;
    Plan plan(exec, reference.grid, options);
    auto const a = to_device<double, n, double>(exec, reference);
    plan.factor(exec, a);
    EXPECT_TRUE(plan.status(exec).ok());
    auto const x = to_device<double, n>(exec, reference.grid, values);
    typename Plan::Vector const y(exec, reference.grid);
    apply(exec, a, x, y);
    plan.solve(exec, x, x);
    return {to_host(exec, y), to_host(exec, x), plan.colours()};
  }
};

/// Grid blocks over two parts, in turn.
template <class P>
struct OnDevices {
  using Plan = MultiBlockOnDevices<P>;

  Made operator()(const MultiBlockReference& reference, const std::vector<double>& values,
                  const typename Plan::Options& options) const {
    constexpr int n = P::block_size;
    typename P::execution_space const exec;
    PartInstances<typename P::execution_space> const instances(2);
    std::vector<int> owners;
    for (int b = 0; b < reference.grid.block_count(); ++b) owners.push_back(b % 2);
    MultiBlockGridOnDevices<typename P::execution_space> const grid(instances.all(), reference.grid, owners);
    Plan plan(grid, options);
    auto const a = to_devices<n, double>(exec, grid, reference);
    plan.factor(exec, a);
    EXPECT_TRUE(plan.status().ok());
    auto const x = to_devices<n>(exec, grid, values);
    typename Plan::Vector const y(exec, grid);
    apply(exec, a, x, y);
    plan.solve(exec, x, x);
    return {to_host(exec, y), to_host(exec, x), plan.colours()};
  }
};

/// With all couplings that there are: a solve with P is that of Reference(rows that M has of the whole matrix, places
/// of points, arguments ...).
template <class P, class Reference, template <class> class On, class... Arguments>
void expect_couplings(const CutGrid& cut, const typename P::Options& options, const Arguments&... arguments) {
  constexpr int n = P::block_size;
  MultiBlockReference const reference(cut.grid, n);
  auto const values = random_vector(cut.grid.size() * n);
  for (auto const coupling : {Coupling::none, Coupling::coloured, Coupling::natural}) {
    if (!On<P>::Plan::has_coupling(coupling)) continue;
    SCOPED_TRACE(std::string(name(coupling)) + ", n = " + std::to_string(n));
    auto const made = On<P>()(reference, values, {.coupling = coupling, .block = options});
    auto const rows = reference.rows([&](const Interface&) { return coupling != Coupling::none; });
    auto const places = coupling == Coupling::coloured ? coloured_places(cut.grid, made.colours) : natural_places(cut);
    EXPECT_TRUE(near(made.solution, Reference(rows, places, arguments...).solve(values), rounding<double>(100, n)));
    EXPECT_TRUE(near(made.product, reference.rows() * values, rounding<double>(100, n)));
  }
}

/// BILU(0) and SSOR.
template <int n, class Exec, template <class> class On>
void expect_couplings_of_size(const CutGrid& cut) {
  expect_couplings<BlockIlu0<double, n, Exec>, ReferenceOrderedIlu0, On>(cut, {});
  double const w = 1.3;
  expect_couplings<Ssor<double, n, Exec>, ReferenceOrderedSsor, On>(cut, {.relaxation = w}, w);
}

}  // namespace hyperplane::test
