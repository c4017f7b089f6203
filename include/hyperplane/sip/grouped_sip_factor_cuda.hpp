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
#include <hyperplane/stencil/matrix_storages.hpp>
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
template <class Scalar, class Exec, class Storage, class MatrixStorage, int W>
struct CudaSipDiagnoses {
  MatrixStorage* m_a;
  Scalar m_alpha;

  KOKKOS_FUNCTION auto diagnosis(const CudaSipMember<Storage, W>& grid, int) const {
    using Ref = typename SingularPivotRecord<Exec>::Ref;
    SipOrderedFactors<Storage, W> const factors{grid.m_factors, false};
    return sip_diagnosis<Scalar, Exec>(grid.matrix(m_a), factors, Ref(record_words(grid.m_singular)), m_alpha,
                                       SipMask{nullptr});
  }
};

/// On CUDA one launch, and one for the status of all.
template <class Scalar, CudaExecutionSpace Exec, StorageReal Storage>
class GroupedSipFactor<Scalar, Exec, Storage> {
 public:
  static constexpr bool exists = true;
  using Sweeps = GroupedSweeps<Scalar, 1, Exec, Storage>;
  static constexpr int vector_length = Sweeps::vector_length;

  static bool is_available() { return Plan<Scalar>::lacking().empty(); }

  GroupedSipFactor(const Exec& exec, const std::vector<typename Sweeps::Member>& members, int multiprocessors) {
    std::vector<Member> grids;
    for (auto const& [plan, first_pack] : members) {
      grids.push_back({plan.factors(), plan.record().word(), first_pack});
    }
    m_first_pack = members.front().first_pack;
    m_members = std::make_shared<cuda::DeviceArray<Member>>(exec.cuda_stream(), grids);
    // Packets of the plan that needs most: no two of them run at the same time.
    auto const memory = std::make_shared<PointRecursionMemory<Scalar>>(
        exec.cuda_stream(), most(Plan<Scalar>::packets(grids), Plan<float>::packets(grids)));
    m_plans = std::make_shared<const Plans>([&]<class MatrixStorage>(std::type_identity<MatrixStorage>) {
      return Plan<MatrixStorage>(exec.cuda_stream(), grids, stencil7_size * sizeof(MatrixStorage), multiprocessors,
                                 memory);
    });
  }

  /// `plan_of(g).factor(exec, matrix_of(g))` for each grid.
  template <class MatrixStorage, class PlanOf, class MatrixOf>
  void run(const Exec& exec, const PlanOf& plan_of, const MatrixOf& matrix_of) const {
    int const count = static_cast<int>(m_members->size());
    auto* const all = all_matrices(matrix_of(0).ref(), m_first_pack);
    auto const alpha = static_cast<Scalar>(plan_of(0).alpha());
    auto const sweeps_of = [&](int g) -> auto& { return plan_of(g).m_sweeps; };
    fill_all(exec, "Sip::factor", count, sweeps_of, matrix_of, [&] {
      cuda::labelled(exec, "Hyperplane::Sip::factor", [&] {
        m_plans->template get<MatrixStorage>()(exec.cuda_stream(), detail::Sweeps::forward, {all, alpha});
      });
      conclude_grids(exec, count, m_members->data(),
                     CudaSipDiagnoses<Scalar, Exec, Storage, MatrixStorage, vector_length>{all, alpha});
    });
  }

 private:
  using Member = CudaSipMember<Storage, vector_length>;
  template <class MatrixStorage>
  using Plan = CudaSipGroupPlan<Scalar, Storage, MatrixStorage, Sweeps::vector_length>;
  using Plans = ForMatrixStorages<Scalar, Plan>;

  std::int64_t m_first_pack;
  std::shared_ptr<const cuda::DeviceArray<Member>> m_members;
  std::shared_ptr<const Plans> m_plans;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
