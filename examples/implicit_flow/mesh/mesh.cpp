// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace implicit_flow {

namespace {

/// Spanwise thickness: the cells keep the width that they have along the stream.
double span(const hyperplane::Grid& cells, double length) { return length * cells.nk() / cells.ni(); }

/// x of vertex i when the front part has the length `lead` and the rest the length 1, corner at x = 0.
double streamwise(const hyperplane::Grid& cells, double lead, int i) {
  int const front = leading_cells(cells);
  if (i <= front) return -lead * (front - i) / front;
  return static_cast<double>(i - front) / (cells.ni() - front);
}

template <class Place>
Mesh place_vertices(const hyperplane::Grid& cells, Place&& place) {
  Mesh mesh({cells.ni() + 1, cells.nj() + 1, cells.nk() + 1});
  for (int k = 0; k <= cells.nk(); ++k) {
    for (int j = 0; j <= cells.nj(); ++j) {
      for (int i = 0; i <= cells.ni(); ++i) mesh.at(i, j, k) = place(i, j, k);
    }
  }
  return mesh;
}

/// Ratio r of a geometric series of `count` terms that starts with `first` and sums to `total`.
double geometric_ratio(double first, double total, int count) {
  double low = 1.0;
  double high = 10.0;
  for (int step = 0; step < 200; ++step) {
    double const r = 0.5 * (low + high);
    double const sum = r - 1 < 1e-12 ? first * count : first * (std::pow(r, count) - 1) / (r - 1);
    (sum < total ? low : high) = r;
  }
  return 0.5 * (low + high);
}

}  // namespace

Vec3 Mesh::cell_center(int i, int j, int k) const {
  Vec3 sum;
  for (int corner = 0; corner < 8; ++corner) sum = sum + at(i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2));
  return 0.125 * sum;
}

int leading_cells(const hyperplane::Grid& cells) { return std::max(1, cells.ni() / 5); }

Mesh make_wedge(const hyperplane::Grid& cells, double angle) {
  hyperplane::require(cells.ni() >= 2, "the wedge needs at least two cells along i: one in front of the corner");
  double const lead = 0.25;
  double const slope = std::tan(angle);
  double const depth = span(cells, 1 + lead);
  return place_vertices(cells, [&](int i, int j, int k) {
    double const x = streamwise(cells, lead, i);
    double const wall = x > 0 ? slope * x : 0;
    return Vec3{x, wall + (1 - wall) * j / cells.nj(), depth * k / cells.nk()};
  });
}

Mesh make_plate(const hyperplane::Grid& cells, double first_height) {
  hyperplane::require(cells.ni() >= 2, "the plate needs at least two cells along i: one in front of the leading edge");
  double const lead = 0.25;
  double const height = 0.5;
  double const depth = span(cells, 1 + lead);
  hyperplane::require(first_height > 0 && first_height * cells.nj() < height,
                      "the first cell's height is not positive or too large for this many cells");
  double const ratio = geometric_ratio(first_height, height, cells.nj());
  double const scale = height / (std::pow(ratio, cells.nj()) - 1);
  return place_vertices(cells, [&](int i, int j, int k) {
    return Vec3{streamwise(cells, lead, i), scale * (std::pow(ratio, j) - 1), depth * k / cells.nk()};
  });
}

Mesh make_wavy_box(const hyperplane::Grid& cells, double amplitude) {
  return place_vertices(cells, [&](int i, int j, int k) {
    double const x = static_cast<double>(i) / cells.ni();
    double const y = static_cast<double>(j) / cells.nj();
    double const z = static_cast<double>(k) / cells.nk();
    constexpr double pi = std::numbers::pi;
    return Vec3{x + amplitude * std::sin(2 * pi * y + 1) * std::cos(pi * z),
                y + amplitude * std::sin(2 * pi * z + 2) * std::cos(pi * x),
                z + amplitude * std::sin(2 * pi * x + 3) * std::cos(pi * y)};
  });
}

}  // namespace implicit_flow
