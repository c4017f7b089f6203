// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/solution.hpp"

#include <optional>

namespace backward_facing_step {

/// Places where the wall's shear changes its sign, in heights of the step from the step.
struct Bubbles {
  std::optional<double> reattachment;        ///< at the lower wall: end of the bubble behind the step
  std::optional<double> upper_separation;    ///< at the upper wall: begin of the bubble that grows there from Re = 400
  std::optional<double> upper_reattachment;  ///< at the upper wall: end of that bubble
};

/// Shear is that of the parabola through the wall and the two faces next to it; its zero is interpolated between faces.
/// Small eddies in the corner below the step are left out: reattachment is the last change from backward to forward
/// flow.
Bubbles measure_bubbles(const Solution& solution);

}  // namespace backward_facing_step
