// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <string>
#include <vector>

#include "support/device_part.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/occupy.hpp"
#include "support/serial_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

// The paths that only CUDA has: the same bits as the portable path whatever else the device does, and no deadlock. A
// solve that hangs fails by the time limit of the test.
namespace hyperplane::test {
namespace {

using Exec = Kokkos::Cuda;

/// A system, and what the portable path makes of it.
template <int n, class Storage = double>
class Case {
 public:
  using Plan = BlockIlu0<double, n, Exec, Storage>;

  explicit Case(const Grid& grid)
      : m_grid(grid), m_rhs(random_vector(grid.size() * n)), m_a(to_device<double, n, Storage>(Exec(), system(grid))) {
    Exec const exec;
    Plan plan(exec, m_grid, {.path = SweepPath::portable});
    plan.factor(exec, m_a);
    auto const x = to_device<double, n>(exec, m_grid, m_rhs);
    plan.solve(exec, x, x);
    m_expected = to_host(exec, x);
  }

  const Grid& grid() const { return m_grid; }

  /// Starts a factorization and solves on the instance; nothing is waited for.
  void start(const Exec& exec, Plan& plan, const BlockVector<double, n, Exec>& b,
             const BlockVector<double, n, Exec>& x) const {
    plan.factor(exec, m_a);
    plan.solve(exec, b, x);
    plan.solve(exec, b, x);
  }
  /// What several solves with M^T behind one another leave, of which the last ones run beside what before() starts.
  template <class Before>
  std::vector<double> solved_transposed(const Exec& exec, Plan& plan, const Before& before) const {
    plan.factor(exec, m_a);
    auto const x = rhs(exec);
    plan.solve_transposed(exec, x, x);
    exec.fence();
    before();
    for (int repetition = 0; repetition < 5; ++repetition) plan.solve_transposed(exec, x, x);
    return to_host(exec, x);
  }
  BlockVector<double, n, Exec> rhs(const Exec& exec) const { return to_device<double, n>(exec, m_grid, m_rhs); }

  void check(const Exec& exec, const BlockVector<double, n, Exec>& x, const std::string& what) const {
    EXPECT_TRUE(bitwise_equal(to_host(exec, x), m_expected)) << to_string(m_grid) << ", " << what;
  }

  void run(const Exec& exec, const SolverPath& path, const BlockIlu0Options& options, const std::string& what) const {
    auto plan = path.make<Plan>(exec, m_grid, options);
    auto const b = rhs(exec);
    BlockVector<double, n, Exec> const x(exec, m_grid);
    start(exec, plan, b, x);
    check(exec, x, what + ", path " + name(path));
  }

 private:
  static ReferenceStencil system(const Grid& grid) { return random_stencil(grid, n); }

  Grid m_grid;
  std::vector<double> m_rhs;
  BlockStencil7<double, n, Exec, Storage> m_a;
  std::vector<double> m_expected;
};

std::vector<Grid> grids() {
  return {Grid(1, 1, 1),   Grid(5, 4, 3),   Grid(17, 2, 9),  Grid(9, 17, 5),   Grid(33, 1, 1),
          Grid(1, 33, 12), Grid(7, 40, 2),  Grid(2, 9, 30),  Grid(40, 33, 21), Grid(3, 5, 70),
          Grid(70, 17, 3), Grid(1, 1, 100), Grid(1, 100, 1), Grid(29, 29, 29), Grid(31, 70, 37)};
}

std::vector<SolverPath> fast_paths() {
  auto paths = solver_paths_of<Exec>();
  paths.erase(paths.begin());
  return paths;
}

TEST(BlockIlu0Cuda, every_path_gives_the_bits_of_the_portable_one) {
  Exec const exec;
  auto const check = [&](const auto& system) {
    for (SolverPath const path : fast_paths()) system.run(exec, path, {}, "as it is");
  };
  for (auto const& grid : grids()) {
    check(Case<1>(grid));
    check(Case<3, float>(grid));
    check(Case<5>(grid));
  }
  check(Case<6>(Grid(70, 65, 61)));
  check(Case<12>(Grid(9, 17, 5)));
}

TEST(BlockIlu0Cuda, every_path_runs_on_a_few_multiprocessors) {
  Exec const exec;
  for (auto const& grid : {Grid(17, 2, 9), Grid(40, 33, 21), Grid(1, 100, 1)}) {
    Case<3> const system(grid);
    for (SolverPath const path : fast_paths()) {
      for (int const multiprocessors : {1, 3, 17}) {
        system.run(exec, path, {.multiprocessors = multiprocessors},
                   std::to_string(multiprocessors) + " multiprocessors");
      }
    }
  }
}

TEST(BlockIlu0Cuda, another_matrix_when_the_last_plane_has_more_batches_than_there_are_blocks) {
  // What a launch leaves must not be seen by the next one, which the factors of the same matrix would hide. Planes end
  // in turns of both parities.
  constexpr int n = 12;
  Exec const exec;
  for (auto const& grid : {Grid(5, 5, 4), Grid(5, 5, 5)}) {
    auto const reference = random_stencil(grid, n);
    auto const first = to_device<double, n, double>(exec, reference);
    auto scaled = reference;
    for (auto& blocks : scaled.blocks) {
      for (auto& block : blocks) {
        for (double& entry : block.entries) entry *= 4.0;
      }
    }
    auto const second = to_device<double, n, double>(exec, scaled);
    auto const rhs = random_vector(reference.rows());
    auto const solve = [&](const SolverPath& path) {
      auto plan = path.make<BlockIlu0<double, n, Exec>>(exec, grid, {.multiprocessors = 1});
      auto const x = to_device<double, n>(exec, grid, rhs);
      plan.factor(exec, first);
      plan.factor(exec, second);
      plan.solve(exec, x, x);
      return to_host(exec, x);
    };
    auto const expected = solve(SweepPath::portable);
    for (SolverPath const path : fast_paths()) {
      EXPECT_TRUE(bitwise_equal(solve(path), expected)) << to_string(grid) << ", path " << name(path);
    }
  }
}

TEST(BlockIlu0Cuda, scalars_on_a_few_multiprocessors) {
  Exec const exec;
  // Ragged slabs and tiles, and steps that end just after a chunk has begun.
  for (auto const& grid : {Grid(44, 9, 64), Grid(31, 70, 37), Grid(44, 1, 17), Grid(100, 13, 33), Grid(5, 8, 5)}) {
    auto const run = [&](const auto& system) {
      for (int const multiprocessors : {1, 3, 17, 0}) {
        for (int repetition = 0; repetition < 5; ++repetition) {
          system.run(exec, SweepPath::slab, {.multiprocessors = multiprocessors},
                     std::to_string(multiprocessors) + " multiprocessors");
        }
      }
    };
    run(Case<1>(grid));
    run(Case<1, float>(grid));
  }
}

TEST(BlockIlu0Cuda, the_same_bits_in_every_run) {
  Exec const exec;
  Case<5> const system(Grid(31, 40, 29));
  for (SolverPath const path : fast_paths()) {
    auto plan = path.make<Case<5>::Plan>(exec, system.grid());
    auto const b = system.rhs(exec);
    BlockVector<double, 5, Exec> const x(exec, system.grid());
    for (int repetition = 0; repetition < 50; ++repetition) {
      system.start(exec, plan, b, x);
      system.check(exec, x, std::string("repetition ") + std::to_string(repetition) + ", path " + name(path));
    }
  }
}

TEST(BlockIlu0Cuda, plans_on_several_instances_at_once) {
  constexpr int instances = 4;
  auto const execs = Kokkos::Experimental::partition_space(Exec(), 1, 1, 1, 1);
  Case<1> const scalar(Grid(23, 57, 31));
  Case<5> const block(Grid(19, 33, 27));
  for (SolverPath const path : fast_paths()) {
    std::vector<Case<1>::Plan> scalar_plans;
    std::vector<Case<5>::Plan> block_plans;
    std::vector<BlockVector<double, 1, Exec>> scalar_x;
    std::vector<BlockVector<double, 5, Exec>> block_x;
    auto const scalar_b = scalar.rhs(Exec());
    auto const block_b = block.rhs(Exec());
    Exec().fence();
    for (int e = 0; e < instances; ++e) {
      scalar_plans.push_back(path.make<Case<1>::Plan>(execs[e], scalar.grid()));
      block_plans.push_back(path.make<Case<5>::Plan>(execs[e], block.grid()));
      scalar_x.emplace_back(execs[e], scalar.grid());
      block_x.emplace_back(execs[e], block.grid());
    }
    for (int repetition = 0; repetition < 10; ++repetition) {
      for (int e = 0; e < instances; ++e) {
        scalar.start(execs[e], scalar_plans[e], scalar_b, scalar_x[e]);
        block.start(execs[e], block_plans[e], block_b, block_x[e]);
      }
    }
    for (int e = 0; e < instances; ++e) {
      scalar.check(execs[e], scalar_x[e], std::string("instance, path ") + name(path));
      block.check(execs[e], block_x[e], std::string("instance, path ") + name(path));
    }
  }
}

TEST(BlockIlu0Cuda, beside_a_kernel_that_fills_most_of_the_device) {
  auto const execs = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  Case<5> const system(Grid(19, 33, 27));
  for (SolverPath const path : fast_paths()) {
    auto plan = path.make<Case<5>::Plan>(execs[0], system.grid());
    auto const b = system.rhs(execs[0]);
    BlockVector<double, 5, Exec> const x(execs[0], system.grid());
    execs[0].fence();
    occupy_most_of_the_device(execs[1]);
    for (int repetition = 0; repetition < 5; ++repetition) system.start(execs[0], plan, b, x);
    system.check(execs[0], x, std::string("beside another kernel, path ") + name(path));
    execs[1].fence();
  }
}

TEST(BlockIlu0Cuda, on_a_part_of_the_device) {
  DevicePart const part(8);
  Exec const exec(part.stream());
  for (auto const& grid : {Grid(19, 33, 27), Grid(5, 4, 3), Grid(3, 40, 60)}) {
    Case<5> const system(grid);
    for (SolverPath const path : fast_paths()) {
      system.run(exec, path, {.multiprocessors = part.multiprocessors()}, "on as many as there are");
      // More blocks than fit wait for one another in some paths: refused when they are launched, if not before.
      try {
        system.run(exec, path, {}, "on more than there are");
      } catch (const Error&) {
        EXPECT_TRUE(path.needs_residence()) << "refused by path " << name(path);
      }
    }
  }
}

template <int n>
void compare_transposed_solves(const Grid& grid) {
  auto const execs = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  DevicePart const part(8);
  Exec const on_part(part.stream());
  using System = Case<n>;
  System const system(grid);
  for (SolverPath const path : fast_paths()) {
    auto const solved = [&](const Exec& exec, const BlockIlu0Options& options, const auto& before) {
      auto plan = path.make<typename System::Plan>(exec, system.grid(), options);
      return system.solved_transposed(exec, plan, before);
    };
    auto const what = ", n = " + std::to_string(n) + ", path " + name(path);
    auto const nothing = [] {};
    auto const expected = solved(Exec(), {}, nothing);
    EXPECT_TRUE(bitwise_equal(solved(execs[0], {}, [&] { occupy_most_of_the_device(execs[1]); }), expected))
        << "beside another kernel" << what;
    execs[1].fence();
    EXPECT_TRUE(bitwise_equal(solved(on_part, {.multiprocessors = part.multiprocessors()}, nothing), expected))
        << "on as many as there are" << what;
    try {
      EXPECT_TRUE(bitwise_equal(solved(on_part, {}, nothing), expected)) << "on more than there are" << what;
    } catch (const Error&) {
      EXPECT_TRUE(path.needs_residence()) << "refused" << what;
    }
  }
}

TEST(BlockIlu0Cuda, transposed_solves_beside_others_and_on_a_part_of_the_device) {
  compare_transposed_solves<1>(Grid(19, 33, 27));
  compare_transposed_solves<5>(Grid(19, 33, 27));
}

TEST(BlockIlu0Cuda, refuses_more_blocks_than_can_be_resident) {
  Exec const exec;
  for (ComparisonPath const path : {ComparisonPath::thread_recycling, ComparisonPath::cooperative}) {
    try {
      with_comparison_path<BlockIlu0<double, 5, Exec>>(exec, Grid(9, 9, 9), path, {.multiprocessors = 1'000'000});
      ADD_FAILURE() << "not refused by path " << name(path);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("1000000 blocks"));
    }
  }
}

}  // namespace
}  // namespace hyperplane::test
