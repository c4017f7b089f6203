/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HYPERPLANE_H
#error "include <hyperplane.h>, which has this file"
#endif
#ifndef HYPERPLANE_LINES_H
#define HYPERPLANE_LINES_H

/* --- Line solvers: block tridiagonal systems along lines of points ----------------------------------------------- */

typedef enum hyperplane_line_kind HYPERPLANE_INT_ENUM {
  HYPERPLANE_LINES_OF_GRID = 0,   /* all lines of a grid in one direction */
  HYPERPLANE_LINES_OF_LENGTH = 1, /* position p of line l is point l * length + p */
  HYPERPLANE_LINES_OF_LISTS = 2   /* line l is points[offsets[l]], ..., points[offsets[l + 1] - 1] */
} hyperplane_line_kind;

typedef enum hyperplane_line_ends HYPERPLANE_INT_ENUM {
  HYPERPLANE_ENDS_OPEN = 0,
  HYPERPLANE_ENDS_PERIODIC = 1 /* after the last point comes the first */
} hyperplane_line_ends;

/* A set of lines of points, which have numbers; a point is on one line at most. What a kind does not need is ignored.
 */
typedef struct hyperplane_line_set {
  hyperplane_line_kind kind;
  hyperplane_line_ends ends;
  hyperplane_grid grid;   /* of HYPERPLANE_LINES_OF_GRID */
  int direction;          /* 0, 1, 2: along i, j, k */
  int64_t line_count;     /* of the other kinds */
  int length;             /* of HYPERPLANE_LINES_OF_LENGTH */
  int64_t point_count;    /* of HYPERPLANE_LINES_OF_LISTS: points there are, on a line or not */
  const int64_t* offsets; /* line_count + 1 */
  const int64_t* points;
} hyperplane_line_set;

/* Filled by hyperplane_line_options_init() first, and then changed. */
typedef struct hyperplane_line_options {
  size_t struct_size;         /* not for you */
  hyperplane_storage storage; /* of the factors, and of a matrix: HYPERPLANE_STORAGE_DOUBLE */
  hyperplane_path path;       /* HYPERPLANE_PATH_AUTOMATIC, _PORTABLE or _STAGED */
  int load_bits;              /* on HYPERPLANE_PATH_STAGED: 128, 64, or 0, what is faster: 0 */
  int partitions;             /* parts that lines are cut into: 1 none, 0 as many as keep the backend busy: 0 */
  int columns;                /* right-hand sides that are solved for at a time: 1 */
} hyperplane_line_options;

/* Block LU along lines, without pivoting between blocks. */
typedef struct hyperplane_line_solver_s* hyperplane_line_solver;
HYPERPLANE_API hyperplane_status hyperplane_line_options_init(hyperplane_line_options* options);
/* Allocates what matrix, factors and right-hand sides need; lists may be given up then. options may be NULL. */
HYPERPLANE_API hyperplane_status hyperplane_line_solver_create(hyperplane_context context,
                                                               const hyperplane_line_set* lines, int n,
                                                               const hyperplane_line_options* options,
                                                               hyperplane_line_solver* solver);
/* Factors matrices, block b (0 lower, 1 diagonal, 2 upper) of point p in
 *   values[((p * 3 + b) * n + r) * n + c]    HYPERPLANE_ROW_MAJOR
 *   values[((p * 3 + b) * n + c) * n + r]    HYPERPLANE_COLUMN_MAJOR, values(r, c, b, p) in Fortran
 * count = points * 3 * n * n. Of open lines, the first lower and the last upper block are ignored, but finite. */
HYPERPLANE_API hyperplane_status hyperplane_line_solver_factor(hyperplane_line_solver solver, const double* values,
                                                               int64_t count, hyperplane_block_order order,
                                                               hyperplane_memory_space space);
/* Factors what A, of the storage of the options, has along the lines of its grid. Where they are periodic, the blocks
 * that point out of the grid couple their ends. */
HYPERPLANE_API hyperplane_status hyperplane_line_solver_factor_matrix(hyperplane_line_solver solver,
                                                                      hyperplane_matrix a);
/* Waits, and is HYPERPLANE_SINGULAR_PIVOT, HYPERPLANE_NOT_FINITE or HYPERPLANE_OVERFLOW if the last factorization
 * failed: its factors are of no use. */
HYPERPLANE_API hyperplane_status hyperplane_line_solver_check(hyperplane_line_solver solver);
/* x = M^-1 rhs, unknown c of point p in column v in rhs[(v * points + p) * n + c]; count = columns * points * n. x may
 * be rhs. What is on no line stays as it is. */
HYPERPLANE_API hyperplane_status hyperplane_line_solver_solve(hyperplane_line_solver solver, const double* rhs,
                                                              double* x, int64_t count, hyperplane_memory_space space);
/* The same for vectors on the grid of the lines, without a copy to another layout. x may be rhs. */
HYPERPLANE_API hyperplane_status hyperplane_line_solver_solve_vector(hyperplane_line_solver solver,
                                                                     hyperplane_vector rhs, hyperplane_vector x);
/* M^T, which has the factors and the columns of M, and is not factored itself. */
HYPERPLANE_API hyperplane_status hyperplane_line_solver_transpose(hyperplane_line_solver solver,
                                                                  hyperplane_line_solver* transpose);

#endif
