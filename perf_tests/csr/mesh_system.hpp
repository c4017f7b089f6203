// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "csr_system.hpp"

#include <hyperplane/grid/grid.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace hyperplane::perf {

/// An implicit step of the Euler equations on a mesh of tetrahedra, in block CSR with n = 5.
///
/// The points are those of a box, each cell of which is six tetrahedra: up to 14 neighbours. Layers along k are thin at
/// a wall and grow by a tenth each. Rows have numbers at random, as meshes may have that were refined: nothing is left
/// of the box. The flow is a boundary layer at Mach 0.5 with cross flow; the matrix is the Jacobian of fluxes with
/// Rusanov's dissipation, of first order, with time steps of CFL number 50.
struct MeshSystem : CsrSystem {
  static constexpr int n = 5;
  using Block = std::array<double, n * n>;

  explicit MeshSystem(const Grid& box) : CsrSystem{.block_size = n} {
    std::vector<int> number(static_cast<std::size_t>(box.size()));
    std::iota(number.begin(), number.end(), 0);
    std::mt19937_64 engine(1);
    // std::shuffle would differ from one library to the next.
    for (auto last = number.size() - 1; last > 0; --last) std::swap(number[last], number[engine() % (last + 1)]);
    std::vector<int> point(number.size());
    for (std::size_t p = 0; p < number.size(); ++p) point[static_cast<std::size_t>(number[p])] = static_cast<int>(p);

    for (int const p : point) {
      Point const at = box.point(p);
      Block diagonal{};
      double sum = 0.0;
      for (auto const& edge : edges) {
        for (int const side : {1, -1}) {
          Point const other{at.i + side * edge[0], at.j + side * edge[1], at.k + side * edge[2]};
          auto const normal = face(at, edge, side);
          bool const is_inside = box.contains(other);
          double const speed = wave_speed(velocity(box, at), normal);
          sum += speed;
          add_half(flux_jacobian(velocity(box, at), normal), speed, diagonal);
          if (!is_inside) continue;
          Block block{};
          add_half(flux_jacobian(velocity(box, other), normal), -speed, block);
          add_block(number[static_cast<std::size_t>(box.index(other))], block);
        }
      }
      constexpr double cfl = 50.0;
      for (int c = 0; c < n; ++c) diagonal[c * n + c] += sum / cfl;
      add_block(number[static_cast<std::size_t>(p)], diagonal);
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
    for (std::size_t e = 0; e < number.size() * n; ++e) {
      rhs.push_back(static_cast<double>(engine() >> 11) * 0x1p-53 - 0.5);
    }
  }

 private:
  using Vector3 = std::array<double, 3>;
  // Kuhn's tetrahedra have the edges of the cell, diagonals of its faces and one of its own.
  static constexpr std::array<std::array<int, 3>, 7> edges = {
      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};

  static double layer(double k) { return 0.01 * std::pow(1.1, k); }

  /// The face between the parts of two points, out of the first: half a face of the cell along its edges, an eighth of
  /// those that a diagonal crosses. Weights are chosen, not those of a dual mesh; the faces of a point add up to
  /// nothing where layers are equal.
  static Vector3 face(const Point& at, const std::array<int, 3>& edge, int side) {
    double const height = layer(at.k + 0.5 * side * edge[2]);
    double const weight = edge[0] + edge[1] + edge[2] == 1 ? 0.5 : 0.125;
    return {side * weight * edge[0] * height, side * weight * edge[1] * height, side * weight * edge[2] * 1.0};
  }

  static Vector3 velocity(const Grid& box, const Point& at) {
    double const height = layer(at.k) - layer(0);
    double const across = static_cast<double>(at.j) / box.nj();
    return {0.5 * std::tanh(3.0 * height), 0.1 * std::sin(6.0 * across), 0.02 * std::cos(6.0 * across)};
  }

  static double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  /// The speed of sound is 1.
  static double wave_speed(const Vector3& u, const Vector3& s) { return std::abs(dot(u, s)) + std::sqrt(dot(s, s)); }

  /// Of the flux through s, by density, momentum and energy.
  static Block flux_jacobian(const Vector3& u, const Vector3& s) {
    constexpr double gamma = 1.4, rest = gamma - 1.0;
    double const q = dot(u, s), square = dot(u, u), enthalpy = 1.0 / rest + 0.5 * square;
    Block a{};
    for (int j = 0; j < 3; ++j) {
      a[1 + j] = s[j];
      a[4 * n + 1 + j] = enthalpy * s[j] - rest * u[j] * q;
    }
    a[4 * n] = q * (0.5 * rest * square - enthalpy);
    a[4 * n + 4] = gamma * q;
    for (int i = 0; i < 3; ++i) {
      a[(1 + i) * n] = 0.5 * rest * square * s[i] - u[i] * q;
      for (int j = 0; j < 3; ++j) a[(1 + i) * n + 1 + j] = u[i] * s[j] - rest * s[i] * u[j] + (i == j ? q : 0.0);
      a[(1 + i) * n + 4] = rest * s[i];
    }
    return a;
  }

  /// to += (a + speed) / 2
  static void add_half(const Block& a, double speed, Block& to) {
    for (int e = 0; e < n * n; ++e) to[e] += 0.5 * a[e];
    for (int c = 0; c < n; ++c) to[c * n + c] += 0.5 * speed;
  }

  void add_block(int column, const Block& block) {
    columns.push_back(column);
    values.insert(values.end(), block.begin(), block.end());
  }
};

}  // namespace hyperplane::perf
