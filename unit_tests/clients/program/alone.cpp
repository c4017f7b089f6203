// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/stencil/convert.hpp>

/// Values that are other ones after pack() and unpack() in this file.
int WRONG_VALUES() {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Exec const exec;
  hyperplane::Grid const grid(5, 30, 2);
  Kokkos::View<double**, Exec> const values("values", 300, 2);
  for (int p = 0; p < 300; ++p) {
    for (int c = 0; c < 2; ++c) values(p, c) = 2 * p + c;
  }
  hyperplane::BlockVector<double, 2, Exec> const vector(exec, grid);
  hyperplane::pack(exec, values, vector);
  exec.fence();
  // Padding is zero, and counts the lanes.
  bool const long_enough = vector.flat().size() == vector.map().pack_count() * 2 * (HYPERPLANE_HOST_VECTOR_BYTES / 8);
  Kokkos::deep_copy(values, -1);
  hyperplane::unpack(exec, vector, values);
  exec.fence();
  int wrong = long_enough ? 0 : 1;
  for (int p = 0; p < 300; ++p) {
    for (int c = 0; c < 2; ++c) wrong += values(p, c) == 2 * p + c ? 0 : 1;
  }
  return wrong;
}
