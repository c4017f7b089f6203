// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace hyperplane::tools {

/// What the environment says about a launcher of MPI that has started this process.
struct Launch {
  const char* variable = "";  ///< that says it
  bool has_others = false;    ///< whether it has, or may have, started other processes with it
  bool is_first = true;
};

/// Open MPI, MPICH and what is made of it, and other launchers that speak PMI or PMIx have variables of their own.
Launch find_launch();

}  // namespace hyperplane::tools
