// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_group_factor_plan.hpp>
#include <hyperplane/ilu/detail/block_ilu0_diagnosis.hpp>
#include <hyperplane/ilu/grouped_factor.hpp>
#include <hyperplane/stencil/parts_of_all.hpp>
#include <hyperplane/sweep/fill_all.hpp>
#include <hyperplane/sweep/grouped_sweeps_cuda.hpp>
#include <hyperplane/sweep/grouped_units.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// For conclude_grids.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length>
struct CudaSlabDiagnoses {
  using Layout = CudaSlabFactorLayout<Scalar, n, Storage, MatrixStorage, vector_length>;
  using Diagnosis = BlockIlu0Diagnosis<Scalar, n, Storage, MatrixStorage, vector_length>;

  MatrixStorage* m_a;

  KOKKOS_FUNCTION Diagnosis diagnosis(const Layout& grid, int) const {
    return {matrix_part<n>(grid.m_factors.m_map, grid.m_first_pack, m_a), grid.m_factors};
  }
};

/// On CUDA: one launch (and one for the status of all; where Storage is Half, three before them),
/// multiprocessors take rows of all grids.
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage>
class GroupedBlockIlu0Factor<Scalar, n, Exec, Storage> {
 public:
  static constexpr bool exists = true;
  using Sweeps = GroupedSweeps<Scalar, n, Exec, Storage>;
  static constexpr int vector_length = Sweeps::vector_length;

  static bool is_available() { return Factor::lacking().empty(); }

  GroupedBlockIlu0Factor(const Exec& exec, const std::vector<typename Sweeps::Member>& members, int multiprocessors)
      : m_units(exec, members) {
    std::vector<typename Factor::Member> grids;
    for (auto const& [plan, first_pack] : members) {
      grids.push_back({plan.factors(), plan.record().word(), first_pack});
      m_points += static_cast<double>(plan.grid().size());
    }
    m_first_pack = members.front().first_pack;
    m_count = static_cast<int>(members.size());
    m_factor = std::make_shared<Factor>(exec.cuda_stream(), grids, multiprocessors);
  }

  template <class MatrixStorage, class PlanOf, class MatrixOf>
  void run(const Exec& exec, const PlanOf& plan_of, const MatrixOf& matrix_of) const {
    auto* const all = all_matrices(matrix_of(0).ref(), m_first_pack);
    auto const sweeps_of = [&](int g) -> auto& { return plan_of(g).m_sweeps; };
    fill_all(exec, "BlockIlu0::factor", m_count, sweeps_of, matrix_of, [&] {
      m_units.template choose<Scalar>(exec, all);
      cuda::labelled(exec, "Hyperplane::BlockIlu0::factor", [&] { (*m_factor)(exec.cuda_stream(), all); });
      count_bytes("Hyperplane::BlockIlu0::factor", 7.0 * n * n * (sizeof(MatrixStorage) + sizeof(Storage)) * m_points);
      conclude_grids(exec, m_count, m_factor->template layouts<MatrixStorage>(),
                     CudaSlabDiagnoses<Scalar, n, Storage, MatrixStorage, vector_length>{all});
    });
  }

 private:
  using Factor = BlockIlu0CudaSlabGroupFactor<Scalar, n, Storage, vector_length>;

  GroupedUnits<Storage, n, vector_length, Exec> m_units;
  std::int64_t m_first_pack;
  int m_count;
  double m_points = 0;
  std::shared_ptr<Factor> m_factor;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
