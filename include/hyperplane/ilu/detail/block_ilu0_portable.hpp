// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/factor_status.hpp>
#include <hyperplane/grid/hyperplane_map.hpp>
#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// The portable path of BILU(0): one launch for each hyperplane, one thread for each point of it.
namespace hyperplane::detail {

template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length>
struct BlockIlu0FactorPlane {
  using Block = block::Matrix<Scalar, n>;
  using StoredBlock = block::LaneMatrix<Scalar, Storage, n, vector_length>;
  using GivenBlock = block::LaneMatrix<Scalar, MatrixStorage, n, vector_length>;

  HyperplaneMap m_planes;
  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  BlockIlu0Factors<Storage, n, vector_length> m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  int m_plane;

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    Point const p = m_planes.point(m_plane, q);
    auto const& map = m_a.map();
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);

    Block sum, d;
    for (auto& entry : sum.m_entries) entry = Scalar(0);
    eliminate(p, Direction::bottom, LowerBlock::bottom, UpperBlock::top, sum);
    eliminate(p, Direction::south, LowerBlock::south, UpperBlock::north, sum);
    eliminate(p, Direction::west, LowerBlock::west, UpperBlock::east, sum);
    load(m_a.pack_block(pack, Direction::center) + lane, d);
    for (int e = 0; e < n * n; ++e) d.m_entries[e] += sum.m_entries[e];

    auto const number = m_a.grid().index(p);
    block::invert<n>(d, [&](bool, int equation) { m_singular.record(number, equation); });
    store(d, m_factors.lower(pack, LowerBlock::inverse) + lane);
    scale(pack, lane, Direction::east, UpperBlock::east, d);
    scale(pack, lane, Direction::north, UpperBlock::north, d);
    scale(pack, lane, Direction::top, UpperBlock::top, d);
  }

 private:
  /// Keeps the lower block and subtracts its product with the scaled upper block of the neighbour from sum.
  KOKKOS_FUNCTION void eliminate(const Point& p, Direction direction, LowerBlock lower, UpperBlock upper,
                                 Block& sum) const {
    auto const& map = m_a.map();
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);
    Block l;
    load(m_a.pack_block(pack, direction) + lane, l);
    store(l, m_factors.lower(pack, lower) + lane);
    Point const other = neighbour(p, direction);
    if (!map.grid().contains(other)) return;
    StoredBlock const u{m_factors.upper(map.pack(other.i, other.j, other.k), upper) + map.lane(other.j)};
    block::gemm_subtract<n>(l, u, sum);
  }

  KOKKOS_FUNCTION void scale(std::int64_t pack, int lane, Direction direction, UpperBlock upper,
                             const Block& inverse) const {
    Block u;
    block::gemm<n>(inverse, GivenBlock{m_a.pack_block(pack, direction) + lane}, u);
    store(u, m_factors.upper(pack, upper) + lane);
  }

  KOKKOS_FUNCTION static void load(const MatrixStorage* values, Block& block) {
    for (int e = 0; e < n * n; ++e) block.m_entries[e] = static_cast<Scalar>(values[e * vector_length]);
  }
  KOKKOS_FUNCTION static void store(const Block& block, Storage* values) {
    for (int e = 0; e < n * n; ++e) values[e * vector_length] = static_cast<Storage>(block.m_entries[e]);
  }
};

/// The unknowns of a sweep at the points of a hyperplane, in `count` vectors. Factors: BlockIlu0Factors, or others that
/// also say in which order the sweep takes the points.
template <Sweep sweep, class Scalar, int n, class Factors, int count>
struct BlockIlu0SweepPlane {
  using Storage = typename Factors::Storage;
  using StoredBlock = block::LaneMatrix<Scalar, Storage, n, Factors::vector_length>;
  using Vectors = VectorRefs<BlockVectorRef<Scalar, n, Factors::vector_length>, count>;
  static constexpr bool forward = sweep == Sweep::forward;

  HyperplaneMap m_planes;
  Factors m_factors;
  Vectors m_rhs;
  Vectors m_x;
  int m_plane;

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    Point const p = m_factors.point(m_planes.point(m_plane, q));
    auto const& map = m_factors.m_map;
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);
    block::Vector<Scalar, n> sum[count];
    HYPERPLANE_UNROLL
    for (int v = 0; v < count; ++v) {
      for (int c = 0; c < n; ++c) sum[v][c] = m_rhs[v](p, c);
    }
    HYPERPLANE_UNROLL
    for (int d = 0; d < 3; ++d) {
      Point const other = neighbour(p, m_factors.direction(sweep_direction<sweep>(d)));
      if (!map.grid().contains(other)) continue;
      StoredBlock const factor{stored(pack, d) + lane};
      HYPERPLANE_UNROLL
      for (int v = 0; v < count; ++v) {
        block::Vector<Scalar, n> x;
        for (int c = 0; c < n; ++c) x[c] = m_x[v](other, c);
        block::gemv_subtract<n>(factor, x, sum[v]);
      }
    }
    HYPERPLANE_UNROLL
    for (int v = 0; v < count; ++v) {
      if constexpr (forward) {
        block::Vector<Scalar, n> y;
        block::gemv<n>(StoredBlock{m_factors.lower(pack, LowerBlock::inverse) + lane}, sum[v], y);
        sum[v] = y;
      }
      for (int c = 0; c < n; ++c) m_x[v](p, c) = sum[v][c];
    }
  }

 private:
  KOKKOS_FUNCTION Storage* stored(std::int64_t pack, int d) const {
    if constexpr (forward) {
      return m_factors.lower(pack, static_cast<LowerBlock>(d));
    } else {
      return m_factors.upper(pack, static_cast<UpperBlock>(d));
    }
  }
};

template <class Scalar, int n, ExecutionSpace Exec, class Storage, class MatrixStorage, int vector_length>
void block_ilu0_factor_portable(const Exec& exec, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a,
                                const BlockIlu0Factors<Storage, n, vector_length>& factors,
                                const SingularPivotRecord<Exec>& singular) {
  HyperplaneMap const planes(a.grid());
  for (int p = 0; p < planes.plane_count(); ++p) {
    Kokkos::parallel_for("Hyperplane::BlockIlu0::factor", Kokkos::RangePolicy<Exec>(exec, 0, planes.plane_size(p)),
                         BlockIlu0FactorPlane<Scalar, n, Exec, Storage, MatrixStorage, vector_length>{
                             planes, a, factors, singular.ref(), p});
  }
}

/// One launch for each hyperplane.
template <Sweep sweep, ExecutionSpace Exec, class Factors, class Scalar, int n, int vector_length, int count>
void block_ilu0_sweep_portable(const Exec& exec, const char* label, const Factors& factors,
                               const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& rhs,
                               const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& x) {
  HyperplaneMap const planes(factors.m_map.grid());
  int const last = planes.plane_count() - 1;
  for (int p = 0; p <= last; ++p) {
    int const plane = sweep == Sweep::forward ? p : last - p;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, planes.plane_size(plane)),
                         BlockIlu0SweepPlane<sweep, Scalar, n, Factors, count>{planes, factors, rhs, x, plane});
  }
}

template <class Scalar, int n, ExecutionSpace Exec, class Storage, int vector_length, int count>
void block_ilu0_solve_portable(const Exec& exec, Sweeps sweeps,
                               const BlockIlu0Factors<Storage, n, vector_length>& factors,
                               const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& rhs,
                               const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& x) {
  if (sweeps != Sweeps::backward) {
    block_ilu0_sweep_portable<Sweep::forward>(exec, "Hyperplane::BlockIlu0::solve::forward", factors, rhs, x);
  }
  if (sweeps != Sweeps::forward) {
    block_ilu0_sweep_portable<Sweep::backward>(exec, "Hyperplane::BlockIlu0::solve::backward", factors,
                                               sweeps == Sweeps::both ? x : rhs, x);
  }
}

}  // namespace hyperplane::detail
