// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sip/detail/sip_group_cuda.hpp>
#include <hyperplane/sip/grouped_sip_factor.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/sip/sip_coefficients.hpp>
#include <hyperplane/sip/sip_ordered_factors.hpp>
#include <hyperplane/stencil/parts_of_all.hpp>
#include <hyperplane/sweep/fill_all.hpp>
#include <hyperplane/sweep/grouped_sweeps_cuda.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// For conclude_grids.
template <class Scalar, class Exec, class Storage, int W>
struct CudaSipDiagnoses {
  Scalar* m_a;
  Scalar m_alpha;

  KOKKOS_FUNCTION auto diagnosis(const CudaSipMember<Scalar, Storage, W>& grid, int) const {
    using Ref = typename SingularPivotRecord<Exec>::Ref;
    SipOrderedFactors<Storage, W> const factors{grid.m_factors, false};
    return sip_diagnosis<Scalar, Exec>(grid.matrix(m_a), factors, Ref(record_words(grid.m_singular)), m_alpha,
                                       SipMask{nullptr});
  }
};

/// On CUDA, where matrices are stored in Scalar: one launch, and one for the status of all.
template <class Scalar, CudaExecutionSpace Exec, StorageReal Storage>
class GroupedSipFactor<Scalar, Exec, Storage> {
 public:
  static constexpr bool exists = true;
  using Sweeps = GroupedSweeps<Scalar, 1, Exec, Storage>;
  static constexpr int vector_length = Sweeps::vector_length;

  static bool is_available() { return Plan::lacking().empty(); }

  GroupedSipFactor(const Exec& exec, const std::vector<typename Sweeps::Member>& members, int multiprocessors) {
    std::vector<Member> grids;
    for (auto const& [plan, first_pack] : members) {
      grids.push_back({plan.factors(), plan.record().word(), first_pack});
    }
    m_first_pack = members.front().first_pack;
    m_members = std::make_shared<cuda::DeviceArray<Member>>(exec.cuda_stream(), grids);
    m_plan = std::make_shared<Plan>(exec.cuda_stream(), grids, stencil7_size * sizeof(Scalar), multiprocessors);
  }

  /// `plan_of(g).factor(exec, matrix_of(g))` for each grid.
  template <class MatrixStorage, class PlanOf, class MatrixOf>
  void run(const Exec& exec, const PlanOf& plan_of, const MatrixOf& matrix_of) const {
    int const count = static_cast<int>(m_members->size());
    if constexpr (std::is_same_v<MatrixStorage, Scalar>) {
      auto* const all = all_matrices(matrix_of(0).ref(), m_first_pack);
      auto const alpha = static_cast<Scalar>(plan_of(0).alpha());
      auto const sweeps_of = [&](int g) -> auto& { return plan_of(g).m_sweeps; };
      fill_all("Sip::factor", count, sweeps_of, matrix_of, [&] {
        cuda::labelled(exec, "Hyperplane::Sip::factor",
                       [&] { (*m_plan)(exec.cuda_stream(), detail::Sweeps::forward, {all, alpha}); });
        conclude_grids(exec, count, m_members->data(),
                       CudaSipDiagnoses<Scalar, Exec, Storage, vector_length>{all, alpha});
      });
    } else {
      for (int g = 0; g < count; ++g) plan_of(g).factor(exec, matrix_of(g));
    }
  }

 private:
  using Member = CudaSipMember<Scalar, Storage, vector_length>;
  using Plan = CudaSipGroupPlan<Scalar, Storage, vector_length>;

  std::int64_t m_first_pack;
  std::shared_ptr<const cuda::DeviceArray<Member>> m_members;
  std::shared_ptr<const Plan> m_plan;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
