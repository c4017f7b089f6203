// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/line/line_layout_ref.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Blocks of the factors that the sweep upwards along a line reads, in storage order. The sweep downwards reads one:
/// d^-1 times the upper block.
enum class LineFactor : int { lower, inverse };
inline constexpr int line_lower_blocks = 2;

/// The factors of block tridiagonal matrices for kernels: two streams, one for each sweep, so that a solve reads every
/// block once and at rising addresses, which hardware prefetching needs: the upper stream of a pack has its last step
/// first. Stored are their values in units of their own, where FactorScales are.
template <class Storage, int n, int vector_length>
struct LineFactors {
  static constexpr int block_entries = n * n;
  using Scales = FactorScales<Storage, n, vector_length>;
  LineLayoutRef<vector_length> m_layout;
  InterleavedRef<Storage, vector_length, line_lower_blocks * block_entries> m_lower;
  InterleavedRef<Storage, vector_length, block_entries> m_upper;
  Scales m_scales{};

  HYPERPLANE_FUNCTION Storage* lower(std::int64_t pack, int step, LineFactor block) const {
    return m_lower.pack_data(m_layout.first_item(pack) + step, static_cast<int>(block) * block_entries);
  }
  HYPERPLANE_FUNCTION Storage* upper(std::int64_t pack, int step) const {
    return m_upper.pack_data(m_layout.m_first_items[pack + 1] - 1 - step);
  }
};

/// Where the three blocks of a point's row are among `entries` values of a point.
template <class Storage, class Places>
struct LineMatrix {
  const Storage* m_data;
  Places m_places;
  int m_entries;
  int m_first[line_blocks];  ///< first entry of the lower, the diagonal and the upper block
};

/// The same blocks at places of another kind.
template <class Storage, class Given, class Places>
LineMatrix<Storage, Places> with_places(const LineMatrix<Storage, Given>& a, const Places& places) {
  return {a.m_data, places, a.m_entries, {a.m_first[0], a.m_first[1], a.m_first[2]}};
}

/// Where the unknowns of a point are among `entries` values of a point: from `first` on.
template <class Scalar, class Places>
struct LineUnknowns {
  Scalar* m_data;
  Places m_places;
  int m_entries;
  int m_first;
};

/// The same unknowns at places of another kind.
template <class Scalar, class Given, class Places>
LineUnknowns<Scalar, Places> with_places(const LineUnknowns<Scalar, Given>& x, const Places& places) {
  return {x.m_data, places, x.m_entries, x.m_first};
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
