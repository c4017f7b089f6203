// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/krylov/options.hpp>

#include "c_library.hpp"

namespace hyperplane::c {

/// Those of the library where there are none.
inline KrylovOptions krylov_options_of(const hyperplane_krylov_options* options) {
  if (options == nullptr) return {};
  require_initialized(*options, "hyperplane_krylov_options");
  KrylovOptions result{.tolerance = options->tolerance,
                       .absolute_tolerance = options->absolute_tolerance,
                       .max_iterations = options->max_iterations,
                       .restart = options->restart,
                       .check_interval = options->check_interval,
                       .recycled = options->recycled};
  if (options->monitor != nullptr) {
    result.monitor = [monitor = options->monitor, data = options->monitor_data](int iteration, double norm) {
      return monitor(iteration, norm, data) == 0 ? MonitorAction::proceed : MonitorAction::stop;
    };
  }
  return result;
}

inline run_time::Method method_of(const hyperplane_krylov_options* options) {
  if (options == nullptr) return run_time::Method::bicgstab;
  return enumerator<run_time::Method>(options->method, HYPERPLANE_FGCRODR, "method");
}

}  // namespace hyperplane::c
