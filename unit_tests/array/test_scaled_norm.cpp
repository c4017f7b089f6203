// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hyperplane/array/scaled_norm.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/least_team.hpp"
#include "support/matchers.hpp"
#include "support/random_system.hpp"

// A norm whose bits depend on nothing but the values.
namespace hyperplane::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();

template <class T, class Exec>
double scaled_norm(const Exec& exec, const std::vector<double>& values) {
  Kokkos::View<T*, typename Exec::memory_space> const x("x", values.size());
  auto const host = Kokkos::create_mirror_view(x);
  for (std::size_t e = 0; e < values.size(); ++e) host(e) = static_cast<T>(values[e]);
  Kokkos::deep_copy(x, host);
  detail::Reducer<Exec> const reducer(exec, static_cast<std::int64_t>(values.size()));
  return detail::ScaledNorm<Exec>(exec, "norm")(exec, reducer, x.data());
}

/// As a binary tree: added one after the other, many equal values would lose more than is tested here.
long double sum_of_squares(const std::vector<long double>& values, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return values[begin] * values[begin];
  auto const middle = begin + (end - begin) / 2;
  return sum_of_squares(values, begin, middle) + sum_of_squares(values, middle, end);
}

/// In extended precision, of values divided by the largest, so that no square overflows or underflows.
template <class T>
double reference_norm(const std::vector<double>& given) {
  std::vector<long double> values;
  long double most = 0;
  for (double const value : given) {
    values.push_back(static_cast<T>(value));
    most = std::max(most, std::abs(values.back()));
  }
  for (auto& value : values) value /= most;
  return static_cast<double>(std::sqrt(sum_of_squares(values, 0, values.size())) * most);
}

/// Values of one size, and of sizes that differ by up to 10^-`decades`.
std::vector<double> values_of(std::size_t size, double decades) {
  auto values = random_vector(static_cast<std::int64_t>(size), 7);
  auto const exponents = random_vector(static_cast<std::int64_t>(size), 8);
  for (std::size_t e = 0; e < size; ++e) values[e] *= std::pow(10.0, -decades * std::abs(exponents[e]));
  return values;
}

std::vector<double> times(std::vector<double> values, double factor) {
  for (auto& value : values) value *= factor;
  return values;
}

/// The same values in other places, some of them with zeros between them.
std::vector<std::vector<double>> rearranged(const std::vector<double>& values) {
  std::vector<std::vector<double>> result(3, values);
  std::reverse(result[0].begin(), result[0].end());
  std::shuffle(result[1].begin(), result[1].end(), std::mt19937(3));
  std::sort(result[2].begin(), result[2].end());
  auto& padded = result.emplace_back();
  for (std::size_t e = 0; e < values.size(); ++e) {
    padded.insert(padded.end(), e % 7 == 2 ? 3 : 0, 0.0);
    padded.push_back(values[e]);
  }
  return result;
}

template <class Exec>
class ScaledNormTest : public ::testing::Test {
 protected:
  template <class T>
  void expect_right(const std::vector<double>& values, const std::string& what) {
    double const found = scaled_norm<T>(exec, values), expected = reference_norm<T>(values);
    EXPECT_NEAR(found / expected, 1.0, rounding<double>(2, 1)) << what << ": " << found << ", expected " << expected;
    for (auto const& same : rearranged(values)) {
      EXPECT_TRUE(bitwise_equal({scaled_norm<T>(exec, same)}, {found})) << what << ", rearranged";
    }
  }

  Exec exec{};
};
TYPED_TEST_SUITE(ScaledNormTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ScaledNormTest, is_that_of_extended_precision_in_any_order) {
  for (std::size_t const size : {1, 2, 15, 16, 17, 1000, 4095, 4096, 4097, 70001}) {
    for (double const decades : {0.0, 3.0, 12.0, 40.0}) {
      auto const what = std::to_string(size) + " values of " + std::to_string(decades) + " decades";
      this->template expect_right<double>(values_of(size, decades), what);
      this->template expect_right<float>(values_of(size, std::min(decades, 12.0)), what + ", float");
    }
  }
}

TYPED_TEST(ScaledNormTest, counts_many_small_values_beside_a_large_one) {
  for (double const small : {1e-3, 1e-6, 1e-7, 1e-8, 1e-10}) {
    std::vector<double> values(100000, small);
    values[777] = 1.0;
    this->template expect_right<double>(values, "beside 1, 100000 times " + std::to_string(small));
  }
}

TYPED_TEST(ScaledNormTest, neither_overflows_nor_underflows) {
  for (double const factor : {1e300, 0x1p+1000, 1e-300, 0x1p-1000}) {
    this->template expect_right<double>(times(values_of(333, 2), factor), std::to_string(std::log10(factor)));
  }
  auto const norm = [&](const std::vector<double>& values) { return scaled_norm<double>(this->exec, values); };
  auto const values = values_of(333, 2);
  for (double const power : {0x1p-900, 0x1p-300, 0x1p+400, 0x1p+1000}) {
    EXPECT_EQ(norm(times(values, power)), power * norm(values)) << power;
  }
  constexpr double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(norm({3 * least, 0.0, -4 * least}), 5 * least);
  EXPECT_EQ(norm({least}), least);
  EXPECT_EQ(norm({0.0, largest}), largest);
  EXPECT_EQ(norm({least, -1.0, least}), 1.0);
  EXPECT_EQ(norm({largest / 8, largest / 8, largest / 8, least, -largest / 8}), largest / 4);
}

TYPED_TEST(ScaledNormTest, of_zeros_infinities_and_what_is_not_a_number) {
  auto const norm = [&](const std::vector<double>& values) { return scaled_norm<double>(this->exec, values); };
  EXPECT_EQ(norm({}), 0.0);
  EXPECT_EQ(norm({0.0, -0.0, 0.0}), 0.0);
  EXPECT_EQ(norm({largest, largest}), infinity);
  for (std::size_t const size : {1, 18, 5000}) {
    auto values = random_vector(static_cast<std::int64_t>(size));
    for (double const bad : {infinity, -infinity}) {
      values[size / 2] = bad;
      EXPECT_EQ(norm(values), infinity) << size;
    }
    values[0] = not_a_number;
    EXPECT_TRUE(std::isnan(norm(values))) << size;
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(ScaledNormOpenMp, the_same_bits_for_1_2_and_3_threads) {
  LeastTeam const always(always_teams);
  auto const values = values_of(70001, 3);
  double const expected = scaled_norm<double>(Kokkos::OpenMP(1), values);
  for (int const threads : {2, 3}) {
    EXPECT_EQ(scaled_norm<double>(Kokkos::OpenMP(threads), values), expected) << threads << " threads";
  }
}
#endif

}  // namespace
}  // namespace hyperplane::test
