// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/kernel_benchmarks.hpp"

#include <hyperplane/grid/grid.hpp>

#include <Kokkos_Core.hpp>

namespace hyperplane::perf {

/// Registers the benchmarks of a block size on a grid, with factors in double and float, or in 16 bits; each block size
/// is compiled in a file of its own.
template <int n>
void register_wide_paths(KernelBenchmarks<Kokkos::Cuda>& benchmarks, const Grid& grid);
template <int n>
void register_short_paths(KernelBenchmarks<Kokkos::Cuda>& benchmarks, const Grid& grid);

}  // namespace hyperplane::perf
