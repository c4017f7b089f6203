// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solver/flow_solver.hpp"

namespace implicit_flow {

template class FlowSolver<Kokkos::DefaultExecutionSpace, OneProcess<Kokkos::DefaultExecutionSpace, float>>;

}  // namespace implicit_flow
