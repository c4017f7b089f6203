// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/krylov/result.hpp>
#include <numeric>
#include <vector>

#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {

/// Diffusion with convection on a plane, whose smallest eigenvalues hold restarted methods up. Systems 0, 1, 2, ...
/// change little from one to the next.
inline ReferenceStencil slow_system(const Grid& grid, int system) {
  ReferenceStencil a = random_stencil(grid, 1, 11);
  std::size_t point = 0;
  for (auto& blocks : a.blocks) {
    double const there = std::sin(0.37 * static_cast<double>(point++) + 0.2 * system);
    for (auto const d : stencil7_directions) {
      bool const upwind = d == Direction::west || d == Direction::south;
      double& entry = blocks[static_cast<int>(d)](0, 0);
      entry = d == Direction::center ? 4.01 + 0.02 * there : upwind ? -1.1 : -0.9;
      if (d == Direction::bottom || d == Direction::top) entry = 0.0;
    }
  }
  return a;
}

struct ScaleUnevenly {
  double* m_values;
  double m_factor;

  KOKKOS_FUNCTION void operator()(int e) const { m_values[e] *= m_factor * (1.0 + 0.01 * (e % 7)); }
};

/// Block Jacobi times a factor that changes from one application to the next.
template <class Precond>
struct ChangingPreconditioner {
  const Precond& m_precond;
  mutable int m_applications = 0;

  template <class Exec, class Vector>
  void solve(const Exec& exec, const Vector& r, const Vector& z) const {
    m_precond.solve(exec, r, z);
    double const factor = 1.0 + 0.3 * (m_applications++ % 3);
    auto const values = z.flat();
    Kokkos::parallel_for("ChangingPreconditioner", Kokkos::RangePolicy<Exec>(exec, 0, values.size()),
                         ScaleUnevenly{values.data(), factor});
  }
};

template <class Exec>
class FgcrodrTest : public ::testing::Test {
 protected:
  using Vector = BlockVector<double, 1, Exec>;
  using Matrix = BlockStencil7<double, 1, Exec>;
  using Precond = BlockJacobi<double, 1, Exec>;

  /// A system of the sequence, and its right-hand side.
  struct System {
    Matrix a;
    Precond m;
    Vector b;
    std::vector<double> solution;
  };

  System system(int number, int right_hand_side) const {
    auto const reference = slow_system(grid, number);
    auto solution = random_vector(reference.rows());
    for (std::size_t e = 0; e < solution.size(); ++e) {
      solution[e] += std::cos(0.01 * static_cast<double>(e) * (1.0 + right_hand_side));
    }
    System result{to_device<double, 1, double>(exec, reference), Precond(exec, grid),
                  to_device<double, 1>(exec, grid, reference.apply(solution)), solution};
    result.m.factor(exec, result.a);
    return result;
  }

  template <class Method>
  KrylovResult solve(const Method& method, const System& system, const KrylovLimits& limits) {
    Kokkos::deep_copy(exec, x.flat(), 0.0);
    return method.solve(exec, system.a, system.m, system.b, x, limits);
  }
  template <class Method>
  int iterations(const Method& method, const System& system) {
    auto const result = solve(method, system, method.options().limits());
    EXPECT_TRUE(result.converged()) << result.message();
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
    EXPECT_TRUE(near(to_host(exec, x), system.solution, 1e-5));
    return result.iterations;
  }

  /// C^T C = I and A U = C.
  void expect_consistent(const Fgcrodr<Vector>& method, const Matrix& a) const {
    auto const u = method.directions(), c = method.images();
    ASSERT_EQ(u.size(), static_cast<std::size_t>(method.recycled()));
    ASSERT_EQ(c.size(), u.size());
    Vector const product(exec, grid);
    std::vector<std::vector<double>> images;
    for (auto const& image : c) images.push_back(to_host(exec, image));
    for (std::size_t i = 0; i < c.size(); ++i) {
      for (std::size_t j = 0; j < c.size(); ++j) {
        double const dot = std::inner_product(images[i].begin(), images[i].end(), images[j].begin(), 0.0);
        EXPECT_NEAR(dot, i == j ? 1.0 : 0.0, 1e-12);
      }
      apply(exec, a, u[i], product);
      EXPECT_TRUE(near(to_host(exec, product), images[i], 1e-10)) << i;
    }
  }

  Exec exec{};
  Grid const grid = Grid(24, 20, 1);
  Vector x = Vector(exec, grid);
  KrylovOptions const options{.max_iterations = 2000, .restart = 20, .recycled = 8};
};

}  // namespace hyperplane::test
