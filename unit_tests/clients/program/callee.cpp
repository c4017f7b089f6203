// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "count_up.hpp"

void count_up(const Vector& vector) {
  for (std::int64_t number = 0; number < vector.grid().size(); ++number) {
    auto const p = vector.grid().point(number);
    for (int c = 0; c < 2; ++c) vector.ref()(p, c) = expected(vector.grid(), p, c);
  }
}
