// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/detail/copy_parts.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/krylov/result.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/multi_block_reference.hpp"
#include "support/random_system.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {

/// A box with a random system, and the same system in its parts.
template <class Scalar, int n, class Exec, class MatrixStorage = Scalar>
struct DividedSystem {
  using Matrix = BlockStencil7<Scalar, n, Exec, MatrixStorage>;
  using Vector = BlockVector<Scalar, n, Exec>;
  using PartsMatrix = MultiBlockStencil7<Scalar, n, Exec, MatrixStorage>;
  using PartsVector = MultiBlockVector<Scalar, n, Exec>;

  Exec exec;
  CutGrid cut;
  detail::PartCopies<Matrix::vector_length, Exec> copies;
  Matrix a;
  Vector b, x;
  PartsMatrix parts_a;

  /// Some diagonal blocks have their largest entries off the diagonal, so that rows are exchanged at some points.
  DividedSystem(const Exec& instance, const Grid& grid, const std::array<int, 3>& parts)
      : exec(instance),
        cut(cut_grid(grid, parts)),
        copies(exec, grid, cut),
        a(to_device<Scalar, n, MatrixStorage>(exec, system_of(grid))),
        b(to_device<Scalar, n>(exec, grid, random_vector(grid.size() * n, 3))),
        x(to_device<Scalar, n>(exec, grid, random_vector(grid.size() * n, 4))),
        parts_a(exec, cut.grid) {
    divide_matrix();
  }

  /// Whose block of a point is not finite.
  void take_random_matrix_with_nan(const Point& point, Direction direction) const {
    auto reference = random_stencil(a.grid(), n);
    for (double& entry : reference.block(a.grid().index(point), direction).entries) {
      entry = std::numeric_limits<double>::quiet_NaN();
    }
    Kokkos::deep_copy(exec, a.flat(), to_device<Scalar, n, MatrixStorage>(exec, reference).flat());
    divide_matrix();
  }

  PartsVector in_parts(const Vector& whole) const {
    PartsVector result(exec, cut.grid);
    copies.to_parts("vector", exec, whole.flat().data(), result.flat().data(), n);
    exec.fence();
    return result;
  }
  Vector copy(const Vector& given) const {
    Vector result(exec, given.grid());
    Kokkos::deep_copy(exec, result.flat(), given.flat());
    exec.fence();
    return result;
  }

 private:
  void divide_matrix() const {
    copies.to_parts("matrix", exec, a.flat().data(), parts_a.flat().data(), stencil7_size * n * n);
    exec.fence();
  }
  static ReferenceStencil system_of(const Grid& grid) {
    auto result = random_stencil(grid, n);
    for (std::int64_t p = 0; p < grid.size(); p += 5) {
      auto& center = result.block(p, Direction::center);
      for (int c = 0; c < n && n > 1; ++c) std::swap(center(0, c), center(n - 1, c));
    }
    return result;
  }
};

/// All that a Krylov method says of norms.
inline std::vector<double> norms_of(const KrylovResult& result) {
  auto norms = result.history;
  norms.push_back(result.rhs_norm);
  norms.push_back(result.residual_norm);
  return norms;
}

/// Odd extents, parts of one layer, and more parts than lanes of a SIMD group.
inline std::vector<std::pair<Grid, std::array<int, 3>>> boxes_in_parts() {
  return {{Grid(7, 5, 9), {1, 1, 4}},  {Grid(7, 5, 9), {1, 2, 1}},  {Grid(1, 17, 1), {1, 17, 1}},
          {Grid(7, 5, 9), {2, 2, 2}},  {Grid(7, 5, 9), {3, 1, 1}},  {Grid(1, 1, 6), {1, 1, 3}},
          {Grid(3, 19, 4), {1, 3, 2}}, {Grid(7, 5, 9), {1, 1, 9}},  {Grid(20, 1, 3), {3, 1, 2}},
          {Grid(6, 3, 2), {6, 3, 1}},  {Grid(12, 3, 2), {5, 3, 1}}, {Grid(2, 2, 2), {1, 1, 1}}};
}

inline std::string to_text(const std::pair<Grid, std::array<int, 3>>& box) {
  auto const& [grid, parts] = box;
  return to_string(grid) + " in " + std::to_string(parts[0]) + 'x' + std::to_string(parts[1]) + 'x' +
         std::to_string(parts[2]);
}

}  // namespace hyperplane::test
