// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/krylov/options.hpp>
#include <string>
#include <vector>

#include "matrix_market.hpp"
#include "objects.hpp"

namespace hyperplane::tools {

enum class LineDirectionKind { i, j, k, alternating };

struct SolverSettings {
  run_time::Method method = run_time::Method::bicgstab;
  run_time::PreconditionerSettings preconditioner{};
  LineDirectionKind line_direction = LineDirectionKind::i;
  KrylovOptions krylov{};
};

/// Seconds of the parts of a solve.
struct SolverTimes {
  double setup = 0.0;
  double factor = 0.0;
  double solve = 0.0;
  /// Applications of the preconditioner, a part of solve.
  std::vector<double> preconditioner_solves;
};

struct SolverReport {
  KrylovResult result;
  SolverTimes times;
  int concurrency = 1;
};

/// Solves A x = b from x = 0 on the backend; x is the solution, row = point * n + c. Throws Error at a singular pivot.
SolverReport solve_system(const std::string& backend, const SolverSettings& settings, const HostStencil& a,
                          const std::vector<double>& b, std::vector<double>& x);

}  // namespace hyperplane::tools
