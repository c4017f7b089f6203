// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <hyperplane/core/error.hpp>
#include <string>
#include <vector>

namespace hyperplane {

struct KrylovOptions {
  /// Converged when ||b - A x|| <= tolerance * ||b|| (2-norm), computed from x. 0 runs to max_iterations, or until the
  /// residual is exactly zero.
  double tolerance = 1e-8;
  /// At most 100 million.
  int max_iterations = 200;
  /// Directions that FGMRES keeps before it restarts, at most 1000; other methods ignore it.
  int restart = 30;
  /// The host waits and looks at the residual norms every check_interval iterations. The result does not depend on it.
  /// (SipIteration has a rule of its own.)
  int check_interval = 1;
  /// Called on the host with the iteration and its residual norm, when the host looks.
  std::function<void(int iteration, double residual_norm)> monitor{};
};

enum class KrylovOutcome { converged, max_iterations, breakdown };

constexpr const char* name(KrylovOutcome outcome) {
  switch (outcome) {
    case KrylovOutcome::converged: return "converged";
    case KrylovOutcome::max_iterations: return "max_iterations";
    case KrylovOutcome::breakdown: return "breakdown";
  }
  return "unknown";
}

struct KrylovResult {
  KrylovOutcome outcome = KrylovOutcome::max_iterations;
  int iterations = 0;
  double rhs_norm = 0.0;
  /// ||b - A x|| of the x that is returned, computed from x.
  double residual_norm = 0.0;
  /// Residual norms as the method sees them; entry i is that of iteration i, entry 0 that of the initial guess.
  std::vector<double> history;

  bool converged() const { return outcome == KrylovOutcome::converged; }
};

namespace detail {

inline void check_options(const char* method, const KrylovOptions& options) {
  auto const refuse = [&](const char* option, auto value, const char* expected) {
    fail(std::string(method) + ": " + option + " is " + std::to_string(value) + ", expected " + expected);
  };
  if (!(options.tolerance >= 0.0)) refuse("tolerance", options.tolerance, "0 or more");
  if (options.max_iterations < 0 || options.max_iterations > 100'000'000) {
    refuse("max_iterations", options.max_iterations, "0 to 100 million");
  }
  if (options.restart < 1 || options.restart > 1000) refuse("restart", options.restart, "1 to 1000");
  if (options.check_interval < 1) refuse("check_interval", options.check_interval, "1 or more");
}

}  // namespace detail
}  // namespace hyperplane
