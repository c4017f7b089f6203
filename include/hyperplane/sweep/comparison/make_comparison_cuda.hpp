// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/sweep/comparison/comparison_path.hpp>
#include <hyperplane/sweep/comparison/persistent_planes_cuda.hpp>
#include <hyperplane/sweep/comparison/persistent_sweeps_cuda.hpp>
#include <hyperplane/sweep/comparison/plane_turns_cuda.hpp>
#include <hyperplane/sweep/comparison_sweeps.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <memory>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Runs the sweeps of a ComparisonPath, for the Interface of a solver.
template <class Interface, PlaneTurns turns, class Scalar, int n, class Exec, class Storage, int vector_length>
class CudaComparisonSweeps : public Interface {
 public:
  using Factors = TriangularFactors<Storage, n, vector_length>;
  using VectorRef = BlockVectorRef<Scalar, n, vector_length>;

  CudaComparisonSweeps(const Exec& exec, const Grid& grid, int multiprocessors)
      : Interface(grid),
        m_planes(exec.cuda_stream(), SlabMap<vector_length>(grid), multiprocessors),
        m_sweeps(m_planes) {}

  void solve(const Exec& exec, Sweeps sweeps, const Factors& factors, const VectorRef& rhs,
             const VectorRef& x) override {
    cuda::labelled(exec, solve_label(sweeps), [&] { m_sweeps(exec.cuda_stream(), m_planes, sweeps, factors, rhs, x); });
  }

 protected:
  PersistentPlanes<turns, vector_length> m_planes;

 private:
  PersistentSweeps<turns, Scalar, n, Storage, vector_length> m_sweeps;
};

/// A Plan<turns> of the path, as an Interface.
template <class Interface, template <PlaneTurns> class Plan, class Exec>
std::shared_ptr<Interface> make_cuda_comparison(const Exec& exec, const Grid& grid, ComparisonPath path,
                                                int multiprocessors) {
  require(cuda::current_device() == exec.cuda_device(),
          "with_comparison_path: the current CUDA device is not that of the execution space instance");
  switch (path) {
    case ComparisonPath::thread_recycling:
      return std::make_shared<Plan<PlaneTurns::thread_recycling>>(exec, grid, multiprocessors);
    case ComparisonPath::cooperative:
      return std::make_shared<Plan<PlaneTurns::cooperative>>(exec, grid, multiprocessors);
    case ComparisonPath::self_scheduled:
      return std::make_shared<Plan<PlaneTurns::self_scheduled>>(exec, grid, multiprocessors);
  }
  fail("with_comparison_path: there is no such path");
}

template <class Scalar, int n, CudaExecutionSpace Exec, class Storage, int vector_length>
struct MakeComparison<ComparisonSweeps<Scalar, n, Exec, Storage, vector_length>, Exec> {
  using Interface = ComparisonSweeps<Scalar, n, Exec, Storage, vector_length>;
  template <PlaneTurns turns>
  using Plan = CudaComparisonSweeps<Interface, turns, Scalar, n, Exec, Storage, vector_length>;

  static std::shared_ptr<Interface> run(const Exec& exec, const Grid& grid, ComparisonPath path, int multiprocessors) {
    return make_cuda_comparison<Interface, Plan>(exec, grid, path, multiprocessors);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
