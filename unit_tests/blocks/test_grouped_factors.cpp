// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <algorithm>
#include <hyperplane/blocks/mask_points.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <limits>
#include <type_traits>

#include "multi_block_fixture.hpp"
#include "support/masks.hpp"

// Factorizations of several grid blocks together beside one grid block after the other: bits, and what statuses say.
namespace hyperplane::test::grouped_factors {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Grid blocks that meet nowhere: with one point, thinner than a SIMD group, wider, and odd ones.
MultiBlockGrid mixed_grid() {
  return MultiBlockGrid({Grid(1, 1, 1), Grid(9, 7, 5), Grid(1, 33, 1), Grid(17, 1, 2), Grid(2, 9, 1), Grid(1, 1, 13),
                         Grid(11, 19, 6), Grid(3, 8, 4)});
}

/// Instances of the execution space with several numbers of threads, where it has such.
template <class Exec>
std::vector<Exec> instances() {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) return {Exec(1), Exec(2), Exec(4)};
#endif
  return {Exec()};
}

/// All factors of a plan on a host.
template <class P>
std::vector<double> factors_of(const P& plan) {
  using Storage = typename P::storage_type;
  constexpr int block = P::block_size * P::block_size * P::Sweeps::vector_length;
  auto const factors = plan.sweeps().factors();
  auto const packs = factors.m_map.pack_count();
  const Storage* const lower = factors.m_lower.pack_data(0);
  const Storage* const upper = factors.m_upper.pack_data(0);
  std::vector<double> result;
  auto const add = [&](const Storage& value) { result.push_back(static_cast<double>(value)); };
  std::for_each(lower, lower + packs * detail::lower_blocks * block, add);
  std::for_each(upper, upper + packs * detail::upper_blocks * block, add);
  return result;
}

/// Statuses and, of grid blocks that have none, bits are those of one grid block after the other; the number of the
/// first that fails.
template <class P, class Exec, class Matrix>
int expect_those_of_single_blocks(const Exec& exec, MultiBlock<P>& all, const Matrix& a) {
  constexpr int n = P::Vector::block_size;
  auto const& grid = a.grid();
  auto const values = random_vector(grid.size() * n);
  auto const rhs = to_device<double, n>(exec, grid, values);
  MultiBlockVector<double, n, Exec> const x(exec, grid), expected(exec, grid);
  int failed = -1;
  all.factor(exec, a);
  all.solve(exec, rhs, x);
  for (int b = 0; b < grid.block_count(); ++b) {
    P one(exec, grid.block(b));
    one.factor(exec, a.block(b));
    auto const status = one.status(exec);
    EXPECT_EQ(all.block(b).status(exec).message(), status.message()) << "grid block " << b;
    if (!status.ok()) {
      if (failed < 0) failed = b;
      continue;
    }
    one.solve(exec, rhs.block(b), expected.block(b));
    EXPECT_TRUE(bitwise_equal(to_host(exec, x.block(b)), to_host(exec, expected.block(b)))) << "grid block " << b;
    if constexpr (HostExecutionSpace<Exec> && requires { one.sweeps(); }) {
      EXPECT_TRUE(bitwise_equal(factors_of(all.block(b)), factors_of(one))) << "grid block " << b;
    }
  }
  auto const status = all.status(exec);
  EXPECT_EQ(status.ok(), failed < 0) << status.message();
  EXPECT_EQ(status.grid_block, std::max(failed, 0)) << status.message();
  return failed;
}

/// A matrix without what the mask has, which was nonsense; the last grid block is masked as a whole.
template <int n, class MatrixStorage, class Exec>
auto masked_matrix(const Exec& exec, MultiBlockReference reference) {
  Mask mask;
  int const count = reference.grid.block_count();
  for (int b = 0; b < count; ++b) {
    auto const& block = reference.grid.block(b);
    auto const of_block = b + 1 == count ? Mask(block.size(), 0) : mask_of(block);
    reference.blocks[b] = with_nonsense(reference.blocks[b], of_block);
    mask.insert(mask.end(), of_block.begin(), of_block.end());
  }
  auto const a = to_device<double, n, MatrixStorage>(exec, reference);
  mask_points(exec, to_view<std::int8_t>(exec, mask), a);
  return a;
}

/// With a row of zeros, towards lower neighbours too, in two grid blocks, and values that are not finite in two others.
MultiBlockReference failing(MultiBlockReference reference) {
  int const n = reference.n;
  auto const make_singular = [&](int block, std::int64_t point) {
    for (int c = 0; c < n; ++c) {
      for (auto const direction : {Direction::bottom, Direction::south, Direction::west, Direction::center}) {
        reference.blocks[block].block(point, direction)(n / 2, c) = 0.0;
      }
    }
  };
  make_singular(1, 100);
  make_singular(6, 1234);
  make_singular(6, 300);
  reference.blocks[3].block(20, Direction::west)(n / 2, 0) = infinite;
  reference.blocks[4].block(5, Direction::center)(0, n / 2) = infinite;
  return reference;
}

/// One plan for one matrix after the other: what fails leaves nothing behind.
template <class P, class MatrixStorage = double, class Exec>
void expect_factors_of_single_blocks(const Exec& own) {
  constexpr int n = P::Vector::block_size;
  MultiBlockReference const reference(mixed_grid(), n);
  auto const good = to_device<double, n, MatrixStorage>(own, reference);
  auto const bad = to_device<double, n, MatrixStorage>(own, failing(reference));
  auto const masked = masked_matrix<n, MatrixStorage>(own, reference);
  own.fence();
  for (auto const& exec : instances<Exec>()) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", " + std::to_string(detail::concurrency_of(exec)) + " threads");
    MultiBlock<P> all(exec, reference.grid);
    EXPECT_EQ(expect_those_of_single_blocks(exec, all, good), -1);
    EXPECT_EQ(expect_those_of_single_blocks(exec, all, bad), 1);
    EXPECT_EQ(expect_those_of_single_blocks(exec, all, masked), -1);
    EXPECT_EQ(expect_those_of_single_blocks(exec, all, good), -1);
  }
}

TYPED_TEST_SUITE(MultiBlockTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(MultiBlockTest, factorizations_of_bilu0_have_the_bits_and_statuses_of_one_grid_block_after_the_other) {
  expect_factors_of_single_blocks<BlockIlu0<double, 1, TypeParam>>(this->exec);
  expect_factors_of_single_blocks<BlockIlu0<double, 5, TypeParam>>(this->exec);
  expect_factors_of_single_blocks<BlockIlu0<double, 1, TypeParam, BFloat16>>(this->exec);
  expect_factors_of_single_blocks<BlockIlu0<double, 3, TypeParam, Half>>(this->exec);
}

TYPED_TEST(MultiBlockTest, factorizations_of_ssor_have_the_bits_and_statuses_of_one_grid_block_after_the_other) {
  expect_factors_of_single_blocks<Ssor<double, 1, TypeParam>>(this->exec);
  expect_factors_of_single_blocks<Ssor<double, 5, TypeParam>>(this->exec);
  expect_factors_of_single_blocks<Ssor<double, 5, TypeParam, float>, float>(this->exec);
}

TYPED_TEST(MultiBlockTest, factorizations_of_sip_have_the_bits_and_statuses_of_one_grid_block_after_the_other) {
  expect_factors_of_single_blocks<Sip<double, TypeParam>>(this->exec);
  expect_factors_of_single_blocks<Sip<double, TypeParam, float>>(this->exec);
  expect_factors_of_single_blocks<Sip<double, TypeParam, float>, float>(this->exec);
  expect_factors_of_single_blocks<Sip<double, TypeParam, Half>>(this->exec);
  expect_factors_of_single_blocks<Sip<double, TypeParam, BFloat16>>(this->exec);
}

TYPED_TEST(MultiBlockTest,
           factorizations_of_block_jacobi_have_the_bits_and_statuses_of_one_grid_block_after_the_other) {
  expect_factors_of_single_blocks<BlockJacobi<double, 1, TypeParam>>(this->exec);
  expect_factors_of_single_blocks<BlockJacobi<double, 5, TypeParam>>(this->exec);
  expect_factors_of_single_blocks<BlockJacobi<double, 3, TypeParam, Half>>(this->exec);
}

/// Where one of several matrices is of another grid, all plans still have their factors.
template <class P, class Exec>
void expect_refused_factorizations_to_forget_nothing(const Exec& exec) {
  constexpr int n = P::Vector::block_size;
  using Grouped = typename detail::GroupedFactorOf<P>::Type;
  MultiBlockGrid const grid({Grid(5, 3, 2), Grid(4, 9, 3)}), other({Grid(5, 3, 2), Grid(4, 9, 2)});
  auto const a = to_device<double, n, double>(exec, MultiBlockReference(grid, n));
  auto const b = to_device<double, n, double>(exec, MultiBlockReference(other, n));
  std::vector<P> plans;
  typename P::Options const options{.path = SweepPath::slab};
  for (auto const& block : grid.blocks()) plans.emplace_back(exec, block, options);
  detail::BlockPacks<Grouped::vector_length> const packs(grid);
  std::vector<typename detail::GroupedSweepsOf<P>::Type::Member> members;
  for (int g = 0; g < 2; ++g) members.push_back({plans[g].sweeps(), packs.first(g)});
  Grouped const grouped(exec, members, 0);
  auto const plan_of = [&](int g) -> P& { return plans[g]; };
  grouped.template run<double>(exec, plan_of, [&](int g) { return a.block(g); });
  EXPECT_THROW(grouped.template run<double>(exec, plan_of, [&](int g) { return b.block(g); }), Error);
  for (int g = 0; g < 2; ++g) {
    BlockVector<double, n, Exec> const x(exec, grid.block(g));
    EXPECT_NO_THROW(plans[g].solve(exec, x, x)) << g;
    EXPECT_TRUE(plans[g].status(exec).ok()) << g;
  }
}

TYPED_TEST(MultiBlockTest, refused_factorizations_of_several_grid_blocks_forget_nothing) {
  if (!std::ranges::count(paths_of<TypeParam>(), SweepPath::slab)) {
    GTEST_SKIP() << "only sweeps with SweepPath::slab are grouped, which this execution space or device does not have";
  }
  expect_refused_factorizations_to_forget_nothing<BlockIlu0<double, 5, TypeParam>>(this->exec);
  expect_refused_factorizations_to_forget_nothing<Ssor<double, 5, TypeParam>>(this->exec);
  expect_refused_factorizations_to_forget_nothing<Ssor<double, 1, TypeParam>>(this->exec);
  expect_refused_factorizations_to_forget_nothing<Sip<double, TypeParam>>(this->exec);
}

}  // namespace
}  // namespace hyperplane::test::grouped_factors
