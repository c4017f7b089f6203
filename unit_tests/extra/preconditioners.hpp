// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tuple>

#include "diagonal_scaling.hpp"

// What HYPERPLANE_EXTRA_PRECONDITIONERS names: a line for each preconditioner of one's own.
namespace hyperplane::run_time {

inline constexpr auto extra_preconditioners = std::make_tuple(line<test::DiagonalScalingPlans>(
    "diagonal", "diagonal scaling",
    option("damping", &test::DiagonalScalingOptions::damping, "damping", {.least = 0, .most = 1, .above_least = true}),
    option("alpha", &test::DiagonalScalingOptions::alpha, "share that is added to the diagonal", {.least = 0})));

}  // namespace hyperplane::run_time
