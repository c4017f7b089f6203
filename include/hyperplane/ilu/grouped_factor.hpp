// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/host/slab_sweep.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/detail/block_ilu0_diagnosis.hpp>
#include <hyperplane/ilu/detail/block_ilu0_slab.hpp>
#include <hyperplane/stencil/parts_of_all.hpp>
#include <hyperplane/sweep/fill_all.hpp>
#include <hyperplane/sweep/from_slab.hpp>
#include <hyperplane/sweep/grouped_sweeps.hpp>
#include <hyperplane/sweep/grouped_units.hpp>
#include <hyperplane/sweep/slab_steps.hpp>
#include <hyperplane/sweep/slabs_of_members.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The factorizations of several BlockIlu0, of grids that do not depend on one another, together, with the bits of one
/// grid after the other. A specialization says how; without one grids follow one another.
template <class Scalar, int n, class Exec, class Storage>
class GroupedBlockIlu0Factor {
 public:
  static constexpr bool exists = false;
};

/// For conclude_grids, after kernels along slabs.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length>
struct BlockIlu0SlabDiagnoses {
  template <class Kernel>
  KOKKOS_FUNCTION auto diagnosis(const Kernel& grid, int) const {
    using Diagnosis = BlockIlu0Diagnosis<Scalar, n, Storage, MatrixStorage, vector_length, decltype(grid.m_outside)>;
    return Diagnosis{grid.m_a, grid.m_factors, grid.m_outside};
  }
};

/// On hosts: one launch, all threads over the tiles of all grids, and one for the status of all.
template <class Scalar, int n, HostExecutionSpace Exec, class Storage>
class GroupedBlockIlu0Factor<Scalar, n, Exec, Storage> {
 public:
  static constexpr bool exists = true;
  /// Members may be some of the slabs of a plan's grid.
  static constexpr bool by_slabs = true;
  using Sweeps = GroupedSweeps<Scalar, n, Exec, Storage>;
  static constexpr int vector_length = Sweeps::vector_length;

  /// Whether it runs where plans' sweeps are grouped.
  static bool is_available() { return true; }

  /// For plans whose sweeps are grouped as well.
  GroupedBlockIlu0Factor(const Exec& exec, const std::vector<typename Sweeps::Member>& members, int /*multiprocessors*/)
      : m_sweep(exec, "Hyperplane::GroupedBlockIlu0Factor", Sweeps::extents(members), vector_length - 1,
                slab_steps<Storage, n, vector_length>),
        m_slabs(members),
        m_units(exec, members),
        m_first_pack(members.front().first_pack) {
    for (auto const& member : members) {
      auto const& plan = member.plan;
      m_points += static_cast<double>(plan.grid().size()) * member.slabs / std::max(plan.map().slabs(), 1);
    }
  }

  /// `plan_of(g).factor(exec, matrix_of(g))` for each grid.
  template <class MatrixStorage, class PlanOf, class MatrixOf>
  void run(const Exec& exec, const PlanOf& plan_of, const MatrixOf& matrix_of) const {
    run<MatrixStorage>(exec, plan_of, matrix_of, [](int) { return NoOutside(); });
  }
  /// The same with what `outside_of(g)` knows outside of grid g, a SlabOutside.
  template <class MatrixStorage, class PlanOf, class MatrixOf, class OutsideOf>
  void run(const Exec& exec, const PlanOf& plan_of, const MatrixOf& matrix_of, const OutsideOf& outside_of) const {
    using Outside = decltype(outside_of(0));
    using Kernel = BlockIlu0FactorSlab<Scalar, n, Exec, Storage, MatrixStorage, vector_length, Outside>;
    auto const sweeps_of = [&](int g) -> auto& { return plan_of(g).m_sweeps; };
    fill_all(
        exec, "BlockIlu0::factor", m_sweep.grids(), sweeps_of, matrix_of,
        [&] {
          m_units.template choose<Scalar>(exec, all_matrices(matrix_of(0).ref(), m_first_pack));
          std::vector<Kernel> kernels;
          kernels.reserve(as_size(m_sweep.grids()));
          for (int g = 0; g < m_sweep.grids(); ++g) {
            auto const& sweeps = sweeps_of(g);
            kernels.push_back(Kernel{matrix_of(g).ref(), sweeps.factors(), sweeps.record().ref(), outside_of(g)});
          }
          m_sweep.run_all(exec, "Hyperplane::BlockIlu0::factor",
                          slab_factor_bytes<n, Storage, MatrixStorage, vector_length>,
                          [&](int g) { return FromSlab{kernels[as_size(g)], m_slabs.first(g)}; });
          count_bytes("Hyperplane::BlockIlu0::factor",
                      7.0 * n * n * (sizeof(MatrixStorage) + sizeof(Storage)) * m_points);
          m_slabs.keep_last(kernels);
          conclude_grids(exec, static_cast<int>(kernels.size()), kernels.data(),
                         BlockIlu0SlabDiagnoses<Scalar, n, Storage, MatrixStorage, vector_length>{});
        },
        [&](int g) { return m_slabs.is_last(g); });
  }

 private:
  host::SlabSweep<Exec> m_sweep;
  SlabsOfMembers m_slabs;
  GroupedUnits<Storage, n, vector_length, Exec> m_units;
  std::int64_t m_first_pack;
  double m_points = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
