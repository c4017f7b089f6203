// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/power_of_two.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Points of a seven-point matrix for FactorUnits, which choose units by a sample of them.
template <class MatrixStorage, int n, int vector_length>
struct StencilSample {
  static constexpr double point_bytes = static_cast<double>(stencil7_size * n * n) * sizeof(MatrixStorage);

  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;

  KOKKOS_FUNCTION explicit StencilSample(const BlockStencil7Ref<MatrixStorage, n, vector_length>& a) : m_a(a) {}

  struct Place {
    std::int64_t pack;
    int lane;
    Point point;
    bool exists;
  };

  KOKKOS_FUNCTION std::int64_t packs() const { return m_a.map().pack_count(); }
  KOKKOS_FUNCTION Place find(std::int64_t pack, int lane) const {
    Place place{pack, lane, {}, false};
    place.exists = m_a.map().find_point(pack, lane, place.point);
    return place;
  }
  /// The largest magnitude of an entry in any block of a point. What points out of the grid and what is not finite does
  /// not count.
  KOKKOS_FUNCTION double largest(const Place& place, int e) const {
    double result = 0;
    for (int d = 0; d < stencil7_size; ++d) {
      auto const direction = static_cast<Direction>(d);
      if (!m_a.grid().contains(neighbour(place.point, direction))) continue;
      auto const& value = m_a.pack_block(place.pack, direction)[e * vector_length + place.lane];
      result = larger_if_finite(result, static_cast<double>(value));
    }
    return result;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
