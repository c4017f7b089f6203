// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "csr_system.hpp"
#include "dual_mesh.hpp"
#include "euler_fluxes.hpp"

#include <hyperplane/grid/grid.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace hyperplane::perf {

/// An implicit step of the Euler equations on a mesh of tetrahedra, in block CSR with n = 5: the Jacobian of fluxes
/// with Rusanov's dissipation, of first order, with time steps of CFL number 50.
class MeshSystem : public CsrSystem {
 public:
  static constexpr int n = EulerFluxes::n;

  /// The points are those of a box, each cell of which is six tetrahedra: up to 14 neighbours. Layers along k are thin
  /// at a wall and grow by a tenth each. Rows have numbers at random, as meshes may have that were refined: nothing is
  /// left of the box. The flow is a boundary layer at Mach 0.5 with cross flow.
  explicit MeshSystem(const Grid& box) : CsrSystem{.n = n} {
    std::vector<int> number(static_cast<std::size_t>(box.size()));
    std::iota(number.begin(), number.end(), 0);
    std::mt19937_64 engine(1);
    // std::shuffle would differ from one library to the next.
    for (auto last = number.size() - 1; last > 0; --last) std::swap(number[last], number[engine() % (last + 1)]);
    std::vector<int> point(number.size());
    for (std::size_t p = 0; p < number.size(); ++p) point[static_cast<std::size_t>(number[p])] = static_cast<int>(p);

    for (int const p : point) {
      Point const at = box.point(p);
      Row row;
      for (auto const& edge : edges) {
        for (int const side : {1, -1}) {
          Point const other{at.i + side * edge[0], at.j + side * edge[1], at.k + side * edge[2]};
          auto const normal = face(at, edge, side);
          row.add_own(velocity(box, at), normal);
          if (!box.contains(other)) continue;
          add_neighbour(number[static_cast<std::size_t>(box.index(other))], velocity(box, at), velocity(box, other),
                        normal);
        }
      }
      end_row(row, number[static_cast<std::size_t>(p)]);
    }
    add_rhs(engine);
  }

  /// On a mesh that was read: points have the numbers of the file, neighbours are connected by edges, faces are those
  /// of the dual mesh. The flow is one at Mach 0.5 with cross flow everywhere.
  explicit MeshSystem(const DualMesh& mesh) : CsrSystem{.n = n} {
    auto const blocks = mesh.neighbours.size() + mesh.points.size();
    columns.reserve(blocks);
    values.reserve(blocks * n * n);
    Waves const waves(mesh.points);
    for (std::size_t p = 0; p < mesh.points.size(); ++p) {
      auto const at = waves.velocity(mesh.points[p]);
      Row row;
      for (auto e = mesh.first(p); e < mesh.first(p + 1); ++e) {
        auto const neighbour = mesh.neighbours[e];
        row.add_own(at, mesh.faces[e]);
        add_neighbour(neighbour, at, waves.velocity(mesh.points[static_cast<std::size_t>(neighbour)]), mesh.faces[e]);
      }
      row.add_own(at, mesh.boundary(p));
      end_row(row, static_cast<int>(p));
    }
    std::mt19937_64 engine(1);
    add_rhs(engine);
  }

 private:
  using Block = EulerFluxes::Block;

  /// The diagonal block of a row while its faces are added.
  struct Row {
    Block diagonal{};
    double speeds = 0.0;

    void add_own(const Vector3& u, const Vector3& normal) {
      double const speed = EulerFluxes::wave_speed(u, normal);
      speeds += speed;
      EulerFluxes::add_half(EulerFluxes::jacobian(u, normal), speed, diagonal);
    }
  };

  /// A flow that changes across the box around all points.
  class Waves {
   public:
    explicit Waves(const std::vector<Vector3>& points) : m_low(points.front()), m_high(points.front()) {
      for (auto const& point : points) {
        for (int c = 0; c < 3; ++c) {
          m_low[c] = std::min(m_low[c], point[c]);
          m_high[c] = std::max(m_high[c], point[c]);
        }
      }
    }

    Vector3 velocity(const Vector3& point) const {
      auto const across = [&](int c) { return 6.0 * (point[c] - m_low[c]) / (m_high[c] - m_low[c]); };
      return {0.5, 0.1 * std::sin(across(2)), 0.1 * std::cos(across(1))};
    }

   private:
    Vector3 m_low, m_high;
  };

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

  void add_neighbour(int column, const Vector3& own, const Vector3& other, const Vector3& normal) {
    Block block{};
    EulerFluxes::add_half(EulerFluxes::jacobian(other, normal), -EulerFluxes::wave_speed(own, normal), block);
    add_block(column, block);
  }

  void end_row(Row& row, int column) {
    constexpr double cfl = 50.0;
    EulerFluxes::add_diagonal(row.speeds / cfl, row.diagonal);
    add_block(column, row.diagonal);
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }

  void add_rhs(std::mt19937_64& engine) {
    for (std::size_t e = 0; e < points() * n; ++e) rhs.push_back(static_cast<double>(engine() >> 11) * 0x1p-53 - 0.5);
  }

  void add_block(int column, const Block& block) {
    columns.push_back(column);
    values.insert(values.end(), block.begin(), block.end());
  }
};

}  // namespace hyperplane::perf
