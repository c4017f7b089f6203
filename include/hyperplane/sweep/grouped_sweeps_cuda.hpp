// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/sweep/detail/scalar_group_solve_cuda_plan.hpp>
#include <hyperplane/sweep/detail/slab_group_solve_cuda_plan.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/grouped_sweeps.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>
#include <hyperplane/sweep/triangular_sweeps.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// On CUDA: one launch for all sweeps, multiprocessors take tiles of all grids.
template <Real Scalar, int n, CudaExecutionSpace Exec, StorageReal StorageScalar>
class GroupedSweeps<Scalar, n, Exec, StorageScalar> {
 public:
  static constexpr bool exists = true;
  using Plan = TriangularSweeps<Scalar, n, Exec, StorageScalar>;
  static constexpr int vector_length = Plan::vector_length;

  static bool takes(const Plan& plan) {
    return plan.path_of_natural_order() == SweepPath::slab && Solve::lacking().empty();
  }

  struct Member {
    const Plan& plan;
    std::int64_t first_pack;
  };

  GroupedSweeps(const Exec& exec, const std::vector<Member>& members, int multiprocessors) {
    std::vector<typename Solve::Member> grids;
    for (auto const& [plan, first_pack] : members) {
      grids.push_back({plan.factors(), first_pack});
      m_points += static_cast<double>(plan.grid().size());
    }
    m_solve = std::make_shared<Solve>(exec.cuda_stream(), grids, multiprocessors);
  }

  void run(const Exec& exec, Sweeps sweeps, Scalar* rhs, Scalar* x) const {
    count_sweep_bytes<Scalar, n, typename Plan::Factors>(sweeps, true, m_points);
    cuda::labelled(exec, solve_label(sweeps), [&] { (*m_solve)(exec.cuda_stream(), sweeps, rhs, x); });
  }

 private:
  /// Recursions over points know no units, as for CudaSlabSweeps.
  using Solve = std::conditional_t<n == 1 && !has_scales<StorageScalar>,
                                   CudaScalarGroupSolve<Scalar, StorageScalar, vector_length>,
                                   CudaSlabGroupSolve<Scalar, n, StorageScalar, vector_length>>;

  double m_points = 0;
  std::shared_ptr<Solve> m_solve;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
