// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/grid/stencil7.hpp>

#include <array>

namespace implicit_flow {

/// The faces of a grid block, in the order imin, imax, jmin, jmax, kmin, kmax.
inline constexpr std::array side_faces{hyperplane::Direction::west,   hyperplane::Direction::east,
                                       hyperplane::Direction::south,  hyperplane::Direction::north,
                                       hyperplane::Direction::bottom, hyperplane::Direction::top};

}  // namespace implicit_flow
