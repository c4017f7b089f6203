// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cstdint>
#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/compressed_basis_fgmres.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/narrowed_matrix.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <limits>
#include <stdexcept>

#include "distributed_fixture.hpp"

namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A system, solved by one process and over ranks.
template <class Exec, template <class> class Method>
class ComparedSolves {
 public:
  static constexpr int n = 2;
  using Whole = MultiBlockVector<double, n, Exec>;
  using Vector = DistributedVector<double, n, Exec>;
  using Ilu = BlockIlu0<double, n, Exec>;

  ComparedSolves(const Exec& space, const Communicator& communicator, const MultiBlockGrid& whole,
                 const KrylovOptions& krylov_options, double scale)
      : exec(space), world(communicator), reference(whole, n), options(krylov_options) {
    rhs = reference.rows() * random_vector(whole.size() * n);
    for (auto& value : rhs) value *= scale;
    auto const a = to_device<double, n, double>(exec, reference);
    MultiBlock<Ilu> ilu(exec, whole);
    ilu.factor(exec, a);
    Whole const x(exec, whole);
    one = Method<Whole>(exec, whole, options).solve(exec, a, ilu, to_device<double, n>(exec, whole, rhs), x);
    expected = to_host(exec, x);
    for (auto& value : expected) value /= scale;
  }

  void compare(const std::string& what, const std::vector<int>& owners, double scale) const {
    DistributedGrid const grid(world, reference.grid, owners);
    auto const a = to_ranks<double, n, double>(exec, grid, reference);
    auto const b = to_ranks<double, n>(exec, grid, rhs);
    DistributedMultiBlock<Ilu> ilu(exec, grid);
    ilu.factor(exec, a);
    EXPECT_TRUE(ilu.status(exec).ok()) << what;
    Method<Vector> const method(exec, grid, options);
    std::vector<double> first;
    for (int repetition = 0; repetition < 2; ++repetition) {
      Vector const x(exec, grid);
      auto const result = method.solve(exec, a, ilu, b, x);
      EXPECT_EQ(result.outcome, one.outcome) << what << ": " << result.message();
      EXPECT_EQ(result.iterations, one.iterations) << what;
      world.require_same("norms", std::array{std::bit_cast<std::uint64_t>(result.residual_norm)});
      auto values = to_host(exec, x);
      if (repetition == 0) first = values;
      EXPECT_TRUE(bitwise_equal(values, first)) << what;
      for (auto& value : values) value /= scale;
      EXPECT_TRUE(near(values, part_of_rank(grid, n, expected), 1e-6)) << what;
    }
  }

  Exec exec;
  Communicator world;
  MultiBlockReference reference;
  KrylovOptions options;
  std::vector<double> rhs, expected;
  KrylovResult one;
};

template <class Exec>
class DistributedKrylov : public DistributedTest<Exec> {
 protected:
  template <template <class> class Method>
  void expect_as_one_process(const std::string& what, const KrylovOptions& options, double scale = 1.0) {
    auto const whole = cut_grid(Grid(12, 10, 6), {2, 2, 2}, {true, false, false}).grid;
    ComparedSolves<Exec, Method> const solves(this->exec, this->world, whole, options, scale);
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      solves.compare(what + ", " + how, owners, scale);
    }
  }

  static constexpr int n = 2;
  using Vector = DistributedVector<double, n, Exec>;
  using Ilu = DistributedMultiBlock<BlockIlu0<double, n, Exec>>;

  MultiBlockGrid whole = cut_grid(Grid(8, 6, 4), {4, 1, 1}).grid;
};

TYPED_TEST_SUITE(DistributedKrylov, ExecutionSpaces, SpaceNames);

TYPED_TEST(DistributedKrylov, methods_take_the_iterations_of_one_process) {
  KrylovOptions const options{.tolerance = 1e-10, .restart = 7};
  this->template expect_as_one_process<BiCgStab>("BiCgStab", options);
  this->template expect_as_one_process<Fgmres>("Fgmres", options);
  this->template expect_as_one_process<CompressedBasisFgmres>("CompressedBasisFgmres", options);
  this->template expect_as_one_process<Richardson>("Richardson", options);
}

// The same subspace on all ranks, from one solve to the next.
TYPED_TEST(DistributedKrylov, a_sequence_of_systems_takes_the_iterations_of_one_process) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(12, 10, 6), {2, 2, 2}, {true, false, false}).grid;
  using Whole = MultiBlockVector<double, n, TypeParam>;
  using Vector = typename TestFixture::Vector;
  KrylovOptions const options{.tolerance = 1e-9, .restart = 8, .recycled = 4};
  DistributedGrid const grid(this->world, whole);
  Fgcrodr<Whole> const alone(this->exec, whole, options);
  Fgcrodr<Vector> const together(this->exec, grid, options);
  MultiBlockReference reference(whole, n);
  for (int system = 0; system < 3; ++system) {
    for (auto& block : reference.blocks) block.block(0, Direction::center)(0, 0) *= 1.1;
    auto const solution = random_vector(whole.size() * n, static_cast<unsigned>(system + 5));
    auto const rhs = reference.rows() * solution;
    Whole const x(this->exec, whole);
    auto const expected = alone.solve(this->exec, to_device<double, n, double>(this->exec, reference),
                                      IdentityPreconditioner{}, to_device<double, n>(this->exec, whole, rhs), x);
    Vector const part(this->exec, grid);
    auto const result = together.solve(this->exec, to_ranks<double, n, double>(this->exec, grid, reference),
                                       IdentityPreconditioner{}, to_ranks<double, n>(this->exec, grid, rhs), part);
    EXPECT_TRUE(result.converged()) << result.message();
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_EQ(together.recycled(), alone.recycled());
    EXPECT_TRUE(near(to_host(this->exec, part), part_of_rank(grid, n, solution), 1e-6));
    this->world.require_same("norms", std::array{std::bit_cast<std::uint64_t>(result.residual_norm)});
  }
}

// More directions than are added in one message.
TYPED_TEST(DistributedKrylov, many_directions) {
  auto const whole = cut_grid(Grid(10, 9, 4), {4, 1, 1}).grid;
  MultiBlockReference const reference(whole, 1);
  DistributedGrid const grid(this->world, whole);
  using Scalars = DistributedVector<double, 1, TypeParam>;
  auto const a = to_ranks<double, 1, double>(this->exec, grid, reference);
  auto const solution = random_vector(whole.size());
  auto const b = to_ranks<double, 1>(this->exec, grid, reference.rows() * solution);
  Scalars const x(this->exec, grid);
  Fgmres<Scalars> const method(this->exec, grid,
                               {.tolerance = 0, .absolute_tolerance = 1e-13, .max_iterations = 100, .restart = 100});
  auto const result = method.solve(this->exec, a, IdentityPreconditioner{}, b, x);
  EXPECT_TRUE(near(to_host(this->exec, x), part_of_rank(grid, 1, solution), 1e-10)) << result.message();
}

TYPED_TEST(DistributedKrylov, whatever_the_check_interval_and_the_scale) {
  this->template expect_as_one_process<BiCgStab>("rarely", {.tolerance = 1e-10, .check_interval = 5});
  for (double const scale : {1e-180, 1e180}) {
    this->template expect_as_one_process<BiCgStab>("scaled", {.tolerance = 1e-10}, scale);
    this->template expect_as_one_process<Fgmres>("scaled", {.tolerance = 1e-10}, scale);
  }
}

TYPED_TEST(DistributedKrylov, a_matrix_that_is_not_finite_is_the_cause_on_all_ranks) {
  constexpr int n = 2;
  DistributedGrid const grid(this->world, this->whole);
  MultiBlockReference reference(this->whole, n);
  reference.blocks[2].block(3, Direction::north)(0, 1) = std::numeric_limits<double>::quiet_NaN();
  auto const a = to_ranks<double, n, double>(this->exec, grid, reference);
  auto const b = to_ranks<double, n>(this->exec, grid, random_vector(this->whole.size() * n));
  typename TestFixture::Vector const x(this->exec, grid);
  BiCgStab<typename TestFixture::Vector> const method(this->exec, grid);
  auto const result = method.solve(this->exec, a, IdentityPreconditioner{}, b, x);
  EXPECT_EQ(result.outcome, KrylovOutcome::breakdown);
  EXPECT_EQ(result.cause,
            "grid block 2 (rank " + std::to_string(grid.owner(2)) + "): block north of point (1, 1, 0) is not finite");
}

TYPED_TEST(DistributedKrylov, products_with_a_copy_in_16_bits_lead_to_the_solution_of_the_matrix) {
  constexpr int n = 2;
  using Vector = typename TestFixture::Vector;
  DistributedGrid const grid(this->world, this->whole);
  MultiBlockReference reference(this->whole, n);
  auto const a = to_ranks<double, n, double>(this->exec, grid, reference);
  auto const solution = random_vector(this->whole.size() * n);
  auto const b = to_ranks<double, n>(this->exec, grid, reference.rows() * solution);
  auto const solve = [&](const auto& copy, const Vector& x, int iterations) {
    BiCgStab<Vector> const method(this->exec, grid, {.tolerance = 1e-12, .max_iterations = iterations});
    return method.solve(this->exec, NarrowedMatrix(a, copy), IdentityPreconditioner{}, b, x);
  };
  Vector const x(this->exec, grid), wrong(this->exec, grid);
  auto const result = solve(narrowed<Half>(this->exec, a), x, 200);
  EXPECT_TRUE(result.converged()) << result.message();
  EXPECT_TRUE(near(to_host(this->exec, x), part_of_rank(grid, n, solution), 1e-10));
  // A copy that is of another matrix from grid block 2 on.
  for (int const block : {2, 3}) {
    for (auto& of_point : reference.blocks[block].blocks) {
      for (auto& entries : of_point) {
        for (double& entry : entries.entries) entry = -entry;
      }
    }
  }
  auto const of_other = narrowed<Half>(this->exec, to_ranks<double, n, double>(this->exec, grid, reference));
  auto const failed = solve(of_other, wrong, 8);
  EXPECT_FALSE(failed.converged());
  EXPECT_THAT(failed.cause, StartsWith("grid block 2 (rank " + std::to_string(grid.owner(2)) +
                                       "): the copy is not of A as it is now, but differs in block "));
  EXPECT_EQ(failed.cause, this->world.from(0, failed.cause));
}

TYPED_TEST(DistributedKrylov, a_monitor_on_one_rank_counts_for_all) {
  constexpr int n = 2;
  DistributedGrid const grid(this->world, this->whole);
  MultiBlockReference const reference(this->whole, n);
  auto const a = to_ranks<double, n, double>(this->exec, grid, reference);
  auto const b = to_ranks<double, n>(this->exec, grid, random_vector(this->whole.size() * n));
  using Vector = typename TestFixture::Vector;
  for (int watching = 0; watching < this->world.size(); ++watching) {
    Vector const x(this->exec, grid);
    int calls = 0;
    KrylovOptions options{.tolerance = 1e-12};
    if (this->world.rank() == watching) {
      options.monitor = [&](int iteration, double) {
        ++calls;
        return iteration < 2 ? MonitorAction::proceed : MonitorAction::stop;
      };
    }
    auto const result =
        BiCgStab<Vector>(this->exec, grid, options).solve(this->exec, a, IdentityPreconditioner{}, b, x);
    EXPECT_EQ(result.outcome, KrylovOutcome::stopped);
    EXPECT_EQ(result.iterations, 2);
    EXPECT_EQ(calls, this->world.rank() == watching ? 3 : 0);
    if (this->world.rank() == watching) {
      options.monitor = [](int, double) { throw std::runtime_error("the disk is full"); };
    }
    Fgmres<Vector> const method(this->exec, grid, options);
    EXPECT_EQ(thrown_text([&] { method.solve(this->exec, a, IdentityPreconditioner{}, b, x); }),
              "rank " + std::to_string(watching) + ": the disk is full");
  }
}

TYPED_TEST(DistributedKrylov, wrong_calls_on_one_rank_are_errors_on_all) {
  constexpr int n = 2;
  using Vector = typename TestFixture::Vector;
  DistributedGrid const grid(this->world, this->whole), other(Communicator(MPI_COMM_WORLD), this->whole);
  DistributedStencil7<double, n, TypeParam> const a(this->exec, grid);
  Vector const b(this->exec, grid), x(this->exec, grid), wrong(this->exec, other);
  BiCgStab<Vector> const method(this->exec, grid);
  for (int failing = 0; failing < this->world.size(); ++failing) {
    bool const fails = this->world.rank() == failing;
    auto const who = "rank " + std::to_string(failing) + ": ";
    auto const solve = [&](const Vector& from, const Vector& to, const KrylovLimits& limits) {
      return thrown_text([&] { method.solve(this->exec, a, IdentityPreconditioner{}, from, to, limits); });
    };
    EXPECT_THAT(solve(b, fails ? wrong : x, {}), HasSubstr(who + "Hyperplane::BiCgStab: a vector is of 4 grid blocks"));
    EXPECT_THAT(solve(b, fails ? b : x, {}), HasSubstr(who + "Hyperplane::BiCgStab: x must not be b"));
    EXPECT_THAT(solve(b, x, {.max_iterations = fails ? -1 : 5}), HasSubstr(who));
    auto const make = [&](const KrylovOptions& options) {
      return thrown_text([&] { Fgmres<Vector>(this->exec, grid, options); });
    };
    EXPECT_THAT(make({.restart = fails ? 0 : 5}), HasSubstr(who + "Fgmres: restart is 0, expected 1 to 1000"));
    if (failing == 0) continue;
    auto const named = "rank " + std::to_string(failing) + " has others than rank 0";
    EXPECT_THAT(solve(b, x, {.max_iterations = fails ? 6 : 5}), HasSubstr("BiCgStab: limits: " + named));
    EXPECT_THAT(make({.tolerance = fails ? 1e-6 : 1e-7}),
                HasSubstr("tolerance, absolute_tolerance and max_iterations: " + named));
    EXPECT_THAT(make({.recycled = fails ? 3 : 4}), HasSubstr("restart, recycled and check_interval: " + named));
    EXPECT_THAT(make({.check_interval = fails ? 3 : 4}), HasSubstr("restart, recycled and check_interval: " + named));
  }
}

}  // namespace
}  // namespace hyperplane::test
