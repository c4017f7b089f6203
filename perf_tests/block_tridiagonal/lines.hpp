// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/kernel_benchmarks.hpp"

namespace hyperplane::perf {

/// Registers the benchmarks of a block size; each is compiled in a file of its own.
template <int n, class Exec>
void register_lines(KernelBenchmarks<Exec>& benchmarks);

}  // namespace hyperplane::perf
