// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <hyperplane/blocks/uncoupled_on_devices_cuda.hpp>
#include <hyperplane/ilu/block_ilu0_on_devices_cuda.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/apply_on_devices_cuda.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/on_devices.hpp"
#include "support/plans_on_devices.hpp"

// Krylov methods over devices beside those on one.
namespace hyperplane::test::on_devices {
namespace {

struct Solved {
  KrylovResult result;
  std::vector<double> x;
};

constexpr int n = 5;

template <template <class> class Method>
Solved solve_whole(const ReferenceStencil& system, const std::vector<double>& rhs, const KrylovOptions& options) {
  Exec const exec;
  auto const a = to_device<double, n, double>(exec, system);
  auto const b = to_device<double, n>(exec, system.grid, rhs);
  BlockVector<double, n, Exec> const x(exec, system.grid);
  auto const ilu = plan_of_whole<Bilu0, n, double>(system);
  auto result = Method<BlockVector<double, n, Exec>>(exec, system.grid, options).solve(exec, a, ilu, b, x);
  return {std::move(result), to_host(exec, x)};
}

/// A system over devices that share theirs where there are too few.
class KrylovOnDevices : public ::testing::Test {
 protected:
  using Vector = BlockVectorOnDevices<double, n, Exec>;

  void SetUp() override {
    if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  }

  /// With BILU(0), `repetitions` times.
  template <template <class> class Method>
  static std::vector<Solved> solve(const ReferenceStencil& system, const std::vector<double>& rhs,
                                   const KrylovOptions& options, int count, int repetitions = 1) {
    DeviceInstances const instances(count);
    GridOnDevices<Exec> const grid(instances.all(), system.grid);
    Exec const exec;
    auto const a = to_devices<n>(exec, grid, system);
    auto const b = to_devices<n>(exec, grid, rhs);
    BlockIlu0OnDevices<double, n, Exec> ilu(grid, {.multiprocessors = share(count)});
    ilu.factor(exec, a);
    Method<Vector> const method(exec, grid, options);
    std::vector<Solved> solved;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      Vector const x(exec, grid);
      auto result = method.solve(exec, a, ilu, b, x);
      exec.fence();
      solved.push_back({std::move(result), from_parts(grid, x.parts())});
    }
    return solved;
  }

  /// The iterations and the solution of the box on one device, and the same bits in each run.
  template <template <class> class Method>
  static void expect_as_whole(const Grid& box, int count) {
    auto const system = random_stencil(box, n);
    auto const rhs = random_vector(system.rows());
    KrylovOptions const options{.tolerance = 1e-10, .max_iterations = 100};
    auto const whole = solve_whole<Method>(system, rhs, options);
    auto const solved = solve<Method>(system, rhs, options, count, 2);
    for (auto const& [result, x] : solved) {
      EXPECT_TRUE(result.converged()) << result.message();
      EXPECT_EQ(result.iterations, whole.result.iterations) << to_string(box) << " in " << count << " parts";
      EXPECT_TRUE(near(x, whole.x, 1e-8));
      EXPECT_TRUE(bitwise_equal(x, solved[0].x));
      EXPECT_TRUE(bitwise_equal(result.history, solved[0].result.history));
    }
  }
};

TEST_F(KrylovOnDevices, bicgstab_takes_the_iterations_of_one_device) {
  expect_as_whole<BiCgStab>(Grid(9, 17, 11), 1);
  expect_as_whole<BiCgStab>(Grid(9, 17, 11), 2);
  expect_as_whole<BiCgStab>(Grid(1, 4, 3), 3);
}

TEST_F(KrylovOnDevices, fgmres_takes_the_iterations_of_one_device) {
  expect_as_whole<Fgmres>(Grid(9, 17, 11), 2);
  expect_as_whole<Fgmres>(Grid(6, 3, 4), 3);
}

// Nothing in it depends on the order of sums.
TEST_F(KrylovOnDevices, richardson_has_the_bits_of_one_device) {
  auto const system = random_stencil(Grid(9, 17, 11), n);
  auto const rhs = random_vector(system.rows());
  KrylovOptions const options{.tolerance = 1e-10, .max_iterations = 50};
  auto const whole = solve_whole<Richardson>(system, rhs, options);
  for (int const count : {1, 2, 3}) {
    auto const solved = solve<Richardson>(system, rhs, options, count).front();
    EXPECT_TRUE(solved.result.converged());
    EXPECT_TRUE(bitwise_equal(solved.result.history, whole.result.history)) << count << " parts";
    EXPECT_TRUE(bitwise_equal(solved.x, whole.x)) << count << " parts";
  }
}

// The subspace of one system serves the next.
TEST_F(KrylovOnDevices, fgcrodr_takes_the_iterations_of_one_device) {
  auto const system = random_stencil(Grid(9, 17, 11), n);
  auto const rhs = random_vector(system.rows());
  KrylovOptions const options{.tolerance = 1e-10, .max_iterations = 100, .restart = 6, .recycled = 2};
  Exec const exec;
  auto const a = to_device<double, n, double>(exec, system);
  auto const b = to_device<double, n>(exec, system.grid, rhs);
  BlockJacobi<double, n, Exec> jacobi(exec, system.grid);
  jacobi.factor(exec, a);
  Fgcrodr<BlockVector<double, n, Exec>> of_whole(exec, system.grid, options);
  for (int const count : {1, 2, 3}) {
    DeviceInstances const instances(count);
    GridOnDevices<Exec> const grid(instances.all(), system.grid);
    auto const parts = to_devices<n>(exec, grid, system);
    auto const right = to_devices<n>(exec, grid, rhs);
    UncoupledOnDevices<BlockJacobi<double, n, Exec>> over(grid);
    over.factor(exec, parts);
    Fgcrodr<Vector> const method(exec, grid, options);
    of_whole.forget();
    for (int repetition = 0; repetition < 2; ++repetition) {
      BlockVector<double, n, Exec> const x(exec, system.grid);
      Vector const y(exec, grid);
      auto const expected = of_whole.solve(exec, a, jacobi, b, x);
      auto const result = method.solve(exec, parts, over, right, y);
      EXPECT_TRUE(result.converged()) << result.message();
      EXPECT_EQ(result.iterations, expected.iterations) << count << " parts, repetition " << repetition;
      exec.fence();
      EXPECT_TRUE(near(from_parts(grid, y.parts()), to_host(exec, x), 1e-8));
    }
  }
}

TEST_F(KrylovOnDevices, block_jacobi_has_the_bits_of_one_device) {
  auto system = random_stencil(Grid(9, 17, 11), n);
  auto const rhs = random_vector(system.rows());
  Exec const exec;
  BlockJacobi<double, n, Exec> whole(exec, system.grid);
  DeviceInstances const instances(3);
  GridOnDevices<Exec> const grid(instances.all(), system.grid);
  UncoupledOnDevices<BlockJacobi<double, n, Exec>> over(grid);
  whole.factor(exec, to_device<double, n, double>(exec, system));
  over.factor(exec, to_devices<n>(exec, grid, system));
  auto const x = to_device<double, n>(exec, system.grid, rhs), z = to_device<double, n>(exec, system.grid, rhs);
  auto const y = to_devices<n>(exec, grid, rhs), w = to_devices<n>(exec, grid, rhs);
  whole.solve(exec, x, x);
  whole.solve_transposed(exec, z, z);
  over.solve(exec, y, y);
  over.solve_transposed(exec, w, w);
  exec.fence();
  EXPECT_TRUE(bitwise_equal(from_parts(grid, y.parts()), to_host(exec, x)));
  EXPECT_TRUE(bitwise_equal(from_parts(grid, w.parts()), to_host(exec, z)));
  EXPECT_TRUE(over.status().ok());
  for (double& entry : system.block(system.grid.index(1, 2, 8), Direction::center).entries) entry = 0.0;
  over.factor(exec, to_devices<n>(exec, grid, system));
  EXPECT_THAT(over.status().message(), ::testing::HasSubstr("(1, 2, 8)"));
}

TEST_F(KrylovOnDevices, sip_of_each_part_by_itself) {
  auto const system = random_stencil(Grid(9, 17, 11), 1);
  auto const rhs = random_vector(system.rows());
  Exec const exec;
  DeviceInstances const instances(2);
  GridOnDevices<Exec> const grid(instances.all(), system.grid);
  UncoupledOnDevices<Sip<double, Exec>> over(grid, {.alpha = 0.5});
  over.factor(exec, to_devices<1>(exec, grid, system));
  auto const y = to_devices<1>(exec, grid, rhs);
  over.solve(exec, y, y);
  EXPECT_TRUE(over.status().ok());
  exec.fence();
  for (int p = 0; p < grid.count(); ++p) {
    Sip<double, Exec> sip(exec, grid.part(p), {.alpha = 0.5});
    sip.factor(exec, to_device<double, 1, double>(exec, layers_of(system, grid, p)));
    auto const x = to_device<double, 1>(exec, grid.part(p), values_of(rhs, grid, p, 1));
    sip.solve(exec, x, x);
    EXPECT_TRUE(bitwise_equal(to_host(grid.exec(p), y.part(p)), to_host(exec, x)));
  }
}

// An adjoint system has the matrix and the factors of the plain one.
TEST_F(KrylovOnDevices, richardson_of_the_transpose_has_the_bits_of_one_device) {
  auto const system = random_stencil(Grid(9, 17, 11), n);
  auto const rhs = random_vector(system.rows());
  KrylovOptions const options{.tolerance = 1e-10, .max_iterations = 50};
  Exec const exec;
  auto const a = to_device<double, n, double>(exec, system);
  auto const b = to_device<double, n>(exec, system.grid, rhs);
  BlockVector<double, n, Exec> const x(exec, system.grid);
  auto const whole = plan_of_whole<Bilu0, n, double>(system, SweepPath::slab);
  Richardson<BlockVector<double, n, Exec>> const of_whole(exec, system.grid, options);
  auto const expected = of_whole.solve(exec, transposed(a), transposed(whole), b, x);
  DeviceInstances const instances(2);
  GridOnDevices<Exec> const grid(instances.all(), system.grid);
  auto const parts = to_devices<n>(exec, grid, system);
  BlockIlu0OnDevices<double, n, Exec> ilu(grid, {.multiprocessors = share(2)});
  ilu.factor(exec, parts);
  Vector const y(exec, grid);
  Richardson<Vector> const method(exec, grid, options);
  auto const result = method.solve(exec, transposed(parts), transposed(ilu), to_devices<n>(exec, grid, rhs), y);
  EXPECT_TRUE(result.converged()) << result.message();
  EXPECT_TRUE(bitwise_equal(result.history, expected.history));
  exec.fence();
  EXPECT_TRUE(bitwise_equal(from_parts(grid, y.parts()), to_host(exec, x)));
}

TEST_F(KrylovOnDevices, a_right_hand_side_whose_squares_underflow) {
  auto const system = random_stencil(Grid(5, 4, 6), n);
  auto rhs = random_vector(system.rows());
  for (double& value : rhs) value *= 1e-180;
  auto const solved = solve<BiCgStab>(system, rhs, {.tolerance = 1e-10}, 2).front();
  EXPECT_TRUE(solved.result.converged()) << solved.result.message();
  EXPECT_EQ(solved.result.iterations, solve_whole<BiCgStab>(system, rhs, {.tolerance = 1e-10}).result.iterations);
}

TEST_F(KrylovOnDevices, a_breakdown_names_the_point_of_the_box) {
  auto system = random_stencil(Grid(4, 3, 6), n);
  auto const rhs = random_vector(system.rows());
  system.block(system.grid.index(1, 2, 3), Direction::bottom)(0, 0) = std::numeric_limits<double>::infinity();
  auto const solved = solve<BiCgStab>(system, rhs, {}, 2).front();
  EXPECT_EQ(solved.result.outcome, KrylovOutcome::breakdown);
  EXPECT_THAT(solved.result.message(), ::testing::HasSubstr("block bottom of point (1, 2, 3) is not finite"));
}

TEST_F(KrylovOnDevices, scalars_without_a_preconditioner) {
  auto const system = random_stencil(Grid(9, 8, 7), 1);
  auto const rhs = random_vector(system.rows());
  DeviceInstances const instances(2);
  GridOnDevices<Exec> const grid(instances.all(), system.grid);
  Exec const exec;
  auto const a = to_devices<1>(exec, grid, system);
  auto const b = to_devices<1>(exec, grid, rhs);
  BlockVectorOnDevices<double, 1, Exec> const x(exec, grid);
  BiCgStab<BlockVectorOnDevices<double, 1, Exec>> const method(exec, grid, {.tolerance = 1e-10});
  EXPECT_TRUE(method.solve(exec, a, IdentityPreconditioner{}, b, x).converged());
  EXPECT_TRUE(near(reference_product(system, from_parts(grid, x.parts())), rhs, 1e-8));
  GridOnDevices<Exec> const other({instances.all()[0]}, system.grid);
  BlockVectorOnDevices<double, 1, Exec> const of_other(exec, other);
  EXPECT_THAT(
      [&] { method.solve(exec, a, IdentityPreconditioner{}, b, of_other); },
      ::testing::ThrowsMessage<Error>(::testing::HasSubstr("9x8x7 in 1 part points, expected 9x8x7 in 2 parts")));
}

}  // namespace
}  // namespace hyperplane::test::on_devices
