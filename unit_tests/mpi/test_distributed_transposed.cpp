// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <hyperplane/blocks/apply_transposed.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/sweep/triangular_sweeps.hpp>
#include <stdexcept>
#include <string>

#include "distributed_fixture.hpp"
#include "support/kokkos_events.hpp"

// Products with A^T and solves with M^T over ranks, beside those of one process.
namespace hyperplane::test {

/// BILU(0) that may not get what its first transposed solve needs.
template <class Exec>
class UnpreparedIlu : public BlockIlu0<double, 2, Exec> {
  using Base = BlockIlu0<double, 2, Exec>;

 public:
  struct Options {
    /// How often this rank does not get it.
    int* failures = nullptr;
  };
  class Sweeps : public TriangularSweeps<double, 2, Exec> {
   public:
    Sweeps(const TriangularSweeps<double, 2, Exec>& sweeps, int* failures)
        : TriangularSweeps<double, 2, Exec>(sweeps), m_failures(failures) {}
    void prepare_transposed(const Exec& exec) const {
      if ((*m_failures)-- > 0) throw std::runtime_error("no memory");
      TriangularSweeps<double, 2, Exec>::prepare_transposed(exec);
    }

   private:
    int* m_failures;
  };

  UnpreparedIlu(const Exec& exec, const Grid& grid, const Options& options)
      : Base(exec, grid), m_failures(options.failures) {}
  Sweeps sweeps() const { return Sweeps(Base::sweeps(), m_failures); }

 private:
  int* m_failures;
};

}  // namespace hyperplane::test

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Exec>
struct ColouredCouplingsOf<test::UnpreparedIlu<Exec>> : ColouredCouplingsOf<BlockIlu0<double, 2, Exec>> {};
template <class Exec>
struct ColoursOfRanksOf<test::UnpreparedIlu<Exec>> : ColoursOfRanksOf<BlockIlu0<double, 2, Exec>> {};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail

namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using enum Coupling;

template <class Exec>
class DistributedTransposed : public DistributedTest<Exec> {
 protected:
  template <int n, class Storage = double>
  void expect_product(const std::string& what, const MultiBlockGrid& whole, double tolerance = 1e-13) {
    auto const& exec = this->exec;
    MultiBlockReference const reference(whole, n);
    auto const x_values = random_vector(whole.size() * n), b_values = random_vector(whole.size() * n, 3);
    auto const a_one = to_device<double, n, Storage>(exec, reference);
    auto const x_one = to_device<double, n>(exec, whole, x_values);
    MultiBlockVector<double, n, Exec> const y_one(exec, whole);
    apply_transposed(exec, a_one, x_one, y_one);
    auto const bits = to_host(exec, y_one);
    EXPECT_TRUE(near(bits, reference.rows().transposed() * x_values, tolerance)) << what << ", n = " << n;
    residual_transposed(exec, a_one, to_device<double, n>(exec, whole, b_values), x_one, y_one);
    auto const residual_bits = to_host(exec, y_one);
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      DistributedGrid const grid(this->world, whole, owners);
      auto const text = what + ", " + how + ", n = " + std::to_string(n);
      auto const a = to_ranks<double, n, Storage>(exec, grid, reference);
      auto const x = to_ranks<double, n>(exec, grid, x_values);
      DistributedVector<double, n, Exec> const y(exec, grid);
      KokkosEvents const events;
      apply_transposed(exec, a, x, y);
      EXPECT_THAT(events.allocations(), IsEmpty()) << text;
      EXPECT_TRUE(bitwise_equal(to_host(exec, y), part_of_rank(grid, n, bits))) << text;
      EXPECT_TRUE(bitwise_equal(to_host(exec, x), part_of_rank(grid, n, x_values))) << text;
      auto const b = to_ranks<double, n>(exec, grid, b_values);
      residual_transposed(exec, a, b, x, b);
      EXPECT_TRUE(bitwise_equal(to_host(exec, b), part_of_rank(grid, n, residual_bits))) << text;
      // A plain product between two of them has other messages of the same matrix.
      apply(exec, a, x, y);
      apply_transposed(exec, transposed(a).matrix(), x, y);
      EXPECT_TRUE(bitwise_equal(to_host(exec, y), part_of_rank(grid, n, bits))) << text << ", again";
    }
  }

  template <class P>
  void expect_solve(const std::string& what, const MultiBlockGrid& whole,
                    const typename MultiBlock<P>::Options& options) {
    constexpr int n = P::Vector::block_size;
    auto const& exec = this->exec;
    MultiBlockReference const reference(whole, n);
    auto const values = random_vector(whole.size() * n, 4);
    MultiBlock<P> one(exec, whole, options);
    one.factor(exec, to_device<double, n, double>(exec, reference));
    MultiBlockVector<double, n, Exec> const solution(exec, whole);
    one.solve_transposed(exec, to_device<double, n>(exec, whole, values), solution);
    auto const expected = to_host(exec, solution);
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      auto const text = what + ", " + name(options.coupling) + ", " + how;
      DistributedGrid const grid(this->world, whole, owners);
      DistributedMultiBlock<P> plan(exec, grid, options);
      plan.factor(exec, to_ranks<double, n, double>(exec, grid, reference));
      EXPECT_TRUE(plan.status(exec).ok()) << text << ": " << plan.status(exec).message();
      auto const rhs = to_ranks<double, n>(exec, grid, values);
      DistributedVector<double, n, Exec> const x(exec, grid);
      plan.solve_transposed(exec, rhs, x);
      EXPECT_TRUE(bitwise_equal(to_host(exec, x), part_of_rank(grid, n, expected))) << text;
      EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), part_of_rank(grid, n, values))) << text;
      // In place, behind a plain one, whose ghost values are in the same memory.
      plan.solve(exec, rhs, x);
      plan.solve_transposed(exec, rhs, rhs);
      EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), part_of_rank(grid, n, expected))) << text << ", in place";
    }
  }
};

TYPED_TEST_SUITE(DistributedTransposed, ExecutionSpaces, SpaceNames);

TYPED_TEST(DistributedTransposed, products_have_the_bits_of_one_process) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_product<1>(what, grid);
    this->template expect_product<3>(what, grid);
  }
  for (auto const& transform : all_transforms()) {
    this->template expect_product<3>(to_string(transform), joined_pair(Grid(3, 5, 2), transform));
  }
  this->template expect_product<3, float>("float", cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid, 1e-5);
}

TYPED_TEST(DistributedTransposed, solves_have_the_bits_of_one_process) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_solve<BlockIlu0<double, 2, TypeParam>>(what, grid, {.coupling = coloured});
    this->template expect_solve<Ssor<double, 2, TypeParam>>(what, grid,
                                                            {.coupling = coloured, .block = {.relaxation = 1.2}});
    this->template expect_solve<Sip<double, TypeParam>>(what, grid, {.coupling = coloured, .block = {.alpha = 0.7}});
  }
  auto const grid = cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid;
  this->template expect_solve<BlockIlu0<double, 2, TypeParam>>("BILU(0)", grid, {});
  this->template expect_solve<BlockJacobi<double, 2, TypeParam>>("block Jacobi", grid, {});
  this->template expect_solve<LineImplicit<double, 2, TypeParam>>("lines", grid, {});
  this->template expect_solve<BlockIlu0<double, 2, TypeParam, BFloat16>>("16 bits", grid, {.coupling = coloured});
}

TYPED_TEST(DistributedTransposed, solves_of_grid_blocks_in_pieces) {
  auto const grid = cut_grid(Grid(5, 37, 10), {1, 1, 2}).grid;
  this->template expect_solve<BlockIlu0<double, 5, TypeParam>>("BILU(0)", grid, {.coupling = coloured});
  if constexpr (HostExecutionSpace<TypeParam>) {
    this->template expect_solve<BlockIlu0<double, 5, TypeParam>>("BILU(0)", grid, {.coupling = natural});
  }
}

TYPED_TEST(DistributedTransposed, solves_of_natural_parts) {
  using Ilu = BlockIlu0<double, 2, TypeParam>;
  auto const check = [&](const std::array<int, 3>& parts, const std::array<bool, 3>& periodic) {
    auto const grid = cut_grid(Grid(7, 12, 5), parts, periodic).grid;
    this->template expect_solve<Ilu>("BILU(0)", grid, {.coupling = natural});
    this->template expect_solve<Ssor<double, 2, TypeParam>>("SSOR", grid, {.coupling = natural});
  };
  // Where it is periodic, nothing is in order.
  check({2, 2, 2}, {true, false, false});
  auto const whole = cut_grid(Grid(7, 12, 5), {2, 2, 2}).grid;
  DistributedGrid const grid(this->world, whole);
  auto const a = to_ranks<double, 2, double>(this->exec, grid, MultiBlockReference(whole, 2));
  DistributedVector<double, 2, TypeParam> const x(this->exec, grid);
  auto const thrown = [&](SweepPath path) {
    DistributedMultiBlock<Ilu> plan(this->exec, grid, {.coupling = natural, .block = {.path = path}});
    plan.factor(this->exec, a);
    return thrown_text([&] { plan.solve_transposed(this->exec, x, x); });
  };
  auto const refusal = HasSubstr("on this path, coupling natural has M^-T in one process, and not over ranks");
  EXPECT_THAT(thrown(SweepPath::portable), refusal);
  if constexpr (HostExecutionSpace<TypeParam>) {
    for (auto const& parts : {std::array{3, 1, 1}, {1, 2, 4}, {2, 3, 2}}) check(parts, {false, false, false});
  } else {
    EXPECT_THAT(thrown(SweepPath::automatic), refusal);
  }
}

// A rank that throws alone would leave others waiting for what its points give.
TYPED_TEST(DistributedTransposed, what_the_first_solve_lacks_on_one_rank_is_an_error_on_all) {
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole);
  auto const a = to_ranks<double, 2, double>(this->exec, grid, MultiBlockReference(whole, 2));
  auto const b = to_ranks<double, 2>(this->exec, grid, random_vector(whole.size() * 2));
  DistributedMultiBlock<BlockIlu0<double, 2, TypeParam>> plain(this->exec, grid, {.coupling = coloured});
  plain.factor(this->exec, a);
  DistributedVector<double, 2, TypeParam> const expected(this->exec, grid), x(this->exec, grid);
  plain.solve_transposed(this->exec, b, expected);
  for (int failing = 0; failing < std::min(this->world.size(), whole.block_count()); ++failing) {
    int failures = this->world.rank() == failing ? 1 : 0;
    DistributedMultiBlock<UnpreparedIlu<TypeParam>> ilu(this->exec, grid, {.coupling = coloured, .block = {&failures}});
    ilu.factor(this->exec, a);
    EXPECT_EQ(thrown_text([&] { ilu.solve_transposed(this->exec, b, x); }),
              "rank " + std::to_string(failing) + ": no memory");
    // The next one tries again, and those behind it need nothing more.
    ilu.solve_transposed(this->exec, b, x);
    failures = 1;
    ilu.solve_transposed(this->exec, b, x);
    EXPECT_TRUE(bitwise_equal(to_host(this->exec, x), to_host(this->exec, expected)));
  }
}

TYPED_TEST(DistributedTransposed, adjoint_systems_are_solved_over_ranks) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(8, 6, 4), {2, 2, 1}, {true, false, false}).grid;
  MultiBlockReference const reference(whole, n);
  auto const solution = random_vector(whole.size() * n);
  auto const rhs = reference.rows().transposed() * solution;
  using Vector = DistributedVector<double, n, TypeParam>;
  DistributedGrid const grid(this->world, whole);
  auto const a = to_ranks<double, n, double>(this->exec, grid, reference);
  DistributedMultiBlock<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid, {.coupling = coloured});
  ilu.factor(this->exec, a);
  Vector const x(this->exec, grid);
  auto const result =
      BiCgStab<Vector>(this->exec, grid, {.tolerance = 1e-10})
          .solve(this->exec, transposed(a), transposed(ilu), to_ranks<double, n>(this->exec, grid, rhs), x);
  EXPECT_TRUE(result.converged()) << result.message();
  EXPECT_TRUE(near(to_host(this->exec, x), part_of_rank(grid, n, solution), 1e-7));
}

TYPED_TEST(DistributedTransposed, wrong_use_is_refused) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(6, 4, 4), {2, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole), other(Communicator(MPI_COMM_WORLD), whole);
  DistributedStencil7<double, n, TypeParam> const a(this->exec, grid);
  DistributedVector<double, n, TypeParam> const x(this->exec, grid), y(this->exec, other);
  EXPECT_THAT(thrown_text([&] { apply_transposed(this->exec, a, x, x); }),
              HasSubstr("apply_transposed: the result must not be x"));
  EXPECT_THAT(thrown_text([&] { apply_transposed(this->exec, a, y, x); }),
              HasSubstr("apply_transposed: x is on 2 grid blocks"));
  EXPECT_THAT(thrown_text([&] { residual_transposed(this->exec, a, y, x, x); }),
              HasSubstr("residual_transposed: b is on 2 grid blocks"));
  DistributedMultiBlock<BlockIlu0<double, n, TypeParam>> const ilu(this->exec, grid);
  EXPECT_THAT(thrown_text([&] { ilu.solve_transposed(this->exec, x, x); }),
              HasSubstr("DistributedMultiBlock::solve_transposed: called before factor"));
}

}  // namespace
}  // namespace hyperplane::test
