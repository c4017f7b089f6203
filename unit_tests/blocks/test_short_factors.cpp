// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/parted.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/short_factors.hpp"
#include "support/transfer.hpp"

// Grid blocks whose factors are stored in 16 or 8 bits.
namespace hyperplane::test::short_factors {
namespace {

template <class Exec>
class ShortFactorsOfBlocks : public ::testing::Test {};
TYPED_TEST_SUITE(ShortFactorsOfBlocks, ExecutionSpaces, SpaceNames);

constexpr int n = 3;
template <class Storage, class Exec>
using Ilu = BlockIlu0<double, n, Exec, Storage>;
template <class Storage, class Exec>
using Relaxation = Ssor<double, n, Exec, Storage>;

/// With P of factors in Storage.
template <class P, class Storage, class Exec>
std::vector<double> solve(const Exec& exec, const ReferenceStencil& a, const std::vector<double>& rhs,
                          Coupling coupling) {
  Parted<typename P::template WithStorage<Storage>, double> parted(exec, a.grid,
                                                                   {.parts = {2, 3, 2}, .coupling = coupling});
  parted.factor(exec, to_device<double, n, double>(exec, a));
  auto const x = to_device<double, n>(exec, a.grid, rhs);
  parted.solve(exec, x, x);
  EXPECT_TRUE(parted.status(exec).ok()) << parted.status(exec).message();
  return to_host(exec, x);
}

/// P has factors of double.
template <class P, class Exec>
void compare_with_double(const Exec& exec) {
  auto const a = random_stencil(Grid(9, 20, 5), n);
  auto const rhs = random_vector(a.rows());
  for (Coupling const coupling : {Coupling::none, Coupling::coloured}) {
    auto const expected = solve<P, double>(exec, a, rhs, coupling);
    EXPECT_TRUE(near(solve<P, BFloat16>(exec, a, rhs, coupling), expected, 10 * n * unit_roundoff<BFloat16>));
  }
  auto const expected = solve<P, double>(exec, a, rhs, Coupling::none);
  EXPECT_TRUE(near(solve<P, Half>(exec, a, rhs, Coupling::none), expected, 10 * n * unit_roundoff<Half>));
  EXPECT_TRUE(near(solve<P, Quarter>(exec, a, rhs, Coupling::none), expected, 10 * n * unit_roundoff<Quarter>));
  auto const in_units = [&]<class Storage>(std::type_identity<Storage>) {
    return over_unknowns(solve<P, Storage>(exec, in_other_units(a), times_equations(rhs, n), Coupling::none), n);
  };
  EXPECT_TRUE(near(in_units(std::type_identity<Half>{}), expected, 10 * n * unit_roundoff<Half>));
  EXPECT_TRUE(near(in_units(std::type_identity<Quarter>{}), expected, 10 * n * unit_roundoff<Quarter>));
}

TYPED_TEST(ShortFactorsOfBlocks, are_those_of_double_to_rounding) {
  TypeParam const exec;
  compare_with_double<Ilu<double, TypeParam>>(exec);
  compare_with_double<Relaxation<double, TypeParam>>(exec);
}

TYPED_TEST(ShortFactorsOfBlocks, are_not_coupled_where_each_grid_block_has_units) {
  static_assert(!MultiBlock<Ilu<Half, TypeParam>>::can_be_coloured);
  static_assert(!MultiBlock<Ilu<Quarter, TypeParam>>::can_be_coloured);
  static_assert(MultiBlock<Ilu<BFloat16, TypeParam>>::can_be_coloured);
  static_assert(!MultiBlock<Relaxation<Half, TypeParam>>::can_be_coloured);
  static_assert(!MultiBlock<Relaxation<Quarter, TypeParam>>::can_be_coloured);
  static_assert(MultiBlock<Relaxation<BFloat16, TypeParam>>::can_be_coloured);
}

}  // namespace
}  // namespace hyperplane::test::short_factors
