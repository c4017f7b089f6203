// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/masks.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/sip_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/ssor_reference.hpp"
#include "support/transfer.hpp"

// Solves with M^T of the preconditioners whose sweeps are TriangularSweeps.
namespace hyperplane::test {
namespace {

template <class Exec>
class TransposedSweeps : public ::testing::Test {};
TYPED_TEST_SUITE(TransposedSweeps, ExecutionSpaces, SpaceNames);

std::vector<Grid> small_grids() {
  return {Grid(1, 1, 1),  Grid(1, 7, 1), Grid(5, 4, 3), Grid(17, 2, 2), Grid(2, 17, 2),
          Grid(33, 1, 1), Grid(1, 1, 9), Grid(9, 9, 1), Grid(4, 1, 8),  Grid(1, 19, 2)};
}
std::vector<Grid> large_grids() {
  return {Grid(17, 2, 9), Grid(9, 17, 5), Grid(8, 8, 8),  Grid(16, 8, 1),
          Grid(7, 40, 2), Grid(2, 9, 30), Grid(70, 17, 3)};
}

TEST(ReferenceIlu0, solves_with_its_transpose) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(3, 4, 3)}) {
    auto const a = random_stencil(grid, 2);
    ReferenceIlu0 const ilu(a);
    auto const b = random_vector(a.rows());
    EXPECT_TRUE(near(transposed_dense(ilu.product()) * ilu.solve_transposed(b), b, rounding<double>(100, 2)));
  }
}

/// Both halves, one after the other and by themselves, in place and not: the same bits, which it returns.
template <class Plan, class Exec>
std::vector<double> solve_transposed(const Exec& exec, const Plan& plan, const std::vector<double>& rhs) {
  using Vector = typename Plan::Vector;
  auto const to_vector = [&](const std::vector<double>& values) {
    return to_device<typename Plan::scalar_type, Plan::block_size>(exec, plan.grid(), values);
  };
  Vector const b = to_vector(rhs), x = to_vector(std::vector<double>(rhs.size(), 1.0)), y(exec, plan.grid());
  plan.solve_transposed(exec, b, x);
  auto const result = to_host(exec, x);
  EXPECT_TRUE(bitwise_equal(to_host(exec, b), rhs)) << "the right-hand side is kept";
  std::size_t nonzero = 0;
  auto const flat = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x.flat());
  for (std::size_t e = 0; e < flat.size(); ++e) nonzero += flat(e) != 0;
  EXPECT_LE(nonzero, rhs.size()) << "padding is zero";
  plan.forward_transposed(exec, b, y);
  plan.backward_transposed(exec, y, x);
  EXPECT_TRUE(bitwise_equal(to_host(exec, x), result));
  plan.solve_transposed(exec, b, b);
  EXPECT_TRUE(bitwise_equal(to_host(exec, b), result)) << "in place";
  return result;
}

template <int n, class Exec>
void compare_ilu(const Exec& exec, const Grid& grid) {
  auto const reference = random_stencil(grid, n);
  auto const rhs = random_vector(reference.rows());
  auto const expected = ReferenceIlu0(reference).solve_transposed(rhs);
  auto const a = to_device<double, n, double>(exec, reference);
  for (SolverPath const path : solver_paths_of<Exec>()) {
    SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n) + ", path " + name(path));
    auto ilu = path.make<BlockIlu0<double, n, Exec>>(exec, grid);
    ilu.factor(exec, a);
    EXPECT_TRUE(near(solve_transposed(exec, ilu, rhs), expected, rounding<double>(100, n)));
  }
}

TYPED_TEST(TransposedSweeps, agree_with_the_reference_on_every_grid) {
  TypeParam const exec;
  for (auto const& grid : small_grids()) compare_ilu<2>(exec, grid);
  for (auto const& grid : large_grids()) compare_ilu<2>(exec, grid);
}

TYPED_TEST(TransposedSweeps, every_kind_of_block_size) {
  TypeParam const exec;
  for (auto const& grid : {Grid(5, 4, 3), Grid(9, 19, 2)}) {
    [&]<int... n>(std::integer_sequence<int, n...>) {
      (compare_ilu<n>(exec, grid), ...);
    }(std::integer_sequence<int, 1, 3, 4, 5, 6, 9, 16>{});
  }
}

template <class Scalar, int n, class Storage, class Exec>
void compare_storage(const Exec& exec) {
  auto const reference = random_stencil(Grid(9, 19, 3), n);
  std::vector<double> rhs;
  for (double const value : random_vector(reference.rows())) rhs.push_back(static_cast<Scalar>(value));
  auto const expected = ReferenceIlu0(reference).solve_transposed(rhs);
  for (SolverPath const path : solver_paths_of<Exec>()) {
    auto ilu = path.make<BlockIlu0<Scalar, n, Exec, Storage>>(exec, reference.grid);
    ilu.factor(exec, to_device<Scalar, n, Storage>(exec, reference));
    EXPECT_TRUE(near(solve_transposed(exec, ilu, rhs), expected, rounding<float>(20, n))) << name(path);
  }
}

TYPED_TEST(TransposedSweeps, float_and_mixed_storage) {
  TypeParam const exec;
  compare_storage<float, 1, float>(exec);
  compare_storage<float, 4, float>(exec);
  compare_storage<double, 1, float>(exec);
  compare_storage<double, 4, float>(exec);
}

TYPED_TEST(TransposedSweeps, agree_with_dense_matrices) {
  TypeParam const exec;
  constexpr int n = 2;
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(2, 9, 2), Grid(1, 7, 1)}) {
    auto const a = random_stencil(grid, n), scalar = random_stencil(grid, 1);
    auto const ilu_transposed = transposed_dense(ReferenceIlu0(a).product());
    auto const sip_transposed = transposed_dense(ReferenceSip(scalar, 0.9).product());
    DenseMatrix ssor_inverse(static_cast<int>(a.rows()));  // transposed
    for (int r = 0; r < ssor_inverse.n; ++r) {
      std::vector<double> unit(a.rows(), 0.0);
      unit[r] = 1.0;
      auto const column = reference_ssor(a, 1.3, unit);
      for (int c = 0; c < ssor_inverse.n; ++c) ssor_inverse(r, c) = column[c];
    }
    auto const b = random_vector(a.rows()), of_points = random_vector(grid.size());
    for (SweepPath const path : paths_of<TypeParam>()) {
      SCOPED_TRACE(to_string(grid) + ", path " + name(path));
      BlockIlu0<double, n, TypeParam> ilu(exec, grid, {.path = path});
      ilu.factor(exec, to_device<double, n, double>(exec, a));
      EXPECT_TRUE(near(ilu_transposed * solve_transposed(exec, ilu, b), b, rounding<double>(200, n)));
      Ssor<double, n, TypeParam> ssor(exec, grid, {.relaxation = 1.3, .path = path});
      ssor.factor(exec, to_device<double, n, double>(exec, a));
      EXPECT_TRUE(near(solve_transposed(exec, ssor, b), ssor_inverse * b, rounding<double>(200, n)));
      Sip<double, TypeParam> sip(exec, grid, {.alpha = 0.9, .path = path});
      sip.factor(exec, to_device<double, 1, double>(exec, scalar));
      EXPECT_TRUE(near(sip_transposed * solve_transposed(exec, sip, of_points), of_points, rounding<double>(200, 1)));
    }
  }
}

TYPED_TEST(TransposedSweeps, halves_solve_with_the_transposed_triangles) {
  // (D / w + L)^T, and for a matrix without lower blocks (I + w D^-1 U)^T.
  TypeParam const exec;
  constexpr int n = 2;
  auto a = random_stencil(Grid(3, 9, 4), n);
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    for (auto const d : {Direction::top, Direction::north, Direction::east}) a.block(p, d) = DenseMatrix(n);
  }
  auto const b = random_vector(a.rows());
  for (SweepPath const path : paths_of<TypeParam>()) {
    Ssor<double, n, TypeParam> ssor(exec, a.grid, {.path = path});
    ssor.factor(exec, to_device<double, n, double>(exec, a));
    auto const x = to_device<double, n>(exec, a.grid, b);
    ssor.forward_transposed(exec, x, x);
    EXPECT_TRUE(bitwise_equal(to_host(exec, x), b)) << name(path);
    ssor.backward_transposed(exec, x, x);
    EXPECT_TRUE(near(transposed_dense(a.dense()) * to_host(exec, x), b, rounding<double>(200, n))) << name(path);
  }
}

TYPED_TEST(TransposedSweeps, are_the_adjoint_of_the_plain_ones) {
  TypeParam const exec;
  constexpr int n = 5;
  for (auto const& grid : large_grids()) {
    auto const reference = random_stencil(grid, n);
    auto const u = random_vector(reference.rows(), 1), v = random_vector(reference.rows(), 2);
    for (SweepPath const path : paths_of<TypeParam>()) {
      BlockIlu0<double, n, TypeParam> ilu(exec, grid, {.path = path});
      ilu.factor(exec, to_device<double, n, double>(exec, reference));
      auto const x = to_device<double, n>(exec, grid, u);
      ilu.solve(exec, x, x);
      auto const mu = to_host(exec, x), mv = solve_transposed(exec, ilu, v);
      double left = 0.0, right = 0.0, size = 0.0;
      for (std::size_t e = 0; e < u.size(); ++e) {
        left += mu[e] * v[e];
        right += u[e] * mv[e];
        size += std::abs(mu[e] * v[e]);
      }
      EXPECT_NEAR(left, right, 1e-13 * size) << to_string(grid) << ", path " << name(path);
    }
  }
}

/// Something that is finite in all blocks that point out of the grid.
template <class Factors, int n>
struct SpoilOutside {
  Factors m_factors;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    auto const& map = m_factors.m_map;
    Point const p = map.grid().point(number);
    auto const pack = map.pack(p.i, p.j, p.k);
    auto const spoil = [&](Direction d, auto* block) {
      if (map.grid().contains(neighbour(p, d))) return;
      for (int e = 0; e < n * n; ++e) block[e * Factors::vector_length + map.lane(p.j)] = 1e30;
    };
    for (int d = 0; d < 3; ++d) {
      spoil(detail::sweep_direction<detail::Sweep::forward>(d),
            m_factors.lower(pack, static_cast<detail::LowerBlock>(d)));
      spoil(detail::sweep_direction<detail::Sweep::backward>(d),
            m_factors.upper(pack, static_cast<detail::UpperBlock>(d)));
    }
  }
};

template <int n, class Exec>
void spoil_and_compare(const Exec& exec) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(9, 17, 5), Grid(7, 16, 2)}) {
    auto const reference = random_stencil(grid, n);
    auto const rhs = random_vector(reference.rows());
    for (SweepPath const path : paths_of<Exec>()) {
      BlockIlu0<double, n, Exec> ilu(exec, grid, {.path = path});
      ilu.factor(exec, to_device<double, n, double>(exec, reference));
      auto const expected = solve_transposed(exec, ilu, rhs);
      auto const factors = ilu.sweeps().factors();
      Kokkos::parallel_for("spoil", Kokkos::RangePolicy<Exec>(exec, 0, grid.size()),
                           SpoilOutside<std::remove_const_t<decltype(factors)>, n>{factors});
      EXPECT_TRUE(bitwise_equal(solve_transposed(exec, ilu, rhs), expected))
          << to_string(grid) << ", n = " << n << ", path " << name(path);
    }
  }
}

TYPED_TEST(TransposedSweeps, do_not_care_for_blocks_that_point_out_of_the_grid) {
  TypeParam const exec;
  spoil_and_compare<1>(exec);
  spoil_and_compare<2>(exec);
  spoil_and_compare<5>(exec);
}

TYPED_TEST(TransposedSweeps, leave_masked_points_out) {
  TypeParam const exec;
  for (auto const& grid : {Grid(5, 4, 3), Grid(9, 17, 1)}) {
    auto const mask = mask_of(grid);
    auto const a = random_stencil(grid, 1);
    auto const transposed = transposed_dense(ReferenceSip(without_masked(a, mask), 0.9).product());
    auto const b = random_vector(grid.size());
    for (SweepPath const path : paths_of<TypeParam>()) {
      Sip<double, TypeParam> sip(exec, grid, {.alpha = 0.9, .path = path});
      sip.factor(exec, to_device<double, 1, double>(exec, with_nonsense(a, mask)), to_view<std::int8_t>(exec, mask));
      auto const x = solve_transposed(exec, sip, b);
      auto product = transposed * x;
      for (std::int64_t p = 0; p < grid.size(); ++p) {
        if (mask[p] != 0) continue;
        EXPECT_EQ(x[p], 0) << name(path);
        product[p] = b[p];  // SIP extrapolates to masked points, where x is zero
      }
      EXPECT_TRUE(near(product, b, rounding<double>(200, 1))) << to_string(grid) << ", path " << name(path);
    }
  }
}

}  // namespace
}  // namespace hyperplane::test
