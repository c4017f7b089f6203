// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.hpp"
#include "host_rows.hpp"

namespace hyperplane::tools {

/// Throws InputError where options of a solve have values that are not possible, or do not go together, in as many
/// processes.
void check_command(const SolveCommand& command, int processes);

/// Throws InputError where the preconditioner wants blocks on the diagonal, and one is not there.
void check_diagonal(const SolveCommand& command, const HostRows& a);

}  // namespace hyperplane::tools
