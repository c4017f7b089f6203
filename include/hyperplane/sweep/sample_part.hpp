// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/power_of_two.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/sweep/detail/typical_exponents.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a part of a box has of the sample by which the units of the whole box are chosen: SampleExponents of the box at
/// points of the part. The lowest part also says where there is no point.
template <class MatrixStorage, int n, int vector_length>
struct SamplePart {
  static constexpr double point_bytes = static_cast<double>(stencil7_size * n * n) * sizeof(MatrixStorage);

  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  SlabMap<vector_length> m_box;
  int m_first_layer;
  std::int64_t m_slots;
  std::int16_t* m_exponents;  ///< in the memory of the device with the lowest part

  KOKKOS_FUNCTION void operator()(std::int64_t slot) const {
    auto const pack = sampled_pack(slot / vector_length, m_box.pack_count());
    Point in_box;
    if (!m_box.find_point(pack, static_cast<int>(slot % vector_length), in_box)) {
      for (int e = 0; m_first_layer == 0 && e < n * n; ++e) m_exponents[e * m_slots + slot] = -1;
      return;
    }
    Point const p{in_box.i, in_box.j, in_box.k - m_first_layer};
    if (!m_a.grid().contains(p)) return;
    for (int e = 0; e < n * n; ++e) {
      m_exponents[e * m_slots + slot] = static_cast<std::int16_t>(biased_exponent(largest(in_box, p, e)));
    }
  }

 private:
  /// As StencilSample: what points out of the box does not count.
  KOKKOS_FUNCTION double largest(const Point& in_box, const Point& p, int e) const {
    auto const pack = m_a.map().pack(p.i, p.j, p.k);
    double result = 0;
    for (int d = 0; d < stencil7_size; ++d) {
      auto const direction = static_cast<Direction>(d);
      if (!m_box.grid().contains(neighbour(in_box, direction))) continue;
      auto const& value = m_a.pack_block(pack, direction)[e * vector_length + m_a.map().lane(p.j)];
      result = larger_if_finite(result, static_cast<double>(value));
    }
    return result;
  }
};

/// The units of unknowns that another part has.
struct CopyUnits {
  const double* m_from;
  double* m_to;
  KOKKOS_FUNCTION void operator()(int e) const { m_to[e] = m_from[e]; }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
