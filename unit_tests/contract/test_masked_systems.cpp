// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/sip_iteration/sip_iteration.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/mask_points.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/masks.hpp"
#include "support/matchers.hpp"
#include "support/reduced_system.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// After mask_points() every solver has the system of the other points, whatever was masked.
namespace hyperplane::test::masked_systems_tests {
namespace {

constexpr double nonsense = std::numeric_limits<double>::quiet_NaN();

std::vector<Grid> grids() { return {Grid(1, 1, 1), Grid(1, 7, 1), Grid(5, 4, 2), Grid(3, 9, 1), Grid(9, 2, 2)}; }

/// The rows of all points, as of a grid block alone.
BlockRows rows_of(const ReferenceStencil& a) {
  BlockRows rows{a.n, std::vector<std::map<std::int64_t, DenseMatrix>>(a.grid.size())};
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      Point const other = neighbour(a.grid.point(p), d);
      if (a.grid.contains(other)) rows.add(p, a.grid.index(other), a.block(p, d));
    }
  }
  return rows;
}

/// M of SSOR, multiplied out.
DenseMatrix ssor_matrix(const ReducedSystem& system, double w) {
  auto const scaled = [](DenseMatrix matrix, double factor) {
    for (auto& entry : matrix.entries) entry *= factor;
    return matrix;
  };
  auto const minus = DenseMatrix(system.dense().n);
  auto const diagonal = system.dense([](auto p, auto q) { return p == q; });
  auto const lower = system.dense([](auto p, auto q) { return q < p; });
  auto const upper = system.dense([](auto p, auto q) { return q > p; });
  auto const sum = [&](const DenseMatrix& a, const DenseMatrix& b) { return a - (minus - b); };
  return scaled(sum(scaled(diagonal, 1 / w), lower) * inverse(diagonal) * sum(scaled(diagonal, 1 / w), upper),
                w / (2 - w));
}

/// A masked system on a device, made of one with nonsense, and what it is without the masked points.
template <int n, class Exec>
struct Masked {
  Grid grid;
  Mask mask;
  ReferenceStencil reference;
  ReducedSystem reduced;
  std::vector<double> rhs;
  BlockStencil7<double, n, Exec> a;
  BlockVector<double, n, Exec> b;

  Masked(const Exec& exec, const Grid& g, Mask m)
      : grid(g),
        mask(std::move(m)),
        reference(random_stencil(grid, n)),
        reduced(rows_of(reference), mask),
        rhs(random_vector(grid.size() * n, 5)),
        a(to_device<double, n, double>(exec, with_nonsense(reference, mask))),
        b(to_device<double, n>(exec, grid, with_value(rhs, mask, nonsense))) {
    auto const points = to_view<std::int8_t>(exec, mask);
    mask_points(exec, points, a);
    mask_points(exec, points, b);
    exec.fence();
  }
};

template <class Exec>
class MaskedSystems : public ::testing::Test {
 protected:
  template <int n, class Check>
  void for_all_masks(const Check& check) const {
    for (auto const& grid : grids()) {
      for (auto const& [what, mask] : masks_of(grid)) {
        SCOPED_TRACE(to_string(grid) + ", masked: " + what);
        check(Masked<n, Exec>(exec, grid, mask));
      }
    }
  }
  template <class Solver, int n>
  void expect_solve(Solver solver, const Masked<n, Exec>& system, const std::vector<double>& expected) const {
    solver.factor(exec, system.a);
    ASSERT_TRUE(solver.status(exec).ok()) << solver.status(exec).message();
    BlockVector<double, n, Exec> const x(exec, system.grid);
    solver.solve(exec, system.b, x);
    auto const found = to_host(exec, x);
    EXPECT_TRUE(near(found, expected, rounding<double>(1000, n)));
    EXPECT_TRUE(bitwise_equal(found, with_value(found, system.mask, 0.0))) << "masked points are zero";
    // What is finite there reaches no other point.
    solver.solve(exec, to_device<double, n>(exec, system.grid, system.rhs), x);
    EXPECT_EQ(with_value(to_host(exec, x), system.mask, 0.0), found);
  }

  Exec exec{};
};
TYPED_TEST_SUITE(MaskedSystems, ExecutionSpaces, SpaceNames);

TYPED_TEST(MaskedSystems, products_are_those_of_the_other_points) {
  constexpr int n = 3;
  this->template for_all_masks<n>([&](const Masked<n, TypeParam>& system) {
    auto const values = random_vector(system.grid.size() * n, 3);
    auto const x = to_device<double, n>(this->exec, system.grid, values);
    BlockVector<double, n, TypeParam> const y(this->exec, system.grid);
    apply(this->exec, system.a, x, y);
    auto expected = system.reduced.embedded(system.reduced.rows() * system.reduced.taken(values));
    for (std::int64_t e = 0; e < system.grid.size() * n; ++e) {
      if (system.mask[e / n] == 0) expected[e] = values[e];
    }
    EXPECT_TRUE(near(to_host(this->exec, y), expected, rounding<double>(20, n)));
    auto rest = with_value(system.rhs, system.mask, 0.0);
    for (std::size_t e = 0; e < rest.size(); ++e) rest[e] -= expected[e];
    residual(this->exec, system.a, system.b, x, y);
    EXPECT_TRUE(near(to_host(this->exec, y), rest, rounding<double>(20, n)));
  });
}

TYPED_TEST(MaskedSystems, preconditioners_are_those_of_the_other_points) {
  constexpr int n = 2;
  this->template for_all_masks<n>([&](const Masked<n, TypeParam>& system) {
    auto const& [exec, grid, reduced] = std::tie(this->exec, system.grid, system.reduced);
    auto const& rhs = system.rhs;
    std::vector<std::int64_t> order(grid.size());
    std::iota(order.begin(), order.end(), 0);
    auto const ilu =
        reduced.embedded(ReferenceOrderedIlu0(reduced.rows(), reduced.places(order)).solve(reduced.taken(rhs)));
    auto const ssor = reduced.solve(ssor_matrix(reduced, 1.3), rhs);
    for (auto const path : paths_of<TypeParam>()) {
      SCOPED_TRACE(name(path));
      this->expect_solve(BlockIlu0<double, n, TypeParam>(exec, grid, {.path = path}), system, ilu);
      this->expect_solve(Ssor<double, n, TypeParam>(exec, grid, {.relaxation = 1.3, .path = path}), system, ssor);
    }
    auto const jacobi = reduced.solve(reduced.dense([](auto p, auto q) { return p == q; }), rhs);
    this->expect_solve(BlockJacobi<double, n, TypeParam>(exec, grid), system, jacobi);
    for (auto const direction : {LineDirection::i, LineDirection::j, LineDirection::k}) {
      SCOPED_TRACE(name(direction));
      auto const lines = reduced.dense([&grid = grid, direction](std::int64_t p, std::int64_t q) {
        Point const a = grid.point(p), b = grid.point(q);
        return (direction == LineDirection::i || a.i == b.i) && (direction == LineDirection::j || a.j == b.j) &&
               (direction == LineDirection::k || a.k == b.k);
      });
      this->expect_solve(LineImplicit<double, n, TypeParam>(exec, grid, {.directions = {direction}}), system,
                         reduced.solve(lines, rhs));
    }
  });
}

TYPED_TEST(MaskedSystems, sip_has_the_bits_of_its_own_mask) {
  auto const& exec = this->exec;
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5)}) {
    for (auto const& [what, mask] : masks_of(grid)) {
      Masked<1, TypeParam> const system(exec, grid, mask);
      auto const given = to_device<double, 1, double>(exec, with_nonsense(system.reference, mask));
      auto const rhs = to_device<double, 1>(exec, grid, system.rhs);
      for (auto const path : paths_of<TypeParam>()) {
        Sip<double, TypeParam> sip(exec, grid, {.path = path});
        BlockVector<double, 1, TypeParam> const x(exec, grid), y(exec, grid);
        sip.factor(exec, given, to_view<std::int8_t>(exec, mask));
        sip.solve(exec, rhs, x);
        sip.factor(exec, system.a);
        ASSERT_TRUE(sip.status(exec).ok()) << sip.status(exec).message();
        sip.solve(exec, system.b, y);
        EXPECT_TRUE(bitwise_equal(to_host(exec, y), to_host(exec, x))) << to_string(grid) << what << name(path);
      }
    }
  }
}

TYPED_TEST(MaskedSystems, iterations_converge_to_the_solution_of_the_other_points) {
  constexpr int n = 2;
  using Vector = BlockVector<double, n, TypeParam>;
  this->template for_all_masks<n>([&](const Masked<n, TypeParam>& system) {
    auto const& [exec, grid] = std::tie(this->exec, system.grid);
    auto const expected = system.reduced.solve(system.reduced.dense(), system.rhs);
    BlockIlu0<double, n, TypeParam> ilu(exec, grid);
    ilu.factor(exec, system.a);
    auto const expect_solution = [&](const auto& method) {
      Vector const x(this->exec, system.grid);
      auto const result = method.solve(this->exec, system.a, ilu, system.b, x);
      EXPECT_TRUE(result.converged()) << result.message();
      auto const found = to_host(this->exec, x);
      EXPECT_TRUE(near(found, expected, 1e-8));
      EXPECT_EQ(found, with_value(found, system.mask, 0.0));
    };
    expect_solution(BiCgStab<Vector>(exec, grid, {.tolerance = 1e-11}));
    expect_solution(Fgmres<Vector>(exec, grid, {.tolerance = 1e-11}));
    expect_solution(Fgcrodr<Vector>(exec, grid, {.tolerance = 1e-11}));
  });
}

TYPED_TEST(MaskedSystems, sip_iterations_converge_too) {
  auto const& exec = this->exec;
  Grid const grid(9, 11, 2);
  for (auto const& [what, mask] : masks_of(grid)) {
    Masked<1, TypeParam> const system(exec, grid, mask);
    SipIteration<double, TypeParam> sip(exec, grid);
    sip.factor(exec, system.a);
    BlockVector<double, 1, TypeParam> const x(exec, grid);
    auto const result = sip.solve(exec, system.a, system.b, x, {.tolerance = 1e-11});
    EXPECT_TRUE(result.converged()) << what << ": " << result.message();
    auto const expected = system.reduced.solve(system.reduced.dense(), system.rhs);
    EXPECT_TRUE(near(to_host(exec, x), expected, 1e-9)) << what;
    EXPECT_EQ(to_host(exec, x), with_value(to_host(exec, x), mask, 0.0)) << what;
  }
}

}  // namespace
}  // namespace hyperplane::test::masked_systems_tests
