// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/stencil/over_grids.hpp>
#include <hyperplane/stencil/parts_of_all.hpp>
#include <hyperplane/stencil/stencil_diagnosis.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/factor_units.hpp>
#include <hyperplane/sweep/grouped_units.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The inverses of a grid, its record, and where its values begin in vectors and matrices of all grids: a number of
/// SIMD groups.
template <class Scalar, int n, class Exec, class Storage, int W>
struct BlockJacobiEntry {
  static constexpr int block_size = n;
  static constexpr int vector_length = W;
  SlabMap<W> m_map;
  InterleavedRef<Storage, W, n * n> m_inverse;
  FactorScales<Storage, n, W> m_scales;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  std::int64_t m_first_pack;

  HYPERPLANE_FUNCTION const SlabMap<W>& map() const { return m_map; }
  HYPERPLANE_FUNCTION BlockVectorRef<Scalar, n, W> vector(Scalar* all) const {
    return vector_part<n>(m_map, m_first_pack, all);
  }
  template <class MatrixStorage>
  HYPERPLANE_FUNCTION BlockStencil7Ref<MatrixStorage, n, W> matrix(MatrixStorage* all) const {
    return matrix_part<n>(m_map, m_first_pack, all);
  }
};

template <class T, class Scalar, int n, class Exec, class Storage, int W>
struct BlockJacobiGroupSolve {
  Scalar* m_rhs;
  Scalar* m_x;

  KOKKOS_FUNCTION auto kernel(const BlockJacobiEntry<Scalar, n, Exec, Storage, W>& grid, int) const {
    return BlockJacobiSolve<false, T, Scalar, n, Storage, W>{grid.m_inverse, grid.m_scales, grid.vector(m_rhs),
                                                             grid.vector(m_x)};
  }
};

/// BlockJacobiFactor of a slot, on devices.
template <class Factor, int W>
struct BlockJacobiSlotFactor {
  Factor m_factor;

  KOKKOS_FUNCTION void operator()(std::int64_t slot) const {
    auto const& map = m_factor.m_a.map();
    Point p{};
    if (map.find_point(slot / W, static_cast<int>(slot % W), p)) m_factor(map.grid().index(p));
  }
};

template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int W>
struct BlockJacobiGroupFactor {
  using Entry = BlockJacobiEntry<Scalar, n, Exec, Storage, W>;
  using Factor = BlockJacobiFactor<Scalar, n, Exec, Storage, MatrixStorage, W>;

  MatrixStorage* m_a;

  KOKKOS_FUNCTION auto kernel(const Entry& grid, int) const {
    Factor const factor{grid.matrix(m_a), grid.m_inverse, grid.m_scales, grid.m_singular};
    if constexpr (HostExecutionSpace<Exec>) {
      return factor;
    } else {
      return BlockJacobiSlotFactor<Factor, W>{factor};
    }
  }
  KOKKOS_FUNCTION auto diagnosis(const Entry& grid, int) const {
    return DiagonalDiagnosis<Scalar, n, StoredRange<Scalar, Storage>, MatrixStorage, W, false>{grid.matrix(m_a)};
  }
};

/// Several BlockJacobi together, with the bits of one grid after the other: one launch for a solve, and two for a
/// factorization, with three before them where StorageScalar is Half. Vectors and matrices have the values of all grids
/// in one allocation each.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar>
class GroupedBlockJacobi {
 public:
  static constexpr bool exists = true;
  using Plan = BlockJacobi<Scalar, n, Exec, StorageScalar>;
  static constexpr int vector_length = Plan::vector_length;

  static bool takes(const Plan&) { return true; }
  static bool is_available() { return true; }

  /// A plan, and where the values of its grid begin: a number of SIMD groups. The plan's inverses have to live as long
  /// as this.
  struct Member {
    const Plan& plan;
    std::int64_t first_pack;
  };

  GroupedBlockJacobi(const Exec& exec, const std::vector<Member>& members, int /*multiprocessors*/)
      : m_grids(exec, entries(members)), m_units(exec, units(members)), m_first_pack(members.front().first_pack) {}

  /// x = M^-1 rhs; x may be rhs.
  void run(const Exec& exec, Sweeps, Scalar* rhs, Scalar* x) const {
    constexpr double bytes = 1.0 * n * n * sizeof(StorageScalar) + 2.0 * n * sizeof(Scalar);
    count_bytes("Hyperplane::BlockJacobi::solve", bytes * m_grids.points());
    using T = std::conditional_t<HostExecutionSpace<Exec>, Pack<Scalar, vector_length>, Scalar>;
    m_grids.run("Hyperplane::BlockJacobi::solve", exec, bytes,
                BlockJacobiGroupSolve<T, Scalar, n, Exec, StorageScalar, vector_length>{rhs, x});
  }

  /// `plan_of(g).factor(exec, matrix_of(g))` for each grid.
  template <class MatrixStorage, class PlanOf, class MatrixOf>
  void run(const Exec& exec, const PlanOf& plan_of, const MatrixOf& matrix_of) const {
    for (int g = 0; g < m_grids.count(); ++g) {
      check_grid("BlockJacobi::factor", "A", matrix_of(g).grid(), plan_of(g).grid());
      plan_of(g).m_factored = true;
    }
    auto* const all = all_matrices(matrix_of(0).ref(), m_first_pack);
    m_units.template choose<Scalar>(exec, all);
    BlockJacobiGroupFactor<Scalar, n, Exec, StorageScalar, MatrixStorage, vector_length> const group{all};
    constexpr double bytes = 1.0 * n * n * n * (sizeof(MatrixStorage) + sizeof(StorageScalar));
    m_grids.run("Hyperplane::BlockJacobi::factor", exec, bytes, group);
    m_grids.conclude(exec, group);
  }

 private:
  using Entry = BlockJacobiEntry<Scalar, n, Exec, StorageScalar, vector_length>;

  static std::vector<Entry> entries(const std::vector<Member>& members) {
    std::vector<Entry> result;
    for (auto const& [plan, first_pack] : members) {
      result.push_back({plan.m_map, plan.m_inverse.ref(), plan.m_units.ref(), plan.m_singular.ref(), first_pack});
    }
    return result;
  }

  /// What GroupedUnits ask of plans.
  struct MemberUnits {
    struct {
      SlabMap<vector_length> m_map;
      FactorUnits<StorageScalar, n, vector_length, Exec> m_units;
      const auto& map() const { return m_map; }
      const auto& units() const { return m_units; }
    } plan;
    std::int64_t first_pack;
  };
  static std::vector<MemberUnits> units(const std::vector<Member>& members) {
    std::vector<MemberUnits> result;
    for (auto const& [plan, first_pack] : members) result.push_back({{plan.m_map, plan.m_units}, first_pack});
    return result;
  }

  OverGrids<Exec, Entry> m_grids;
  GroupedUnits<StorageScalar, n, vector_length, Exec> m_units;
  std::int64_t m_first_pack;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
