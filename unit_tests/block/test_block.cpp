// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/lu.hpp>
#include <hyperplane/block/trsm.hpp>
#include <hyperplane/simd/pack.hpp>
#include <random>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"

namespace hyperplane::test {
namespace {

constexpr int w = 4;
using P = Pack<double, w>;

/// Not dominant: pivoting has work to do.
DenseMatrix random_dense(int n, unsigned seed) {
  DenseMatrix result(n);
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (auto& entry : result.entries) entry = uniform(engine);
  return result;
}

template <int n>
block::Matrix<double, n> scalar_matrix(const DenseMatrix& a) {
  block::Matrix<double, n> result;
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) result(r, c) = a(r, c);
  }
  return result;
}

/// A matrix of its own in every lane.
template <int n>
block::Matrix<P, n> pack_matrix(const std::vector<DenseMatrix>& lanes) {
  block::Matrix<P, n> result;
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) {
      for (int lane = 0; lane < w; ++lane) result(r, c).set(lane, lanes[lane](r, c));
    }
  }
  return result;
}

template <int n>
std::vector<double> entries(const block::Matrix<double, n>& a) {
  std::vector<double> result;
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) result.push_back(a(r, c));
  }
  return result;
}

template <int n>
std::vector<double> entries(const block::Matrix<P, n>& a, int lane) {
  std::vector<double> result;
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) result.push_back(a(r, c)[lane]);
  }
  return result;
}

template <class Function>
void for_each_block_size(Function&& function) {
  [&]<int... n>(std::integer_sequence<int, n...>) {
    (function(std::integral_constant<int, n + 1>{}), ...);
  }(std::make_integer_sequence<int, 16>{});
}

auto const no_singular = [](auto, int equation) { ADD_FAILURE() << "singular equation " << equation; };

// Random matrices have condition numbers up to some thousands here.
constexpr double conditioning = 1e4;

TEST(Block, products_agree_with_dense) {
  for_each_block_size([](auto size) {
    constexpr int n = size;
    auto const a = random_dense(n, 10 + n), b = random_dense(n, 50 + n), c = random_dense(n, 90 + n);
    auto result = scalar_matrix<n>(c);
    block::gemm_subtract<n>(scalar_matrix<n>(a), scalar_matrix<n>(b), result);
    EXPECT_TRUE(near(entries<n>(result), (c - a * b).entries, rounding<double>(10, n)));
    block::gemm<n>(scalar_matrix<n>(a), scalar_matrix<n>(b), result);
    EXPECT_TRUE(near(entries<n>(result), (a * b).entries, rounding<double>(10, n)));

    auto const x = random_vector(n, 3);
    block::Vector<double, n> vx, vy;
    for (int r = 0; r < n; ++r) vx[r] = x[r];
    block::gemv<n>(scalar_matrix<n>(a), vx, vy);
    auto const ax = a * x;
    EXPECT_TRUE(near({vy.m_entries, vy.m_entries + n}, ax, rounding<double>(10, n)));
    block::gemv_add<n>(scalar_matrix<n>(a), vx, vy);
    block::gemv_subtract<n>(scalar_matrix<n>(a), vx, vy);
    EXPECT_TRUE(near({vy.m_entries, vy.m_entries + n}, ax, rounding<double>(10, n)));
  });
}

template <int n, block::EntryOrder order>
void compare_transposed() {
  auto const dense = random_dense(n, 10 + n);
  block::TransposedBlock<block::Matrix<double, n>, order> const a{scalar_matrix<n>(dense)};
  auto const x = random_vector(n, 3);
  auto const expected = transposed_dense(dense) * x;
  block::Vector<double, n> vx, vy;
  for (int r = 0; r < n; ++r) vx[r] = x[r];
  block::gemv<n>(a, vx, vy);
  EXPECT_TRUE(near({vy.m_entries, vy.m_entries + n}, expected, rounding<double>(10, n)));
  block::gemv_add<n>(a, vx, vy);
  block::gemv_subtract<n>(a, vx, vy);
  EXPECT_TRUE(near({vy.m_entries, vy.m_entries + n}, expected, rounding<double>(10, n)));
}

TEST(Block, products_with_the_transpose_agree_with_dense) {
  for_each_block_size([](auto size) {
    compare_transposed<size, block::EntryOrder::forward>();
    compare_transposed<size, block::EntryOrder::backward>();
  });
}

TEST(Block, inverse_of_scalars_and_packs_agrees_with_dense) {
  for_each_block_size([](auto size) {
    constexpr int n = size;
    std::vector<DenseMatrix> lanes;
    for (int lane = 0; lane < w; ++lane) lanes.push_back(random_dense(n, 100 * n + lane));
    auto packs = pack_matrix<n>(lanes);
    block::invert<n>(packs, no_singular);
    for (int lane = 0; lane < w; ++lane) {
      auto const expected = inverse(lanes[lane]).entries;
      EXPECT_TRUE(near(entries<n>(packs, lane), expected, conditioning * rounding<double>(1, n))) << n;
      auto scalar = scalar_matrix<n>(lanes[lane]);
      block::invert<n>(scalar, no_singular);
      EXPECT_TRUE(near(entries<n>(scalar), expected, conditioning * rounding<double>(1, n))) << n;
    }
  });
}

TEST(Block, inverse_pivots_a_zero_diagonal) {
  DenseMatrix a(3);
  a(0, 1) = 2;
  a(1, 2) = 4;
  a(2, 0) = 8;
  auto scalar = scalar_matrix<3>(a);
  block::invert<3>(scalar, no_singular);
  EXPECT_TRUE(bitwise_equal(entries<3>(scalar), inverse(a).entries));
  // Different interchanges in different lanes.
  auto packs = pack_matrix<3>({a, identity(3), a, random_dense(3, 5)});
  block::invert<3>(packs, no_singular);
  EXPECT_TRUE(bitwise_equal(entries<3>(packs, 0), inverse(a).entries));
  EXPECT_TRUE(bitwise_equal(entries<3>(packs, 1), identity(3).entries));
  EXPECT_TRUE(near(entries<3>(packs, 3), inverse(random_dense(3, 5)).entries, 1e-12));
}

TEST(Block, singular_blocks_are_reported_with_equation_and_lane) {
  DenseMatrix rank_two = identity(3);
  rank_two(2, 2) = 0;
  DenseMatrix with_nan = identity(3);
  with_nan(1, 2) = std::numeric_limits<double>::quiet_NaN();
  auto scalar = scalar_matrix<3>(rank_two);
  std::vector<int> equations;
  block::invert<3>(scalar, [&](bool, int equation) { equations.push_back(equation); });
  EXPECT_EQ(equations, std::vector<int>{2});

  auto packs = pack_matrix<3>({identity(3), rank_two, with_nan, identity(3)});
  std::vector<std::pair<int, int>> found;
  block::invert<3>(packs, [&](const auto& mask, int equation) {
    for (int lane = 0; lane < w; ++lane) {
      if (mask[lane]) found.emplace_back(lane, equation);
    }
  });
  EXPECT_EQ(found, (std::vector<std::pair<int, int>>{{1, 2}, {2, 2}}));
  EXPECT_TRUE(bitwise_equal(entries<3>(packs, 0), identity(3).entries)) << "other lanes are untouched";
}

TEST(Block, lu_solves_for_scalars_and_packs) {
  for_each_block_size([](auto size) {
    constexpr int n = size;
    std::vector<DenseMatrix> lanes, right;
    for (int lane = 0; lane < w; ++lane) {
      lanes.push_back(random_dense(n, 300 * n + lane));
      right.push_back(random_dense(n, 700 * n + lane));
    }
    auto packs = pack_matrix<n>(lanes);
    auto solution = pack_matrix<n>(right);
    block::Pivots<P, n> pivots;
    block::lu_factor<n>(packs, pivots, no_singular);
    block::lu_solve<n, n>(packs, pivots, solution);
    for (int lane = 0; lane < w; ++lane) {
      auto const expected = (inverse(lanes[lane]) * right[lane]).entries;
      EXPECT_TRUE(near(entries<n>(solution, lane), expected, conditioning * rounding<double>(1, n))) << n;
      auto scalar = scalar_matrix<n>(lanes[lane]);
      auto b = scalar_matrix<n>(right[lane]);
      block::Pivots<double, n> scalar_pivots;
      block::lu_factor<n>(scalar, scalar_pivots, no_singular);
      block::lu_solve<n, n>(scalar, scalar_pivots, b);
      EXPECT_TRUE(near(entries<n>(b), expected, conditioning * rounding<double>(1, n))) << n;
    }
  });
}

template <class Exec>
class BlockOnDevice : public ::testing::Test {};
TYPED_TEST_SUITE(BlockOnDevice, ExecutionSpaces, SpaceNames);

template <class Exec>
double inverse_error_in_kernel() {
  constexpr int n = 5;
  double error = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Exec>(0, 100),
      KOKKOS_LAMBDA(int item, double& largest) {
        block::Matrix<double, n> a, original, product;
        for (int r = 0; r < n; ++r) {
          for (int c = 0; c < n; ++c) a(r, c) = (r == (c + 1) % n ? 3.0 : 0.0) + 0.1 * ((item + 3 * r + 7 * c) % 5);
        }
        original = a;
        block::invert<n>(a, [](bool, int) {});
        block::gemm<n>(original, a, product);
        for (int r = 0; r < n; ++r) {
          for (int c = 0; c < n; ++c) {
            double const difference = Kokkos::abs(product(r, c) - (r == c ? 1.0 : 0.0));
            if (!(difference <= largest)) largest = difference;
          }
        }
      },
      Kokkos::Max<double>(error));
  return error;
}

TYPED_TEST(BlockOnDevice, functions_run_in_kernels) { EXPECT_LT(inverse_error_in_kernel<TypeParam>(), 1e-14); }

}  // namespace
}  // namespace hyperplane::test
