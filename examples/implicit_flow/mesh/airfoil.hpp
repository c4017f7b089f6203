// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh.hpp"

#include <hyperplane/grid/grid.hpp>

namespace implicit_flow {

/// O-grid around the NACA 0012 airfoil with chord 1 from x = 0 to 1, one unit of length deep: i runs around it, from
/// the trailing edge along the lower side, j outwards. Lines along i begin and end at the cut behind the trailing edge,
/// where the grid meets itself. The airfoil's equation is followed to where it closes, so that the trailing edge is
/// sharp.
///
/// The transformation of Karman and Trefftz makes a near-circle of the airfoil. There, angles are even and radii grow
/// geometrically, so that cells are about as long as high; as many around as outwards reach 150 chords away. Airfoil,
/// transformation and proportions are those of J. C. Vassberg and A. Jameson, "In pursuit of grid convergence for
/// two-dimensional Euler solutions", 2010, DOI 10.2514/1.46737; lines are a little less orthogonal, because the
/// near-circle is not made a circle. Throws hyperplane::Error for a number of cells around that is odd or less than 8,
/// and for more than three times as many outwards.
Mesh make_airfoil(const hyperplane::Grid& cells);

}  // namespace implicit_flow
