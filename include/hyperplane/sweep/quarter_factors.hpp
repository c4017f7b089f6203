// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Of 8 bits, in the units that those of Half have. The three blocks that a sweep reads of a point, L or d^-1 U, are
/// stored as integers q, with n row scales and n column scales that the blocks have in common, all of them Half:
///
///     entry (r, c) = row scale(r) * q(r, c) / 127 * column scale(c).
///
/// A column scale is a power of two; a row scale is the largest entry of the row over the column scales, so that the
/// entry that it comes from is what it is as a Half. d^-1 is stored as Half.
///
/// In a stream the column scales of a SIMD group come first, then the blocks, the row scales and d^-1.
template <int n, int vector_length_>
struct TriangularFactors<Quarter, n, vector_length_> {
  using Storage = Quarter;
  using Inverse = Half;
  static constexpr int vector_length = vector_length_;
  static constexpr int block_entries = n * n;
  static constexpr bool has_block_scales = true;
  /// Values of 8 bits that a Half takes. What follows the blocks is aligned as a Half wants it.
  static constexpr int half_entries = sizeof(Half) / sizeof(Quarter);
  static constexpr int first_coupling = half_entries * n;
  static constexpr int first_row_scale = first_coupling + 3 * block_entries + n % 2;
  static constexpr int upper_entries = first_row_scale + half_entries * n;
  static constexpr int lower_entries = upper_entries + half_entries * block_entries;
  using Map = SlabMap<vector_length>;
  using Lower = InterleavedRef<Quarter, vector_length, lower_entries>;
  using Upper = InterleavedRef<Quarter, vector_length, upper_entries>;

  using Scales = FactorScales<Half, n, vector_length>;

  Map m_map;
  Lower m_lower;
  Upper m_upper;
  Scales m_scales{};

  /// Not LowerBlock::inverse, which inverse() has.
  HYPERPLANE_FUNCTION Quarter* lower(std::int64_t pack, LowerBlock block) const {
    return lower_data(pack, first_coupling + static_cast<int>(block) * block_entries);
  }
  HYPERPLANE_FUNCTION Quarter* upper(std::int64_t pack, UpperBlock block) const {
    return upper_data(pack, first_coupling + static_cast<int>(block) * block_entries);
  }
  /// Of L or of d^-1 U.
  template <bool of_lower>
  HYPERPLANE_FUNCTION Half* column_scales(std::int64_t pack) const {
    return reinterpret_cast<Half*>(of_lower ? lower_data(pack, 0) : upper_data(pack, 0));
  }
  template <bool of_lower>
  HYPERPLANE_FUNCTION Half* row_scales(std::int64_t pack) const {
    return reinterpret_cast<Half*>(of_lower ? lower_data(pack, first_row_scale) : upper_data(pack, first_row_scale));
  }
  HYPERPLANE_FUNCTION Half* inverse(std::int64_t pack) const { return row_scales<true>(pack) + n * vector_length; }
  HYPERPLANE_FUNCTION Half* inverse(const Point& p) const {
    return inverse(m_map.pack(p.i, p.j, p.k)) + m_map.lane(p.j);
  }

  HYPERPLANE_FUNCTION static Point point(const Point& p) { return p; }
  HYPERPLANE_FUNCTION static Direction direction(Direction d) { return d; }

 private:
  HYPERPLANE_FUNCTION Quarter* lower_data(std::int64_t pack, int entry) const { return m_lower.pack_data(pack, entry); }
  HYPERPLANE_FUNCTION Quarter* upper_data(std::int64_t pack, int entry) const {
    return m_upper.pack_data(m_map.pack_count() - 1 - pack, entry);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
