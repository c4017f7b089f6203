/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <hyperplane_mpi.h>

int main(void) {
  hyperplane_mpi_grid const grid = NULL;
  hyperplane_vector vector = NULL;
  return hyperplane_mpi_vector_create(grid, 1, &vector) == HYPERPLANE_NULL_POINTER ? 0 : 1;
}
