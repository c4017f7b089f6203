// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/host/slab_sweep.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/detail/block_ilu0_slab.hpp>
#include <hyperplane/sweep/grouped_sweeps.hpp>
#include <hyperplane/sweep/slab_steps.hpp>

#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The factorizations of several BlockIlu0, of grids that do not depend on one another, together, with the bits of one
/// grid after the other. A specialization says how; without one grids follow one another.
template <class Scalar, int n, class Exec, class Storage>
class GroupedBlockIlu0Factor {
 public:
  static constexpr bool exists = false;
};

/// On hosts: one launch, all threads over the tiles of all grids.
template <class Scalar, int n, HostExecutionSpace Exec, class Storage>
class GroupedBlockIlu0Factor<Scalar, n, Exec, Storage> {
 public:
  static constexpr bool exists = true;
  using Sweeps = GroupedSweeps<Scalar, n, Exec, Storage>;
  static constexpr int vector_length = Sweeps::vector_length;

  /// Whether it runs where plans' sweeps are grouped.
  static bool is_available() { return true; }

  /// For plans whose sweeps are grouped as well.
  GroupedBlockIlu0Factor(const Exec& exec, const std::vector<typename Sweeps::Member>& members, int /*multiprocessors*/)
      : m_sweep(exec, "Hyperplane::GroupedBlockIlu0Factor", Sweeps::extents(members), vector_length - 1,
                slab_steps<Storage, n, vector_length>) {}

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
    std::vector<Kernel> kernels;
    kernels.reserve(as_size(m_sweep.grids()));
    for (int g = 0; g < m_sweep.grids(); ++g) {
      auto const a = matrix_of(g);
      check_grid("BlockIlu0::factor", "A", a.grid(), plan_of(g).grid());
      auto& sweeps = plan_of(g).m_sweeps;
      sweeps.reset();
      kernels.push_back(Kernel{a.ref(), sweeps.factors(), sweeps.record().ref(), outside_of(g)});
    }
    m_sweep.run_all(exec, "Hyperplane::BlockIlu0::factor", slab_factor_bytes<n, Storage, MatrixStorage, vector_length>,
                    [&](int g) { return kernels[as_size(g)]; });
    for (int g = 0; g < m_sweep.grids(); ++g) {
      plan_of(g).m_sweeps.fill([&](const auto& factors, const auto& singular) {
        plan_of(g).conclude(exec, matrix_of(g), factors, singular, outside_of(g));
      });
    }
  }

 private:
  host::SlabSweep<Exec> m_sweep;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
