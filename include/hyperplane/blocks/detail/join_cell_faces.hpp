// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/axis_transform.hpp>
#include <hyperplane/blocks/detail/cell_faces.hpp>
#include <hyperplane/blocks/detail/match_cell_faces.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/grid.hpp>

#include <cstddef>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How the axes lie in the donor: along the face as the orientation says, across it from the one into the other.
constexpr AxisTransform transform_of(const FaceAxes& axes, const FaceAxes& donor, int orientation) {
  bool const swapped = (orientation & 4) != 0;
  int const first = (orientation & 1) != 0 ? -(donor.first + 1) : donor.first + 1;
  int const second = (orientation & 2) != 0 ? -(donor.second + 1) : donor.second + 1;
  AxisTransform result{};
  result.axes[as_size(axes.first)] = swapped ? second : first;
  result.axes[as_size(axes.second)] = swapped ? first : second;
  result.axes[as_size(axes.across)] = axes.upper == donor.upper ? -(donor.across + 1) : donor.across + 1;
  return result;
}

/// Joins cell faces that match into interfaces, each as large as a rectangle that begins at its first cell may be; from
/// one side.
class JoinCellFaces {
 public:
  JoinCellFaces(const CellFaces& faces, const std::vector<CellFaceMatch>& matches)
      : m_faces(faces), m_matches(matches), m_done(matches.size()) {}

  std::vector<Interface> run() {
    std::vector<Interface> result;
    for (std::size_t number = 0; number < m_matches.size(); ++number) {
      if (m_matches[number].partner == CellFaceMatch::none || m_done[number]) continue;
      result.push_back(rectangle(number));
    }
    return result;
  }

 private:
  Interface rectangle(std::size_t number) {
    auto const& face = m_faces.all[number];
    auto const& donor = m_faces.all[m_matches[number].partner];
    auto const axes = face_axes(face.face);
    Interface result{face.block,  face.face,  {face.cell, {face.cell.i + 1, face.cell.j + 1, face.cell.k + 1}},
                     donor.block, donor.cell, transform_of(axes, face_axes(donor.face), m_matches[number].orientation)};
    take(result, result.points);
    for (int const axis : {axes.first, axes.second}) {
      Box const layer = face_layer(m_faces.grids[as_size(face.block)], face.face);
      while (along(result.points.end, axis) < along(layer.end, axis)) {
        // One more row.
        Box row = result.points;
        along(row.begin, axis) = along(row.end, axis);
        ++along(row.end, axis);
        if (!continues(result, row)) break;
        take(result, row);
        along(result.points.end, axis) = along(row.end, axis);
      }
    }
    return result;
  }

  /// Whether the neighbours of all cells of the row are as the interface has them, and no cell is a neighbour of its
  /// own row: where a face is folded onto itself, an interface has one half of it.
  bool continues(const Interface& interface, const Box& row) const {
    bool good = true;
    for_each(row, [&](const Point& p) {
      auto const number = m_faces.number(interface.block, interface.face, p);
      auto const partner = m_matches[number].partner;
      if (partner == CellFaceMatch::none || m_done[number]) {
        good = false;
        return;
      }
      auto const& donor = m_faces.all[partner];
      bool const same_face = donor.block == interface.block && donor.face == interface.face;
      bool const in_row =
          same_face && !intersection({donor.cell, {donor.cell.i + 1, donor.cell.j + 1, donor.cell.k + 1}}, row).empty();
      AxisTransform const transform =
          transform_of(face_axes(interface.face), face_axes(donor.face), m_matches[number].orientation);
      if (donor.block != interface.donor || !(transform == interface.transform) ||
          !(donor.cell == interface.donor_point(p)) || in_row) {
        good = false;
      }
    });
    return good;
  }

  void take(const Interface& interface, const Box& row) {
    for_each(row, [&](const Point& p) {
      auto const number = m_faces.number(interface.block, interface.face, p);
      m_done[number] = m_done[m_matches[number].partner] = true;
    });
  }

  template <class F>
  static void for_each(const Box& box, const F& f) {
    for (int k = box.begin.k; k < box.end.k; ++k) {
      for (int j = box.begin.j; j < box.end.j; ++j) {
        for (int i = box.begin.i; i < box.end.i; ++i) f(Point{i, j, k});
      }
    }
  }

  const CellFaces& m_faces;
  const std::vector<CellFaceMatch>& m_matches;
  std::vector<bool> m_done;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
