// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/sip/sip.hpp>
#include <limits>
#include <utility>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/sip_problems.hpp"
#include "support/sip_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class SipTest : public ::testing::Test {};
TYPED_TEST_SUITE(SipTest, ExecutionSpaces, SpaceNames);

template <class Scalar, class Storage, class Exec>
std::vector<double> sip_solve(const Exec& exec, const ReferenceStencil& a, const std::vector<double>& rhs,
                              const SipOptions& options, const SolverPath& path = SweepPath::automatic) {
  auto sip = path.make<Sip<Scalar, Exec, Storage>>(exec, a.grid, options);
  sip.factor(exec, to_device<Scalar, 1, hyperplane::detail::WideStorage<Scalar, Storage>>(exec, a));
  auto const x = to_device<Scalar, 1>(exec, a.grid, rhs);
  sip.solve(exec, x, x);
  EXPECT_TRUE(sip.status(exec).ok()) << sip.status(exec).message();
  return to_host(exec, x);
}

template <class Scalar, class Storage, class Exec>
void compare_with_reference(const Exec& exec) {
  for (auto const& grid :
       {Grid(1, 1, 1), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5), Grid(12, 20, 1), Grid(6, 11, 37)}) {
    for (auto const& a : {random_stencil(grid, 1), poisson(grid)}) {
      auto const rhs = random_vector(a.rows());
      for (double const alpha : {0.0, 0.5, 0.9}) {
        auto const expected = ReferenceSip(a, alpha).solve(rhs);
        for (SolverPath const path : solver_paths_of<Exec>()) {
          EXPECT_TRUE(near(sip_solve<Scalar, Storage>(exec, a, rhs, {.alpha = alpha}, path), expected,
                           rounding<Storage>(200, 1)))
              << to_string(grid) << ", alpha = " << alpha << ", path " << name(path);
        }
      }
    }
  }
}

TYPED_TEST(SipTest, is_the_serial_reference) {
  TypeParam const exec;
  compare_with_reference<double, double>(exec);
  compare_with_reference<double, float>(exec);
  compare_with_reference<float, float>(exec);
}

TYPED_TEST(SipTest, is_the_serial_reference_on_a_few_multiprocessors) {
  TypeParam const exec;
  for (auto const& grid : {Grid(44, 9, 37), Grid(21, 33, 5)}) {
    auto const a = random_stencil(grid, 1);
    auto const rhs = random_vector(a.rows());
    auto const expected = ReferenceSip(a, 0.9).solve(rhs);
    for (int const multiprocessors : {1, 3, 17}) {
      for (SolverPath const path : solver_paths_of<TypeParam>()) {
        SipOptions const options{.multiprocessors = multiprocessors};
        EXPECT_TRUE(near(sip_solve<double, double>(exec, a, rhs, options, path), expected, rounding<double>(200, 1)))
            << to_string(grid) << ", path " << name(path) << ", " << multiprocessors << " multiprocessors";
      }
    }
  }
}

TYPED_TEST(SipTest, without_extrapolation_is_ilu0) {
  TypeParam const exec;
  auto const a = random_stencil(Grid(9, 12, 7), 1);
  auto const rhs = random_vector(a.rows());
  EXPECT_TRUE(near(sip_solve<double, double>(exec, a, rhs, {.alpha = 0}), ReferenceIlu0(a).solve(rhs),
                   rounding<double>(100, 1)));
}

TYPED_TEST(SipTest, is_made_of_its_parts_and_takes_several_right_hand_sides) {
  TypeParam const exec;
  using Vector = BlockVector<double, 1, TypeParam>;
  for (auto const& grid : {Grid(13, 18, 6), Grid(21, 9, 1)}) {
    auto const a = random_stencil(grid, 1);
    auto const values = random_vector(3 * a.rows());
    for (SolverPath const path : solver_paths_of<TypeParam>()) {
      auto sip = path.make<Sip<double, TypeParam>>(exec, grid, {.right_hand_sides = 3});
      sip.factor(exec, to_device<double, 1, double>(exec, a));
      std::vector<Vector> b, x;
      for (int v = 0; v < 3; ++v) {
        auto const first = values.begin() + v * a.rows();
        b.push_back(to_device<double, 1>(exec, grid, std::vector<double>(first, first + a.rows())));
        x.emplace_back(exec, grid);
      }
      sip.solve(exec, b, x);
      Vector const y(exec, grid);
      for (int v = 0; v < 3; ++v) {
        sip.solve(exec, b[v], y);
        auto const single = to_host(exec, y);
        EXPECT_TRUE(near(to_host(exec, x[v]), single, rounding<double>(100, 1)))
            << to_string(grid) << ", " << name(path);
        sip.forward(exec, b[v], y);
        sip.backward(exec, y, y);
        EXPECT_TRUE(bitwise_equal(to_host(exec, y), single)) << to_string(grid) << ", " << name(path);
      }
    }
  }
}

TYPED_TEST(SipTest, is_exact_on_a_line) {
  TypeParam const exec;
  for (auto const& grid : {Grid(40, 1, 1), Grid(1, 40, 1), Grid(1, 1, 40)}) {
    auto const a = random_stencil(grid, 1);
    auto const solution = random_vector(a.rows());
    EXPECT_TRUE(
        near(sip_solve<double, double>(exec, a, a.apply(solution), {.alpha = 0.9}), solution, rounding<double>(100, 1)))
        << to_string(grid);
  }
}

TYPED_TEST(SipTest, ignores_entries_that_point_out_of_the_grid) {
  TypeParam const exec;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (auto const& grid : {Grid(5, 9, 4), Grid(20, 16, 3)}) {
    auto a = poisson(grid);
    auto const rhs = random_vector(a.rows());
    std::vector<std::vector<double>> expected;
    for (SolverPath const path : solver_paths_of<TypeParam>())
      expected.push_back(sip_solve<double, double>(exec, a, rhs, {}, path));
    for (std::int64_t p = 0; p < a.grid.size(); ++p) {
      for (auto const d : stencil7_directions) {
        if (!a.grid.contains(neighbour(a.grid.point(p), d))) a.block(p, d)(0, 0) = nan;
      }
    }
    std::size_t number = 0;
    for (SolverPath const path : solver_paths_of<TypeParam>()) {
      EXPECT_TRUE(bitwise_equal(sip_solve<double, double>(exec, a, rhs, {}, path), expected[number++]))
          << to_string(grid) << ", path " << name(path);
    }
  }
}

TEST(SipReference, differs_from_the_matrix_as_the_extrapolation_says) {
  // A constant is extrapolated to alpha times itself.
  for (double const alpha : {0.0, 0.6, 0.95}) {
    auto const a = random_stencil(Grid(4, 5, 3), 1);
    auto const matrix = a.dense();
    auto const product = ReferenceSip(a, alpha).product();
    for (int r = 0; r < matrix.n; ++r) {
      Point const p = a.grid.point(r);
      bool interior = true;
      for (auto const d : stencil7_directions) interior = interior && a.grid.contains(neighbour(p, d));
      if (!interior) continue;
      double difference = 0, outside = 0;
      for (int c = 0; c < matrix.n; ++c) {
        difference += product(r, c) - matrix(r, c);
        if (matrix(r, c) == 0) outside += product(r, c);
      }
      EXPECT_NEAR(difference, (1 - alpha) * outside, 1e-13);
      EXPECT_NE(outside, 0);
    }
  }
}

TYPED_TEST(SipTest, iterations_against_alpha_for_the_poisson_problem) {
  // The table of docs/algorithms.md.
  TypeParam const exec;
  Grid const grid(24, 24, 24);
  auto const a = to_device<double, 1, double>(exec, poisson(grid));
  auto const b = to_device<double, 1>(exec, grid, smooth_rhs(grid));
  using Vector = BlockVector<double, 1, TypeParam>;
  Richardson<Vector> const correction(exec, grid, {.tolerance = 1e-6, .max_iterations = 500});
  std::pair<double, int> const table[] = {{0.0, 321}, {0.5, 236}, {0.8, 144}, {0.9, 93}, {0.95, 59}, {0.98, 44}};
  for (auto const& [alpha, iterations] : table) {
    Sip<double, TypeParam> sip(exec, grid, {.alpha = alpha});
    sip.factor(exec, a);
    Vector const x(exec, grid);
    auto const result = correction.solve(exec, a, sip, b, x);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.iterations, iterations) << "alpha = " << alpha;
  }
}

TYPED_TEST(SipTest, factor_and_solve_allocate_nothing_and_fence_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  Grid const grid(9, 10, 4);
  auto const a = to_device<double, 1, double>(exec, random_stencil(grid, 1));
  auto const x = to_device<double, 1>(exec, grid, random_vector(grid.size()));
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto sip = path.make<Sip<double, TypeParam>>(exec, grid);
    EXPECT_EQ(sip.path(), path.sweep_path());
    exec.fence();
    KokkosEvents const events;
    sip.factor(exec, a);
    sip.solve(exec, x, x);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.fences(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.copies(), ::testing::IsEmpty()) << name(path);
    for (auto const& kernel : events.kernels()) {
      EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
      EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
    }
  }
}

TYPED_TEST(SipTest, names_the_first_singular_pivot_and_refuses_misuse) {
  TypeParam const exec;
  Grid const grid(5, 11, 3);
  auto reference = random_stencil(grid, 1);
  for (auto const& p : {Point{4, 10, 2}, Point{3, 9, 1}}) {
    for (auto const d : stencil7_directions) reference.block(grid.index(p), d)(0, 0) = 0.0;
  }
  Sip<double, TypeParam> sip(exec, grid);
  BlockVector<double, 1, TypeParam> const x(exec, grid);
  EXPECT_THROW(sip.solve(exec, x, x), Error);
  sip.factor(exec, to_device<double, 1, double>(exec, reference));
  EXPECT_EQ(sip.status(exec).point, (Point{3, 9, 1}));
  sip.factor(exec, to_device<double, 1, double>(exec, random_stencil(grid, 1)));
  EXPECT_TRUE(sip.status(exec).ok()) << "a regular matrix clears the status";

  EXPECT_THROW(sip.factor(exec, BlockStencil7<double, 1, TypeParam>(exec, Grid(11, 5, 3))), Error);
  EXPECT_THROW(sip.solve(exec, BlockVector<double, 1, TypeParam>(exec, Grid(11, 5, 3)), x), Error);
  for (auto const& [alpha, digits] : std::vector<std::pair<double, std::string>>{
           {-0.1, "-0.1,"}, {1.0, "1,"}, {1.8, "1.8,"}, {std::numeric_limits<double>::quiet_NaN(), "nan,"}}) {
    try {
      Sip<double, TypeParam> const refused(exec, grid, {.alpha = alpha});
      ADD_FAILURE() << alpha;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("alpha is " + digits));
    }
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
template <class Storage>
void compare_threads(SweepPath path) {
  auto const a = random_stencil(Grid(9, 40, 6), 1);
  auto const rhs = random_vector(a.rows());
  SipOptions const options{.alpha = 0.8, .path = path};
  auto const expected = sip_solve<double, Storage>(Kokkos::OpenMP(1), a, rhs, options);
  for (int const threads : {2, 4}) {
    EXPECT_TRUE(bitwise_equal(sip_solve<double, Storage>(Kokkos::OpenMP(threads), a, rhs, options), expected))
        << threads << " threads, path " << name(path);
  }
}

TEST(SipOpenMp, the_same_bits_for_1_2_and_4_threads) {
  compare_threads<double>(SweepPath::portable);
  compare_threads<double>(SweepPath::slab);
  compare_threads<Half>(SweepPath::slab);
}
#endif

}  // namespace
}  // namespace hyperplane::test
