/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Solves a seven-point system of five unknowns per point with BiCGStab and BILU(0), from C: c_solve [FILE] writes the
 * bits of the solution to a file. The environment's HYPERPLANE_BACKEND says where. */
#include <hyperplane.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ni = 20, nj = 12, nk = 9, n = 5, points = ni * nj * nk };

static void check(hyperplane_status status) {
  if (status == HYPERPLANE_SUCCESS) return;
  fprintf(stderr, "c_solve: %s: %s\n", hyperplane_status_name(status), hyperplane_last_error_message());
  exit(1);
}

static double values[points][7][n][n];
static double rhs[points][n];
static double solution[points][n];

/* Convection and diffusion; unknowns are coupled at each point. */
static void assemble(void) {
  for (int point = 0; point < points; ++point) {
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) values[point][HYPERPLANE_CENTER][r][c] = r == c ? 7.0 : 0.125 * (c - r);
      values[point][HYPERPLANE_WEST][r][r] = -1.5;
      values[point][HYPERPLANE_EAST][r][r] = -0.5;
      values[point][HYPERPLANE_SOUTH][r][r] = -1.25;
      values[point][HYPERPLANE_NORTH][r][r] = -0.75;
      values[point][HYPERPLANE_BOTTOM][r][r] = -1.0;
      values[point][HYPERPLANE_TOP][r][r] = -1.0;
      rhs[point][r] = 1.0 + 0.125 * ((point * n + r) % 7);
    }
  }
}

static void write_bits(const char* path) {
  FILE* const file = fopen(path, "w");
  if (file == NULL) {
    fprintf(stderr, "c_solve: %s cannot be written\n", path);
    exit(1);
  }
  for (int row = 0; row < points * n; ++row) {
    uint64_t bits;
    memcpy(&bits, &solution[row / n][row % n], sizeof(bits));
    fprintf(file, "%016" PRIX64 "\n", bits);
  }
  fclose(file);
}

int main(int argc, char** argv) {
  hyperplane_grid const grid = {ni, nj, nk};
  hyperplane_context context;
  hyperplane_matrix a;
  hyperplane_vector b, x;
  hyperplane_preconditioner ilu;
  hyperplane_krylov bicgstab;
  hyperplane_krylov_options options;
  hyperplane_krylov_result result;
  const char* backend;

  check(hyperplane_initialize());
  check(hyperplane_context_create(NULL, NULL, &context));
  check(hyperplane_context_backend(context, &backend));

  assemble();
  check(hyperplane_matrix_create(context, grid, n, HYPERPLANE_STORAGE_DOUBLE, &a));
  check(hyperplane_matrix_set(a, &values[0][0][0][0], (int64_t)points * 7 * n * n, HYPERPLANE_ROW_MAJOR,
                              HYPERPLANE_HOST));
  check(hyperplane_vector_create(context, grid, n, &b));
  check(hyperplane_vector_create(context, grid, n, &x));
  check(hyperplane_vector_set(b, &rhs[0][0], (int64_t)points * n, HYPERPLANE_HOST));

  check(hyperplane_preconditioner_create(context, grid, n, NULL, &ilu)); /* NULL: BILU(0) */
  check(hyperplane_preconditioner_factor(ilu, a));
  check(hyperplane_preconditioner_check(ilu));

  check(hyperplane_krylov_options_init(&options));
  options.tolerance = 1e-10;
  check(hyperplane_krylov_create(context, grid, n, &options, &bicgstab));
  check(hyperplane_krylov_solve(bicgstab, a, ilu, b, x, &result));
  check(hyperplane_vector_get(x, &solution[0][0], (int64_t)points * n, HYPERPLANE_HOST));
  printf("%s: %s after %d iterations, residual %.3e of %.3e\n", backend,
         result.outcome == HYPERPLANE_CONVERGED ? "converged" : "not converged", result.iterations,
         result.residual_norm, result.rhs_norm);
  if (argc > 1) write_bits(argv[1]);

  check(hyperplane_free(bicgstab));
  check(hyperplane_free(ilu));
  check(hyperplane_free(x));
  check(hyperplane_free(b));
  check(hyperplane_free(a));
  check(hyperplane_free(context));
  check(hyperplane_finalize());
  return result.outcome == HYPERPLANE_CONVERGED ? 0 : 2;
}
