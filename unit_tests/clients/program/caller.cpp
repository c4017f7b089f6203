// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "count_up.hpp"

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Vector const vector(Exec(), hyperplane::Grid(5, 30, 2));
  count_up(vector);
  int const wrong = wrong_values(vector);
  std::printf("%d of 600 values are wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
