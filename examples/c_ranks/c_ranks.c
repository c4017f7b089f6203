/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The system of c_solve in parts over ranks of MPI, from C: mpirun -n 4 c_ranks. There are as many parts as ranks, one
 * behind the other along k, and each rank assembles its own. The environment's HYPERPLANE_BACKEND says where. */
#include <hyperplane_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ni = 20, nj = 12, nk = 9, n = 5 };

/* What fails on one rank may let the others wait, so all end. */
static void check(hyperplane_status status) {
  if (status == HYPERPLANE_SUCCESS) return;
  fprintf(stderr, "c_ranks: %s: %s\n", hyperplane_status_name(status), hyperplane_last_error_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double* zeros(int64_t count) {
  double* const values = calloc((size_t)count, sizeof(double));
  if (values == NULL) {
    fprintf(stderr, "c_ranks: no memory for %lld doubles\n", (long long)count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return values;
}

/* Convection and diffusion; unknowns are coupled at each point. The coupling to a point of another part is set like any
 * other; those to points out of the whole grid mean nothing. */
static void assemble_point(double values[7][n][n], double rhs[n], int point) {
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) values[HYPERPLANE_CENTER][r][c] = r == c ? 7.0 : 0.125 * (c - r);
    values[HYPERPLANE_WEST][r][r] = -1.5;
    values[HYPERPLANE_EAST][r][r] = -0.5;
    values[HYPERPLANE_SOUTH][r][r] = -1.25;
    values[HYPERPLANE_NORTH][r][r] = -0.75;
    values[HYPERPLANE_BOTTOM][r][r] = -1.0;
    values[HYPERPLANE_TOP][r][r] = -1.0;
    rhs[r] = 1.0 + 0.125 * ((point * n + r) % 7);
  }
}

/* Arrays of a rank have the points of its parts, one part after the other. */
static void assemble(hyperplane_mpi_grid grid, const int* parts, int count, hyperplane_matrix a, hyperplane_vector b) {
  int64_t points = 0;
  for (int part = 0; part < count; ++part) {
    hyperplane_grid size;
    check(hyperplane_mpi_grid_size(grid, parts[part], &size));
    points += (int64_t)size.ni * size.nj * size.nk;
  }
  double(*const values)[7][n][n] = (double(*)[7][n][n])zeros(points * 7 * n * n);
  double(*const rhs)[n] = (double(*)[n])zeros(points * n);

  int64_t row = 0;
  for (int part = 0; part < count; ++part) {
    hyperplane_grid size;
    int first[3];
    check(hyperplane_mpi_grid_size(grid, parts[part], &size));
    check(hyperplane_mpi_grid_first(grid, parts[part], first));
    for (int k = first[2]; k < first[2] + size.nk; ++k) {
      for (int j = first[1]; j < first[1] + size.nj; ++j) {
        for (int i = first[0]; i < first[0] + size.ni; ++i, ++row) {
          assemble_point(values[row], rhs[row], i + ni * (j + nj * k));
        }
      }
    }
  }
  check(hyperplane_matrix_set(a, (double*)values, points * 7 * n * n, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST));
  check(hyperplane_vector_set(b, (double*)rhs, points * n, HYPERPLANE_HOST));
  free(values);
  free(rhs);
}

static int solve(int ranks, int rank) {
  hyperplane_grid const whole = {ni, nj, nk};
  int const cut[3] = {1, 1, ranks};
  hyperplane_context context;
  hyperplane_mpi_grid grid;
  hyperplane_matrix a;
  hyperplane_vector b, x;
  hyperplane_preconditioner ilu;
  hyperplane_preconditioner_options ilu_options;
  hyperplane_krylov bicgstab;
  hyperplane_krylov_options options;
  hyperplane_krylov_result result;
  int parts[nk], count;

  check(hyperplane_context_create(NULL, NULL, &context));
  check(hyperplane_mpi_grid_cut(context, MPI_COMM_WORLD, whole, cut, NULL, NULL, &grid));
  check(hyperplane_mpi_grid_blocks(grid, parts, nk, &count));
  check(hyperplane_mpi_matrix_create(grid, n, &a));
  check(hyperplane_mpi_vector_create(grid, n, &b));
  check(hyperplane_mpi_vector_create(grid, n, &x));
  assemble(grid, parts, count, a, b);

  check(hyperplane_preconditioner_options_init(&ilu_options));
  ilu_options.coupling = HYPERPLANE_COUPLING_NATURAL; /* that of the whole grid, whatever the number of ranks */
  check(hyperplane_mpi_preconditioner_create(grid, n, &ilu_options, &ilu));
  check(hyperplane_preconditioner_factor(ilu, a));
  check(hyperplane_preconditioner_check(ilu));

  check(hyperplane_krylov_options_init(&options));
  options.tolerance = 1e-10;
  check(hyperplane_mpi_krylov_create(grid, n, &options, &bicgstab));
  check(hyperplane_krylov_solve(bicgstab, a, ilu, b, x, &result));
  if (rank == 0) {
    printf("%d ranks: %s after %d iterations, residual %.3e of %.3e\n", ranks,
           result.outcome == HYPERPLANE_CONVERGED ? "converged" : "not converged", result.iterations,
           result.residual_norm, result.rhs_norm);
  }

  check(hyperplane_free(bicgstab));
  check(hyperplane_free(ilu));
  check(hyperplane_free(x));
  check(hyperplane_free(b));
  check(hyperplane_free(a));
  check(hyperplane_free(grid));
  check(hyperplane_free(context));
  return result.outcome == HYPERPLANE_CONVERGED ? 0 : 2;
}

int main(int argc, char** argv) {
  int ranks, rank, outcome;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  check(hyperplane_initialize());
  outcome = solve(ranks, rank);
  check(hyperplane_finalize());
  MPI_Finalize();
  return outcome;
}
