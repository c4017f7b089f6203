// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/cache.hpp"
#include "../support/kernel_benchmarks.hpp"

#include <hyperplane/grid/grid.hpp>

namespace hyperplane::perf {

/// Registers the benchmarks of a block size on a grid; each block size is compiled in a file of its own. `reference`
/// keeps the serial reference that all are verified against.
template <int n, class Exec>
void register_points(KernelBenchmarks<Exec>& benchmarks, Cache& reference, const Grid& grid);

}  // namespace hyperplane::perf
