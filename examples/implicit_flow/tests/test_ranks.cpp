// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"
#include "flow_difference.hpp"
#include "mesh/blocks.hpp"
#include "ranks/flow_over_ranks.hpp"
#include "turned_mesh.hpp"

#include <hyperplane/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace implicit_flow::over_ranks {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using ::testing::HasSubstr;

/// Ways to hand grid blocks to ranks.
std::vector<std::vector<int>> owner_lists(int blocks, int ranks) {
  std::vector<int> in_turn, backwards, last;
  for (int b = 0; b < blocks; ++b) {
    in_turn.push_back(b % ranks);
    backwards.push_back(ranks - 1 - b % ranks);
    last.push_back(ranks - 1);
  }
  return {in_turn, backwards, last};
}

class FlowOverRanks : public ::testing::Test {
 protected:
  /// Steps whose length does not depend on sums over all cells, and a given number of correction iterations: no sum
  /// decides anything.
  static SteadyOptions without_sums(hyperplane::Coupling coupling = hyperplane::Coupling::none) {
    return {.max_steps = 3,
            .cfl = 1000,
            .max_cfl = 2,
            .linear = {.coupling = coupling, .method = Method::correction, .tolerance = 0, .max_iterations = 3}};
  }

  std::vector<Solution> one(const Case& flow, const SteadyOptions& options) const {
    FlowSolver solver(exec, flow.blocks, flow.gas, flow.boundary, options);
    solver.run(exec, [&](const StepReport& step) {
      if (options.max_cfl < options.cfl) {
        EXPECT_EQ(step.cfl, options.max_cfl);
      }
    });
    return solver.solutions(exec);
  }
  std::vector<Solution> spread(const Case& flow, const SteadyOptions& options, const std::vector<int>& owners) const {
    Ranks<Exec> const ranks(hyperplane::DistributedGrid(world, flow.blocks.cells, owners));
    FlowSolver solver(exec, ranks, flow.blocks, flow.gas, flow.boundary, options);
    solver.run(exec, [](const StepReport&) {});
    return solver.solutions(exec);
  }

  /// The largest difference on rank 0, which has the flow; 0 on the others.
  double difference(const std::vector<Solution>& found, const std::vector<Solution>& expected) const {
    EXPECT_EQ(found.size(), world.rank() == 0 ? expected.size() : 0);
    return world.rank() == 0 ? largest_difference(found, expected) : 0;
  }

  void expect_same_bits(const std::string& what, const Case& flow,
                        hyperplane::Coupling coupling = hyperplane::Coupling::none) const {
    auto const expected = one(flow, without_sums(coupling));
    // Something has happened.
    EXPECT_GT(std::abs(expected.back().cells.back()[0] - 1) + std::abs(expected.front().cells.front()[0] - 1), 1e-9);
    for (auto const& owners : owner_lists(flow.blocks.cells.block_count(), world.size())) {
      EXPECT_EQ(difference(spread(flow, without_sums(coupling), owners), expected), 0) << what;
    }
  }

  hyperplane::Communicator world{MPI_COMM_WORLD};
  Exec exec{};
};

TEST_F(FlowOverRanks, HasTheBitsOfOneProcessWhereSumsDoNotCount) {
  using enum CaseKind;
  using hyperplane::Grid;
  // The second neighbour of a part that is one cell thick is in the part after the next.
  expect_same_bits("wedge", make_case({.kind = wedge, .parts = {8, 2, 1}, .cells = Grid(12, 7, 2)}));
  expect_same_bits("plate", make_case({.kind = plate, .parts = {3, 2, 1}, .cells = Grid(12, 8, 1), .reynolds = 1e4}));
  // It meets itself, and its parts meet one another twice.
  expect_same_bits("airfoil", make_case({.kind = airfoil, .cells = Grid(16, 10, 1)}));
  expect_same_bits("airfoil", make_case({.kind = airfoil, .parts = {2, 1, 1}, .cells = Grid(16, 10, 1)}));
  auto const parts = make_case({.kind = airfoil, .parts = {3, 2, 1}, .cells = Grid(16, 10, 1)});
  expect_same_bits("airfoil", parts);
  expect_same_bits("airfoil, coloured", parts, hyperplane::Coupling::coloured);
}

TEST_F(FlowOverRanks, HasTheBitsOfOneProcessWhateverTheAxes) {
  auto flow = make_case({.kind = CaseKind::box, .parts = {2, 2, 1}, .cells = hyperplane::Grid(5, 4, 3)});
  auto const meshes = flow.blocks.meshes;
  auto const rotations = turned_meshes::rotations();
  for (auto& boundary : flow.boundary) {
    for (auto& side : boundary.side) side.type = Boundary::slip_wall;
  }
  for (std::size_t r = 0; r < rotations.size(); r += 5) {
    std::vector<Mesh> all{turned_meshes::turned(meshes[0], rotations[r]),
                          turned_meshes::turned(meshes[1], rotations[(7 * r + 5) % rotations.size()]), meshes[2],
                          turned_meshes::turned(meshes[3], rotations[(5 * r + 1) % rotations.size()])};
    flow.blocks = joined(std::move(all));
    expect_same_bits(to_string(rotations[r]), flow);
  }
}

TEST_F(FlowOverRanks, HasTheFlowOfOneProcess) {
  auto const flow = make_case({.parts = {4, 2, 1}, .cells = hyperplane::Grid(20, 12, 1)});
  for (auto const order : {Order::first, Order::second}) {
    SteadyOptions const options{.order = order};
    auto const expected = one(flow, options);
    for (auto const& owners : owner_lists(8, world.size())) {
      EXPECT_LT(difference(spread(flow, options, owners), expected), 1e-9);
    }
  }
}

TEST_F(FlowOverRanks, IsComparedWithEveryPreconditioner) {
  auto const flow = make_case({.parts = {2, 1, 1}, .cells = hyperplane::Grid(10, 6, 1)});
  SteadyOptions const options{.max_steps = 2, .compare = true};
  FlowSolver alone(exec, flow.blocks, flow.gas, flow.boundary, options);
  alone.run(exec, [](const StepReport&) {});
  FlowSolver solver(exec, Ranks<Exec>(world, flow.blocks.cells), flow.blocks, flow.gas, flow.boundary, options);
  solver.run(exec, [](const StepReport&) {});
  auto const expected = alone.comparison(), found = solver.comparison();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t c = 0; c < found.size(); ++c) {
    EXPECT_EQ(found[c].iterations, expected[c].iterations) << found[c].preconditioner;
  }
}

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const hyperplane::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(FlowOverRanks, HasErrorsOfOneRankOnAll) {
  int const last = world.size() - 1;
  auto const who = "rank " + std::to_string(last) + ": ";
  auto flow = make_case({.parts = {2, 1, 1}, .cells = hyperplane::Grid(8, 4, 1)});
  for (int j = 0; j <= 4; ++j) {
    for (int k = 0; k <= 1; ++k) std::swap(flow.blocks.meshes[1].at(1, j, k), flow.blocks.meshes[1].at(2, j, k));
  }
  EXPECT_THAT(error_of([&] { spread(flow, {}, {0, last}); }), HasSubstr(who + "grid block 1: the volume of cell"));

  Ranks<Exec> const ranks(world, flow.blocks.cells);
  EXPECT_THAT(error_of([&] { ranks.speak([] { throw hyperplane::Error("no paper"); }); }),
              HasSubstr("rank 0: no paper"));
  EXPECT_EQ(ranks.sum(world.rank() + 1), world.size() * (world.size() + 1) / 2);
  EXPECT_EQ(ranks.least(-world.rank()), -last);
}

TEST_F(FlowOverRanks, SaysHowManyRanksHaveNothingToDo) {
  auto const flow = make_case({.cells = hyperplane::Grid(8, 4, 1)});
  auto const text = Ranks<Exec>(world, flow.blocks.cells).description();
  auto const idle = std::to_string(world.size() - 1) + " of them without a grid block (--parts cuts a grid)";
  EXPECT_EQ(text, ", " + std::to_string(world.size()) + " ranks" + (world.size() > 1 ? ", " + idle : ""));
}

}  // namespace
}  // namespace implicit_flow::over_ranks
