// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/host/slab_sweep.hpp>
#include <hyperplane/sip/detail/sip_point.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/sip/sip_coefficients.hpp>
#include <hyperplane/sip/sip_ordered_factors.hpp>
#include <hyperplane/sip/sip_slab.hpp>
#include <hyperplane/sweep/fill_all.hpp>
#include <hyperplane/sweep/from_slab.hpp>
#include <hyperplane/sweep/grouped_sweeps.hpp>
#include <hyperplane/sweep/slab_steps.hpp>
#include <hyperplane/sweep/slabs_of_members.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The factorizations of several Sip, of grids that do not depend on one another, together, with the bits of one grid
/// after the other. A specialization says how; without one grids follow one another.
template <class Scalar, class Exec, class Storage>
class GroupedSipFactor {
 public:
  static constexpr bool exists = false;
};

/// For conclude_grids, after kernels along slabs.
template <class Scalar, class Exec, class Storage, int W>
struct SipSlabDiagnoses {
  template <class Kernel>
  KOKKOS_FUNCTION auto diagnosis(const Kernel& grid, int) const {
    SipOrderedFactors<Storage, W> const factors{grid.m_factors, false};
    return sip_diagnosis<Scalar, Exec>(grid.m_a, factors, grid.m_singular, grid.m_alpha, grid.m_mask);
  }
};

/// On hosts: one launch, all threads over the tiles of all grids, and one for the status of all.
template <class Scalar, HostExecutionSpace Exec, class Storage>
class GroupedSipFactor<Scalar, Exec, Storage> {
 public:
  static constexpr bool exists = true;
  /// Members may be some of the slabs of a plan's grid.
  static constexpr bool by_slabs = true;
  using Sweeps = GroupedSweeps<Scalar, 1, Exec, Storage>;
  static constexpr int vector_length = Sweeps::vector_length;

  static bool is_available() { return true; }

  /// For plans whose sweeps are grouped as well.
  GroupedSipFactor(const Exec& exec, const std::vector<typename Sweeps::Member>& members, int /*multiprocessors*/)
      : m_sweep(exec, "Hyperplane::GroupedSipFactor", Sweeps::extents(members), vector_length - 1,
                slab_steps<Storage, 1, vector_length>),
        m_slabs(members) {}

  /// `plan_of(g).factor(exec, matrix_of(g))` for each grid.
  template <class MatrixStorage, class PlanOf, class MatrixOf>
  void run(const Exec& exec, const PlanOf& plan_of, const MatrixOf& matrix_of) const {
    using Kernel = SipCoefficientsSlab<Scalar, Exec, Storage, MatrixStorage, vector_length>;
    auto const sweeps_of = [&](int g) -> auto& { return plan_of(g).m_sweeps; };
    fill_all(
        exec, "Sip::factor", m_sweep.grids(), sweeps_of, matrix_of,
        [&] {
          std::vector<Kernel> kernels;
          kernels.reserve(as_size(m_sweep.grids()));
          for (int g = 0; g < m_sweep.grids(); ++g) {
            kernels.push_back(Kernel{matrix_of(g).ref(), sweeps_of(g).factors(), sweeps_of(g).record().ref(),
                                     static_cast<Scalar>(plan_of(g).alpha()), SipMask{nullptr}});
          }
          m_sweep.run_all(exec, "Hyperplane::Sip::factor", sip_slab_bytes<Storage, MatrixStorage, vector_length>,
                          [&](int g) { return FromSlab{kernels[as_size(g)], m_slabs.first(g)}; });
          m_slabs.keep_last(kernels);
          conclude_grids(exec, static_cast<int>(kernels.size()), kernels.data(),
                         SipSlabDiagnoses<Scalar, Exec, Storage, vector_length>{});
        },
        [&](int g) { return m_slabs.is_last(g); });
  }

 private:
  host::SlabSweep<Exec> m_sweep;
  SlabsOfMembers m_slabs;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
