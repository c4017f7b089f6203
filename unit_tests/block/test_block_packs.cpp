// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/simd/pack.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/matchers.hpp"

// Products and inverses of blocks of vectors, which hosts compute by tiles and panels for the larger sizes.

namespace hyperplane::test::block_packs {
namespace {

constexpr int w = 4;
using P = Pack<double, w>;
template <int n>
using Scalars = block::Matrix<double, n>;
template <int n>
using Packs = block::Matrix<P, n>;

template <class Function>
void for_each_block_size(Function&& function) {
  [&]<int... n>(std::integer_sequence<int, n...>) {
    (function(std::integral_constant<int, n + 1>{}), ...);
  }(std::make_integer_sequence<int, 16>{});
}

/// With `diagonal` zero pivots are anywhere, with n or more they are where they are.
template <int n>
Scalars<n> random_block(unsigned seed, double diagonal = 0) {
  Scalars<n> a;
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (auto& entry : a.m_entries) entry = uniform(engine);
  for (int r = 0; r < n; ++r) a(r, r) += diagonal;
  return a;
}

template <int n>
Packs<n> interleave(const std::vector<Scalars<n>>& lanes) {
  Packs<n> a;
  for (int e = 0; e < n * n; ++e) {
    alignas(P) double values[w];
    for (int lane = 0; lane < w; ++lane) values[lane] = lanes[lane].m_entries[e];
    a.m_entries[e] = P::load(values);
  }
  return a;
}

template <int n>
Scalars<n> lane_of(const Packs<n>& a, int lane) {
  Scalars<n> result;
  for (int e = 0; e < n * n; ++e) result.m_entries[e] = a.m_entries[e][lane];
  return result;
}

/// Largest entry of A B - C.
template <int n>
double difference(const Scalars<n>& a, const Scalars<n>& b, const Scalars<n>& c) {
  double largest = 0;
  for (int r = 0; r < n; ++r) {
    for (int column = 0; column < n; ++column) {
      double sum = -c(r, column);
      for (int m = 0; m < n; ++m) sum += a(r, m) * b(m, column);
      if (!(std::abs(sum) <= largest)) largest = std::abs(sum);
    }
  }
  return largest;
}

template <int n>
Scalars<n> unit() {
  Scalars<n> a{};
  for (int r = 0; r < n; ++r) a(r, r) = 1;
  return a;
}

auto const no_singular = [](const auto&, int equation) { ADD_FAILURE() << "singular equation " << equation; };

TEST(BlockPacks, products_agree_with_sums) {
  for_each_block_size([](auto size) {
    constexpr int n = size;
    std::vector<Scalars<n>> a, b, c;
    for (int lane = 0; lane < w; ++lane) {
      a.push_back(random_block<n>(10 * n + lane));
      b.push_back(random_block<n>(11 * n + lane));
      c.push_back(random_block<n>(12 * n + lane));
    }
    Packs<n> product, rest = interleave<n>(c), from_rest;
    int calls = 0;
    block::gemm<n>(interleave<n>(a), interleave<n>(b), product, [&] { ++calls; });
    EXPECT_EQ(calls, (block::gemm_work_calls<P, n>));
    block::gemm_subtract<n>(interleave<n>(a), interleave<n>(b), rest);
    block::gemm_subtract_from<n>(interleave<n>(c), interleave<n>(a), interleave<n>(b), from_rest, block::NoWork());
    for (int lane = 0; lane < w; ++lane) {
      EXPECT_LE((difference<n>(a[lane], b[lane], lane_of<n>(product, lane))), 4 * n * 1e-16) << n;
      auto subtracted = c[lane];
      for (int e = 0; e < n * n; ++e) subtracted.m_entries[e] -= lane_of<n>(rest, lane).m_entries[e];
      EXPECT_LE((difference<n>(a[lane], b[lane], subtracted)), 8 * n * 1e-16) << n;
      for (int e = 0; e < n * n; ++e) EXPECT_EQ(from_rest.m_entries[e][lane], rest.m_entries[e][lane]);
    }
  });
}

TEST(BlockPacks, lanes_are_inverted_as_if_they_were_alone) {
  for_each_block_size([](auto size) {
    constexpr int n = size;
    // Exchanges in some lanes alone, one of them only at the last but one pivot; a lane without an inverse.
    std::vector<Scalars<n>> lanes{random_block<n>(n, 2 * n), random_block<n>(2 * n), unit<n>(), random_block<n>(3 * n)};
    if constexpr (n > 1) std::swap(lanes[2](n - 2, n - 2), lanes[2](n - 1, n - 2));
    if constexpr (n > 1) std::swap(lanes[2](n - 1, n - 1), lanes[2](n - 2, n - 1));
    lanes[3](n / 2, n / 2) = std::numeric_limits<double>::quiet_NaN();
    auto together = interleave<n>(lanes);
    int calls = 0;
    block::invert<n>(
        together,
        [](const auto& mask, int) {
          EXPECT_FALSE(mask[0] || mask[1] || mask[2]);
          EXPECT_TRUE(mask[3]);
        },
        [&] { ++calls; });
    EXPECT_EQ(calls, n);
    for (int lane = 0; lane < 3; ++lane) {
      auto alone = interleave<n>({lanes[lane], lanes[lane], lanes[lane], lanes[lane]});
      block::invert<n>(alone, no_singular);
      for (int e = 0; e < n * n; ++e) EXPECT_EQ(together.m_entries[e][lane], alone.m_entries[e][lane]) << n;
      EXPECT_LE((difference<n>(lanes[lane], lane_of<n>(together, lane), unit<n>())), 1e-10) << n << ", lane " << lane;
    }
  });
}

TEST(BlockPacks, badly_scaled_rows_and_columns) {
  for_each_block_size([](auto size) {
    constexpr int n = size;
    // Powers of two: (R A C)^-1 = C^-1 A^-1 R^-1 without roundings. Rows are given in another order too.
    std::vector<Scalars<n>> lanes(w), plain(w);
    auto const row_scale = [](int r) { return std::ldexp(1.0, 7 * ((5 * r) % 11) - 35); };
    auto const column_scale = [](int c) { return std::ldexp(1.0, 6 * ((3 * c) % 7) - 18); };
    for (int lane = 0; lane < w; ++lane) {
      plain[lane] = random_block<n>(20 * n + lane, 2 * n);
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          lanes[lane](r, c) = plain[lane]((r + lane) % n, c) * row_scale((r + lane) % n) * column_scale(c);
        }
      }
    }
    auto inverse = interleave<n>(lanes);
    block::invert<n>(inverse, no_singular);
    for (int lane = 0; lane < w; ++lane) {
      Scalars<n> scaled;
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          scaled(r, (c + lane) % n) = inverse(r, c)[lane] * column_scale(r) * row_scale((c + lane) % n);
        }
      }
      EXPECT_LE((difference<n>(plain[lane], scaled, unit<n>())), 1e-10) << n << ", lane " << lane;
    }
  });
}

TEST(BlockPacks, each_equation_can_be_singular) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  for_each_block_size([&](auto size) {
    constexpr int n = size;
    for (double const pivot : {0.0, nan, infinity}) {
      for (int equation = 0; equation < n; ++equation) {
        std::vector<Scalars<n>> lanes(w, random_block<n>(30 * n, 2 * n));
        int const lane = equation % w;
        lanes[lane] = unit<n>();
        lanes[lane](equation, equation) = pivot;
        auto a = interleave<n>(lanes);
        std::vector<int> reported;
        block::invert<n>(a, [&](const auto& mask, int e) {
          for (int l = 0; l < w; ++l) EXPECT_EQ(mask[l], l == lane);
          reported.push_back(e);
        });
        ASSERT_FALSE(reported.empty()) << n;
        EXPECT_EQ(reported[0], equation) << n << ", pivot " << pivot;
        auto const other = lane_of<n>(a, (lane + 1) % w);
        EXPECT_LE((difference<n>(lanes[(lane + 1) % w], other, unit<n>())), 1e-12) << "other lanes are inverted";
      }
    }
  });
}

}  // namespace
}  // namespace hyperplane::test::block_packs
