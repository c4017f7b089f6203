// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <cstdio>

int wrong_values_narrow();
int wrong_values_wide();

/// Two files that keep their vectors to themselves may be compiled for different vector lengths: inline functions and
/// templates of one are not those of the other.
int main(int argc, char** argv) {
  if (!__builtin_cpu_supports("avx")) return 0;
  Kokkos::ScopeGuard const kokkos(argc, argv);
  int const narrow = wrong_values_narrow();
  int const wide = wrong_values_wide();
  std::printf("%d and %d of 600 values are wrong\n", narrow, wide);
  return narrow == 0 && wide == 0 ? 0 : 1;
}
