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

template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length>
struct BlockIlu0FactorPlane {
  using Block = block::Matrix<Scalar, n>;
  using StoredBlock = block::LaneMatrix<Scalar, Storage, n, vector_length>;
  using GivenBlock = block::LaneMatrix<Scalar, MatrixStorage, n, vector_length>;

  HyperplaneMap m_planes;
  using Factors = TriangularFactors<Storage, n, vector_length>;
  static constexpr bool has_units = Factors::Scales::exist;

  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  Factors m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  int m_plane;

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    Point const p = m_planes.point(m_plane, q);
    auto const& map = m_a.map();
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);

    Block sum, d;
    Scalar excess(0);
    for (auto& entry : sum.m_entries) entry = Scalar(0);
    eliminate(p, Direction::bottom, LowerBlock::bottom, UpperBlock::top, sum, excess);
    eliminate(p, Direction::south, LowerBlock::south, UpperBlock::north, sum, excess);
    eliminate(p, Direction::west, LowerBlock::west, UpperBlock::east, sum, excess);
    load(m_a.pack_block(pack, Direction::center) + lane, d);
    for (int e = 0; e < n * n; ++e) d.m_entries[e] += sum.m_entries[e];

    auto const number = m_a.grid().index(p);
    block::invert<n>(d, [&](bool, int equation) { m_singular.record(number, equation); });
    keep_inverse(p, d, excess);
    scale(p, Direction::east, UpperBlock::east, d, excess);
    scale(p, Direction::north, UpperBlock::north, d, excess);
    scale(p, Direction::top, UpperBlock::top, d, excess);
    if (excess != Scalar(0)) m_singular.record(number, unstorable_code);
  }

 private:
  /// Keeps the lower block and subtracts its product with the scaled upper block of the neighbour from sum.
  KOKKOS_FUNCTION void eliminate(const Point& p, Direction direction, LowerBlock lower, UpperBlock upper, Block& sum,
                                 Scalar& excess) const {
    auto const& map = m_a.map();
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);
    Block l;
    load(m_a.pack_block(pack, direction) + lane, l);
    if constexpr (!has_units) keep(p, direction, lower, l, excess);
    Point const other = neighbour(p, direction);
    if (!map.grid().contains(other)) return;
    StoredBlock const u{m_factors.upper(map.pack(other.i, other.j, other.k), upper) + map.lane(other.j)};
    if constexpr (has_units) {
      block::gemm_subtract<n>(l, block::ScaledEntries<StoredBlock, n>{u, m_factors.m_scales.upper()}, sum);
    } else {
      block::gemm_subtract<n>(l, u, sum);
    }
  }

  KOKKOS_FUNCTION void keep(const Point& p, Direction direction, LowerBlock lower, const Block& l,
                            Scalar& excess) const {
    auto const& map = m_a.map();
    store(l, m_factors.lower(map.pack(p.i, p.j, p.k), lower) + map.lane(p.j));
    if constexpr (sizeof(Storage) < sizeof(MatrixStorage)) {
      if (map.grid().contains(neighbour(p, direction))) excess += block::storage_excess<Storage, Scalar>(l);
    }
  }

  /// Where there are units, that of the point is known now, and with it those of L.
  KOKKOS_FUNCTION void keep_inverse(const Point& p, const Block& d, Scalar& excess) const {
    auto const& map = m_a.map();
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);
    Storage* const inverse = m_factors.lower(pack, LowerBlock::inverse) + lane;
    if constexpr (has_units) {
      auto const& scales = m_factors.m_scales;
      auto const equations = equation_units<Scalar, n>(scales, d);
      keep_equation_units<n>(scales, pack, lane, equations);
      Block block;
      for (int s = 0; s < upper_blocks; ++s) {
        auto const direction = sweep_direction<Sweep::forward>(s);
        load(m_a.pack_block(pack, direction) + lane, block);
        take_lower_into_units<n>(scales, equations, block);
        keep(p, direction, static_cast<LowerBlock>(s), block, excess);
      }
      block = d;
      take_inverse_into_units<n>(scales, equations, block);
      excess += block::storage_excess<Storage, Scalar>(block);
      store(block, inverse);
    } else {
      excess += block::storage_excess<Storage, Scalar>(d);
      store(d, inverse);
    }
  }

  /// Of 16 bits, which soon have too few, an upper block that is too large is recorded here, of others at the next
  /// point, whose pivot block it makes infinite.
  KOKKOS_FUNCTION void scale(const Point& p, Direction direction, UpperBlock upper, const Block& inverse,
                             Scalar& excess) const {
    auto const& map = m_a.map();
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);
    Block u;
    block::gemm<n>(inverse, GivenBlock{m_a.pack_block(pack, direction) + lane}, u);
    if constexpr (has_units) take_upper_into_units<n>(m_factors.m_scales, u);
    if constexpr (ShortReal<Storage>) {
      if (map.grid().contains(neighbour(p, direction))) excess += block::storage_excess<Storage, Scalar>(u);
    }
    store(u, m_factors.upper(pack, upper) + lane);
  }

  KOKKOS_FUNCTION static void load(const MatrixStorage* values, Block& block) {
    for (int e = 0; e < n * n; ++e) block.m_entries[e] = static_cast<Scalar>(values[e * vector_length]);
  }
  KOKKOS_FUNCTION static void store(const Block& block, Storage* values) {
    for (int e = 0; e < n * n; ++e) values[e * vector_length] = static_cast<Storage>(block.m_entries[e]);
  }
};

template <class Scalar, int n, ExecutionSpace Exec, class Storage, class MatrixStorage, int vector_length>
void block_ilu0_factor_portable(const Exec& exec, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a,
                                const TriangularFactors<Storage, n, vector_length>& factors,
                                const SingularPivotRecord<Exec>& singular) {
  HyperplaneMap const planes(a.grid());
  for (int p = 0; p < planes.plane_count(); ++p) {
    launch("Hyperplane::BlockIlu0::factor", IndexRange<Exec>(exec, 0, planes.plane_size(p)),
           7.0 * n * n * n * (sizeof(MatrixStorage) + sizeof(Storage)),
           BlockIlu0FactorPlane<Scalar, n, Exec, Storage, MatrixStorage, vector_length>{planes, a, factors,
                                                                                        singular.ref(), p});
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
