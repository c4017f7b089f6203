// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/factor_status.hpp>
#include <hyperplane/grid/hyperplane_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::detail {

/// The coefficients of SIP at the points of a hyperplane, see Sip: one thread for each point.
template <class Scalar, class Exec, class Storage, class MatrixStorage, int vector_length>
struct SipCoefficientsPlane {
  HyperplaneMap m_planes;
  BlockStencil7Ref<MatrixStorage, 1, vector_length> m_a;
  BlockIlu0Factors<Storage, 1, vector_length> m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  Scalar m_alpha;
  int m_plane;

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    Point const p = m_planes.point(m_plane, q);
    Upper const bottom = upper(neighbour(p, Direction::bottom));
    Upper const south = upper(neighbour(p, Direction::south));
    Upper const west = upper(neighbour(p, Direction::west));
    Scalar const l_b = entry(p, Direction::bottom) / (1 + m_alpha * (bottom.north + bottom.east));
    Scalar const l_s = entry(p, Direction::south) / (1 + m_alpha * (south.east + south.top));
    Scalar const l_w = entry(p, Direction::west) / (1 + m_alpha * (west.north + west.top));
    // What the product of the factors has outside the stencil, taken from where Stone's extrapolation puts it.
    Scalar const north = m_alpha * (l_b * bottom.north + l_w * west.north);
    Scalar const east = m_alpha * (l_b * bottom.east + l_s * south.east);
    Scalar const top = m_alpha * (l_w * west.top + l_s * south.top);
    Scalar const l_p =
        entry(p, Direction::center) + north + east + top - l_b * bottom.top - l_w * west.east - l_s * south.north;
    Scalar const magnitude = Kokkos::abs(l_p);
    // Zero, infinity and NaN alike fail this test.
    if (!(magnitude > 0 && magnitude * 0 == 0)) m_singular.record(m_a.grid().index(p), 0);
    Scalar const inverse = 1 / l_p;

    auto const pack = m_a.map().pack(p.i, p.j, p.k);
    int const lane = m_a.map().lane(p.j);
    auto const lower = [&](LowerBlock block, Scalar value) {
      m_factors.lower(pack, block)[lane] = static_cast<Storage>(value);
    };
    auto const keep_upper = [&](UpperBlock block, Scalar value) {
      m_factors.upper(pack, block)[lane] = static_cast<Storage>(value);
    };
    lower(LowerBlock::bottom, l_b);
    lower(LowerBlock::south, l_s);
    lower(LowerBlock::west, l_w);
    lower(LowerBlock::inverse, inverse);
    keep_upper(UpperBlock::top, (entry(p, Direction::top) - top) * inverse);
    keep_upper(UpperBlock::north, (entry(p, Direction::north) - north) * inverse);
    keep_upper(UpperBlock::east, (entry(p, Direction::east) - east) * inverse);
  }

 private:
  struct Upper {
    Scalar top;
    Scalar north;
    Scalar east;
  };

  /// That of A, and zero where it points out of the grid.
  KOKKOS_FUNCTION Scalar entry(const Point& p, Direction direction) const {
    if (!m_a.grid().contains(neighbour(p, direction))) return 0;
    auto const& map = m_a.map();
    return static_cast<Scalar>(m_a.pack_block(map.pack(p.i, p.j, p.k), direction)[map.lane(p.j)]);
  }

  /// The upper coefficients of a point, none where there is no such point.
  KOKKOS_FUNCTION Upper upper(const Point& p) const {
    if (!m_a.grid().contains(p)) return {0, 0, 0};
    auto const& map = m_a.map();
    auto const value = [&](UpperBlock block) {
      return static_cast<Scalar>(m_factors.upper(map.pack(p.i, p.j, p.k), block)[map.lane(p.j)]);
    };
    return {value(UpperBlock::top), value(UpperBlock::north), value(UpperBlock::east)};
  }
};

/// One launch for each hyperplane.
template <class Scalar, ExecutionSpace Exec, class Storage, class MatrixStorage, int vector_length>
void sip_coefficients(const Exec& exec, const BlockStencil7Ref<MatrixStorage, 1, vector_length>& a,
                      const BlockIlu0Factors<Storage, 1, vector_length>& factors,
                      const SingularPivotRecord<Exec>& singular, Scalar alpha) {
  HyperplaneMap const planes(a.grid());
  for (int p = 0; p < planes.plane_count(); ++p) {
    Kokkos::parallel_for("Hyperplane::Sip::factor", Kokkos::RangePolicy<Exec>(exec, 0, planes.plane_size(p)),
                         SipCoefficientsPlane<Scalar, Exec, Storage, MatrixStorage, vector_length>{
                             planes, a, factors, singular.ref(), alpha, p});
  }
}

}  // namespace hyperplane::detail
