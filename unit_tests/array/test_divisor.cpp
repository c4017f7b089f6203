// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/array/detail/divisor.hpp>
#include <limits>
#include <random>

namespace hyperplane::test {
namespace {

template <class Number>
void expect_division(int divisor, std::uint32_t dividend) {
  Number quotient = dividend;
  int const remainder = detail::Divisor(divisor).take(quotient);
  ASSERT_EQ(quotient, dividend / static_cast<std::uint32_t>(divisor)) << dividend << " / " << divisor;
  ASSERT_EQ(remainder, static_cast<int>(dividend % static_cast<std::uint32_t>(divisor)))
      << dividend << " / " << divisor;
}

TEST(Divisor, divides_as_the_machine_does) {
  int const largest = std::numeric_limits<int>::max();
  std::mt19937 engine(1);
  for (int const divisor : {1, 2, 3, 5, 7, 31, 32, 33, 641, 65535, 65536, 65537, 1 << 30, largest - 1, largest}) {
    auto const d = static_cast<std::uint32_t>(divisor);
    auto const last = static_cast<std::uint32_t>(detail::Divisor::fast_end - 1);
    for (auto const multiple : {d, last / d * d}) {
      for (auto const dividend : {multiple - 1, multiple, multiple < last ? multiple + 1 : last}) {
        expect_division<std::uint32_t>(divisor, dividend);
        expect_division<std::uint64_t>(divisor, dividend);
      }
    }
    expect_division<std::uint32_t>(divisor, 0);
    for (int n = 0; n < 1000; ++n) expect_division<std::uint32_t>(divisor, static_cast<std::uint32_t>(engine()) >> 1);
  }
  for (int n = 0; n < 10000; ++n) {
    auto const divisor = static_cast<int>((engine() >> 1) >> (engine() % 31)) | 1;
    expect_division<std::uint32_t>(divisor, static_cast<std::uint32_t>(engine()) >> 1);
  }
}

}  // namespace
}  // namespace hyperplane::test
