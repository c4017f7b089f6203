// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/sip/detail/sip_point.hpp>
#include <hyperplane/sweep/equation_units.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// S of a point with these coefficients, or of those in the lanes of a pack.
template <class Scalar, class Scales>
KOKKOS_FUNCTION block::Vector<Scalar, 1> sip_equation_units(const Scales& scales, const SipPoint<Scalar>& point) {
  block::Matrix<Scalar, 1> inverse;
  inverse(0, 0) = point.inverse();
  return equation_units<Scalar, 1>(scales, inverse);
}

/// The coefficients of a point, or of a pack from its first lane on, in units that are kept, where there are some.
template <class Scalar, class Scales>
KOKKOS_FUNCTION void take_sip_into_units([[maybe_unused]] const Scales& scales, [[maybe_unused]] std::int64_t pack,
                                         [[maybe_unused]] int lane, [[maybe_unused]] SipPoint<Scalar>& point) {
  if constexpr (Scales::exist) {
    auto const equations = sip_equation_units(scales, point);
    keep_equation_units<1>(scales, pack, lane, equations);
    point = sip_in_units(point, equations[0], power_reciprocal(equations[0]));
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
