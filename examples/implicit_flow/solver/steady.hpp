// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/core/storage_kind.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace implicit_flow {

enum class Order { first, second };

enum class Preconditioner { bilu0, lines, ssor, jacobi };
enum class LineDirections { i, j, k, alternating };

constexpr const char* name(Preconditioner preconditioner) {
  switch (preconditioner) {
    case Preconditioner::bilu0: return "BILU(0)";
    case Preconditioner::lines: return "lines";
    case Preconditioner::ssor: return "SSOR";
    case Preconditioner::jacobi: return "block Jacobi";
  }
  return "unknown";
}

/// As many parts as pay.
struct AutomaticParts {};
/// Parts of a grid, along i, j and k, or how many of them: then they are cut where couplings are weakest.
using Parts = std::variant<std::array<int, 3>, int, AutomaticParts>;

/// "8x8x1", "64" or "automatic"
inline std::string to_string(const Parts& parts) {
  if (std::holds_alternative<AutomaticParts>(parts)) return "automatic";
  if (auto const* const count = std::get_if<int>(&parts)) return std::to_string(*count);
  auto const& [i, j, k] = std::get<std::array<int, 3>>(parts);
  return std::to_string(i) + "x" + std::to_string(j) + "x" + std::to_string(k);
}

enum class Method { bicgstab, fgmres, fgcrodr, correction };

struct LinearOptions {
  Preconditioner preconditioner = Preconditioner::bilu0;
  hyperplane::Coupling coupling = hyperplane::Coupling::none;  ///< of grid blocks or parts, in the preconditioner
  std::optional<Parts> parts{};  ///< of the only grid block, that the preconditioner is made of; none: it is not cut
  hyperplane::FoldedDirections folded{};                    ///< of BILU(0) and SSOR: from both ends to the middle
  std::optional<hyperplane::StorageKind> factor_storage{};  ///< of BILU(0) and SSOR; none: that of the matrix
  double relaxation = 1;                                    ///< of SSOR and lines
  LineDirections line_direction = LineDirections::j;
  int line_sweeps = 1;
  hyperplane::SweepPath path = hyperplane::SweepPath::automatic;
  Method method = Method::bicgstab;
  int restart = 30;   ///< of FGMRES and FGCRO-DR
  int recycled = 10;  ///< dimensions that FGCRO-DR keeps from one system to the next
  double tolerance = 0.01;
  int max_iterations = 30;
};

struct SteadyOptions {
  int max_steps = 500;
  double tolerance = 1e-10;  ///< of the residual's 2-norm, relative to that of the first step
  double cfl = 10;           ///< of the first step; it then grows as the residual falls
  double max_cfl = 1e6;
  double max_cfl_growth = 2;  ///< from one step to the next
  double damping = 1;         ///< fraction of the change that a step takes; less than 1 where the residual stalls
  Order order = Order::second;
  LinearOptions linear{};
  bool compare = false;  ///< solve every linear system with all preconditioners
};

struct StepReport {
  int step;
  double residual;  ///< 2-norm before the step, relative to that of the first one
  double cfl;
  int linear_iterations;
  double fraction;  ///< of the step that was taken: less than 1 where density or pressure would have changed too much
};

struct SteadyResult {
  bool converged;
  int steps;
  double residual;
  std::int64_t linear_iterations;
};

/// What a preconditioner needed for the linear systems of all steps.
struct LinearTotals {
  std::string preconditioner;
  int systems = 0;
  int unsolved = 0;  ///< systems that were given up at the largest number of iterations
  std::int64_t iterations = 0;
  double seconds = 0;  ///< factorization and iterations
};

}  // namespace implicit_flow
