// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/host/slab_sweep.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/detail/transposed_several_slab.hpp>
#include <hyperplane/sweep/detail/transposed_step_slab.hpp>
#include <hyperplane/sweep/detail/triangular_sweeps_slab.hpp>
#include <hyperplane/sweep/from_slab.hpp>
#include <hyperplane/sweep/slab_steps.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>
#include <hyperplane/sweep/triangular_sweeps.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The sweeps of several TriangularSweeps, of grids that do not depend on one another, together, with the bits of one
/// grid after the other. Vectors have the values of all grids in one allocation. A specialization says how; without one
/// grids follow one another.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar>
class GroupedSweeps {
 public:
  static constexpr bool exists = false;
};

/// On hosts: one launch for each sweep, all threads over the tiles of all grids.
template <Real Scalar, int n, HostExecutionSpace Exec, StorageReal StorageScalar>
class GroupedSweeps<Scalar, n, Exec, StorageScalar> {
 public:
  static constexpr bool exists = true;
  using Plan = TriangularSweeps<Scalar, n, Exec, StorageScalar>;
  static constexpr int vector_length = Plan::vector_length;

  /// Whether the sweeps of a plan can be among them.
  static bool takes(const Plan& plan) { return plan.path_of_natural_order() == SweepPath::slab; }

  /// A plan, and where the values of its grid begin in vectors: a number of SIMD groups. The plan's factors have to
  /// live as long as this. Of its slabs those from the first one on, by default all: those before them have been taken.
  struct Member {
    const Plan& plan;
    std::int64_t first_pack;
    int first_slab = 0;
    int slabs = plan.map().slabs();

    bool is_last() const { return first_slab + slabs == plan.map().slabs(); }
  };

  /// The slabs of the members.
  static std::vector<typename host::SlabSweep<Exec>::Extent> extents(const std::vector<Member>& members) {
    std::vector<typename host::SlabSweep<Exec>::Extent> result;
    for (auto const& member : members) result.push_back({member.slabs, member.plan.map().steps()});
    return result;
  }

  GroupedSweeps(const Exec& exec, const std::vector<Member>& members, int /*multiprocessors*/)
      : m_sweep(exec, "Hyperplane::GroupedSweeps", extents(members), vector_length - 1,
                slab_steps<StorageScalar, n, vector_length>) {
    for (auto const& member : members) {
      auto const& plan = member.plan;
      int const slabs = plan.map().slabs();
      m_grids.push_back({plan.factors(), member.first_pack, member.first_slab, slabs - member.first_slab - member.slabs,
                         plan.handed_on()});
      m_points += static_cast<double>(plan.grid().size()) * member.slabs / std::max(slabs, 1);
    }
  }

  /// Of the plans' sweeps what `sweeps` says; x may be rhs.
  void run(const Exec& exec, Sweeps sweeps, Scalar* rhs, Scalar* x) const {
    run(exec, sweeps, rhs, x, [](int) { return NoOutside(); });
  }
  /// The same with the values that `outside_of(g)` has outside of grid g, a SlabOutside.
  template <class OutsideOf>
  void run(const Exec& exec, Sweeps sweeps, Scalar* rhs, Scalar* x, const OutsideOf& outside_of) const {
    count_sweep_bytes<Scalar, n, typename Plan::Factors>(sweeps, false, m_points);
    if (sweeps != Sweeps::backward) run_one<Sweep::forward>(exec, Sweeps::forward, rhs, x, outside_of);
    if (sweeps != Sweeps::forward)
      run_one<Sweep::backward>(exec, Sweeps::backward, sweeps == Sweeps::both ? x : rhs, x, outside_of);
  }

  /// The same of the plans' transposed sweeps, with nothing outside.
  void run_transposed(const Exec& exec, Sweeps sweeps, Scalar* rhs, Scalar* x) const {
    count_sweep_bytes<Scalar, n, typename Plan::Factors>(sweeps, false, m_points, 1, true);
    if (sweeps != Sweeps::backward) run_one_transposed<Sweep::forward>(exec, Sweeps::forward, rhs, x);
    if (sweeps != Sweeps::forward)
      run_one_transposed<Sweep::backward>(exec, Sweeps::backward, sweeps == Sweeps::both ? x : rhs, x);
  }

 private:
  using Factors = TriangularFactors<StorageScalar, n, vector_length>;
  using Ref = BlockVectorRef<Scalar, n, vector_length>;
  using Packs = InterleavedRef<Scalar, vector_length, n>;
  struct SweptGrid {
    Factors factors;
    std::int64_t first_pack;
    int slabs_before, slabs_behind;  ///< of the grid, that are not swept here
    SlabHandedOnMemory<Scalar, n, vector_length, Exec> handed_on;

    Ref part(Scalar* values) const { return Ref(factors.m_map, Packs(values + first_pack * (n * vector_length))); }
    /// Of a kernel that counts slabs in the order of its sweep.
    template <class Step>
    FromSlab<Step> swept(const Step& step) const {
      return {step, Step::forward ? slabs_before : slabs_behind};
    }
  };

  template <Sweep sweep, class OutsideOf>
  void run_one(const Exec& exec, Sweeps sweeps, Scalar* rhs, Scalar* x, const OutsideOf& outside_of) const {
    using Step = SlabSweepStep<sweep, Scalar, n, StorageScalar, vector_length, 1, decltype(outside_of(0))>;
    m_sweep.run_all(
        exec, solve_label(sweeps), slab_step_bytes<Scalar, n, StorageScalar, vector_length, 1>, [&](int number) {
          auto const& grid = m_grids[as_size(number)];
          using Vectors = typename Step::Vectors;
          return grid.swept(Step{grid.factors, Vectors{{grid.part(rhs)}}, Vectors{{grid.part(x)}}, outside_of(number)});
        });
  }
  template <Sweep sweep>
  void run_one_transposed(const Exec& exec, Sweeps sweeps, Scalar* rhs, Scalar* x) const {
    using Step = TransposedSlabStep<sweep, Scalar, n, StorageScalar, vector_length>;
    m_sweep.run_all(exec, transposed_label(sweeps), slab_step_bytes<Scalar, n, StorageScalar, vector_length, 1>,
                    [&](int number) {
                      auto const& grid = m_grids[as_size(number)];
                      return grid.swept(Step{grid.factors, grid.part(rhs), grid.part(x), grid.handed_on.of(exec, 0)});
                    });
  }

  host::SlabSweep<Exec> m_sweep;
  std::vector<SweptGrid> m_grids;
  double m_points = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
