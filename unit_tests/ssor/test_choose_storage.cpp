// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hyperplane/blocks/parted.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/sweep/choose_storage.hpp>
#include <limits>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/message_of.hpp"
#include "support/short_factors.hpp"
#include "support/transfer.hpp"

// The narrowest storage in which a preconditioner stays nearly what it is.
namespace hyperplane::test::chosen_storage {
namespace {

constexpr int n = 4;
template <class Exec>
using Ilu = BlockIlu0<double, n, Exec>;

template <class Exec>
class ChooseStorage : public ::testing::Test {
 protected:
  Exec exec;

  StorageKind choose(const ReferenceStencil& a, double fraction = 0.05) const {
    return choose_storage<Ilu<Exec>>(exec, to_device<double, n, double>(exec, a), {.fraction = fraction});
  }
};
TYPED_TEST_SUITE(ChooseStorage, ExecutionSpaces, SpaceNames);

/// Of BILU(0) and SSOR of one grid block, which have factors of 8 bits, where their solves are the fastest.
template <class Exec>
constexpr StorageKind narrowest = HostExecutionSpace<Exec> ? StorageKind::quarter : StorageKind::half;

/// The largest fraction that M^-1 of three random vectors differs by: the definition, with vectors of its own.
template <class Storage, class Exec>
double difference(const Exec& exec, const ReferenceStencil& a) {
  double largest = 0;
  for (unsigned const seed : {11U, 12U, 13U}) {
    auto const rhs = random_vector(a.rows(), seed);
    using Narrow = typename Ilu<Exec>::template WithStorage<Storage>;
    auto const found = factor_and_solve_short<Narrow>(exec, a, rhs, {});
    auto const expected = factor_and_solve_short<Ilu<Exec>>(exec, a, rhs, {});
    double lost = 0, whole = 0;
    for (std::size_t row = 0; row < rhs.size(); ++row) {
      lost += std::pow(found[row] - expected[row], 2);
      whole += std::pow(expected[row], 2);
    }
    largest = std::max(largest, std::sqrt(lost / whole));
  }
  return largest;
}

TYPED_TEST(ChooseStorage, is_the_narrowest_that_is_near_enough) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(7, 1, 1), Grid(5, 9, 3)}) {
    auto const a = random_stencil(grid, n);
    auto const half = difference<Half>(this->exec, a), single = difference<float>(this->exec, a);
    // Random vectors differ in this by less than that.
    constexpr double other_vectors = 30;
    EXPECT_EQ(this->choose(a), narrowest<TypeParam>) << to_string(grid);
    double const quarter = difference<Quarter>(this->exec, a);
    EXPECT_EQ(this->choose(a, quarter * other_vectors), narrowest<TypeParam>) << to_string(grid);
    // Without couplings both are the same.
    if (grid.size() > 100) {
      EXPECT_EQ(this->choose(a, std::sqrt(quarter * half)), StorageKind::half) << to_string(grid);
    }
    EXPECT_EQ(this->choose(a, half / other_vectors), StorageKind::single_precision) << to_string(grid);
    EXPECT_EQ(this->choose(a, single / other_vectors), StorageKind::double_precision) << to_string(grid);
    EXPECT_EQ(this->choose(a, 0), StorageKind::double_precision) << to_string(grid);
  }
}

TYPED_TEST(ChooseStorage, takes_the_next_type_where_factors_overflow) {
  auto a = random_stencil(Grid(5, 9, 3), n);
  auto const point = a.grid.index(2, 4, 1);
  // Far more than its neighbours: beyond the range of half in the units of the others.
  a.block(point, Direction::north)(1, 0) = 1e7;
  EXPECT_EQ(this->choose(a, 0.9), StorageKind::bfloat16);
  // Beyond the range of a float, too.
  a.block(point, Direction::north)(1, 0) = 1e60;
  EXPECT_EQ(this->choose(a, 0.9), StorageKind::double_precision);
}

TYPED_TEST(ChooseStorage, follows_rows_of_any_size_as_far_as_a_type_has_them) {
  auto a = random_stencil(Grid(4, 3, 3), n);
  auto const scale = [&](double factor) {
    for (auto& blocks : a.blocks) {
      for (auto& block : blocks) {
        for (int e = 0; e < n * n; ++e) block(e / n, e % n) *= factor;
      }
    }
  };
  scale(1e30);
  EXPECT_EQ(this->choose(a), narrowest<TypeParam>) << "which has units";
  scale(1e30);
  EXPECT_EQ(this->choose(a), StorageKind::double_precision) << "beyond the units, which are those of a float";
}

TYPED_TEST(ChooseStorage, keeps_the_bits_of_couplings_that_cancel) {
  // Each point has nearly singular diagonal blocks, and what is before it nearly cancels.
  ReferenceStencil a(Grid(6, 1, 1), n);
  double const rest = 1e-3;
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    auto& diagonal = a.block(p, Direction::center);
    for (int r = 2; r < n; ++r) diagonal(r, r) = 1;
    diagonal(0, 0) = diagonal(0, 1) = diagonal(1, 0) = 1.1;
    diagonal(1, 1) = 1.1 + rest;
    if (p == 0) continue;
    auto& west = a.block(p, Direction::west);
    west(0, 0) = 0.7;
    west(0, 1) = 0.7 * (1 + rest);
  }
  EXPECT_EQ(this->choose(a, 0.01), StorageKind::single_precision);
}

TYPED_TEST(ChooseStorage, is_that_of_the_arithmetic_where_there_are_no_factors) {
  auto a = random_stencil(Grid(4, 3, 2), n);
  for (auto& block : a.blocks[5]) {
    for (int e = 0; e < n * n; ++e) block(e / n, e % n) = 0;
  }
  EXPECT_EQ(this->choose(a, 100), StorageKind::double_precision);
  auto const of_floats = to_device<float, n, float>(this->exec, a);
  using OfFloat = BlockIlu0<float, n, TypeParam>;
  EXPECT_EQ(choose_storage<OfFloat>(this->exec, of_floats), StorageKind::single_precision);
}

TYPED_TEST(ChooseStorage, is_not_of_8_bits_where_there_are_none_or_they_do_not_pay) {
  static_assert(detail::MayBeTried<Ilu<TypeParam>, Quarter> == HostExecutionSpace<TypeParam>);
  static_assert(!detail::MayBeTried<BlockIlu0<double, 3, TypeParam>, Quarter>);
  static_assert(!detail::MayBeTried<MultiBlock<Ilu<TypeParam>>, Quarter>);
  static_assert(detail::MayBeTried<Ssor<double, n, TypeParam>, Quarter> == HostExecutionSpace<TypeParam>);
  static_assert(!detail::MayBeTried<Ssor<double, 3, TypeParam>, Quarter>);
  static_assert(!detail::MayBeTried<MultiBlock<Ssor<double, n, TypeParam>>, Quarter>);
  static_assert(!detail::MayBeTried<BlockJacobi<double, n, TypeParam>, Quarter>);
  auto const a = to_device<double, n, double>(this->exec, random_stencil(Grid(6, 10, 3), n));
  auto const choose = [&](const BlockIlu0Options& options) {
    return choose_storage<Ilu<TypeParam>>(this->exec, a, {}, options);
  };
  EXPECT_EQ(choose({.folded = {.i = true}}), StorageKind::half);
  EXPECT_EQ(choose({.path = SweepPath::portable}), StorageKind::half);
  if (HostExecutionSpace<TypeParam>) {
    EXPECT_EQ(choose({.path = SweepPath::slab}), StorageKind::quarter);
  }
  using Parts = Parted<Ilu<TypeParam>>;
  EXPECT_EQ(choose_storage<Parts>(this->exec, a), narrowest<TypeParam>);
  EXPECT_EQ(choose_storage<Parts>(this->exec, a, {}, {.parts = {1, 2, 1}}), StorageKind::half);
}

TYPED_TEST(ChooseStorage, is_for_ssor_too_and_for_all_that_its_options_say) {
  auto const a = random_stencil(Grid(6, 10, 3), n);
  auto const on_device = to_device<double, n, double>(this->exec, a);
  using Plan = Ssor<double, n, TypeParam>;
  for (auto const& options : short_options_of<Plan>()) {
    bool const by_slabs = options.path == SweepPath::slab && !options.folded.any();
    EXPECT_EQ(choose_storage<Plan>(this->exec, on_device, {}, options),
              by_slabs ? narrowest<TypeParam> : StorageKind::half)
        << described(options);
  }
  EXPECT_EQ(choose_storage<Plan>(this->exec, on_device), narrowest<TypeParam>);
  using Parts = Parted<Plan>;
  EXPECT_EQ(choose_storage<Parts>(this->exec, on_device), narrowest<TypeParam>);
  EXPECT_EQ(choose_storage<Parts>(this->exec, on_device, {}, {.parts = {1, 2, 1}}), StorageKind::half);
}

TYPED_TEST(ChooseStorage, is_for_jacobi_sip_and_block_csr_too) {
  auto const a = random_stencil(Grid(6, 10, 3), 1);
  auto const on_device = to_device<double, 1, double>(this->exec, a);
  EXPECT_EQ((choose_storage<Sip<double, TypeParam>>(this->exec, on_device)), StorageKind::half);
  EXPECT_EQ((choose_storage<BlockJacobi<double, 1, TypeParam>>(this->exec, on_device)), StorageKind::half);
  using Iluk = BlockIlukCsr<double, n, TypeParam>;
  auto const rows = to_device<double, n, double>(this->exec, random_csr(40, n));
  EXPECT_EQ(choose_storage<Iluk>(this->exec, rows, {}, {.fill = 1}), StorageKind::half);
  EXPECT_EQ(choose_storage<Iluk>(this->exec, rows, {.fraction = 1e-10}), StorageKind::double_precision);
}

TYPED_TEST(ChooseStorage, random_vectors_are_functions_of_the_seed_and_the_point) {
  auto const random = [&](const Grid& grid, std::uint64_t seed) {
    BlockVector<double, n, TypeParam> const vector(this->exec, grid);
    detail::fill_random(this->exec, vector, seed);
    auto values = to_host(this->exec, vector);
    double inside = 0, all = 0;
    for (double const value : values) {
      EXPECT_GE(value, -1.0);
      EXPECT_LT(value, 1.0);
      inside += std::abs(value);
    }
    for (double const value : to_host(vector.flat())) all += std::abs(value);
    EXPECT_NEAR(inside, all, 1e-12 * all) << "padding is zero";
    EXPECT_NEAR(inside / static_cast<double>(values.size()), 0.5, 0.1);
    return values;
  };
  auto const values = random(Grid(60, 1, 1), 0);
  EXPECT_EQ(random(Grid(3, 20, 1), 0), values) << "whatever the layout";
  EXPECT_EQ(random(Grid(3, 4, 5), 0), values);
  EXPECT_NE(random(Grid(3, 4, 5), 1), values);
}

TYPED_TEST(ChooseStorage, refuses_fractions_that_are_none) {
  auto const a = random_stencil(Grid(2, 2, 2), n);
  for (double const fraction : {-0.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(
        message_of([&] { this->choose(a, fraction); }),
        ::testing::StartsWith("choose_storage: fraction is " + detail::shortest(fraction) + ", expected at least 0"));
  }
}

}  // namespace
}  // namespace hyperplane::test::chosen_storage
