// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// `stopped`: by the monitor.
enum class KrylovOutcome { converged, max_iterations, breakdown, stopped };

constexpr const char* name(KrylovOutcome outcome) {
  switch (outcome) {
    case KrylovOutcome::converged: return "converged";
    case KrylovOutcome::max_iterations: return "max_iterations";
    case KrylovOutcome::breakdown: return "breakdown";
    case KrylovOutcome::stopped: return "stopped";
  }
  return "unknown";
}

/// What a method broke down on.
enum class KrylovBreakdown {
  none,
  right_hand_side,
  initial_guess,
  initial_residual,
  preconditioner,
  product,
  residual,
  recursion
};

/// In words: "the right-hand side or its norm is not finite".
constexpr const char* message(KrylovBreakdown breakdown) {
  switch (breakdown) {
    case KrylovBreakdown::none: return "no breakdown";
    case KrylovBreakdown::right_hand_side: return "the right-hand side or its norm is not finite";
    case KrylovBreakdown::initial_guess: return "the initial guess is not finite";
    case KrylovBreakdown::initial_residual:
      return "b - A x of the initial guess is not finite: A is not, or the product overflows";
    case KrylovBreakdown::preconditioner: return "what the preconditioner returned is not finite";
    case KrylovBreakdown::product:
      return "A times what the preconditioner returned is not finite: A is not, or the product overflows";
    case KrylovBreakdown::residual:
      return "the residual is not finite any more: the iteration diverges, or the preconditioner is not finite";
    case KrylovBreakdown::recursion: return "a coefficient of the recursion is zero or not finite";
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
  std::vector<double> history{};
  /// Why the outcome is a breakdown.
  KrylovBreakdown breakdown = KrylovBreakdown::none;
  /// What of the matrix is not finite, where a breakdown is due to that and the matrix can tell: "block west of point
  /// (0, 3, 1) is not finite". Of a NarrowedMatrix, also after max_iterations: which block of the copy is not that of
  /// A.
  std::string cause{};

  bool converged() const { return outcome == KrylovOutcome::converged; }
  /// "breakdown: the right-hand side or its norm is not finite", the name of any other outcome; with the cause, if that
  /// is known.
  std::string message() const {
    std::string const result = name(outcome);
    if (outcome == KrylovOutcome::breakdown) return result + ": " + reason();
    return cause.empty() ? result : result + ": " + cause;
  }
  /// Why it is a breakdown, with the cause, if that is known.
  std::string reason() const {
    std::string const text = hyperplane::message(breakdown);
    return cause.empty() ? text : text + "; " + cause;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
