// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <algorithm>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <optional>

#include "multi_block_fixture.hpp"
#include "support/kokkos_events.hpp"
#include "support/same_bits_on_threads.hpp"

// Grid blocks of a colour that are swept and factored together.
namespace hyperplane::test {
namespace {

/// `times` solves, in place and not, have the bits of one grid block after the other.
template <class P, class MatrixStorage = double, class Exec>
void expect_bits_of_single_blocks(const Exec& exec, const MultiBlockGrid& grid,
                                  const typename MultiBlock<P>::Options& options = {}, int times = 1) {
  constexpr int n = P::Vector::block_size;
  MultiBlockReference const reference(grid, n);
  auto const a = to_device<double, n, MatrixStorage>(exec, reference);
  MultiBlock<P> all(exec, grid, options);
  all.factor(exec, a);
  auto const values = random_vector(grid.size() * n);
  MultiBlockVector<double, n, Exec> const x(exec, grid), expected(exec, grid);
  auto const rhs = to_device<double, n>(exec, grid, values);
  for (int b = 0; b < grid.block_count(); ++b) {
    P one(exec, grid.block(b));
    one.factor(exec, a.block(b));
    one.solve(exec, rhs.block(b), expected.block(b));
  }
  for (int time = 0; time < times; ++time) {
    all.solve(exec, rhs, x);
    EXPECT_TRUE(bitwise_equal(to_host(exec, x), to_host(exec, expected))) << time;
    auto const in_place = to_device<double, n>(exec, grid, values);
    all.solve(exec, in_place, in_place);
    EXPECT_TRUE(bitwise_equal(to_host(exec, in_place), to_host(exec, expected))) << time;
  }
}

/// Products of grid blocks that meet nowhere have the bits of one grid block after the other.
template <int n, class Storage, class Exec>
void expect_products_of_single_blocks(const Exec& exec, const MultiBlockGrid& grid) {
  auto const a = to_device<double, n, Storage>(exec, MultiBlockReference(grid, n));
  auto const x = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
  auto const b = to_device<double, n>(exec, grid, random_vector(grid.size() * n, 3));
  MultiBlockVector<double, n, Exec> const product(exec, grid), rest(exec, grid), expected(exec, grid);
  apply(exec, a, x, product);
  for (int g = 0; g < grid.block_count(); ++g) apply(exec, a.block(g), x.block(g), expected.block(g));
  EXPECT_TRUE(bitwise_equal(to_host(product.flat()), to_host(expected.flat()))) << "n = " << n;
  residual(exec, a, b, x, rest);
  for (int g = 0; g < grid.block_count(); ++g) residual(exec, a.block(g), b.block(g), x.block(g), expected.block(g));
  EXPECT_TRUE(bitwise_equal(to_host(rest.flat()), to_host(expected.flat()))) << "n = " << n;
  EXPECT_THROW(apply(exec, a, x, x), Error);
}

TYPED_TEST_SUITE(MultiBlockTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(MultiBlockTest, products_have_the_bits_of_one_grid_block_after_the_other) {
  std::vector<Grid> blocks(30, Grid(5, 9, 6));
  blocks.insert(blocks.begin(), {Grid(1, 1, 1), Grid(40, 33, 5), Grid(2, 9, 1), Grid(1, 30, 7)});
  MultiBlockGrid const grid(blocks);
  expect_products_of_single_blocks<1, double>(this->exec, grid);
  expect_products_of_single_blocks<3, float>(this->exec, grid);
  expect_products_of_single_blocks<5, double>(this->exec, grid);
  expect_products_of_single_blocks<16, double>(this->exec, MultiBlockGrid({Grid(3, 2, 5), Grid(9, 10, 2)}));
}

TYPED_TEST(MultiBlockTest, solves_have_the_bits_of_one_grid_block_after_the_other) {
  MultiBlockGrid const grids[] = {cut_grid(Grid(31, 17, 12), {3, 2, 3}).grid,
                                  MultiBlockGrid({Grid(1, 1, 1), Grid(40, 33, 5), Grid(2, 9, 1), Grid(7, 7, 7)})};
  for (auto const& grid : grids) {
    expect_bits_of_single_blocks<BlockIlu0<double, 3, TypeParam>>(this->exec, grid);
    expect_bits_of_single_blocks<BlockIlu0<double, 5, TypeParam, float>>(this->exec, grid);
    expect_bits_of_single_blocks<Ssor<double, 3, TypeParam>>(this->exec, grid);
    expect_bits_of_single_blocks<Sip<double, TypeParam>>(this->exec, grid);
    expect_bits_of_single_blocks<Sip<double, TypeParam, float>>(this->exec, grid);
    expect_bits_of_single_blocks<Sip<double, TypeParam, float>, float>(this->exec, grid);
    expect_bits_of_single_blocks<BlockIlu0<double, 1, TypeParam>>(this->exec, grid);
    expect_bits_of_single_blocks<Ssor<double, 1, TypeParam>>(this->exec, grid);
    expect_bits_of_single_blocks<BlockJacobi<double, 3, TypeParam>>(this->exec, grid);
    expect_bits_of_single_blocks<BlockJacobi<double, 1, TypeParam, float>>(this->exec, grid);
  }
}

TYPED_TEST(MultiBlockTest, many_small_grid_blocks_again_and_again) {
  expect_bits_of_single_blocks<BlockIlu0<double, 2, TypeParam>>(
      this->exec, MultiBlockGrid(std::vector<Grid>(70, Grid(5, 9, 6))), {}, 20);
  std::vector<Grid> blocks(60, Grid(5, 9, 6));
  blocks.insert(blocks.end(), {Grid(1, 1, 40), Grid(30, 1, 1), Grid(1, 40, 1), Grid(20, 30, 37)});
  expect_bits_of_single_blocks<Sip<double, TypeParam>>(this->exec, MultiBlockGrid(blocks), {}, 20);
}

TYPED_TEST(MultiBlockTest, grid_blocks_together_on_few_multiprocessors) {
  auto const grid = cut_grid(Grid(20, 33, 36), {2, 2, 2}).grid;
  for (int const multiprocessors : {1, 3}) {
    expect_bits_of_single_blocks<BlockIlu0<double, 3, TypeParam>>(this->exec, grid,
                                                                  {.block = {.multiprocessors = multiprocessors}}, 3);
    expect_bits_of_single_blocks<Sip<double, TypeParam>>(this->exec, grid,
                                                         {.block = {.multiprocessors = multiprocessors}}, 3);
  }
}

/// The labels of what a factorization, or a solve, launches.
template <class P, class MatrixStorage, class Exec>
std::vector<std::string> launches(const Exec& exec, const MultiBlockGrid& grid, bool factor) {
  constexpr int n = P::Vector::block_size;
  auto const a = to_device<double, n, MatrixStorage>(exec, MultiBlockReference(grid, n));
  MultiBlockVector<double, n, Exec> const x(exec, grid);
  MultiBlock<P> preconditioner(exec, grid);
  preconditioner.factor(exec, a);
  exec.fence();
  KokkosEvents const events;
  factor ? preconditioner.factor(exec, a) : preconditioner.solve(exec, x, x);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  std::vector<std::string> labels;
  for (auto const& kernel : events.kernels()) labels.push_back(kernel.label);
  return labels;
}

/// Several grid blocks have as many launches as one.
template <class P, class MatrixStorage = double, class Exec>
void expect_launched_together(const Exec& exec, bool factor) {
  MultiBlockGrid const one({Grid(7, 9, 5)});
  MultiBlockGrid const several({Grid(7, 9, 5), Grid(3, 20, 4), Grid(1, 1, 1)});
  EXPECT_EQ((launches<P, MatrixStorage>(exec, several, factor)), (launches<P, MatrixStorage>(exec, one, factor)));
}

TYPED_TEST(MultiBlockTest, grid_blocks_of_a_colour_are_launched_together) {
  for (bool const factor : {false, true})
    expect_launched_together<BlockJacobi<double, 2, TypeParam>>(this->exec, factor);
  expect_launched_together<BlockJacobi<double, 2, TypeParam, Half>>(this->exec, true);
  using Ilu = BlockIlu0<double, 2, TypeParam>;
  if (Ilu(this->exec, Grid(7, 9, 5)).path() != SweepPath::slab) GTEST_SKIP() << "sweeps follow one another";
  for (bool const factor : {false, true}) {
    expect_launched_together<Ilu>(this->exec, factor);
    expect_launched_together<BlockIlu0<double, 1, TypeParam>>(this->exec, factor);
    expect_launched_together<BlockIlu0<double, 1, TypeParam, Half>>(this->exec, factor);
    expect_launched_together<Sip<double, TypeParam>>(this->exec, factor);
    expect_launched_together<Sip<double, TypeParam, Half>>(this->exec, factor);
    expect_launched_together<Sip<double, TypeParam, Half>, float>(this->exec, factor);
    expect_launched_together<Ssor<double, 2, TypeParam>>(this->exec, factor);
  }
}

TYPED_TEST(MultiBlockTest, factors_matrices_in_double_and_in_float_in_turn) {
  using Plan = MultiBlock<Sip<double, TypeParam>>;
  MultiBlockGrid const grid({Grid(9, 20, 5), Grid(3, 7, 4), Grid(1, 1, 1)});
  MultiBlockReference const reference(grid, 1);
  auto const in_double = to_device<double, 1, double>(this->exec, reference);
  auto const in_float = to_device<double, 1, float>(this->exec, reference);
  auto const rhs = to_device<double, 1>(this->exec, grid, random_vector(grid.size()));
  auto const solution = [&](Plan& plan, const auto& a) {
    MultiBlockVector<double, 1, TypeParam> const x(this->exec, grid);
    plan.factor(this->exec, a);
    plan.solve(this->exec, rhs, x);
    return to_host(this->exec, x);
  };
  Plan of_double(this->exec, grid), of_float(this->exec, grid), of_both(this->exec, grid);
  auto const expected = solution(of_double, in_double), expected_of_float = solution(of_float, in_float);
  EXPECT_FALSE(bitwise_equal(expected, expected_of_float));
  EXPECT_TRUE(bitwise_equal(solution(of_both, in_double), expected));
  EXPECT_TRUE(bitwise_equal(solution(of_both, in_float), expected_of_float));
  EXPECT_TRUE(bitwise_equal(solution(of_both, in_double), expected));
}

/// Each grid block has its own, and all have the first of them.
template <class P, class Exec>
void expect_failures(const Exec& exec) {
  constexpr int n = P::Vector::block_size;
  MultiBlockGrid const grid({Grid(4, 5, 3), Grid(9, 2, 2), Grid(3, 3, 3), Grid(2, 2, 2)});
  MultiBlockReference reference(grid, n);
  auto const make_singular = [&](int block, std::int64_t point) {
    for (int c = 0; c < n; ++c) {
      for (auto const direction : {Direction::bottom, Direction::south, Direction::west, Direction::center}) {
        reference.blocks[block].block(point, direction)(n / 2, c) = 0.0;
      }
    }
  };
  make_singular(1, 7);
  make_singular(3, 2);
  MultiBlock<P> preconditioner(exec, grid);
  preconditioner.factor(exec, to_device<double, n, double>(exec, reference));
  EXPECT_EQ(preconditioner.status(exec).grid_block, 1);
  EXPECT_TRUE(preconditioner.block(0).status(exec).ok());
  EXPECT_EQ(preconditioner.block(1).status(exec).point, grid.block(1).point(7));
  EXPECT_TRUE(preconditioner.block(2).status(exec).ok());
  EXPECT_EQ(preconditioner.block(3).status(exec).point, grid.block(3).point(2));
  preconditioner.factor(exec, to_device<double, n, double>(exec, MultiBlockReference(grid, n)));
  EXPECT_TRUE(preconditioner.status(exec).ok());
}

TYPED_TEST(MultiBlockTest, failures_of_grid_blocks_that_are_factored_together) {
  expect_failures<BlockIlu0<double, 3, TypeParam>>(this->exec);
  expect_failures<BlockIlu0<double, 1, TypeParam>>(this->exec);
  expect_failures<Sip<double, TypeParam>>(this->exec);
  expect_failures<Ssor<double, 2, TypeParam>>(this->exec);
  expect_failures<BlockJacobi<double, 3, TypeParam>>(this->exec);
}

/// Copies share factors and working memory, and outlive the plan that they are of: they solve, and are factored again.
template <class P, class Exec>
void expect_copies_to_outlive_the_original(const Exec& exec) {
  constexpr int n = P::Vector::block_size;
  auto const grid = cut_grid(Grid(8, 12, 6), {2, 2, 1}).grid;
  auto const rhs = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
  auto const a = to_device<double, n, double>(exec, MultiBlockReference(grid, n));
  MultiBlockReference changed(grid, n);
  for (auto& block : changed.blocks) block.block(0, Direction::center)(0, 0) *= 1.5;
  auto const other = to_device<double, n, double>(exec, changed);
  MultiBlockVector<double, n, Exec> const x(exec, grid), expected(exec, grid);
  std::optional<MultiBlock<P>> original(std::in_place, exec, grid);
  original->factor(exec, other);
  original->solve(exec, rhs, expected);
  auto const of_other = to_host(exec, expected);
  original->factor(exec, a);
  original->solve(exec, rhs, expected);
  MultiBlock<P> copy = *original;
  original.reset();
  copy.solve(exec, rhs, x);
  EXPECT_TRUE(bitwise_equal(to_host(exec, x), to_host(exec, expected)));
  copy.factor(exec, other);
  copy.solve(exec, rhs, x);
  EXPECT_TRUE(bitwise_equal(to_host(exec, x), of_other));
  EXPECT_FALSE(bitwise_equal(to_host(exec, expected), of_other));
}

TYPED_TEST(MultiBlockTest, copies_outlive_the_original) {
  expect_copies_to_outlive_the_original<BlockIlu0<double, 1, TypeParam>>(this->exec);
  expect_copies_to_outlive_the_original<BlockIlu0<double, 2, TypeParam>>(this->exec);
  expect_copies_to_outlive_the_original<Ssor<double, 2, TypeParam>>(this->exec);
  expect_copies_to_outlive_the_original<Sip<double, TypeParam>>(this->exec);
  expect_copies_to_outlive_the_original<BlockJacobi<double, 2, TypeParam>>(this->exec);
  expect_copies_to_outlive_the_original<LineImplicit<double, 2, TypeParam>>(this->exec);
}

#ifdef KOKKOS_ENABLE_OPENMP
/// The bits of solves with couplings do not depend on the number of threads.
template <class P>
void expect_same_bits_with_couplings(Coupling coupling) {
  constexpr int n = P::Vector::block_size;
  auto const grid = cut_grid(Grid(9, 37, 11), {2, 2, 2}, {false, true, false}).grid;
  MultiBlockReference const reference(grid, n);
  auto const values = random_vector(grid.size() * n);
  expect_same_bits_on_threads([&](const Kokkos::OpenMP& exec) {
    MultiBlock<P> plan(exec, grid, {.coupling = coupling});
    plan.factor(exec, to_device<double, n, double>(exec, reference));
    auto const x = to_device<double, n>(exec, grid, values);
    plan.solve(exec, x, x);
    return to_host(exec, x);
  });
}

TEST(MultiBlockThreads, do_not_change_bits_of_solves_with_couplings) {
  using Exec = Kokkos::OpenMP;
  for (auto const coupling : {Coupling::coloured, Coupling::natural}) {
    expect_same_bits_with_couplings<BlockIlu0<double, 3, Exec>>(coupling);
    expect_same_bits_with_couplings<Ssor<double, 3, Exec>>(coupling);
  }
  expect_same_bits_with_couplings<Sip<double, Exec>>(Coupling::coloured);
}
#endif

}  // namespace
}  // namespace hyperplane::test
