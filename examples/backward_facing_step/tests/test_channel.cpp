// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/vtk.hpp"
#include "solve_channel.hpp"

#include <hyperplane/core/error.hpp>

#include <limits>

namespace backward_facing_step {
namespace {

TEST(Channel, PlanePoiseuilleFlowIsExact) {
  // Of viscosity and pressure alone, and in the presence of convection.
  for (double const reynolds : {0.1, 100.0}) {
    double const tolerance = 1e-11;
    auto const flow =
        solve_channel({.reynolds = reynolds, .cells_along = 13, .cells_across = 10, .length = 3, .step = false},
                      {.tolerance = tolerance});
    auto const& c = flow.channel;
    double const slope = -12 * c.viscosity / (Channel::height * Channel::height);
    for (int j = 0; j < c.nj; ++j) {
      for (int i = 0; i <= c.ni; ++i) EXPECT_NEAR(flow.u(i, j), c.inflow(j), 100 * tolerance) << i << ' ' << j;
      for (int i = 0; i < c.ni; ++i) {
        EXPECT_NEAR(flow.v(i, j), 0, 100 * tolerance) << i << ' ' << j;
        EXPECT_NEAR(flow.p(i, j), slope * (c.x(i + 0.5) - c.x(c.ni)), 1000 * tolerance * (1 + c.viscosity))
            << i << ' ' << j;
      }
    }
  }
}

TEST(Channel, InflowHasTheMeanVelocityOneWithinTheMidpointRule) {
  for (bool const step : {true, false}) {
    auto const c = make_channel({.cells_across = 40, .step = step});
    double const inlet = step ? 1 : 2;
    double const spacing = c.dy / inlet;
    EXPECT_NEAR(c.flow_rate(), inlet * (1 + 0.5 * spacing * spacing), 1e-13);
  }
}

TEST(Channel, TheStepIsMadeOfSolidCells) {
  auto const c = make_channel({.reynolds = 100, .cells_along = 20, .cells_across = 8, .length = 10, .inlet = 1.6});
  EXPECT_EQ(c.inlet_cells, 3);
  EXPECT_EQ(c.ni, 23);
  EXPECT_DOUBLE_EQ(c.viscosity, 0.02);
  EXPECT_DOUBLE_EQ(c.x(3), 0);
  EXPECT_TRUE(c.wall(2, 3));
  EXPECT_FALSE(c.wall(3, 3));
  EXPECT_FALSE(c.wall(2, 4));
  EXPECT_FALSE(c.u_open(3, 3)) << "the face of the step";
  EXPECT_TRUE(c.u_open(4, 3));
  EXPECT_FALSE(c.v_open(2, 4)) << "the top of the step";
  EXPECT_TRUE(c.v_open(3, 4));
  EXPECT_TRUE(c.u_open(23, 0)) << "the outlet";
  EXPECT_FALSE(c.u_open(0, 7)) << "the inlet";
}

TEST(Channel, RefusesWhatMakesNoSense) {
  EXPECT_THROW(make_channel({.reynolds = 0}), hyperplane::Error);
  EXPECT_THROW(make_channel({.reynolds = std::numeric_limits<double>::quiet_NaN()}), hyperplane::Error);
  EXPECT_THROW(make_channel({.cells_along = 3}), hyperplane::Error);
  EXPECT_THROW(make_channel({.cells_across = 9}), hyperplane::Error);
  EXPECT_THROW(make_channel({.length = -1}), hyperplane::Error);
  EXPECT_THROW(make_channel({.inlet = -1}), hyperplane::Error);
  EXPECT_THROW(solve_channel({}, {.relaxation = 1}), hyperplane::Error);
}

TEST(StreamFunction, IsTheFlowRateFromTheLowerWall) {
  auto const c = make_channel({.cells_along = 4, .cells_across = 8, .length = 2, .step = false});
  Solution flow{c, std::vector<double>(c.u_faces().size(), 3.0), std::vector<double>(c.v_faces().size()),
                std::vector<double>(c.cells().size())};
  auto const psi = stream_function(flow);
  for (int j = 0; j <= c.nj; ++j) EXPECT_NEAR(psi[2 + 5 * j], 3 * c.y(j), 1e-14);
}

}  // namespace
}  // namespace backward_facing_step
