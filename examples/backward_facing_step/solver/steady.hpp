// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace backward_facing_step {

/// How a linear system is improved.
struct LinearOptions {
  double alpha = 0.9;  ///< of SIP
  int iterations = 2;  ///< of SIP for each SIMPLE iteration
};

struct SteadyOptions {
  int max_iterations = 5000;
  /// Of the imbalances of momentum and mass (SimpleReport).
  double tolerance = 1e-7;
  /// Of the momentum equations.
  double relaxation = 0.9;
  LinearOptions momentum{};
  LinearOptions pressure{.iterations = 20};
};

/// Imbalances before the linear systems of a SIMPLE iteration are solved, as sums of magnitudes over all cells:
/// momentum over that of the inflow (density * mean velocity^2 * height of the inlet), mass over the flow rate of the
/// inflow.
struct SimpleReport {
  int iteration;
  double u;
  double v;
  double mass;

  double largest() const {
    double const momentum = u > v ? u : v;
    return momentum > mass ? momentum : mass;
  }
};

struct SteadyResult {
  bool converged;
  SimpleReport last;
};

}  // namespace backward_facing_step
