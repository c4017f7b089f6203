// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/axis_transform.hpp>
#include <hyperplane/blocks/detail/cell_faces.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// An interface as CGNS has it, GridConnectivity1to1_t, with the arrays that cg_1to1_read gives: ranges of vertices,
/// counted from 1, the first vertex and then the last. Zones are numbers of grid blocks, counted from 0. Of a file with
/// two dimensions, k is from 1 to 2 and runs along 3.
/// (https://cgns.github.io/CGNS_docs_current/sids/cnct.html)
struct CgnsInterface {
  int block = 0;
  std::array<std::int64_t, 6> point_range{};
  int donor = 0;
  std::array<std::int64_t, 6> point_range_donor{};
  std::array<int, 3> transform{1, 2, 3};
};

namespace detail {

/// A face of a zone and the vertices on it, as a range of a file gives them.
struct CgnsFace {
  Direction face = Direction::west;
  std::array<std::int64_t, 3> begin{};
  std::array<std::int64_t, 3> end{};
};

[[noreturn]] inline void refuse(const CgnsInterface& given, const std::string& why) {
  auto const range = [](const std::array<std::int64_t, 6>& r) {
    std::string text = "[";
    for (std::size_t d = 0; d < 6; ++d) text += (d == 0 ? "" : d == 3 ? "; " : ", ") + std::to_string(r[d]);
    return text + "]";
  };
  fail("interface_from_cgns: grid block " + std::to_string(given.block) + ", PointRange " + range(given.point_range) +
       ", donor " + std::to_string(given.donor) + ", PointRangeDonor " + range(given.point_range_donor) + ": " + why);
}

inline CgnsFace checked_face(std::span<const Grid> blocks, const CgnsInterface& given, bool of_donor) {
  std::string const what = of_donor ? "PointRangeDonor" : "PointRange";
  int const number = of_donor ? given.donor : given.block;
  if (number < 0 || number >= static_cast<int>(blocks.size())) {
    refuse(given, std::string(of_donor ? "the donor" : "the grid block") + " does not exist, there are " +
                      std::to_string(blocks.size()) + " grid blocks");
  }
  auto const& range = of_donor ? given.point_range_donor : given.point_range;
  const Grid& grid = blocks[as_size(number)];
  std::array<std::int64_t, 3> const vertices{std::int64_t{grid.ni()} + 1, std::int64_t{grid.nj()} + 1,
                                             std::int64_t{grid.nk()} + 1};
  CgnsFace result;
  int across = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    auto const begin = result.begin[d] = range[d], end = result.end[d] = range[d + 3];
    if (std::min(begin, end) < 1 || std::max(begin, end) > vertices[d]) {
      refuse(given, what + " is not inside the vertices 1 to " + std::to_string(vertices[d]) + " along " + "ijk"[d]);
    }
    if (begin != end) continue;
    ++across;
    if (begin != 1 && begin != vertices[d]) {
      refuse(given, what + " is on no face: " + "ijk"[d] + " is 1 or " + std::to_string(vertices[d]) + " there");
    }
    result.face = outer_faces[2 * d + (begin == 1 ? 0 : 1)];
  }
  if (across != 1) refuse(given, what + " has to have one vertex along one axis, and more along the others");
  return result;
}

}  // namespace detail

/// The interface of grid blocks of cells that a CGNS file gives by ranges of vertices. `blocks` are the cells of the
/// zones: one fewer than vertices along each axis.
///
/// Throws Error, which names the ranges, where a zone does not exist, a range is not on a face of its zone, Transform
/// is not a signed permutation or does not lead from the one range to the other, or does not lead into the donor.
inline Interface interface_from_cgns(std::span<const Grid> blocks, const CgnsInterface& given) {
  AxisTransform const transform{given.transform};
  if (!transform.valid()) {
    detail::refuse(given, "Transform " + to_string(transform) + " is not a signed permutation of 1, 2, 3");
  }
  auto const face = detail::checked_face(blocks, given, false);
  auto const donor = detail::checked_face(blocks, given, true);
  Interface result{given.block, face.face, {}, given.donor, {}, transform};
  if (result.donor_face() != donor.face) {
    detail::refuse(given, "by Transform " + to_string(transform) + " the " + name(face.face) + " face meets the " +
                              name(result.donor_face()) + " face of the donor, not its " + name(donor.face) + " face");
  }
  int const across = detail::face_axes(face.face).across;
  for (int d = 0; d < 3; ++d) {
    auto const axis = detail::as_size(d);
    int const signed_axis = transform.axes[axis];
    int const donor_axis = (signed_axis < 0 ? -signed_axis : signed_axis) - 1;
    auto const other = detail::as_size(donor_axis);
    auto const begin = face.begin[axis], end = face.end[axis];
    auto const donor_begin = donor.begin[other], donor_end = donor.end[other];
    if ((end - begin) * (signed_axis < 0 ? -1 : 1) != donor_end - donor_begin) {
      detail::refuse(given, "by Transform " + to_string(transform) + " vertices " + std::to_string(begin) + " to " +
                                std::to_string(end) + " along " + "ijk"[d] + " do not meet vertices " +
                                std::to_string(donor_begin) + " to " + std::to_string(donor_end) + " along " +
                                "ijk"[donor_axis] + " of the donor");
    }
    auto& first = detail::along(result.points.begin, d);
    auto& donor_first = detail::along(result.donor_begin, donor_axis);
    if (d == across) {
      // The cell inside of the face.
      first = static_cast<int>(std::max<std::int64_t>(begin - 2, 0));
      detail::along(result.points.end, d) = first + 1;
      donor_first = static_cast<int>(std::max<std::int64_t>(donor_begin - 2, 0));
      continue;
    }
    first = static_cast<int>(std::min(begin, end)) - 1;
    detail::along(result.points.end, d) = static_cast<int>(std::max(begin, end)) - 1;
    // The vertex of the donor that meets the lower one, and the cell beyond it.
    auto const met = begin < end ? donor_begin : donor_end;
    donor_first = static_cast<int>(signed_axis < 0 ? met - 2 : met - 1);
  }
  return result;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
