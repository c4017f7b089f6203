// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/cache.hpp"
#include "../support/kernel_benchmarks.hpp"
#include "block_case.hpp"

namespace hyperplane::perf {

/// What problems are verified against, by serial references.
struct BlockReferences {
  Cache solutions;
  Cache products;
};

/// Registers factor and solve of grid blocks that meet no other: by MultiBlock, and one grid block after the other.
/// Each block size is compiled in a file of its own.
template <int n, class Exec>
void register_list(KernelBenchmarks<Exec>& benchmarks, BlockReferences& references, const BlockCase& blocks);

/// Registers factor, solve and apply of a box, whole and cut, there with each coupling.
template <int n, class Exec>
void register_cuts(KernelBenchmarks<Exec>& benchmarks, BlockReferences& references, const BoxCuts& cuts);

}  // namespace hyperplane::perf
