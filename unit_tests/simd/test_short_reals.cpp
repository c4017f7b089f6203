// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/simd/pack.hpp>
#include <limits>

#include "support/execution_spaces.hpp"

namespace hyperplane::test::short_reals {
namespace {

constexpr int patterns = 65536;

/// What IEEE 754 says of a format with so many bits of mantissa, in double.
template <class T>
struct Format;
template <>
struct Format<Half> {
  static constexpr int mantissa_bits = 10, bias = 15;
};
template <>
struct Format<BFloat16> {
  static constexpr int mantissa_bits = 7, bias = 127;
};

template <class T>
double value_of(int bits) {
  constexpr int mantissa_bits = Format<T>::mantissa_bits, exponents = 1 << (15 - mantissa_bits);
  int const exponent = bits >> mantissa_bits & (exponents - 1), mantissa = bits & ((1 << mantissa_bits) - 1);
  double const sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == exponents - 1) return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  int const hidden = exponent == 0 ? 0 : 1 << mantissa_bits;
  return sign * std::ldexp(hidden + mantissa, std::max(exponent, 1) - Format<T>::bias - mantissa_bits);
}

template <class T>
T of_bits(int bits) {
  T result;
  result.m_bits = static_cast<std::uint16_t>(bits);
  return result;
}

bool same(double a, double b) {
  return std::isnan(b) ? std::isnan(a) : std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

template <class T>
class ShortRealTest : public ::testing::Test {};
using ShortReals = ::testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(ShortRealTest, ShortReals);

TYPED_TEST(ShortRealTest, have_the_values_of_their_formats) {
  for (int bits = 0; bits < patterns; ++bits) {
    auto const stored = of_bits<TypeParam>(bits);
    ASSERT_TRUE(same(static_cast<double>(stored), value_of<TypeParam>(bits))) << bits;
    ASSERT_TRUE(same(static_cast<float>(stored), value_of<TypeParam>(bits))) << bits;
  }
}

TYPED_TEST(ShortRealTest, keep_what_they_have) {
  for (int bits = 0; bits < patterns; ++bits) {
    double const value = value_of<TypeParam>(bits);
    auto const again = TypeParam(value);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(static_cast<float>(again))) << bits;
    } else {
      ASSERT_EQ(again.m_bits, bits);
    }
  }
}

TYPED_TEST(ShortRealTest, round_to_nearest_and_ties_to_even) {
  constexpr int infinity = ((1 << (15 - Format<TypeParam>::mantissa_bits)) - 1) << Format<TypeParam>::mantissa_bits;
  for (int bits = 0; bits < infinity; ++bits) {
    // Where the next number would be, if it is infinite.
    double const low = value_of<TypeParam>(bits);
    double const step = bits == 0 ? value_of<TypeParam>(1) : low - value_of<TypeParam>(bits - 1);
    double const high = bits + 1 == infinity ? low + step : value_of<TypeParam>(bits + 1);
    auto const middle = static_cast<float>((low + high) / 2);
    for (int const sign : {0, 0x8000}) {
      auto const rounded = [&](float value) { return TypeParam(sign != 0 ? -value : value).m_bits ^ sign; };
      ASSERT_EQ(rounded(middle), bits % 2 == 0 ? bits : bits + 1) << middle;
      ASSERT_EQ(rounded(std::nextafter(middle, 0.0F)), bits);
      ASSERT_EQ(rounded(std::nextafter(middle, std::numeric_limits<float>::infinity())), bits + 1);
    }
  }
}

TYPED_TEST(ShortRealTest, know_their_largest_value) {
  double const largest = hyperplane::detail::largest_finite<TypeParam>;
  EXPECT_EQ(static_cast<double>(TypeParam(largest)), largest);
  EXPECT_TRUE(std::isinf(static_cast<double>(TypeParam(largest * 1.01))));
  EXPECT_TRUE(std::isinf(static_cast<double>(TypeParam(-1e300))));
}

#if !defined(__CUDA_ARCH__)  // there are instructions, always
TEST(HalfByBits, is_what_instructions_make) {
  for (int bits = 0; bits < patterns; ++bits) {
    auto const half = static_cast<std::uint16_t>(bits);
    float const value = hyperplane::detail::half_to_float_by_bits(half);
    ASSERT_TRUE(same(value, hyperplane::detail::half_to_float(half))) << bits;
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(static_cast<float>(of_bits<Half>(hyperplane::detail::float_to_half_by_bits(value)))));
      continue;
    }
    for (float const near : {value, std::nextafter(value, 0.0F), value * 1.00048828125F, value * 1.0003F}) {
      ASSERT_EQ(hyperplane::detail::float_to_half_by_bits(near), hyperplane::detail::float_to_half(near)) << near;
    }
  }
}
#endif

/// All patterns through packs of W lanes, as a T, and back.
template <class Storage, class T, int W>
void expect_packs_convert_alike() {
  using P = Pack<T, W>;
  alignas(64) Storage stored[W], again[W];
  for (int first = 0; first < patterns; first += W) {
    for (int lane = 0; lane < W; ++lane) stored[lane] = of_bits<Storage>(first + lane);
    auto const values = P::load(stored);
    // Beside the numbers themselves what has to be rounded.
    for (double const factor : {1.0, 1.0003, 1.00048828125, 0.999}) {
      P const product = values * P(static_cast<T>(factor));
      product.store(again);
      for (int lane = 0; lane < W; ++lane) {
        ASSERT_TRUE(same(values[lane], static_cast<T>(stored[lane]))) << first + lane;
        ASSERT_TRUE(same(static_cast<double>(again[lane]), static_cast<double>(Storage(product[lane]))))
            << product[lane];
        ASSERT_TRUE(same(product.template rounded<Storage>()[lane], static_cast<T>(again[lane]))) << product[lane];
      }
      product.stream(stored);
      stream_fence();
      for (int lane = 0; lane < W; ++lane) {
        ASSERT_TRUE(same(static_cast<double>(again[lane]), static_cast<double>(stored[lane])));
        stored[lane] = of_bits<Storage>(first + lane);
      }
    }
  }
}

TYPED_TEST(ShortRealTest, are_in_packs_what_they_are_alone) {
  expect_packs_convert_alike<TypeParam, float, 1>();
  expect_packs_convert_alike<TypeParam, float, 4>();
  expect_packs_convert_alike<TypeParam, float, 8>();
  expect_packs_convert_alike<TypeParam, float, 16>();
  expect_packs_convert_alike<TypeParam, double, 1>();
  expect_packs_convert_alike<TypeParam, double, 2>();
  expect_packs_convert_alike<TypeParam, double, 4>();
  expect_packs_convert_alike<TypeParam, double, 8>();
}

template <class T, class View, class Bits>
struct ConvertAll {
  View m_values;
  Bits m_bits;
  KOKKOS_FUNCTION void operator()(int bits) const {
    T stored{};
    stored.m_bits = static_cast<std::uint16_t>(bits);
    m_values(bits) = static_cast<double>(stored);
    m_bits(bits) = T(m_values(bits) * 1.0003).m_bits;
  }
};

template <class Exec>
class ShortRealKernels : public ::testing::Test {};
TYPED_TEST_SUITE(ShortRealKernels, ExecutionSpaces, SpaceNames);

template <class T, class Exec>
void expect_kernels_convert(const Exec& exec) {
  Kokkos::View<double*, typename Exec::memory_space> const values("values", patterns);
  Kokkos::View<std::uint16_t*, typename Exec::memory_space> const rounded("rounded", patterns);
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(exec, 0, patterns),
                       ConvertAll<T, decltype(values), decltype(rounded)>{values, rounded});
  auto const value = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  auto const bits = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rounded);
  for (int pattern = 0; pattern < patterns; ++pattern) {
    ASSERT_TRUE(same(value(pattern), value_of<T>(pattern))) << pattern;
    ASSERT_TRUE(
        same(static_cast<double>(of_bits<T>(bits(pattern))), static_cast<double>(T(value_of<T>(pattern) * 1.0003))));
  }
}

TYPED_TEST(ShortRealKernels, convert_as_the_host_does) {
  expect_kernels_convert<Half>(TypeParam());
  expect_kernels_convert<BFloat16>(TypeParam());
}

template <class T, int W>
void expect_packs_of_quarters() {
  alignas(W) Quarter stored[W];
  for (int quarters = -127 * 4; quarters <= 127 * 4; ++quarters) {
    auto const value = static_cast<float>(quarters) / 4;
    Pack<T, W>(static_cast<T>(value)).store(stored);
    for (int lane = 0; lane < W; ++lane) {
      ASSERT_EQ(static_cast<double>(stored[lane]), std::nearbyint(value)) << value;
      ASSERT_EQ((Pack<T, W>::load(stored)[lane]), std::nearbyint(value)) << value;
    }
    ASSERT_EQ(static_cast<float>(Quarter(value)), std::nearbyint(value)) << value;
  }
}

TEST(Quarter, is_the_nearest_integer_alone_and_in_packs) {
  expect_packs_of_quarters<float, 1>();
  expect_packs_of_quarters<float, 8>();
  expect_packs_of_quarters<float, 16>();
  expect_packs_of_quarters<double, 2>();
  expect_packs_of_quarters<double, 8>();
}

}  // namespace
}  // namespace hyperplane::test::short_reals
