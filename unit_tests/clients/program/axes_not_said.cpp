// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/stencil/convert.hpp>

using Exec = Kokkos::DefaultHostExecutionSpace;

/// (i, j, k, c) or (k, j, i, c)? The extents of a cube do not tell.
void of_a_vector(const Exec& exec, const Kokkos::View<double****, Exec>& view,
                 const hyperplane::BlockVector<double, 2, Exec>& vector) {
  hyperplane::pack(exec, view, vector);
}

void of_a_matrix(const Exec& exec, const Kokkos::View<double******, Exec>& view,
                 const hyperplane::BlockStencil7<double, 2, Exec>& matrix) {
  hyperplane::pack(exec, view, matrix);
}

int main() {}
