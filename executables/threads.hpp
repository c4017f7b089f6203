// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace hyperplane::executables {

/// Lets threads that wait in the OpenMP runtime sleep soon, where nobody has said how they wait. The runtime reads that
/// from the environment before main() begins, so the program begins once more; call this first in main(). Where that
/// is not possible, nothing happens. See docs/threads.md.
void let_waiting_threads_sleep(char** argv);

/// How many threads are worth their while for so many points, `least` of them for each: fewer than there are cores, or
/// 0, what Kokkos takes, where there are points for all cores or the environment says how many threads there are.
int threads_for(std::int64_t points, std::int64_t least);

}  // namespace hyperplane::executables
