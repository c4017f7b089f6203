// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../mesh/mesh.hpp"
#include "field.hpp"
#include "for_each.hpp"

#include <hyperplane/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace implicit_flow {

/// Cell volumes and face area vectors of a mesh, on the device. A value: kernels copy it.
///
/// The area vector of a face is the integral of dS over the bilinear patch through its four vertices, so the six
/// vectors of a cell add up to zero and a uniform flow stays uniform to round-off. The volume is that of the trilinear
/// cell with these faces, by the divergence theorem (the volume under a bilinear patch is the mean of its two
/// triangulations). A face that is a line or a point, as on an axis, has the area zero: nothing flows through it.
template <hyperplane::ExecutionSpace Exec>
struct Metrics {
  using Vectors = Kokkos::View<Vec3***, Kokkos::LayoutLeft, typename Exec::memory_space>;

  hyperplane::Grid cells;
  Vectors areas[directions];
  Field<Exec> volumes;  ///< of ghost cells zero, but behind interfaces: see fill_volumes()

  /// Area vector of the lower face of cell p in `direction`, pointing towards increasing index.
  KOKKOS_FUNCTION const Vec3& area(int direction, const hyperplane::Point& p) const {
    return areas[direction](p.i, p.j, p.k);
  }
  KOKKOS_FUNCTION double volume(const hyperplane::Point& p) const { return value_at(volumes, p, 0); }

  /// Those of all cells of a group.
  template <int lanes>
  KOKKOS_FUNCTION Vector3<NumberWith<lanes>> area(int direction, const Group<lanes>& group) const {
    using S = NumberWith<lanes>;
    return {number_of<S>([&](int lane) { return area(direction, group.point[lane]).x; }),
            number_of<S>([&](int lane) { return area(direction, group.point[lane]).y; }),
            number_of<S>([&](int lane) { return area(direction, group.point[lane]).z; })};
  }
  template <int lanes>
  KOKKOS_FUNCTION NumberWith<lanes> volume(const Group<lanes>& group) const {
    return gather(group, [&](const hyperplane::Point& p) -> const double& { return value_at(volumes, p, 0); });
  }
};

/// The four vertices of the lower face of cell p, in the order that turns right-handed around `direction`.
struct FaceCorners {
  Vec3 a, b, c, d;
};

template <class Vertices>
KOKKOS_FUNCTION FaceCorners face_corners(const Vertices& vertex, const hyperplane::Point& p, int direction) {
  int const second = (direction + 1) % directions;
  int const third = (direction + 2) % directions;
  auto const at = [&](const hyperplane::Point& q) { return vertex(q.i, q.j, q.k); };
  auto const next = shifted(p, second, 1);
  return {at(p), at(next), at(shifted(next, third, 1)), at(shifted(p, third, 1))};
}

/// Volume of the cone from `apex` to the bilinear patch through the corners, positive behind the patch.
KOKKOS_INLINE_FUNCTION double cone_volume(const FaceCorners& face, const Vec3& apex) {
  Vec3 const a = face.a - apex;
  Vec3 const b = face.b - apex;
  Vec3 const c = face.c - apex;
  Vec3 const d = face.d - apex;
  return (dot(a, cross(b, c)) + dot(a, cross(c, d)) + dot(a, cross(b, d)) + dot(b, cross(c, d))) / 12;
}

template <hyperplane::ExecutionSpace Exec>
struct ComputeArea {
  int direction;
  typename Metrics<Exec>::Vectors vertex;
  typename Metrics<Exec>::Vectors area;

  KOKKOS_FUNCTION void operator()(const hyperplane::Point& p) const {
    auto const face = face_corners(vertex, p, direction);
    Vec3 const first = face.c - face.a, second = face.d - face.b;
    Vec3 const found = 0.5 * cross(first, second);
    // Rounding gives a face on an axis an area in any direction.
    bool const is_line = norm(found) <= 1e-12 * (dot(first, first) + dot(second, second));
    area(p.i, p.j, p.k) = is_line ? Vec3{} : found;
  }
};

template <hyperplane::ExecutionSpace Exec>
struct ComputeVolume {
  typename Metrics<Exec>::Vectors vertex;
  Field<Exec> volumes;

  KOKKOS_FUNCTION void operator()(const hyperplane::Point& p) const {
    Vec3 const apex = vertex(p.i, p.j, p.k);
    double sum = 0;
    for (int direction = 0; direction < directions; ++direction) {
      sum += cone_volume(face_corners(vertex, shifted(p, direction, 1), direction), apex) -
             cone_volume(face_corners(vertex, p, direction), apex);
    }
    value_at(volumes, p, 0) = sum;
  }
};

template <hyperplane::ExecutionSpace Exec>
struct FindBadVolume {
  hyperplane::Grid cells;
  Field<Exec> volumes;

  KOKKOS_FUNCTION void operator()(std::int64_t number, std::int64_t& lowest) const {
    if (!(value_at(volumes, cells.point(number), 0) > 0) && number < lowest) lowest = number;
  }
};

/// Waits for the instance. Throws hyperplane::Error that names the first cell whose volume is not positive.
template <hyperplane::ExecutionSpace Exec>
Metrics<Exec> compute_metrics(const Exec& exec, const Mesh& mesh) {
  auto const& grid = mesh.vertices;
  Metrics<Exec> metrics{mesh.cells(), {}, {}};
  typename Metrics<Exec>::Vectors const vertex(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "vertices"),
                                               grid.ni(), grid.nj(), grid.nk());
  // They have the same order there.
  using Positions =
      Kokkos::View<const Vec3***, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(exec, vertex, Positions(mesh.position.data(), grid.ni(), grid.nj(), grid.nk()));

  for (int direction = 0; direction < directions; ++direction) {
    auto const faces = faces_along(metrics.cells, direction);
    typename Metrics<Exec>::Vectors const area(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "face areas"),
                                               faces.ni(), faces.nj(), faces.nk());
    for_each_point(exec, "implicit_flow::face_areas", faces, ComputeArea<Exec>{direction, vertex, area});
    metrics.areas[direction] = area;
  }

  auto const cells = metrics.cells;
  auto const volumes = make_field(exec, "cell volumes", cells, 1);
  for_each_point(exec, "implicit_flow::cell_volumes", cells, ComputeVolume<Exec>{vertex, volumes});
  metrics.volumes = volumes;

  std::int64_t first_bad = cells.size();
  Kokkos::parallel_reduce("implicit_flow::check_volumes", Kokkos::RangePolicy<Exec>(exec, 0, cells.size()),
                          FindBadVolume<Exec>{cells, volumes}, Kokkos::Min<std::int64_t>(first_bad));
  if (first_bad < cells.size()) {
    auto const p = cells.point(first_bad);
    throw hyperplane::Error("the volume of cell (" + std::to_string(p.i) + ", " + std::to_string(p.j) + ", " +
                            std::to_string(p.k) +
                            ") is not positive: the grid is folded there, or its directions i, j, k are left-handed");
  }
  return metrics;
}

}  // namespace implicit_flow
