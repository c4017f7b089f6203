// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/ssor/detail/ssor_factor.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/over_grids.hpp>
#include <hyperplane/stencil/parts_of_all.hpp>
#include <hyperplane/stencil/stencil_diagnosis.hpp>
#include <hyperplane/sweep/fill_all.hpp>
#include <hyperplane/sweep/grouped_sweeps.hpp>
#include <hyperplane/sweep/grouped_units.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The factors of a grid, its record, and where its values begin in matrices of all grids: a number of SIMD groups.
template <int n, class Exec, class Storage, int W>
struct SsorEntry {
  static constexpr int block_size = n;
  static constexpr int vector_length = W;
  TriangularFactors<Storage, n, W> m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  std::int64_t m_first_pack;

  HYPERPLANE_FUNCTION const SlabMap<W>& map() const { return m_factors.m_map; }
  template <class MatrixStorage>
  HYPERPLANE_FUNCTION BlockStencil7Ref<MatrixStorage, n, W> matrix(MatrixStorage* all) const {
    return matrix_part<n>(map(), m_first_pack, all);
  }
};

/// With what is known outside of each grid, if something is.
template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int W, class Outside>
struct SsorGroupFactor {
  using Entry = SsorEntry<n, Exec, Storage, W>;
  using T = std::conditional_t<HostExecutionSpace<Exec>, Pack<Scalar, W>, Scalar>;

  MatrixStorage* m_a;
  Scalar m_relaxation;
  const Outside* m_outside;

  KOKKOS_FUNCTION auto kernel(const Entry& grid, int number) const {
    return SsorFactor<T, Scalar, n, Exec, Storage, MatrixStorage, W, Outside>{
        grid.matrix(m_a), grid.m_factors, grid.m_singular, m_relaxation, outside(number)};
  }
  KOKKOS_FUNCTION auto diagnosis(const Entry& grid, int number) const {
    using Range = StoredRange<Scalar, Storage>;
    return DiagonalDiagnosis<Scalar, n, Range, MatrixStorage, W, true, Outside>{grid.matrix(m_a), outside(number)};
  }

 private:
  KOKKOS_FUNCTION Outside outside([[maybe_unused]] int number) const {
    if constexpr (Outside::exists) {
      return m_outside[number];
    } else {
      return {};
    }
  }
};

/// The factorizations of several Ssor together, with the bits of one grid after the other, where their sweeps are: two
/// launches, and three before them where StorageScalar is Half.
template <class Scalar, int n, class Exec, class StorageScalar>
class GroupedSsorFactor {
  static_assert(StorageReal<StorageScalar>);

 public:
  using Sweeps = GroupedSweeps<Scalar, n, Exec, StorageScalar>;
  static constexpr bool exists = Sweeps::exists;
  static constexpr int vector_length = Ssor<Scalar, n, Exec, StorageScalar>::vector_length;

  static bool is_available() { return true; }

  template <class Member>
  GroupedSsorFactor(const Exec& exec, const std::vector<Member>& members, int /*multiprocessors*/)
      : m_grids(exec, entries(members)), m_units(exec, members), m_first_pack(members.front().first_pack) {}

  /// `plan_of(g).factor(exec, matrix_of(g))` for each grid.
  template <class MatrixStorage, class PlanOf, class MatrixOf>
  void run(const Exec& exec, const PlanOf& plan_of, const MatrixOf& matrix_of) const {
    run_with<MatrixStorage, PlanOf, MatrixOf, NoOutside>(exec, plan_of, matrix_of, nullptr);
  }
  /// The same with what `outside_of(g)` knows outside of grid g, a SlabOutside. Kernels read it where it is, in the
  /// host's memory.
  template <class MatrixStorage, class PlanOf, class MatrixOf, class OutsideOf>
  void run(const Exec& exec, const PlanOf& plan_of, const MatrixOf& matrix_of, const OutsideOf& outside_of) const
    requires HostExecutionSpace<Exec>
  {
    std::vector<decltype(outside_of(0))> outside;
    outside.reserve(as_size(m_grids.count()));
    for (int g = 0; g < m_grids.count(); ++g) outside.push_back(outside_of(g));
    run_with<MatrixStorage>(exec, plan_of, matrix_of, outside.data());
  }

 private:
  using Entry = SsorEntry<n, Exec, StorageScalar, vector_length>;

  template <class Member>
  static std::vector<Entry> entries(const std::vector<Member>& members) {
    std::vector<Entry> result;
    for (auto const& member : members) {
      result.push_back({member.plan.factors(), member.plan.record().ref(), member.first_pack});
    }
    return result;
  }

  template <class MatrixStorage, class PlanOf, class MatrixOf, class Outside>
  void run_with(const Exec& exec, const PlanOf& plan_of, const MatrixOf& matrix_of, const Outside* outside) const {
    SsorGroupFactor<Scalar, n, Exec, StorageScalar, MatrixStorage, vector_length, Outside> const group{
        all_matrices(matrix_of(0).ref(), m_first_pack), static_cast<Scalar>(plan_of(0).relaxation()), outside};
    auto const sweeps_of = [&](int g) -> auto& { return plan_of(g).m_sweeps; };
    fill_all(exec, "Ssor::factor", m_grids.count(), sweeps_of, matrix_of, [&] {
      m_units.template choose<Scalar>(exec, group.m_a);
      m_grids.run("Hyperplane::Ssor::factor", exec, 7.0 * n * n * (sizeof(MatrixStorage) + sizeof(StorageScalar)),
                  group);
      m_grids.conclude(exec, group);
    });
  }

  OverGrids<Exec, Entry> m_grids;
  GroupedUnits<StorageScalar, n, vector_length, Exec> m_units;
  std::int64_t m_first_pack;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
