// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <memory>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// How the papers run sweeps and factorizations on CUDA: to compare with, never faster than SweepPath::automatic. One
/// kernel goes through all hyperplanes, with one vector at a time.
enum class ComparisonPath {
  thread_recycling,  ///< points fetched in batches, an atomic grid barrier between hyperplanes: Luo et al.
  cooperative,       ///< the same with the grid barrier of cooperative groups
  self_scheduled,    ///< points fetched in batches by ticket, a counter of finished batches per hyperplane: Dufrechou
                     ///< et al.
};

/// All there are.
inline constexpr std::array<ComparisonPath, 3> comparison_paths{
    ComparisonPath::thread_recycling, ComparisonPath::cooperative, ComparisonPath::self_scheduled};

constexpr const char* name(ComparisonPath path) {
  switch (path) {
    case ComparisonPath::thread_recycling: return "thread_recycling";
    case ComparisonPath::cooperative: return "cooperative";
    case ComparisonPath::self_scheduled: return "self_scheduled";
  }
  return "unknown";
}

namespace detail {

/// Makes the Plan, ComparisonSweeps or what extends them, that runs a ComparisonPath: a specialization for an execution
/// space that has them. Without one there are none.
template <class Plan, class Exec>
struct MakeComparison {
  static_assert(!CudaExecutionSpace<Exec>, "for BlockIlu0 include ilu/comparison_paths.hpp");
  static std::shared_ptr<Plan> run(const Exec&, const Grid&, ComparisonPath path, int /*multiprocessors*/) {
    fail(std::string("with_comparison_path: ") + Exec::name() + " has no path " + name(path));
  }
};

}  // namespace detail

}  // namespace hyperplane::inline HYPERPLANE_ABI
