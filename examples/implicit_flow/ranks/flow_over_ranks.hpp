// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/flow_solver.hpp"
#include "ranks.hpp"

namespace implicit_flow {

// Compiled once, in flow_over_ranks.cpp.
extern template class FlowSolver<Kokkos::DefaultExecutionSpace, Ranks<Kokkos::DefaultExecutionSpace>>;

}  // namespace implicit_flow
