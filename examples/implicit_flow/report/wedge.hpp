// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/solution.hpp"
#include "oblique_shock.hpp"

namespace implicit_flow {

/// What the flow over make_wedge's ramp shows of its shock, in theory's terms. Uses nothing that theory says.
///
/// Shock angle: in each grid column between x = 0.3 and x = 0.85 (away from the corner and from the outflow) the height
/// at which the pressure passes the mean of the free stream's and the column's pressure behind the shock, interpolated
/// along the column, in the middle plane; then the median of the slopes between all pairs of columns (P. K. Sen, 1968,
/// DOI 10.1080/01621459.1968.10480934). Behind the shock: averages over the cells between x = 0.5 and x = 0.9 that lie
/// between 20 % and 60 % of the way from the wall to the shock so found, weighted by area.
///
/// Throws hyperplane::Error where the columns show no shock.
ObliqueShock measure_wedge_shock(const Solution& solution);

}  // namespace implicit_flow
