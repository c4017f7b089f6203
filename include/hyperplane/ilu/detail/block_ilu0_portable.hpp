// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/hyperplane_map.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/equation_units.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// The portable path of BILU(0): one launch for each hyperplane, one thread for each point of it.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a thread does at a point of its own, in whichever order points are, which Factors may know.
template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length,
          class Factors_ = TriangularFactors<Storage, n, vector_length>>
struct BlockIlu0Point {
  using scalar_type = Scalar;
  using Block = block::Matrix<Scalar, n>;
  using StoredBlock = block::LaneMatrix<Scalar, Storage, n, vector_length>;
  using GivenBlock = block::LaneMatrix<Scalar, MatrixStorage, n, vector_length>;
  /// What a launch is told of a point, which is more than memory.
  static constexpr double bytes = 7.0 * n * n * n * (sizeof(MatrixStorage) + sizeof(Storage));

  using Factors = Factors_;
  static constexpr bool has_units = Factors::Scales::exist;

  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  Factors m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;

  /// Keeps the block that couples p to a point before it, and subtracts its product with the scaled block of that point
  /// for p from sum.
  KOKKOS_FUNCTION void eliminate(const Point& p, Direction direction, Block& sum, Scalar& excess) const {
    auto const& map = m_a.map();
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);
    Block l;
    load(m_a.pack_block(pack, direction) + lane, l);
    if constexpr (!has_units) keep(p, direction, l, excess);
    Point const other = neighbour(p, direction);
    if (!map.grid().contains(other)) return;
    StoredBlock const u{m_factors.coupling(other, opposite(direction))};
    if constexpr (has_units) {
      block::gemm_subtract<n>(l, block::ScaledEntries<StoredBlock, n>{u, m_factors.m_scales.upper()}, sum);
    } else {
      block::gemm_subtract<n>(l, u, sum);
    }
  }

  /// Makes d^-1 of the diagonal block and sum, records under `number` where there is none, and keeps it. Where there
  /// are units, that of the point is known now, and with it those of L: is_lower says which neighbours are before p.
  template <class IsLower>
  KOKKOS_FUNCTION void invert(const Point& p, std::int64_t number, const Block& sum, const IsLower& is_lower,
                              Scalar& excess, Block& inverse) const {
    auto const& map = m_a.map();
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);
    load(m_a.pack_block(pack, Direction::center) + lane, inverse);
    for (int e = 0; e < n * n; ++e) inverse.m_entries[e] += sum.m_entries[e];
    block::invert<n>(inverse, [&](bool, int equation) { m_singular.record(number, equation); });
    Storage* const stored = m_factors.inverse(p);
    if constexpr (has_units) {
      auto const& scales = m_factors.m_scales;
      auto const equations = equation_units<Scalar, n>(scales, inverse);
      keep_equation_units<n>(scales, pack, lane, equations);
      Block block;
      for (int s = 0; s < stencil7_size; ++s) {
        auto const direction = static_cast<Direction>(s);
        if (direction == Direction::center || !is_lower(direction)) continue;
        load(m_a.pack_block(pack, direction) + lane, block);
        take_lower_into_units<n>(scales, equations, block);
        keep(p, direction, block, excess);
      }
      block = inverse;
      take_inverse_into_units<n>(scales, equations, block);
      excess += block::storage_excess<Storage, Scalar>(block);
      store(block, stored);
    } else {
      excess += block::storage_excess<Storage, Scalar>(inverse);
      store(inverse, stored);
    }
  }

  /// Scales the block that couples p to a point after it. Of 16 bits, which soon have too few, one that is too large is
  /// recorded here, of others at the next point, whose pivot block it makes infinite: the diagnosis names this one.
  KOKKOS_FUNCTION void scale(const Point& p, Direction direction, const Block& inverse, Scalar& excess) const {
    auto const& map = m_a.map();
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);
    if (stays_zero(p, direction)) return;
    Block u;
    block::gemm<n>(inverse, GivenBlock{m_a.pack_block(pack, direction) + lane}, u);
    if constexpr (has_units) take_upper_into_units<n>(m_factors.m_scales, u);
    if constexpr (ShortReal<Storage>) excess += block::storage_excess<Storage, Scalar>(u);
    store(u, m_factors.coupling(p, direction));
  }

  /// What the blocks that were kept have too much.
  KOKKOS_FUNCTION void finish(std::int64_t number, Scalar excess) const {
    if (excess != Scalar(0)) m_singular.record(number, unstorable_code);
  }

 private:
  KOKKOS_FUNCTION void keep(const Point& p, Direction direction, const Block& l, Scalar& excess) const {
    if (stays_zero(p, direction)) return;
    store(l, m_factors.coupling(p, direction));
    if constexpr (sizeof(Storage) < sizeof(MatrixStorage)) {
      if (m_a.grid().contains(neighbour(p, direction))) excess += block::storage_excess<Storage, Scalar>(l);
    }
  }
  /// Of 16 bits, what points out of the grid is never written: sweeps of other paths multiply it by zero.
  KOKKOS_FUNCTION bool stays_zero(const Point& p, Direction direction) const {
    return ShortReal<Storage> && !m_a.grid().contains(neighbour(p, direction));
  }
  KOKKOS_FUNCTION static void load(const MatrixStorage* values, Block& block) {
    for (int e = 0; e < n * n; ++e) block.m_entries[e] = static_cast<Scalar>(values[e * vector_length]);
  }
  KOKKOS_FUNCTION static void store(const Block& block, Storage* values) {
    for (int e = 0; e < n * n; ++e) values[e * vector_length] = static_cast<Storage>(block.m_entries[e]);
  }
};

template <class AtPoint>
struct BlockIlu0FactorPlane {
  HyperplaneMap m_planes;
  AtPoint m_at;
  int m_plane;

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    Point const p = m_planes.point(m_plane, q);
    typename AtPoint::Block sum, inverse;
    typename AtPoint::scalar_type excess(0);
    for (auto& entry : sum.m_entries) entry = typename AtPoint::scalar_type(0);
    m_at.eliminate(p, Direction::bottom, sum, excess);
    m_at.eliminate(p, Direction::south, sum, excess);
    m_at.eliminate(p, Direction::west, sum, excess);
    auto const number = m_planes.grid().index(p);
    m_at.invert(p, number, sum, [](Direction direction) { return direction < Direction::center; }, excess, inverse);
    m_at.scale(p, Direction::east, inverse, excess);
    m_at.scale(p, Direction::north, inverse, excess);
    m_at.scale(p, Direction::top, inverse, excess);
    m_at.finish(number, excess);
  }
};

template <class Scalar, int n, ExecutionSpace Exec, class Storage, class MatrixStorage, int vector_length>
void block_ilu0_factor_portable(const Exec& exec, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a,
                                const TriangularFactors<Storage, n, vector_length>& factors,
                                const SingularPivotRecord<Exec>& singular) {
  using AtPoint = BlockIlu0Point<Scalar, n, Exec, Storage, MatrixStorage, vector_length>;
  HyperplaneMap const planes(a.grid());
  for (int p = 0; p < planes.plane_count(); ++p) {
    launch("Hyperplane::BlockIlu0::factor", IndexRange<Exec>(exec, 0, planes.plane_size(p)), AtPoint::bytes,
           BlockIlu0FactorPlane<AtPoint>{planes, {a, factors, singular.ref()}, p});
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
