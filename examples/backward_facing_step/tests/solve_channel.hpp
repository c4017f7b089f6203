// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "solver/simple.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

namespace backward_facing_step {

inline Solution solve_channel(const ChannelOptions& channel, const SteadyOptions& options) {
  Kokkos::DefaultExecutionSpace const exec;
  SimpleSolver solver(exec, make_channel(channel), options);
  auto const result = solver.run(exec, [](const SimpleReport&) {});
  EXPECT_TRUE(result.converged) << result.last.largest() << " after " << result.last.iteration << " iterations";
  return solver.solution(exec);
}

}  // namespace backward_facing_step
