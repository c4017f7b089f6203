// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ssor/detail/ssor_factor.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/over_grids.hpp>
#include <hyperplane/stencil/parts_of_all.hpp>
#include <hyperplane/stencil/stencil_diagnosis.hpp>
#include <hyperplane/sweep/grouped_sweeps.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The factors of a grid, its record, and where its values begin in matrices of all grids: a number of SIMD groups.
template <int n, class Storage, int W>
struct SsorEntry {
  static constexpr int vector_length = W;
  TriangularFactors<Storage, n, W> m_factors;
  std::uint64_t* m_words;
  std::int64_t m_first_pack;

  HYPERPLANE_FUNCTION const SlabMap<W>& map() const { return m_factors.m_map; }
  template <class MatrixStorage>
  HYPERPLANE_FUNCTION BlockStencil7Ref<MatrixStorage, n, W> matrix(MatrixStorage* all) const {
    return matrix_part<n>(map(), m_first_pack, all);
  }
};

template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int W>
struct SsorGroupFactor {
  MatrixStorage* m_a;
  Scalar m_relaxation;

  KOKKOS_FUNCTION void operator()(const SsorEntry<n, Storage, W>& grid, std::int64_t slot) const {
    SsorFactor<Scalar, Scalar, n, Exec, Storage, MatrixStorage, W>{
        grid.matrix(m_a), grid.m_factors, typename SingularPivotRecord<Exec>::Ref(grid.m_words), m_relaxation}(slot);
  }
};

/// The factorizations of several Ssor together, with the bits of one grid after the other: on devices, where their
/// sweeps are, two launches.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar>
class GroupedSsorFactor {
 public:
  using Sweeps = GroupedSweeps<Scalar, n, Exec, StorageScalar>;
  static constexpr bool exists = !HostExecutionSpace<Exec> && Sweeps::exists;
  static constexpr int vector_length = Ssor<Scalar, n, Exec, StorageScalar>::vector_length;

  static bool is_available() { return true; }

  template <class Member>
  GroupedSsorFactor(const Exec& exec, const std::vector<Member>& members, int /*multiprocessors*/)
      : m_grids(exec, entries(members)), m_first_pack(members.front().first_pack) {}

  /// `plan_of(g).factor(exec, matrix_of(g))` for each grid.
  template <class MatrixStorage, class PlanOf, class MatrixOf>
  void run(const Exec& exec, const PlanOf& plan_of, const MatrixOf& matrix_of) const {
    for (int g = 0; g < m_grids.count(); ++g) {
      check_grid("Ssor::factor", "A", matrix_of(g).grid(), plan_of(g).grid());
      plan_of(g).m_sweeps.reset();
    }
    auto* const all = all_matrices(matrix_of(0).ref(), m_first_pack);
    auto const relaxation = static_cast<Scalar>(plan_of(0).relaxation());
    m_grids.run("Hyperplane::Ssor::factor", exec, 7.0 * n * n * (sizeof(MatrixStorage) + sizeof(StorageScalar)),
                SsorGroupFactor<Scalar, n, Exec, StorageScalar, MatrixStorage, vector_length>{all, relaxation});
    m_grids.template conclude<DiagonalDiagnosis<Scalar, n, StorageScalar, MatrixStorage, vector_length, true>>(exec,
                                                                                                               all);
    for (int g = 0; g < m_grids.count(); ++g) plan_of(g).m_sweeps.fill([](const auto&, const auto&) {});
  }

 private:
  using Entry = SsorEntry<n, StorageScalar, vector_length>;

  template <class Member>
  static std::vector<Entry> entries(const std::vector<Member>& members) {
    std::vector<Entry> result;
    for (auto const& [plan, first_pack] : members) {
      result.push_back({plan.factors(), plan.record().words(), first_pack});
    }
    return result;
  }

  OverGrids<Exec, Entry> m_grids;
  std::int64_t m_first_pack;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
