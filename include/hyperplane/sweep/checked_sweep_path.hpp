// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/is_listed.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_sweeps_options.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The path that TriangularSweeps of factors in Storage run with these options, and instead of it a Comparison, if
/// there is one. Throws Error where an option is out of range, where the execution space cannot run the path, and where
/// the comparison was made for another grid.
template <FactorReal Storage, class FastPath, class Folded, ExecutionSpace Exec, int vector_length, class Comparison>
SweepPath checked_sweep_path(const Exec& exec, const std::string& owner, const SlabMap<vector_length>& map,
                             const FoldedOrder& order, const TriangularSweepsOptions& options,
                             const Comparison* comparison) {
  check_sweeps_options(owner, options);
  SweepPath const path = options.path;
  if (options.folded.any()) {
    if (comparison != nullptr) fail(owner + ": folded directions beside a path for comparison");
    return Folded::checked_path(exec, owner, order, path);
  }
  if (comparison != nullptr) {
    if (path != SweepPath::automatic) fail(owner + ": path " + name(path) + " beside a path for comparison");
    check_grid(owner.c_str(), "the path to compare with", comparison->grid(), map.grid());
    return SweepPath::comparison;
  }
  if (path == SweepPath::automatic) return FastPath::choose(exec, map);
  if (path != SweepPath::portable && !is_listed(FastPath::paths, path)) {
    fail(owner + ": " + Exec::name() + " has no path " + name(path) +
         (StorageReal<Storage> ? "" : " with factors of 8 bits"));
  }
  return path;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
