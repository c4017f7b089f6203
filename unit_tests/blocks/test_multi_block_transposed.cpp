// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <array>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "multi_block_fixture.hpp"
#include "support/matrix_of_solves.hpp"
#include "support/solver_paths.hpp"
#include "support/transposed_reference.hpp"

// Solves with M^T of coupled grid blocks, beside those with M.
namespace hyperplane::test {
namespace {

/// M and M^T, factored.
template <class P>
class TransposedPlan {
 public:
  using Exec = typename P::execution_space;
  using Options = typename MultiBlock<P>::Options;
  static constexpr int n = P::Vector::block_size;

  TransposedPlan(const Exec& exec, const MultiBlockGrid& grid, const Options& options)
      : m_exec(exec), m_grid(grid), m_plan(exec, grid, options) {
    m_plan.factor(exec, to_device<double, n, double>(exec, MultiBlockReference(grid, n)));
    EXPECT_TRUE(m_plan.status(exec).ok()) << m_plan.status(exec).message();
  }

  const MultiBlock<P>& plan() const { return m_plan; }
  std::vector<double> solve(const std::vector<double>& values) const {
    auto const x = to_device<double, n>(m_exec, m_grid, values);
    m_plan.solve(m_exec, x, x);
    return to_host(m_exec, x);
  }
  std::vector<double> solve_transposed(const std::vector<double>& values) const {
    auto const rhs = to_device<double, n>(m_exec, m_grid, values);
    MultiBlockVector<double, n, Exec> const x(m_exec, m_grid);
    m_plan.solve_transposed(m_exec, rhs, x);
    EXPECT_TRUE(bitwise_equal(to_host(m_exec, rhs), values)) << "the right-hand side";
    m_plan.solve_transposed(m_exec, rhs, rhs);
    EXPECT_TRUE(bitwise_equal(to_host(m_exec, rhs), to_host(m_exec, x))) << "in place";
    return to_host(m_exec, x);
  }

  /// <M^-1 u, v> = <u, M^-T v>.
  void expect_products(const std::string& what) const {
    auto const u = random_vector(m_grid.size() * n), v = random_vector(m_grid.size() * n, 3);
    EXPECT_TRUE(same_products(solve(u), v, u, solve_transposed(v), 1e-13)) << what << ", n = " << n;
  }
  /// The transpose of M, as its solves have it, in every entry.
  void expect_dense(const std::string& what) const {
    auto const matrix = transposed_dense(matrix_of_solves(m_exec, m_plan));
    auto const b = random_vector(m_grid.size() * n, 5);
    EXPECT_TRUE(near(matrix * solve_transposed(b), b, 1e-11)) << what << ", n = " << n;
  }

 private:
  Exec m_exec;
  MultiBlockGrid m_grid;
  MultiBlock<P> m_plan;
};

template <class P>
void expect_transposes(const typename P::execution_space& exec, const std::vector<Coupling>& couplings,
                       const typename P::Options& block = {}) {
  for (auto const& [name, grid] : awkward_grids()) {
    for (auto const coupling : couplings) {
      TransposedPlan<P>(exec, grid, {.coupling = coupling, .block = block})
          .expect_products(name + ", coupling " + hyperplane::name(coupling));
    }
  }
}

TYPED_TEST_SUITE(MultiBlockTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(MultiBlockTest, transposed_solves_are_those_of_the_transpose) {
  using enum Coupling;
  auto const& exec = this->exec;
  expect_transposes<BlockIlu0<double, 1, TypeParam>>(exec, {none, coloured});
  expect_transposes<BlockIlu0<double, 3, TypeParam>>(exec, {none, coloured});
  expect_transposes<Ssor<double, 2, TypeParam>>(exec, {none, coloured}, {.relaxation = 1.2});
  expect_transposes<Sip<double, TypeParam>>(exec, {none, coloured}, {.alpha = 0.7});
  expect_transposes<BlockJacobi<double, 2, TypeParam>>(exec, {none});
}

TYPED_TEST(MultiBlockTest, transposed_solves_with_factors_of_every_storage) {
  using enum Coupling;
  auto const& exec = this->exec;
  expect_transposes<BlockIlu0<double, 2, TypeParam, float>>(exec, {coloured});
  expect_transposes<BlockIlu0<double, 2, TypeParam, BFloat16>>(exec, {coloured});
  expect_transposes<BlockIlu0<double, 2, TypeParam, Half>>(exec, {none});
}

/// Parts of a box, whose couplings are among the factors of grid blocks where M has the bits of the box.
TYPED_TEST(MultiBlockTest, transposed_solves_of_natural_parts_are_those_of_the_box) {
  using enum Coupling;
  auto const& exec = this->exec;
  constexpr int n = 2;
  auto const check = [&]<class P>(std::type_identity<P>, const typename P::Options& options) {
    for (auto const& parts : {std::array{2, 1, 1}, {1, 3, 1}, {1, 1, 2}, {2, 3, 2}}) {
      for (auto const& periodic : {std::array{false, false, false}, {true, false, true}}) {
        auto const cut = cut_grid(Grid(5, 11, 4), parts, periodic);
        TransposedPlan<P>(exec, cut.grid, {.coupling = natural, .block = options})
            .expect_products(std::to_string(parts[0]) + std::to_string(parts[1]) + std::to_string(parts[2]));
      }
    }
  };
  for (SweepPath const path : paths_of<TypeParam>()) {
    SCOPED_TRACE(name(path));
    check(std::type_identity<BlockIlu0<double, n, TypeParam>>{}, {.path = path});
    check(std::type_identity<Ssor<double, n, TypeParam>>{}, {.relaxation = 0.8, .path = path});
    check(std::type_identity<BlockIlu0<double, n, TypeParam, BFloat16>>{}, {.path = path});
  }
}

TYPED_TEST(MultiBlockTest, transposed_solves_have_every_entry_of_the_transpose) {
  using enum Coupling;
  auto const& exec = this->exec;
  auto const box = cut_grid(Grid(4, 3, 3), {2, 1, 2}).grid;
  // Neighbours across two faces, and three of which each meets the other two.
  auto const ends = cut_grid(Grid(2, 3, 2), {2, 1, 2}, {true, false, true}).grid;
  auto const ring = cut_grid(Grid(2, 6, 2), {1, 3, 1}, {false, true, false}).grid;
  for (auto const& grid : {box, ends, ring}) {
    TransposedPlan<BlockIlu0<double, 2, TypeParam>>(exec, grid, {.coupling = coloured}).expect_dense("BILU(0)");
    TransposedPlan<Ssor<double, 2, TypeParam>>(exec, grid, {.coupling = coloured}).expect_dense("SSOR");
    TransposedPlan<Sip<double, TypeParam>>(exec, grid, {.coupling = coloured}).expect_dense("SIP");
    TransposedPlan<BlockIlu0<double, 2, TypeParam>>(exec, grid, {.coupling = natural}).expect_dense("natural");
  }
}

TYPED_TEST(MultiBlockTest, adjoint_systems_are_solved_with_coupled_transposes) {
  using enum Coupling;
  auto const& exec = this->exec;
  constexpr int n = 3;
  auto const grid = cut_grid(Grid(7, 6, 5), {2, 1, 2}).grid;
  MultiBlockReference const reference(grid, n);
  auto const a = to_device<double, n, double>(exec, reference);
  auto const solution = random_vector(grid.size() * n);
  auto const b = to_device<double, n>(exec, grid, reference.rows().transposed() * solution);
  for (auto const coupling : {coloured, natural}) {
    MultiBlock<BlockIlu0<double, n, TypeParam>> ilu(exec, grid, {.coupling = coupling});
    ilu.factor(exec, a);
    MultiBlockVector<double, n, TypeParam> const x(exec, grid);
    BiCgStab<MultiBlockVector<double, n, TypeParam>> const krylov(exec, grid, {.tolerance = 1e-11});
    EXPECT_TRUE(krylov.solve(exec, transposed(a), transposed(ilu), b, x).converged()) << name(coupling);
    EXPECT_TRUE(near(to_host(exec, x), solution, 1e-7)) << name(coupling);
  }
}

}  // namespace
}  // namespace hyperplane::test
