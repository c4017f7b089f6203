// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/sip_iteration/sip_iteration.hpp>
#include <limits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/sip_problems.hpp"
#include "support/sip_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class SipIterationTest : public ::testing::Test {};
TYPED_TEST_SUITE(SipIterationTest, ExecutionSpaces, SpaceNames);

template <class Exec>
std::vector<SipIterationPath> iteration_paths() {
  if (CudaExecutionSpace<Exec>) return {SipIterationPath::portable, SipIterationPath::slab};
  return {SipIterationPath::portable};
}

struct Iterated {
  std::vector<double> x;
  std::vector<double> residual;
};

Iterated reference(const ReferenceStencil& a, const std::vector<double>& b, std::vector<double> x, double alpha,
                   bool alternate, int count) {
  auto const residual = [&] {
    auto r = a.apply(x);
    for (std::size_t e = 0; e < r.size(); ++e) r[e] = b[e] - r[e];
    return r;
  };
  ReferenceSip const usual(a, alpha);
  ReferenceSip const other(mirrored(a), alpha);
  for (int m = 0; m < count; ++m) {
    auto const delta = alternate && m % 2 == 1 ? mirrored(other.solve(mirrored(residual()))) : usual.solve(residual());
    for (std::size_t e = 0; e < x.size(); ++e) x[e] += delta[e];
  }
  return {x, residual()};
}

template <class Scalar, class Storage, class Exec>
Iterated iterate(const Exec& exec, const ReferenceStencil& a, const std::vector<double>& b,
                 const std::vector<double>& x0, const SipIterationOptions& options, int count) {
  SipIteration<Scalar, Exec, Storage> iteration(exec, a.grid, options);
  auto const matrix = to_device<Scalar, 1, Scalar>(exec, a);
  iteration.factor(exec, matrix);
  EXPECT_TRUE(iteration.status(exec).ok()) << iteration.status(exec).message();
  auto const x = to_device<Scalar, 1>(exec, a.grid, x0);
  iteration.iterate(exec, matrix, to_device<Scalar, 1>(exec, a.grid, b), x, count);
  return {to_host(exec, x), to_host(exec, iteration.residual())};
}

template <class Scalar, class Storage, class Exec>
void compare_with_reference(const Exec& exec, const std::vector<Grid>& grids, const std::vector<int>& multiprocessors) {
  for (auto const& grid : grids) {
    auto const a = random_stencil(grid, 1);
    auto const b = random_vector(a.rows());
    auto const x0 = random_vector(a.rows() + 1);
    std::vector<double> const start(x0.begin() + 1, x0.end());
    for (bool const alternate : {true, false}) {
      for (int const count : {0, 1, 4}) {
        auto const expected = reference(a, b, start, 0.8, alternate, count);
        for (SipIterationPath const path : iteration_paths<Exec>()) {
          for (int const number : multiprocessors) {
            if (path == SipIterationPath::portable && number != multiprocessors.front()) continue;
            SipIterationOptions const options{
                .alpha = 0.8, .alternate = alternate, .path = path, .multiprocessors = number};
            auto const got = iterate<Scalar, Storage>(exec, a, b, start, options, count);
            auto const message = to_string(grid) + ", " + std::to_string(count) + " iterations, path " + name(path) +
                                 (alternate ? ", alternating" : "");
            EXPECT_TRUE(near(got.x, expected.x, rounding<Storage>(400, 1))) << message;
            // That of x, to the rounding of x.
            for (std::size_t e = 0; e < got.residual.size(); ++e) {
              ASSERT_NEAR(got.residual[e], expected.residual[e], 20 * rounding<Storage>(400, 1)) << message;
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(SipIterationTest, is_the_serial_reference) {
  TypeParam const exec;
  std::vector<Grid> const grids = {Grid(1, 1, 1),  Grid(5, 4, 3),   Grid(17, 2, 9),
                                   Grid(9, 17, 5), Grid(12, 20, 1), Grid(6, 11, 37)};
  compare_with_reference<double, double>(exec, grids, {0});
  compare_with_reference<double, float>(exec, grids, {0});
  compare_with_reference<float, float>(exec, grids, {0});
}

TYPED_TEST(SipIterationTest, is_the_serial_reference_on_a_few_multiprocessors) {
  compare_with_reference<double, double>(TypeParam(), {Grid(44, 9, 37), Grid(21, 33, 5)}, {1, 3, 17});
}

TYPED_TEST(SipIterationTest, repeats_its_bits) {
  TypeParam const exec;
  auto const a = random_stencil(Grid(40, 21, 19), 1);
  auto const b = random_vector(a.rows());
  std::vector<double> const zero(a.rows());
  for (SipIterationPath const path : iteration_paths<TypeParam>()) {
    auto const expected = iterate<double, double>(exec, a, b, zero, {.path = path}, 7);
    for (int const multiprocessors : {0, 0, 2}) {
      SipIterationOptions const options{.path = path, .multiprocessors = multiprocessors};
      auto const got = iterate<double, double>(exec, a, b, zero, options, 7);
      EXPECT_TRUE(bitwise_equal(got.x, expected.x)) << name(path);
      EXPECT_TRUE(bitwise_equal(got.residual, expected.residual)) << name(path);
    }
  }
}

TYPED_TEST(SipIterationTest, is_exact_on_a_line) {
  TypeParam const exec;
  for (auto const& grid : {Grid(40, 1, 1), Grid(1, 40, 1), Grid(1, 1, 40)}) {
    auto const a = random_stencil(grid, 1);
    auto const solution = random_vector(a.rows());
    std::vector<double> const zero(a.rows());
    EXPECT_TRUE(
        near(iterate<double, double>(exec, a, a.apply(solution), zero, {}, 2).x, solution, rounding<double>(100, 1)));
  }
}

TYPED_TEST(SipIterationTest, iterations_against_alpha_for_the_poisson_problem) {
  // The table of docs/algorithms.md, and its problem.
  TypeParam const exec;
  struct Row {
    double alpha;
    int one_order;
    int alternating;
  };
  for (auto const& [alpha, one_order, alternating] : {Row{0.9, 94, 94}, Row{0.95, 60, 60}, Row{0.98, 44, 40}}) {
    using Iteration = SipIteration<double, TypeParam>;
    EXPECT_EQ(poisson_iterations<Iteration>(exec, alpha, false), one_order) << "alpha = " << alpha;
    EXPECT_EQ(poisson_iterations<Iteration>(exec, alpha, true), alternating) << "alpha = " << alpha;
  }
}

TYPED_TEST(SipIterationTest, factor_and_iterate_allocate_nothing_and_fence_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  Grid const grid(9, 10, 4);
  auto const a = to_device<double, 1, double>(exec, random_stencil(grid, 1));
  auto const b = to_device<double, 1>(exec, grid, random_vector(grid.size()));
  BlockVector<double, 1, TypeParam> const x(exec, grid);
  for (SipIterationPath const path : iteration_paths<TypeParam>()) {
    SipIteration<double, TypeParam> iteration(exec, grid, {.path = path});
    EXPECT_EQ(iteration.options().path, path);
    exec.fence();
    KokkosEvents const events;
    iteration.factor(exec, a);
    iteration.iterate(exec, a, b, x, 3);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.fences(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.copies(), ::testing::IsEmpty()) << name(path);
    for (auto const& kernel : events.kernels()) {
      EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
      EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
    }
  }
}

TYPED_TEST(SipIterationTest, solve_looks_every_check_interval_iterations) {
  TypeParam const exec;
  auto const reference = random_stencil(Grid(12, 9, 7), 1);
  auto const a = to_device<double, 1, double>(exec, reference);
  auto const solution = random_vector(reference.rows());
  auto const b = to_device<double, 1>(exec, reference.grid, reference.apply(solution));
  BlockVector<double, 1, TypeParam> const x(exec, reference.grid);
  SipIteration<double, TypeParam> iteration(exec, reference.grid, {.alpha = 0.5});
  EXPECT_THROW(iteration.iterate(exec, a, b, x, 1), Error);
  iteration.factor(exec, a);
  std::vector<int> looks;
  auto const result = iteration.solve(
      exec, a, b, x, {.tolerance = 1e-12, .max_iterations = 101, .check_interval = 4, .monitor = [&](int i, double) {
                        looks.push_back(i);
                      }});
  EXPECT_TRUE(result.converged());
  EXPECT_TRUE(near(to_host(exec, x), solution, 1e-10));
  ASSERT_GE(looks.size(), 2u);
  EXPECT_EQ(looks.size(), result.history.size());
  for (std::size_t e = 0; e < looks.size(); ++e) EXPECT_EQ(looks[e], 4 * static_cast<int>(e));
  auto const stopped = iteration.solve(exec, a, b, BlockVector<double, 1, TypeParam>(exec, reference.grid),
                                       {.tolerance = 0, .max_iterations = 5, .check_interval = 4});
  EXPECT_EQ(stopped.iterations, 5);
  // Orders alternate whatever the interval: a look comes after an even number of iterations.
  looks.clear();
  iteration.solve(exec, a, b, BlockVector<double, 1, TypeParam>(exec, reference.grid),
                  {.tolerance = 0, .max_iterations = 5, .monitor = [&](int i, double) { looks.push_back(i); }});
  EXPECT_EQ(looks, (std::vector<int>{0, 2, 4, 5}));
  looks.clear();
  iteration.solve(exec, a, b, BlockVector<double, 1, TypeParam>(exec, reference.grid),
                  {.tolerance = 0,
                   .max_iterations = 7,
                   .check_interval = std::numeric_limits<int>::max(),
                   .monitor = [&](int i, double) { looks.push_back(i); }});
  EXPECT_EQ(looks, (std::vector<int>{0, 7}));
  EXPECT_THROW(iteration.iterate(exec, a, b, iteration.residual(), 1), Error);
  EXPECT_EQ(stopped.outcome, KrylovOutcome::max_iterations);
}

TYPED_TEST(SipIterationTest, refuses_misuse_and_names_a_singular_pivot) {
  TypeParam const exec;
  Grid const grid(5, 11, 3);
  SipIteration<double, TypeParam> iteration(exec, grid);
  auto reference = random_stencil(grid, 1);
  for (auto const& p : {Point{4, 10, 2}, Point{3, 9, 1}}) {
    for (auto const d : stencil7_directions) reference.block(grid.index(p), d)(0, 0) = 0.0;
  }
  iteration.factor(exec, to_device<double, 1, double>(exec, reference));
  EXPECT_EQ(iteration.status(exec).point, (Point{3, 9, 1}));
  auto const a = to_device<double, 1, double>(exec, random_stencil(grid, 1));
  iteration.factor(exec, a);
  EXPECT_TRUE(iteration.status(exec).ok());

  using Vector = BlockVector<double, 1, TypeParam>;
  Vector const x(exec, grid), b(exec, grid), other(exec, Grid(11, 5, 3));
  EXPECT_THROW(iteration.iterate(exec, a, b, b, 1), Error);
  EXPECT_THROW(iteration.iterate(exec, a, other, x, 1), Error);
  EXPECT_THROW(iteration.iterate(exec, a, b, other, 1), Error);
  EXPECT_THROW(iteration.iterate(exec, a, b, x, -1), Error);
  EXPECT_THROW(iteration.iterate(exec, a, b, x, 1001), Error);
  EXPECT_THROW((SipIteration<double, TypeParam>(exec, grid, {.alpha = 1.0})), Error);
  EXPECT_THROW((SipIteration<double, TypeParam>(exec, grid, {.path = SipIterationPath(sip_iteration_paths.size())})),
               Error);
  EXPECT_THROW((SipIteration<double, TypeParam>(exec, grid, {.multiprocessors = -1})), Error);
}

}  // namespace
}  // namespace hyperplane::test
