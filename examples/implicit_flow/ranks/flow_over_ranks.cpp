// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flow_over_ranks.hpp"

namespace implicit_flow {

template class FlowSolver<Kokkos::DefaultExecutionSpace, Ranks<Kokkos::DefaultExecutionSpace>>;

}  // namespace implicit_flow
