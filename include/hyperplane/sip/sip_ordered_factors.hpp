// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The factors of SIP in the order of the grid, or in that of the grid mirrored in all three directions: "bottom" is
/// then what the mirrored grid has there. Each stream is stored in the order in which its sweep reads it.
template <class Storage, int W>
struct SipOrderedFactors : TriangularFactors<Storage, 1, W> {
  using Usual = TriangularFactors<Storage, 1, W>;
  using Usual::m_map;

  bool m_mirrored;

  HYPERPLANE_FUNCTION Storage* lower(std::int64_t pack, LowerBlock block) const {
    return Usual::lower(place(pack), block);
  }
  HYPERPLANE_FUNCTION Storage* upper(std::int64_t pack, UpperBlock block) const {
    return Usual::upper(place(pack), block);
  }

  HYPERPLANE_FUNCTION Storage* inverse(const Point& p) const {
    return lower(m_map.pack(p.i, p.j, p.k), LowerBlock::inverse) + m_map.lane(p.j);
  }

  /// Where the order has a point of the grid, and the other way round.
  HYPERPLANE_FUNCTION Point point(const Point& p) const {
    auto const& grid = m_map.grid();
    return m_mirrored ? Point{grid.ni() - 1 - p.i, grid.nj() - 1 - p.j, grid.nk() - 1 - p.k} : p;
  }
  HYPERPLANE_FUNCTION Direction direction(Direction d) const { return m_mirrored ? opposite(d) : d; }

 private:
  HYPERPLANE_FUNCTION std::int64_t place(std::int64_t pack) const {
    return m_mirrored ? m_map.pack_count() - 1 - pack : pack;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
