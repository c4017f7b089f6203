// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <algorithm>
#include <hyperplane/host/past_caches.hpp>
#include <numeric>

namespace hyperplane::test {
namespace {

template <class T>
void check_lines() {
  constexpr int line = host::cache_line_values<T>;
  constexpr int most = 4 * line;
  for (int place = 0; place < line; ++place) {
    for (int const count : {0, 1, line - 1, line, line + 1, 2 * line + 3}) {
      alignas(64) T from[most], to[most], expected[most];
      std::iota(from, from + most, T(1));
      std::fill(to, to + most, T(0));
      std::fill(expected, expected + most, T(0));
      std::copy(from + place, from + place + count, expected + place);
      host::write_lines(from + place, to + place, count);
      stream_fence();
      EXPECT_TRUE(std::equal(to, to + most, expected)) << count << " values from place " << place << " on";
    }
  }
}

TEST(PastCaches, lines_of_values_that_begin_anywhere) {
  check_lines<double>();
  check_lines<float>();
}

}  // namespace
}  // namespace hyperplane::test
