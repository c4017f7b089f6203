// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/pencil_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>

#include <cstdint>

namespace hyperplane::detail {

/// The factors of SIP in the order of the grid, or in that of the grid mirrored in all three directions: "bottom" is
/// then what the mirrored grid has there. Each stream is stored in the order in which its sweep reads it; in the usual
/// order these are BlockIlu0Factors.
template <class Storage, int W>
struct SipOrderedFactors {
  using Map = PencilMap<W>;
  using Lower = InterleavedRef<Storage, W, lower_blocks>;
  using Upper = InterleavedRef<Storage, W, upper_blocks>;

  Map m_map;
  Lower m_lower;
  Upper m_upper;
  bool m_mirrored;

  HYPERPLANE_FUNCTION Storage* lower(const Point& p, LowerBlock block) const {
    return m_lower.pack_data(place(p, m_mirrored), static_cast<int>(block)) + m_map.lane(p.j);
  }
  HYPERPLANE_FUNCTION Storage* upper(const Point& p, UpperBlock block) const {
    return m_upper.pack_data(place(p, !m_mirrored), static_cast<int>(block)) + m_map.lane(p.j);
  }

  /// Where the ordering has a point of the grid, and the other way round.
  HYPERPLANE_FUNCTION Point point(const Point& p) const {
    auto const& grid = m_map.grid();
    return m_mirrored ? Point{grid.ni() - 1 - p.i, grid.nj() - 1 - p.j, grid.nk() - 1 - p.k} : p;
  }
  HYPERPLANE_FUNCTION Direction direction(Direction d) const { return m_mirrored ? opposite(d) : d; }

 private:
  HYPERPLANE_FUNCTION std::int64_t place(const Point& p, bool last_first) const {
    auto const pack = m_map.pack(p.i, p.j, p.k);
    return last_first ? m_map.pack_count() - 1 - pack : pack;
  }
};

}  // namespace hyperplane::detail
