// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../channel.hpp"
#include "reattachment.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace backward_facing_step {

/// A length that this flow has and that has been published for it, in heights of the step.
struct Comparison {
  std::string quantity;
  std::string source;
  double computed;
  double published;
};

/// What is published for the same set-up, expansion ratio 2, and Reynolds number with twice the height of the inlet and
/// the mean velocity there:
/// - with an inlet channel: reattachment, Re = 100, 200 and 400. E. Erturk, "Numerical solutions of 2-D steady
///   incompressible flow over a backward-facing step, Part I: High Reynolds number solutions", 2008,
///   doi:10.1016/j.compfluid.2007.09.003 (inlet of 20 heights; here at least 2: at Re = 100, 2 and 4 give the same).
/// - parabolic inflow at the step, Re = 800: D. K. Gartling, "A test problem for outflow boundary conditions - flow
/// over
///   a backward-facing step", 1990, doi:10.1002/fld.1650110704 (there in heights of the channel, which is 2).
/// Empty where there is nothing, or where a bubble was not found.
std::vector<Comparison> compare_with_published(const Channel& channel, const Bubbles& bubbles);

void print(const std::vector<Comparison>& comparisons);

/// Comma-separated values. Throws hyperplane::Error if the file cannot be written.
void write_csv(const std::filesystem::path& file, const std::vector<Comparison>& comparisons);

}  // namespace backward_facing_step
