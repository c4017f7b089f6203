// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/krylov/monitor.hpp>
#include <hyperplane/krylov/result.hpp>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

/// When a solve ends.
struct KrylovLimits {
  /// Converged when ||b - A x|| <= max(tolerance * ||b||, absolute_tolerance) (2-norm), computed from x. Where both are
  /// 0, a solve runs to max_iterations, or until the residual is exactly zero.
  double tolerance = 1e-8;
  double absolute_tolerance = 0.0;
  /// At most 100 million.
  int max_iterations = 200;
};

struct KrylovOptions {
  /// As in KrylovLimits, for solves that are given none.
  double tolerance = 1e-8;
  double absolute_tolerance = 0.0;
  int max_iterations = 200;
  /// Directions that FGMRES and FGCRO-DR keep before they restart, at most 1000; other methods ignore it. More than
  /// max_iterations are not allocated, and a solve within higher KrylovLimits restarts after as many.
  int restart = 30;
  /// The host waits and looks at the residual norms every check_interval iterations, and every 4096 at least. 0: on a
  /// device it looks when the solve may have ended, as far as the norms so far tell, and every 64 iterations at least;
  /// with a monitor, and on a host, after each iteration. The result does not depend on it, unless a monitor stops the
  /// iteration: x is then that of the look. (SipIteration has a rule of its own.)
  int check_interval = 0;
  /// Called on the host with each iteration and its residual norm, when the host looks; it may stop the iteration. It
  /// must not solve with the object that calls it: that throws Error.
  KrylovMonitor monitor{};
  /// Directions that FGCRO-DR keeps from one cycle and one solve to the next, at most 1000, and fewer than `restart` in
  /// any case; other methods ignore it.
  int recycled = 10;

  KrylovLimits limits() const { return {tolerance, absolute_tolerance, max_iterations}; }
};

namespace detail {

template <class Value>
[[noreturn]] void refuse_option(const std::string& method, const char* option, Value value, const char* expected) {
  std::string text;
  if constexpr (std::is_same_v<Value, double>) {
    text = shortest(value);
  } else {
    text = std::to_string(value);
  }
  fail(method + ": " + option + " is " + text + ", expected " + expected);
}

inline void check_limits(const std::string& method, const KrylovLimits& limits) {
  if (!(limits.tolerance >= 0.0)) refuse_option(method, "tolerance", limits.tolerance, "0 or more");
  if (!(limits.absolute_tolerance >= 0.0)) {
    refuse_option(method, "absolute_tolerance", limits.absolute_tolerance, "0 or more");
  }
  if (limits.max_iterations < 0 || limits.max_iterations > 100'000'000) {
    refuse_option(method, "max_iterations", limits.max_iterations, "0 to 100 million");
  }
}

inline void check_options(const std::string& method, const KrylovOptions& options) {
  check_limits(method, options.limits());
  if (options.restart < 1 || options.restart > 1000) refuse_option(method, "restart", options.restart, "1 to 1000");
  if (options.recycled < 0 || options.recycled > 1000) {
    refuse_option(method, "recycled", options.recycled, "0 to 1000");
  }
  if (options.check_interval < 0) refuse_option(method, "check_interval", options.check_interval, "0 or more");
}

}  // namespace detail
}  // namespace hyperplane::inline HYPERPLANE_ABI
