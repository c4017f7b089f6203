// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/published.hpp"
#include "report/reattachment.hpp"
#include "solve_channel.hpp"

#include <algorithm>
#include <cmath>

namespace backward_facing_step {
namespace {

/// Largest difference from what is published, relative; reattachment has to be among it.
double published_error(const ChannelOptions& options) {
  auto const flow = solve_channel(options, {.tolerance = 1e-6});
  auto const comparisons = compare_with_published(flow.channel, measure_bubbles(flow));
  EXPECT_FALSE(comparisons.empty());
  double error = 0;
  for (auto const& c : comparisons) error = std::max(error, std::abs(c.computed / c.published - 1));
  return error;
}

TEST(Step, ReattachesWhereErturkFoundIt) {
  EXPECT_LT(published_error({.reynolds = 100, .cells_along = 75, .cells_across = 20, .length = 15, .inlet = 2}), 0.01);
  EXPECT_LT(published_error({.reynolds = 400, .cells_along = 125, .cells_across = 20, .length = 25, .inlet = 2}), 0.04);
}

TEST(Step, ComesCloserOnAFinerGrid) {
  ChannelOptions const coarse{.reynolds = 200, .cells_along = 60, .cells_across = 12, .length = 20, .inlet = 2};
  auto fine = coarse;
  fine.cells_along = 100;
  fine.cells_across = 20;
  double const error = published_error(fine);
  EXPECT_LT(error, 0.02);
  EXPECT_LT(error, 0.7 * published_error(coarse));
}

TEST(Step, ConservesMassInEveryCell) {
  double const tolerance = 1e-11;
  for (double const inlet : {0.0, 1.5}) {
    auto const flow =
        solve_channel({.reynolds = 100, .cells_along = 36, .cells_across = 12, .length = 9, .inlet = inlet},
                      {.tolerance = tolerance});
    auto const& c = flow.channel;
    double sum = 0;
    for (int j = 0; j < c.nj; ++j) {
      for (int i = 0; i < c.ni; ++i) sum += std::abs(flow.net_outflow(i, j));
    }
    EXPECT_LT(sum, 10 * tolerance);
    for (int i = 0; i <= c.ni; ++i) EXPECT_NEAR(flow.flow_rate(i), c.flow_rate(), 10 * tolerance) << i;
    for (int j = 0; j < c.step_cells; ++j) {
      for (int i = 0; i <= c.inlet_cells; ++i) EXPECT_EQ(flow.u(i, j), 0) << "in the step";
    }
  }
}

TEST(Step, IsParabolicFarBehind) {
  auto const flow =
      solve_channel({.reynolds = 20, .cells_along = 40, .cells_across = 12, .length = 12, .inlet = 1}, {});
  auto const& c = flow.channel;
  // The profile of a plane channel of twice the height with the same flow rate through its faces.
  auto const plane = make_channel({.cells_across = c.nj, .step = false});
  double const scale = c.flow_rate() / plane.flow_rate();
  for (int j = 0; j < c.nj; ++j) EXPECT_NEAR(flow.u(c.ni, j), scale * plane.inflow(j), 1e-3);
}

TEST(Step, IsTheSameWhateverAlphaIs) {
  ChannelOptions const channel{.reynolds = 100, .cells_along = 45, .cells_across = 12, .length = 9, .inlet = 2};
  auto const reattachment = [&](double alpha) {
    SteadyOptions options{.tolerance = 1e-9};
    options.momentum.alpha = options.pressure.alpha = alpha;
    return *measure_bubbles(solve_channel(channel, options)).reattachment;
  };
  double const expected = reattachment(0.9);
  for (double const alpha : {0.0, 0.5, 0.95}) EXPECT_NEAR(reattachment(alpha), expected, 1e-6) << alpha;
}

TEST(Bubbles, AreWhereTheShearOfTheParabolaIsZero) {
  auto const c = make_channel({.cells_along = 20, .cells_across = 8, .length = 10, .inlet = 1});
  Solution flow{c, std::vector<double>(c.u_faces().size()), std::vector<double>(c.v_faces().size()),
                std::vector<double>(c.cells().size())};
  for (int j = 0; j < c.nj; ++j) {
    for (int i = 0; i <= c.ni; ++i) {
      double const y = c.y(j + 0.5);
      double const x = c.x(i);
      // Linear in y at the lower wall, in the distance at the upper one; quadratic terms do not matter.
      double const lower = y * (x - 2.3) + y * y;
      double const z = Channel::height - y;
      double const upper = z * (x - 4.1) * (x - 7.7) - 5 * z * z;
      flow.u_values[c.u_faces().index(i, j, 0)] = j < 4 ? lower : upper;
    }
  }
  auto const bubbles = measure_bubbles(flow);
  ASSERT_TRUE(bubbles.reattachment && bubbles.upper_separation && bubbles.upper_reattachment);
  EXPECT_NEAR(*bubbles.reattachment, 2.3, 1e-12);
  EXPECT_NEAR(*bubbles.upper_separation, 4.1, 0.05) << "linear between faces";
  EXPECT_NEAR(*bubbles.upper_reattachment, 7.7, 0.05);
}

}  // namespace
}  // namespace backward_facing_step
