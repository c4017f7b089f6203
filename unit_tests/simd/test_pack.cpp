// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/simd/transpose.hpp>
#include <limits>

#include "support/execution_spaces.hpp"

namespace hyperplane::test {
namespace {

template <class P>
P counting(double first, double step) {
  P result(0);
  for (int lane = 0; lane < P::lanes; ++lane) {
    result.set(lane, static_cast<typename P::value_type>(first + step * lane));
  }
  return result;
}

template <class P>
class PackTest : public ::testing::Test {};
using Packs = ::testing::Types<Pack<double, 1>, Pack<double, 2>, Pack<double, 4>, Pack<double, 8>, Pack<float, 4>,
                               Pack<float, 8>, Pack<float, 16>>;
TYPED_TEST_SUITE(PackTest, Packs);

TYPED_TEST(PackTest, transpose_exchanges_rows_and_lanes) {
  using P = TypeParam;
  P rows[P::lanes];
  for (int r = 0; r < P::lanes; ++r) rows[r] = counting<P>(100 * r, 1);
  transpose(rows);
  for (int r = 0; r < P::lanes; ++r) {
    for (int lane = 0; lane < P::lanes; ++lane) EXPECT_EQ(rows[r][lane], 100 * lane + r);
  }
}

TYPED_TEST(PackTest, arithmetic_is_lane_by_lane) {
  using P = TypeParam;
  auto const a = counting<P>(1, 1), b = counting<P>(3, -2);
  auto c = a;
  c += b;
  c *= a;
  c -= b;
  for (int lane = 0; lane < P::lanes; ++lane) {
    EXPECT_EQ((a + b)[lane], a[lane] + b[lane]);
    EXPECT_EQ((a - b)[lane], a[lane] - b[lane]);
    EXPECT_EQ((a * b)[lane], a[lane] * b[lane]);
    EXPECT_EQ((a / b)[lane], a[lane] / b[lane]);
    EXPECT_EQ((-a)[lane], -a[lane]);
    EXPECT_EQ(abs(b)[lane], std::abs(b[lane]));
    EXPECT_EQ(c[lane], (a[lane] + b[lane]) * a[lane] - b[lane]);
    EXPECT_EQ(P(7)[lane], 7);
  }
}

TYPED_TEST(PackTest, masks_select_and_combine) {
  using P = TypeParam;
  auto const a = counting<P>(0, 1);
  P const limit(1);
  auto const below = a < limit;
  EXPECT_TRUE(any(below));
  EXPECT_FALSE(any(a < P(0)));
  EXPECT_EQ(any(!below), P::lanes > 1);
  EXPECT_TRUE(any(a == a));
  EXPECT_FALSE(any(a != a));
  EXPECT_FALSE(any((a < limit) & (a > limit)));
  auto const chosen = select(below, P(-1), a);
  for (int lane = 0; lane < P::lanes; ++lane) {
    EXPECT_EQ(below[lane], lane < 1);
    EXPECT_EQ(chosen[lane], lane < 1 ? -1 : lane);
  }
}

TYPED_TEST(PackTest, any_sees_every_single_lane) {
  using P = TypeParam;
  for (int lane = 0; lane < P::lanes; ++lane) {
    P a(0);
    a.set(lane, 1);
    EXPECT_TRUE(any(a > P(0))) << lane;
  }
}

TYPED_TEST(PackTest, shifts_move_by_one_lane) {
  using P = TypeParam;
  using T = typename P::value_type;
  auto const a = counting<P>(10, 1);
  auto const from_lower = shift_from_lower_lane(a, T(5));
  auto const from_upper = shift_from_upper_lane(a, T(6));
  for (int lane = 0; lane < P::lanes; ++lane) {
    EXPECT_EQ(from_lower[lane], lane == 0 ? T(5) : a[lane - 1]);
    EXPECT_EQ(from_upper[lane], lane == P::lanes - 1 ? T(6) : a[lane + 1]);
  }
}

TYPED_TEST(PackTest, loads_and_stores_convert) {
  using P = TypeParam;
  alignas(64) float narrow[P::lanes];
  alignas(128) typename P::value_type same[P::lanes], streamed[P::lanes];
  auto const a = counting<P>(1.5, 0.25);
  a.store(narrow);
  a.store(same);
  a.stream(streamed);
  stream_fence();
  for (int lane = 0; lane < P::lanes; ++lane) {
    EXPECT_EQ(narrow[lane], static_cast<float>(a[lane]));
    EXPECT_EQ(same[lane], a[lane]);
    EXPECT_EQ(streamed[lane], a[lane]);
    EXPECT_EQ(P::load(narrow)[lane], a[lane]);
    EXPECT_EQ(P::load(same)[lane], a[lane]);
  }
}

TYPED_TEST(PackTest, powers_of_two_have_reciprocals_and_bfloat16s_without_rounding) {
  using P = TypeParam;
  using T = typename P::value_type;
  alignas(64) BFloat16 stored[P::lanes];
  alignas(64) Half same_bits[P::lanes];
  for (int first = -120; first + P::lanes <= 121; first += P::lanes) {
    P powers(1);
    for (int lane = 0; lane < P::lanes; ++lane) powers.set(lane, std::ldexp(T(1), first + lane));
    powers.store_exact(stored);
    for (int lane = 0; lane < P::lanes; ++lane) {
      EXPECT_EQ(power_below(powers * P(T(1.9)))[lane], powers[lane]);
      EXPECT_EQ(power_reciprocal(powers)[lane], T(1) / powers[lane]);
      EXPECT_EQ(power_reciprocal(powers[lane]), T(1) / powers[lane]);
      EXPECT_EQ(static_cast<T>(static_cast<float>(stored[lane])), powers[lane]);
      same_bits[lane].m_bits = stored[lane].m_bits;
    }
    for (int lane = 0; lane < P::lanes; ++lane) {
      EXPECT_EQ(P::template load_bits<BFloat16>(same_bits)[lane], powers[lane]);
    }
  }
}

template <class Exec>
class InterleavedViewTest : public ::testing::Test {};
TYPED_TEST_SUITE(InterleavedViewTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(InterleavedViewTest, is_zeroed_and_interleaves_lanes_fastest) {
  TypeParam const exec;
  InterleavedView<double, 4, 3, TypeParam> const view(exec, "view", 5);
  EXPECT_EQ(view.packs(), 5);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view.flat());
  ASSERT_EQ(host.size(), 60u);
  for (std::size_t e = 0; e < host.size(); ++e) EXPECT_EQ(host(e), 0.0);
  InterleavedRef<double, 4, 3> const ref(host.data());
  EXPECT_EQ(&ref(2, 1, 3), host.data() + (2 * 3 + 1) * 4 + 3);
  EXPECT_EQ(ref.pack_data(2, 1), host.data() + (2 * 3 + 1) * 4);
}

}  // namespace
}  // namespace hyperplane::test
