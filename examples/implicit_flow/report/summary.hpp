// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"
#include "../options.hpp"
#include "../solver/solution.hpp"
#include "../solver/steady.hpp"

#include <string>
#include <vector>

namespace implicit_flow {

/// Makes the folder for the results, and writes the grid where that is wanted.
void prepare(const Options& options, const Case& flow);

/// What is solved, and where: `processes` is what there is beside one process.
void print_header(const Case& flow, const SteadyOptions& steady, const std::string& processes);

/// Prints the comparison with theory or a publication, and writes all files but the history, from the flow on each grid
/// block. Throws hyperplane::Error if a file cannot be written.
void write_results(const Options& options, const Case& flow, const std::vector<Solution>& solutions);

}  // namespace implicit_flow
