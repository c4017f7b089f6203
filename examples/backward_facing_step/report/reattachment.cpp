// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reattachment.hpp"

namespace backward_facing_step {

namespace {

struct Crossings {
  std::optional<double> first_down;
  std::optional<double> last_up;
};

/// Sign changes of the shear along a wall behind the step, from the two rows of faces next to it.
Crossings shear_crossings(const Solution& solution, int row, int next_row) {
  auto const& c = solution.channel;
  auto const shear = [&](int i) { return 9 * solution.u(i, row) - solution.u(i, next_row); };
  Crossings result;
  for (int i = c.inlet_cells + 1; i < c.ni; ++i) {
    double const here = shear(i);
    double const next = shear(i + 1);
    if ((here < 0) == (next < 0)) continue;
    double const x = c.x(i + here / (here - next));
    if (here < 0) {
      result.last_up = x;
    } else if (!result.first_down) {
      result.first_down = x;
    }
  }
  return result;
}

}  // namespace

Bubbles measure_bubbles(const Solution& solution) {
  int const top = solution.channel.nj - 1;
  auto const lower = shear_crossings(solution, 0, 1);
  auto const upper = shear_crossings(solution, top, top - 1);
  return {.reattachment = lower.last_up,
          .upper_separation = upper.first_down,
          .upper_reattachment = upper.first_down ? upper.last_up : std::nullopt};
}

}  // namespace backward_facing_step
