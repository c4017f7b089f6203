// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/sweep/comparison/comparison_path.hpp>

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/sweep/comparison/make_comparison_cuda.hpp>
#endif

namespace hyperplane::inline HYPERPLANE_ABI {

/// A solver that runs a ComparisonPath, for Solver = Sip; for BlockIlu0 include ilu/comparison_paths.hpp. Its kernels
/// are compiled only in files that call this, and the solver is of the same type as any other; its path() is
/// SweepPath::comparison. `options.path` has to be automatic. Throws Error where the execution space has no such path,
/// and where blocks that wait across the grid (thread_recycling, cooperative) could not all be resident; the others
/// cannot deadlock whatever else the device does.
template <class Solver>
Solver with_comparison_path(const typename Solver::execution_space& exec, const Grid& grid, ComparisonPath path,
                            const typename Solver::Options& options = {}) {
  static_assert(StorageReal<typename Solver::storage_type>, "these paths have no factors of 8 bits");
  using Make = detail::MakeComparison<typename Solver::Comparison, typename Solver::execution_space>;
  return Solver(exec, grid, options, Make::run(exec, grid, path, options.multiprocessors));
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
