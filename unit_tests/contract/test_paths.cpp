// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/comparison_paths.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/sip_iteration/sip_iteration.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/sweep/triangular_sweeps.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// Every path is run by a solver, or refused by its constructor with an error that names it. None does nothing.
namespace hyperplane::test {
namespace {

using ::testing::AllOf, ::testing::AnyOf, ::testing::HasSubstr;

/// `next` is the number after the last path of a list.
template <class List>
void expect_all_are_listed(const List& list, std::size_t next) {
  using Choice = typename List::value_type;
  for (Choice const path : list) EXPECT_STRNE(name(path), "unknown");
  for (std::size_t number = 0; number < list.size(); ++number)
    EXPECT_EQ(static_cast<std::size_t>(list[number]), number);
  EXPECT_STREQ(name(static_cast<Choice>(next)), "unknown") << "a path is missing in the list";
}

TEST(Paths, are_all_in_the_list) {
  // Behind the choices stands what path() says of a solver that has a path to compare with.
  expect_all_are_listed(sweep_paths, sweep_paths.size() + 1);
  EXPECT_EQ(static_cast<std::size_t>(SweepPath::comparison), sweep_paths.size());
  expect_all_are_listed(comparison_paths, comparison_paths.size());
  expect_all_are_listed(sip_iteration_paths, sip_iteration_paths.size());
  expect_all_are_listed(line_paths, line_paths.size());
}

struct NoSuchSpace {};

TEST(Paths, that_nothing_runs_throw) {
  // What an execution space has without a specialization.
  SlabMap<1> const map(Grid(1, 1, 1));
  detail::BlockIlu0FastFactor<double, 1, NoSuchSpace, double, 1> const factor(NoSuchSpace{}, map, SweepPath::slab, 0);
  EXPECT_THROW(factor(1), Error);
  for (SweepPath const path : sweep_paths) EXPECT_EQ(factor.sweep_path(NoSuchSpace{}, path), path);
  using Sweeps = detail::TriangularSweepsFastPath<double, 1, NoSuchSpace, double, 1>;
  Sweeps const sweeps(NoSuchSpace{}, "Owner", map, SweepPath::slab, 0, 1);
  EXPECT_THROW(sweeps.solve(1), Error);
  EXPECT_THROW(sweeps.solve_transposed(1), Error);
  using Lines = detail::BlockTridiagonalFastPath<double, 1, NoSuchSpace, double>;
  Lines const lines(NoSuchSpace{}, 0, LinePath::staged, std::nullopt);
  EXPECT_THROW(lines.factor(1), Error);
  EXPECT_THROW(lines.solve<false>(1), Error);
  EXPECT_THROW(lines.solve<true>(1), Error);
}

/// A path to compare with that runs nothing.
template <class Solver>
struct IdleSweeps : Solver::Comparison {
  using Interface = typename Solver::Comparison;
  using Exec = typename Solver::execution_space;
  explicit IdleSweeps(const Grid& grid) : Interface(grid) {}
  void solve(const Exec&, detail::Sweeps, const typename Interface::Factors&, const typename Interface::VectorRef&,
             const typename Interface::VectorRef&) override {}
};
template <class Solver>
struct IdleIlu0 final : IdleSweeps<Solver> {
  using IdleSweeps<Solver>::IdleSweeps;
  using Interface = typename Solver::Comparison;
  using Exec = typename Solver::execution_space;
  void factor(const Exec&, const typename Interface::Matrix&, const typename Interface::Factors&,
              const detail::SingularPivotRecord<Exec>&) override {}
};

template <class Exec>
class SolverPaths : public ::testing::Test {
 protected:
  using Matrix = BlockStencil7<double, 1, Exec>;
  using Vector = BlockVector<double, 1, Exec>;

  /// `run(path, x)` constructs a solver, or throws, then factors and solves into x, which is not a number before.
  template <class Choice, std::size_t count, class Run>
  void expect(const char* solver, const std::array<Choice, count>& all, std::vector<Choice> possible, const Run& run) {
    possible.push_back(Choice::automatic);
    for (Choice const path : all) {
      auto const x = not_a_number();
      if (std::find(possible.begin(), possible.end(), path) == possible.end()) {
        try {
          run(path, x);
          ADD_FAILURE() << solver << " takes path " << name(path);
        } catch (const Error& error) {
          // Or one that the execution space has, and this device has not.
          EXPECT_THAT(error.what(), AllOf(HasSubstr(solver), AnyOf(HasSubstr(std::string("no path ") + name(path)),
                                                                   HasSubstr(std::string("path ") + name(path) +
                                                                             " needs compute capability"))));
        }
        continue;
      }
      run(path, x);
      EXPECT_EQ(untouched(x), 0) << solver << ", path " << name(path);
    }
  }

  /// A path to compare with solves, where the execution space has it, or is refused by name.
  template <class Solver>
  void expect_comparison(const char* solver) {
    for (ComparisonPath const path : comparison_paths) {
      if constexpr (CudaExecutionSpace<Exec>) {
        auto comparison = with_comparison_path<Solver>(exec, grid, path);
        EXPECT_EQ(comparison.path(), SweepPath::comparison) << solver;
        auto const x = not_a_number();
        comparison.factor(exec, a);
        comparison.solve(exec, b, x);
        EXPECT_EQ(untouched(x), 0) << solver << ", path " << name(path);
      } else {
        try {
          with_comparison_path<Solver>(exec, grid, path);
          ADD_FAILURE() << solver << " takes path " << name(path);
        } catch (const Error& error) {
          EXPECT_THAT(error.what(),
                      HasSubstr("with_comparison_path: " + std::string(Exec::name()) + " has no path " + name(path)))
              << solver;
        }
      }
    }
  }

  /// One for another grid than that of the solver is refused.
  template <class Idle, class Make>
  void expect_grid_of_comparison(const std::string& solver, const Make& make) {
    EXPECT_EQ(make(std::make_shared<Idle>(grid)).path(), SweepPath::comparison) << solver;
    try {
      make(std::make_shared<Idle>(Grid(4, 3, 9)));
      ADD_FAILURE() << solver << " takes a path to compare with for another grid";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(solver + ": the path to compare with is on a grid of 4x3x9 points"));
    }
  }

  Vector not_a_number() const {
    return to_device<double, 1>(exec, grid, std::vector<double>(grid.size(), std::numeric_limits<double>::quiet_NaN()));
  }
  /// How many values are not finite.
  int untouched(const Vector& x) const {
    int count = 0;
    for (double const value : to_host(exec, x)) count += std::isfinite(value) ? 0 : 1;
    return count;
  }

  Exec exec{};
  Grid grid{4, 9, 3};
  Matrix a = to_device<double, 1, double>(exec, random_stencil(grid, 1));
  Vector b = to_device<double, 1>(exec, grid, random_vector(grid.size()));
};
TYPED_TEST_SUITE(SolverPaths, ExecutionSpaces, SpaceNames);

TYPED_TEST(SolverPaths, of_block_ilu0) {
  this->expect("BlockIlu0", sweep_paths, paths_of<TypeParam>(), [&](SweepPath path, const auto& x) {
    BlockIlu0<double, 1, TypeParam> solver(this->exec, this->grid, {.path = path});
    solver.factor(this->exec, this->a);
    solver.solve(this->exec, this->b, x);
  });
}

TYPED_TEST(SolverPaths, of_block_ilu0_are_what_it_asks_of_its_sweeps) {
  using Factor = detail::BlockIlu0FastFactor<double, 1, TypeParam, double, vector_length_v<double, TypeParam>>;
  for (SweepPath const path : sweep_paths) {
    // What `automatic` becomes where the factorization lacks something is CUDA's matter: test_architecture.cpp.
    if (path == SweepPath::automatic && CudaExecutionSpace<TypeParam>) continue;
    EXPECT_EQ(Factor::sweep_path(this->exec, path), path) << name(path);
  }
  auto const asked = Factor::sweep_path(this->exec, SweepPath::automatic);
  EXPECT_EQ((BlockIlu0<double, 1, TypeParam>(this->exec, this->grid).path()),
            (TriangularSweeps<double, 1, TypeParam>(this->exec, this->grid, "Owner", {.path = asked}).path()));
}

TYPED_TEST(SolverPaths, of_sip) {
  this->expect("Sip", sweep_paths, paths_of<TypeParam>(), [&](SweepPath path, const auto& x) {
    Sip<double, TypeParam> solver(this->exec, this->grid, {.path = path});
    solver.factor(this->exec, this->a);
    solver.solve(this->exec, this->b, x);
  });
}

TYPED_TEST(SolverPaths, of_ssor) {
  this->expect("Ssor", sweep_paths, paths_of<TypeParam>(), [&](SweepPath path, const auto& x) {
    Ssor<double, 1, TypeParam> solver(this->exec, this->grid, {.path = path});
    solver.factor(this->exec, this->a);
    solver.solve(this->exec, this->b, x);
  });
}

TYPED_TEST(SolverPaths, to_compare_with_are_those_of_cuda) {
  this->template expect_comparison<BlockIlu0<double, 1, TypeParam>>("BlockIlu0");
  this->template expect_comparison<Sip<double, TypeParam>>("Sip");
}

TYPED_TEST(SolverPaths, to_compare_with_are_for_the_grid_of_the_solver) {
  auto const& grid = this->grid;
  auto const& exec = this->exec;
  using Ilu = BlockIlu0<double, 1, TypeParam>;
  this->template expect_grid_of_comparison<IdleIlu0<Ilu>>(
      "BlockIlu0", [&](const auto& comparison) { return Ilu(exec, grid, {}, comparison); });
  using Scalar = Sip<double, TypeParam>;
  this->template expect_grid_of_comparison<IdleSweeps<Scalar>>(
      "Sip", [&](const auto& comparison) { return Scalar(exec, grid, {}, comparison); });
  using Sweeps = TriangularSweeps<double, 1, TypeParam>;
  this->template expect_grid_of_comparison<IdleSweeps<Sweeps>>(
      "Owner", [&](const auto& comparison) { return Sweeps(exec, grid, "Owner", {}, comparison); });
}

TYPED_TEST(SolverPaths, of_sip_iteration) {
  std::vector<SipIterationPath> possible{SipIterationPath::portable};
  if (CudaExecutionSpace<TypeParam>) possible.push_back(SipIterationPath::slab);
  this->expect("SipIteration", sip_iteration_paths, possible, [&](SipIterationPath path, const auto& x) {
    SipIteration<double, TypeParam> solver(this->exec, this->grid, {.path = path});
    solver.factor(this->exec, this->a);
    Kokkos::deep_copy(this->exec, x.flat(), 0.0);
    solver.iterate(this->exec, this->a, this->b, x, 2);
    int unchanged = 0;
    for (double const value : to_host(this->exec, x)) unchanged += value == 0.0 ? 1 : 0;
    EXPECT_EQ(unchanged, 0) << name(path);
  });
}

TYPED_TEST(SolverPaths, of_block_tridiagonal) {
  this->expect("BlockTridiagonal", line_paths, line_paths_of<TypeParam>(1), [&](LinePath path, const auto& x) {
    BlockTridiagonal<double, 1, TypeParam> solver(this->exec, LineSet::along(this->grid, LineDirection::i),
                                                  {.path = path});
    solver.factor(this->exec, this->a);
    solver.solve(this->exec, this->b, x);
  });
}

}  // namespace
}  // namespace hyperplane::test
