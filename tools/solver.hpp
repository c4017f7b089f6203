// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <hyperplane/krylov/options.hpp>
#include <vector>

#include "matrix_market.hpp"

namespace hyperplane::tools {

enum class Method { richardson, bicgstab, fgmres };
enum class PreconditionerKind { none, jacobi, ssor, sip, lines, bilu0 };
enum class LineDirectionKind { i, j, k, alternating };
enum class StorageKind { double_precision, single_precision };

struct SolverSettings {
  Method method = Method::bicgstab;
  PreconditionerKind preconditioner = PreconditionerKind::bilu0;
  double relaxation = 1.0;  ///< of SSOR and lines
  double alpha = 0.9;       ///< of SIP
  LineDirectionKind line_direction = LineDirectionKind::i;
  int line_sweeps = 1;
  StorageKind storage = StorageKind::double_precision;
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
};

/// Solves A x = b from x = 0 on the execution space, for blocks of size n; x is the solution, row = point * n + c.
/// Throws Error at a singular pivot. Instantiated for every n and execution space in solver_n*.cpp.
template <int n, class Exec>
SolverReport solve_system(const SolverSettings& settings, const HostStencil& a, const std::vector<double>& b,
                          std::vector<double>& x);

}  // namespace hyperplane::tools
