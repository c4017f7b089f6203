// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "channel.hpp"

#include <hyperplane/core/error.hpp>

#include <cmath>

namespace backward_facing_step {

double Channel::flow_rate() const {
  double sum = 0;
  for (int j = 0; j < nj; ++j) sum += inflow(j) * dy;
  return sum;
}

Channel make_channel(const ChannelOptions& options) {
  // Written so that NaN is refused.
  auto const require = [](bool right, const char* what) {
    if (!right) throw hyperplane::Error(what);
  };
  require(options.reynolds > 0, "the Reynolds number must be positive");
  require(options.length > 0 && options.length <= 1e4, "the channel's length must be more than 0 and at most 10000");
  require(options.inlet >= 0 && options.inlet <= 1e4, "the inlet's length must be at least 0 and at most 10000");
  require(options.cells_along >= 4, "there must be at least 4 cells along the channel");
  require(options.cells_across >= 8 && options.cells_across % 2 == 0,
          "the number of cells across the channel must be even and at least 8");

  double const dx = options.length / options.cells_along;
  double const inlet_cells = options.step ? std::round(options.inlet / dx) : 0;
  require(inlet_cells <= 1e6, "there are more than a million cells along the inlet");
  double const inlet_height = options.step ? 1 : Channel::height;
  return {.ni = options.cells_along + static_cast<int>(inlet_cells),
          .nj = options.cells_across,
          .inlet_cells = static_cast<int>(inlet_cells),
          .step_cells = options.step ? options.cells_across / 2 : 0,
          .dx = dx,
          .dy = Channel::height / options.cells_across,
          .viscosity = 2 * inlet_height / options.reynolds};
}

}  // namespace backward_facing_step
