// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/stencil/apply.hpp>  // for Krylov methods, which need that of the matrix
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/for_packs.hpp>
#include <hyperplane/stencil/stencil_diagnosis.hpp>
#include <hyperplane/sweep/equation_units.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/factor_units.hpp>
#include <hyperplane/sweep/stencil_sample.hpp>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar>
class GroupedBlockJacobi;

/// d^-1 of a point, or of the lanes of a pack, into the units that it is stored in, where there are some; keeps S.
template <int n, class T, class Scales, class Lanes>
KOKKOS_FUNCTION void take_alone_into_units(const Scales& scales, std::int64_t pack, const Lanes& lanes,
                                           block::Matrix<T, n>& inverse) {
  if constexpr (Scales::exist) {
    auto const equations = equation_units<T, n>(scales, inverse);
    keep_equation_units<n>(scales, pack, lanes, equations);
    take_inverse_into_units<n>(scales, equations, inverse);
  }
}

/// On devices: a point for each index.
template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length>
struct BlockJacobiFactor {
  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  InterleavedRef<Storage, vector_length, n * n> m_inverse;
  FactorScales<Storage, n, vector_length> m_scales;
  typename SingularPivotRecord<Exec>::Ref m_singular;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    Point const p = m_a.grid().point(number);
    auto const pack = m_a.map().pack(p.i, p.j, p.k);
    int const lane = m_a.map().lane(p.j);
    const MatrixStorage* const center = m_a.pack_block(pack, Direction::center) + lane;
    block::Matrix<Scalar, n> d;
    for (int e = 0; e < n * n; ++e) d.m_entries[e] = static_cast<Scalar>(center[e * vector_length]);
    block::invert<n>(d, [&](bool, int equation) { m_singular.record(number, equation); });
    take_alone_into_units<n>(m_scales, pack, lane, d);
    if (block::storage_excess<Storage, Scalar>(d) != Scalar(0)) m_singular.record(number, unstorable_code);
    for (int e = 0; e < n * n; ++e) m_inverse(pack, e, lane) = static_cast<Storage>(d.m_entries[e]);
  }
};

/// On hosts: a SIMD group, whose blocks are inverted together.
template <class Scalar, int n, HostExecutionSpace Exec, class Storage, class MatrixStorage, int vector_length>
struct BlockJacobiFactor<Scalar, n, Exec, Storage, MatrixStorage, vector_length> {
  using PackType = Pack<Scalar, vector_length>;

  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  InterleavedRef<Storage, vector_length, n * n> m_inverse;
  FactorScales<Storage, n, vector_length> m_scales;
  typename SingularPivotRecord<Exec>::Ref m_singular;

  void operator()(std::int64_t pack, const PackPlace& place) const {
    auto const& map = m_a.map();
    const MatrixStorage* const center = m_a.pack_block(pack, Direction::center);
    block::Matrix<PackType, n> d;
    for (int e = 0; e < n * n; ++e) d.m_entries[e] = PackType::load(center + e * vector_length);
    auto const record = [&](const auto& mask, int code) { record_lanes(map, pack, mask, code, m_singular); };
    bool const full = is_full(map, place);
    if (!full) make_regular<n>(padding_lanes<PackType>(map, place), d);
    block::invert<n>(d, record);
    take_alone_into_units<n>(m_scales, pack, 0, d);
    PackType const excess = block::storage_excess<Storage, Scalar>(d);
    if (any(excess != PackType(0))) [[unlikely]]
      record(excess != PackType(0), unstorable_code);
    if (!full) {
      // What is kept of lanes without a point is zero.
      auto const padding = padding_lanes<PackType>(map, place);
      for (auto& entry : d.m_entries) entry = select(padding, PackType(0), entry);
    }
    for (int e = 0; e < n * n; ++e) d.m_entries[e].store(m_inverse.pack_data(pack) + e * vector_length);
  }
};

/// T is a Pack, and an index a SIMD group, or T is a scalar and an index is one slot: lanes follow one another, and
/// padding is no matter, its blocks and right-hand side are zero. `transposed`: of the transposed blocks.
template <bool transposed, class T, class Scalar, int n, class Storage, int vector_length>
struct BlockJacobiSolve {
  static constexpr bool whole_packs = !std::is_same_v<T, Scalar>;
  /// Slots of an index.
  static constexpr int slots = whole_packs ? vector_length : 1;
  using StoredBlock = std::conditional_t<whole_packs, block::PackMatrix<T, Storage, n, vector_length>,
                                         block::LaneMatrix<T, Storage, n, vector_length>>;

  InterleavedRef<Storage, vector_length, n * n> m_inverse;
  FactorScales<Storage, n, vector_length> m_scales;
  BlockVectorRef<Scalar, n, vector_length> m_rhs;
  BlockVectorRef<Scalar, n, vector_length> m_x;

  /// Wherever a pack is.
  KOKKOS_FUNCTION void operator()(std::int64_t pack, const PackPlace&) const { (*this)(pack); }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const pack = whole_packs ? index : index / vector_length;
    int const lane = whole_packs ? 0 : static_cast<int>(index % vector_length);
    block::Vector<T, n> r, z;
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) {
      if constexpr (whole_packs) {
        r[c] = T::load(m_rhs.packs().pack_data(pack, c));
      } else {
        r[c] = m_rhs.packs()(pack, c, lane);
      }
      r[c] = multiplied<!transposed>(pack, c, lane, r[c]);
    }
    StoredBlock const inverse{m_inverse.pack_data(pack) + lane};
    if constexpr (transposed) {
      block::gemv<n>(block::TransposedBlock<StoredBlock>{inverse}, r, z);
    } else {
      block::gemv<n>(inverse, r, z);
    }
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) {
      z[c] = multiplied<transposed>(pack, c, lane, z[c]);
      if constexpr (whole_packs) {
        z[c].store(m_x.packs().pack_data(pack, c));
      } else {
        m_x.packs()(pack, c, lane) = z[c];
      }
    }
  }

 private:
  /// By S, or by C: into units of equations, and out of those of unknowns; of the transposed blocks the other way
  /// round.
  template <bool by_equations>
  KOKKOS_FORCEINLINE_FUNCTION T multiplied([[maybe_unused]] std::int64_t pack, [[maybe_unused]] int c,
                                           [[maybe_unused]] int lane, const T& value) const {
    if constexpr (!FactorScales<Storage, n, vector_length>::exist) {
      return value;
    } else if constexpr (!by_equations) {
      return block::scaled(value, m_scales.unknown(c));
    } else if constexpr (whole_packs) {
      return value * T::load(m_scales.equation(pack, c));
    } else {
      return value * static_cast<T>(m_scales.equation(pack, c)[lane]);
    }
  }
};

}  // namespace detail

/// There is nothing to choose.
struct BlockJacobiOptions {};

/// Block Jacobi: M is the block diagonal of A (Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd ed.,
/// doi:10.1137/1.9780898718003).
///
/// A plan like BlockIlu0: the constructor allocates n^2 values of StorageScalar per point, factor() is two launches
/// (one finishes the status; three before them choose units where StorageScalar is Half) and solve() one; they allocate
/// nothing, fence nothing and are asynchronous on the instance. Inverses by Gauss-Jordan with partial pivoting, 2 n^3
/// flops per point; a solve is 2 n^2 flops and n^2 + 2 n values per point. StorageScalar = float, Half or BFloat16
/// stores narrower inverses and computes with them as Scalar, Half in units of its own: as BlockIlu0.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar = Scalar>
class BlockJacobi {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = BlockJacobiOptions;
  /// The same with factors of another type.
  template <StorageReal Other>
  using WithStorage = BlockJacobi<Scalar, n, Exec, Other>;
  using Vector = BlockVector<Scalar, n, Exec>;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;

  BlockJacobi(const Exec& exec, const Grid& grid, const BlockJacobiOptions& = {})
      : m_map(grid),
        m_inverse(exec, "Hyperplane::BlockJacobi::inverse", m_map.pack_count()),
        m_units(exec, "BlockJacobi", m_map.pack_count()),
        m_singular(exec, "Hyperplane::BlockJacobi::status") {}

  const Grid& grid() const { return m_map.grid(); }

  /// Inverts the diagonal blocks of A. Throws Error where the grid of A is another one.
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_grid("BlockJacobi::factor", "A", a.grid(), grid());
    m_factored = true;
    using Kernel = detail::BlockJacobiFactor<Scalar, n, Exec, StorageScalar, MatrixStorage, vector_length>;
    m_units.template choose<Scalar>(exec, detail::StencilSample(a.ref()));
    Kernel const kernel{a.ref(), m_inverse.ref(), m_units.ref(), m_singular.ref()};
    constexpr double bytes = 1.0 * n * n * n * (sizeof(MatrixStorage) + sizeof(StorageScalar));
    if constexpr (HostExecutionSpace<Exec>) {
      detail::for_packs<n>("Hyperplane::BlockJacobi::factor", exec, m_map, bytes * vector_length, kernel);
    } else {
      Kokkos::parallel_for("Hyperplane::BlockJacobi::factor", Kokkos::RangePolicy<Exec>(exec, 0, grid().size()),
                           kernel);
    }
    using Range = detail::StoredRange<Scalar, StorageScalar>;
    using Diagnosis = detail::DiagonalDiagnosis<Scalar, n, Range, MatrixStorage, vector_length, false>;
    m_singular.conclude(exec, Diagnosis{a.ref()});
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    check("BlockJacobi::solve", rhs, x);
    run<false>(exec, "Hyperplane::BlockJacobi::solve", rhs, x);
  }

  /// x = M^-T rhs, as solve().
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    check("BlockJacobi::solve_transposed", rhs, x);
    run<true>(exec, "Hyperplane::BlockJacobi::solve_transposed", rhs, x);
  }

  /// Whether the last factor() failed, where, and why. Waits for the instance.
  FactorStatus status(const Exec& exec) const { return m_singular.status(exec, grid()); }

 private:
  // Factors and solves for several plans at once.
  friend class detail::GroupedBlockJacobi<Scalar, n, Exec, StorageScalar>;

  void check(const char* function, const Vector& rhs, const Vector& x) const {
    detail::check_grid(function, "the right-hand side", rhs.grid(), grid());
    detail::check_grid(function, "x", x.grid(), grid());
    if (!m_factored) fail(std::string(function) + ": called before factor");
  }

  template <bool transposed>
  void run(const Exec& exec, const char* label, const Vector& rhs, const Vector& x) const {
    constexpr double bytes = 1.0 * n * n * sizeof(StorageScalar) + 2.0 * n * sizeof(Scalar);
    detail::count_bytes(label, bytes * static_cast<double>(grid().size()));
    using T = std::conditional_t<HostExecutionSpace<Exec>, Pack<Scalar, vector_length>, Scalar>;
    using Kernel = detail::BlockJacobiSolve<transposed, T, Scalar, n, StorageScalar, vector_length>;
    detail::launch(label, detail::IndexRange<Exec>(exec, 0, m_map.pack_count() * vector_length / Kernel::slots),
                   Kernel::slots * bytes, Kernel{m_inverse.ref(), m_units.ref(), rhs.ref(), x.ref()});
  }

  SlabMap<vector_length> m_map;
  InterleavedView<StorageScalar, vector_length, n * n, Exec> m_inverse;
  detail::FactorUnits<StorageScalar, n, vector_length, Exec> m_units;
  detail::SingularPivotRecord<Exec> m_singular;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
