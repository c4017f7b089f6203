// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"
#include "../solver/solution.hpp"
#include "../solver/steady.hpp"

#include <Kokkos_Core.hpp>

#include <filesystem>

namespace implicit_flow {

/// The drag coefficient of the wedge's ramp, as measure_wall_forces() has it, and its gradient.
struct DragGradient {
  double drag;
  double by_mach;
  double by_angle;  ///< of the ramp, per degree
  int iterations;   ///< of FGMRES for the adjoint system
};

/// Throws hyperplane::Error where the flow of these options has no drag_gradient(): one on the wedge's own grid has
/// one, in one grid block.
void check_drag_gradient(const CaseOptions& options);

/// By the discrete adjoint of a steady flow of that order: one linear system for all parameters, with the transposed
/// Jacobian of the residual, which of second order is no matrix, but ResidualTransposed. The transposed BILU(0) of the
/// first-order Jacobian is the preconditioner of both (M. B. Giles and N. A. Pierce, "An introduction to
/// the adjoint approach to design", 2000, DOI 10.1023/A:1011430410075). Throws hyperplane::Error where that is not
/// solved.
DragGradient drag_gradient(const Kokkos::DefaultExecutionSpace& exec, const CaseOptions& options, Order order,
                           const Solution& flow);

inline constexpr const char* gradient_file = "gradient.csv";

/// Prints it and writes it to gradient_file in the folder. Throws hyperplane::Error if that cannot be written.
void report(const DragGradient& gradient, const std::filesystem::path& folder);

}  // namespace implicit_flow
