// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_excess.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a point passes on to the next ones.
inline constexpr int sip_upper = upper_blocks;

/// Which points are not masked: all, or those whose value is not zero.
struct SipMask {
  const std::int8_t* m_values;  ///< by point numbers; null: all

  HYPERPLANE_FUNCTION bool contains(const Grid& grid, const Point& p) const {
    return grid.contains(p) && (m_values == nullptr || m_values[grid.index(p)] != 0);
  }
};

/// Upper coefficients of a point, in storage order.
template <class Scalar>
struct SipUpper {
  Scalar top;
  Scalar north;
  Scalar east;
};

/// Entries of A at a point.
template <class Scalar>
struct SipEntries {
  Scalar center;
  Scalar bottom;
  Scalar south;
  Scalar west;
  Scalar east;
  Scalar north;
  Scalar top;
};

/// What is kept of a point, in storage order.
template <class Scalar>
struct SipPoint {
  Scalar m_lower[lower_blocks];
  Scalar m_upper[upper_blocks];

  HYPERPLANE_FUNCTION const Scalar& inverse() const { return m_lower[static_cast<int>(LowerBlock::inverse)]; }
};

/// The coefficients of SIP at a point, see Sip, from those of its lower neighbours; all zero where there is none.
/// Scalar may be a pack of points. Sets `pivot`, of which the inverse is kept: singular where it, or its inverse, is
/// not finite.
template <class Scalar>
HYPERPLANE_FORCEINLINE_FUNCTION SipPoint<Scalar> sip_point(const SipEntries<Scalar>& a, const SipUpper<Scalar>& bottom,
                                                           const SipUpper<Scalar>& south, const SipUpper<Scalar>& west,
                                                           Scalar alpha, Scalar& pivot) {
  Scalar const one(1);
  // What the extrapolation takes into account of each neighbour. Next points wait for all that depends on the west and
  // south neighbours: it is as short as it can be.
  Scalar const e_b = alpha * (bottom.north + bottom.east);
  Scalar const e_s = alpha * (south.east + south.top);
  Scalar const e_w = alpha * (west.north + west.top);
  Scalar const l_b = a.bottom / (one + e_b);
  Scalar const l_w = a.west / (one + e_w);
  Scalar const l_s = a.south / (one + e_s);
  pivot = a.center + l_b * (e_b - bottom.top) + l_w * (e_w - west.east) + l_s * (e_s - south.north);
  // What the product of the factors has outside the stencil, taken from where Stone's extrapolation puts it.
  Scalar const north = alpha * (l_b * bottom.north + l_w * west.north);
  Scalar const east = alpha * (l_b * bottom.east + l_s * south.east);
  Scalar const top = alpha * (l_w * west.top + l_s * south.top);
  Scalar const inverse = one / pivot;
  return {{l_b, l_s, l_w, inverse}, {(a.top - top) * inverse, (a.north - north) * inverse, (a.east - east) * inverse}};
}

/// The coefficients in the units that they are stored in, where S, and its reciprocal, are those of the point. There is
/// one unknown, so that upper ones, which other points read, have none. Scalar may be a pack of points.
template <class Scalar>
HYPERPLANE_FORCEINLINE_FUNCTION SipPoint<Scalar> sip_in_units(const SipPoint<Scalar>& point, const Scalar& equation,
                                                              const Scalar& reciprocal) {
  SipPoint<Scalar> result = point;
  for (int e = 0; e < lower_blocks - 1; ++e) result.m_lower[e] *= equation;
  result.m_lower[static_cast<int>(LowerBlock::inverse)] = point.inverse() * reciprocal;
  return result;
}

/// Zero where a point is regular: zero, infinity and NaN alike fail as pivot or as its inverse, and so does what is too
/// large to be stored. Scalar may be a pack of T. Upper coefficients that are not finite fail in the points that use
/// them.
template <class Storage, class T, class Scalar>
HYPERPLANE_FORCEINLINE_FUNCTION Scalar sip_excess(const Scalar& pivot, const SipPoint<Scalar>& point) {
  Scalar sum = pivot * Scalar(0) + storage_excess<Storage, T>(point.inverse());
  if constexpr (sizeof(Storage) < sizeof(T)) {
    for (int e = 0; e < lower_blocks - 1; ++e) sum += storage_excess<Storage, T>(point.m_lower[e]);
  }
  return sum;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
