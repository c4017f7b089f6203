// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/sweep/triangular_sweeps.hpp>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// The plan in the hands of a preconditioner that is not the library's. (What it does with factors of BILU(0), SIP and
// SSOR, their tests show.)
namespace hyperplane::test {
namespace {

/// Gauss-Seidel upwards for scalars, or with both parts of A a symmetric one: d is the diagonal of A, which is all that
/// the factorization inverts.
template <class Exec, class StorageScalar>
struct FillGaussSeidel {
  using Sweeps = TriangularSweeps<double, 1, Exec, StorageScalar>;
  using Written = typename Sweeps::WrittenFactors::Storage;

  typename BlockStencil7<double, 1, Exec>::Ref m_a;
  typename Sweeps::WrittenFactors m_factors;
  typename Sweeps::Record::Ref m_record;
  FoldedOrder m_order;
  bool m_symmetric;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    auto const& map = m_factors.m_map;
    Point const p = map.grid().point(number);
    int const lane = map.lane(p.j);
    auto const entry = [&](Direction d) {
      return map.grid().contains(neighbour(p, d)) ? m_a.pack_block(map.pack(p.i, p.j, p.k), d)[lane] : 0.0;
    };
    double const diagonal = entry(Direction::center);
    if (diagonal == 0.0) m_record.record(map.grid().index(m_order.place(p)), 0);
    Point const kept = m_order.stored(p);
    auto const pack = map.pack(kept.i, kept.j, kept.k);
    m_factors.lower(pack, detail::LowerBlock::inverse)[lane] = static_cast<Written>(1.0 / diagonal);
    for (int d = 0; d < stencil7_size; ++d) {
      auto const direction = static_cast<Direction>(d);
      if (direction == Direction::center) continue;
      double const upper = m_symmetric ? entry(direction) / diagonal : 0.0;
      m_factors.coupling(pack, direction)[lane] =
          static_cast<Written>(m_order.is_before(p, direction) ? entry(direction) : upper);
    }
  }
};

struct ZeroDiagonal {
  KOKKOS_FUNCTION detail::PivotFinding operator()(std::int64_t, int) const { return {FactorFailure::zero_row, 0}; }
};

template <class Exec, class StorageScalar>
void fill(const Exec& exec, TriangularSweeps<double, 1, Exec, StorageScalar>& sweeps, const ReferenceStencil& reference,
          bool symmetric) {
  auto const a = to_device<double, 1, double>(exec, reference);
  sweeps.fill(exec, [&](const auto& factors, const auto& record) {
    Kokkos::parallel_for(
        "fill", Kokkos::RangePolicy<Exec>(exec, 0, sweeps.grid().size()),
        FillGaussSeidel<Exec, StorageScalar>{a.ref(), factors, record.ref(), sweeps.order(), symmetric});
    record.conclude(exec, ZeroDiagonal{});
  });
}

template <class Exec>
class TriangularSweepsTest : public ::testing::Test {};
TYPED_TEST_SUITE(TriangularSweepsTest, ExecutionSpaces, SpaceNames);

template <class Exec>
void expect_to_solve(const FoldedDirections& folded, const std::vector<SweepPath>& paths) {
  Exec const exec;
  using Vector = BlockVector<double, 1, Exec>;
  for (auto const& grid : {Grid(1, 1, 1), Grid(9, 17, 5), Grid(17, 2, 9)}) {
    FoldedOrder const order(grid, folded);
    auto const a = random_stencil(grid, 1);
    auto lower = a, upper = a;  // d + L and d + U
    for (auto const d : stencil7_directions) {
      if (d == Direction::center) continue;
      for (std::int64_t p = 0; p < grid.size(); ++p) {
        (order.is_before(grid.point(p), d) ? upper : lower).block(p, d)(0, 0) = 0.0;
      }
    }
    auto const solution = random_vector(grid.size());
    for (SweepPath const path : paths) {
      auto const what = to_string(grid) + ", path " + name(path);
      TriangularSweeps<double, 1, Exec> sweeps(exec, grid, "GaussSeidel",
                                               {.path = path, .right_hand_sides = 2, .folded = folded});
      EXPECT_EQ(sweeps.path(), path);
      Vector const x(exec, grid);
      fill(exec, sweeps, a, false);
      sweeps.solve(exec, to_device<double, 1>(exec, grid, lower.apply(solution)), x);
      EXPECT_TRUE(near(to_host(exec, x), solution, rounding<double>(400, 1))) << what;

      // (d + L) d^-1 (d + U) x
      fill(exec, sweeps, a, true);
      auto middle = upper.apply(solution);
      for (std::int64_t p = 0; p < grid.size(); ++p) middle[p] /= a.block(p, Direction::center)(0, 0);
      auto const rhs = lower.apply(middle);
      std::vector<Vector> several;
      for (int v = 0; v < 3; ++v) several.push_back(to_device<double, 1>(exec, grid, rhs));
      sweeps.solve(exec, several, several);
      for (auto const& vector : several) {
        EXPECT_TRUE(near(to_host(exec, vector), solution, rounding<double>(400, 1))) << what;
      }
      auto const y = to_device<double, 1>(exec, grid, rhs);
      sweeps.forward(exec, y, y);
      EXPECT_TRUE(near(to_host(exec, y), middle, rounding<double>(400, 1))) << what;
      sweeps.backward(exec, y, y);
      EXPECT_TRUE(near(to_host(exec, y), solution, rounding<double>(400, 1))) << what;
      EXPECT_TRUE(sweeps.status(exec).ok());
    }
  }
}

TYPED_TEST(TriangularSweepsTest, solve_with_the_factors_of_another_preconditioner) {
  expect_to_solve<TypeParam>({}, paths_of<TypeParam>());
}

TYPED_TEST(TriangularSweepsTest, solve_with_the_factors_of_another_preconditioner_in_folded_orders) {
  expect_to_solve<TypeParam>({.j = true}, folded_paths_of<TypeParam>());
  expect_to_solve<TypeParam>({.i = true, .j = true, .k = true}, folded_paths_of<TypeParam>());
}

TYPED_TEST(TriangularSweepsTest, round_the_factors_of_another_preconditioner_to_8_bits) {
  TypeParam const exec;
  Grid const grid(9, 17, 5);
  auto const a = random_stencil(grid, 1);
  TriangularSweeps<double, 1, TypeParam> exact(exec, grid, "GaussSeidel");
  TriangularSweeps<double, 1, TypeParam, Quarter> sweeps(exec, grid, "GaussSeidel");
  auto const rhs = to_device<double, 1>(exec, grid, random_vector(grid.size()));
  BlockVector<double, 1, TypeParam> const expected(exec, grid), x(exec, grid);
  // Other factors the second time.
  for (bool const symmetric : {true, false}) {
    fill(exec, exact, a, symmetric);
    fill(exec, sweeps, a, symmetric);
    exact.solve(exec, rhs, expected);
    sweeps.solve(exec, rhs, x);
    EXPECT_TRUE(near(to_host(exec, x), to_host(exec, expected), 0.02));
  }
}

TYPED_TEST(TriangularSweepsTest, say_whose_they_are_and_where_there_are_no_factors) {
  TypeParam const exec;
  Grid const grid(5, 11, 3);
  using Sweeps = TriangularSweeps<double, 1, TypeParam>;
  Sweeps sweeps(exec, grid, "GaussSeidel");
  BlockVector<double, 1, TypeParam> const x(exec, grid), wrong(exec, Grid(11, 5, 3));
  auto const message = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message([&] { sweeps.forward(exec, x, x); }), HasSubstr("GaussSeidel::forward: called before factor"));
  auto reference = random_stencil(grid, 1);
  for (auto const& p : {Point{4, 10, 2}, Point{3, 9, 1}}) reference.block(grid.index(p), Direction::center)(0, 0) = 0.0;
  fill(exec, sweeps, reference, true);
  EXPECT_EQ(sweeps.status(exec).point, (Point{3, 9, 1}));
  EXPECT_EQ(sweeps.status(exec).failure, FactorFailure::zero_row);
  EXPECT_THAT(message([&] { sweeps.solve(exec, wrong, x); }), HasSubstr("GaussSeidel::solve: the right-hand side"));
  EXPECT_THAT(message([&] { Sweeps(exec, grid, "GaussSeidel", {.multiprocessors = -1}); }),
              HasSubstr("GaussSeidel: -1"));
  EXPECT_THAT(message([&] { Sweeps(exec, grid, "GaussSeidel", {.path = SweepPath::comparison}); }),
              HasSubstr("GaussSeidel: "));
}

}  // namespace
}  // namespace hyperplane::test
