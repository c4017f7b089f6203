/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that runs for long, and two parts of it that solve systems now and then, without knowing of one another.
 * The library is initialized once, by the part that comes first, and finalized once, at the end of the process: Kokkos
 * cannot be initialized a second time. A program whose main() knows of the library calls hyperplane_initialize() and
 * hyperplane_finalize() there instead; the parts may then call both as they like, since the calls are counted. */
#include <hyperplane.h>
#include <stdio.h>
#include <stdlib.h>

static void check(hyperplane_status status) {
  if (status == HYPERPLANE_SUCCESS) return;
  fprintf(stderr, "c_once: %s: %s\n", hyperplane_status_name(status), hyperplane_last_error_message());
  exit(1);
}

/* What both parts share. */

static hyperplane_context shared_context = NULL;

static void end_of_process(void) {
  /* Frees all that is left, and reports the timers where HYPERPLANE_TIMERS wants it. */
  if (hyperplane_is_initialized()) hyperplane_finalize();
}

/* Whoever needs the library calls this, as often as it likes. */
static hyperplane_context library(void) {
  if (shared_context == NULL) {
    check(hyperplane_initialize());
    atexit(end_of_process);
    check(hyperplane_context_create(NULL, NULL, &shared_context));
  }
  return shared_context;
}

/* Diffusion in a box: A x = b in arrays of rows, which the library keeps in vectors of its own. */
static double solve(int ni, int nj, int nk, double center, hyperplane_preconditioner_kind kind) {
  hyperplane_grid const grid = {ni, nj, nk};
  int64_t const points = (int64_t)ni * nj * nk;
  hyperplane_context const context = library();
  hyperplane_matrix a;
  hyperplane_preconditioner m;
  hyperplane_preconditioner_options options;
  hyperplane_krylov method;
  hyperplane_krylov_result result;
  double* const values = malloc((size_t)points * 7 * sizeof(double));
  double* const b = malloc((size_t)points * sizeof(double));
  double* const x = malloc((size_t)points * sizeof(double));
  if (values == NULL || b == NULL || x == NULL) {
    fprintf(stderr, "c_once: out of memory\n");
    exit(1);
  }
  for (int64_t point = 0; point < points; ++point) {
    for (int d = 0; d < 7; ++d) values[point * 7 + d] = d == HYPERPLANE_CENTER ? center : -1.0;
    b[point] = 1.0;
    x[point] = 0.0;
  }
  check(hyperplane_matrix_create(context, grid, 1, HYPERPLANE_STORAGE_DOUBLE, &a));
  check(hyperplane_matrix_set(a, values, points * 7, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST));
  check(hyperplane_preconditioner_options_init(&options));
  options.kind = kind;
  check(hyperplane_preconditioner_create(context, grid, 1, &options, &m));
  check(hyperplane_preconditioner_factor(m, a));
  check(hyperplane_preconditioner_check(m));
  check(hyperplane_krylov_create(context, grid, 1, NULL, &method));
  check(hyperplane_krylov_solve_array(method, a, m, b, x, points, HYPERPLANE_HOST, &result));
  if (result.outcome != HYPERPLANE_CONVERGED) {
    fprintf(stderr, "c_once: not converged\n");
    exit(2);
  }
  double const middle = x[points / 2];
  check(hyperplane_free(method));
  check(hyperplane_free(m));
  check(hyperplane_free(a));
  free(x);
  free(b);
  free(values);
  return middle;
}

/* The parts. */

static double heat(int step) { return solve(16 + step, 12, 8, 6.5, HYPERPLANE_BILU0); }

static double pressure(int step) { return solve(10, 10 + step, 10, 6.01, HYPERPLANE_SIP); }

int main(void) {
  for (int step = 0; step < 4; ++step) {
    printf("step %d: heat %.6f", step, heat(step));
    /* Not at every step. */
    if (step % 2 == 1) printf(", pressure %.6f", pressure(step));
    printf("\n");
  }
  return 0;
}
