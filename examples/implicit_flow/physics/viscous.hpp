// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gas.hpp"

namespace implicit_flow {

/// Viscous flux through a face of area vector `area` between two cells, in the thin-layer approximation: of each
/// gradient only the part along the face's normal is kept, grad f = (f_right - f_left) area / volume, where `volume` is
/// the mean of both cells. Used in all three directions of the grid, with all terms of the stress tensor that this
/// gradient gives. Exact on orthogonal grids for the terms that matter in a boundary layer.
/// One of them may have derivatives and the other none.
template <class L, class R>
KOKKOS_FUNCTION Quintet<Either<L, R>> thin_layer_flux(const Gas& gas, const Quintet<L>& left, const Quintet<R>& right,
                                                      const Vector3<Number<L>>& area, const Number<L>& volume) {
  using T = Either<L, R>;
  L const t_left = gas.sound_speed_squared(left);
  R const t_right = gas.sound_speed_squared(right);
  T const mu = gas.viscosity_at(T(0.5 * (t_left + t_right)));
  T const du = right[1] - left[1];
  T const dv = right[2] - left[2];
  T const dw = right[3] - left[3];
  T const stretch = (du * area.x + dv * area.y + dw * area.z) / 3.0;
  auto const metric = dot(area, area) / volume;

  Quintet<T> f;
  f[0] = T(0.0);
  f[1] = -mu / volume * (du * dot(area, area) + stretch * area.x);
  f[2] = -mu / volume * (dv * dot(area, area) + stretch * area.y);
  f[3] = -mu / volume * (dw * dot(area, area) + stretch * area.z);
  // Temperature is gamma p / rho, so the heat capacity is 1 / (gamma - 1).
  T const heat = mu / (gas.prandtl * (gas.gamma - 1)) * (t_right - t_left) * metric;
  f[4] = 0.5 * ((left[1] + right[1]) * f[1] + (left[2] + right[2]) * f[2] + (left[3] + right[3]) * f[3]) - heat;
  return f;
}

}  // namespace implicit_flow
