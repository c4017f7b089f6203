/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HYPERPLANE_H
#error "include <hyperplane.h>, which has this file"
#endif
#ifndef HYPERPLANE_CSR_H
#define HYPERPLANE_CSR_H

/* --- Compressed rows --------------------------------------------------------------------------------------------- */

typedef enum hyperplane_index_type HYPERPLANE_INT_ENUM {
  HYPERPLANE_INDEX_32 = 0, /* int32_t */
  HYPERPLANE_INDEX_64 = 1  /* int64_t */
} hyperplane_index_type;

/* A square matrix in compressed rows: of scalars, CSR, or of small dense blocks, BSR, of block_size x block_size
 * values. Everything counts from 0. The entries of row r are row_offsets[r], ..., row_offsets[r + 1] - 1; entry e is in
 * column columns[e], and has the block_size * block_size values at values + e * block_size * block_size, by rows or by
 * columns. The columns of a row may be in any order.
 *
 * Filled by hyperplane_csr_init() first, and then changed. */
typedef struct hyperplane_csr {
  size_t struct_size;               /* not for you */
  int64_t rows;                     /* of blocks */
  int64_t entries;                  /* of columns; row_offsets[rows] */
  int block_size;                   /* 1 */
  hyperplane_block_order order;     /* of the values of a block: HYPERPLANE_ROW_MAJOR */
  hyperplane_index_type index_type; /* of row_offsets and columns: HYPERPLANE_INDEX_32 */
  const void* row_offsets;          /* rows + 1 */
  const void* columns;              /* entries; may be NULL where there are none */
  const double* values;             /* entries * block_size * block_size; as columns */
  int64_t value_count;              /* how many values there are, to be compared with that; -1: unknown */
  int unknowns_per_point;           /* 0: n is block_size. A general matrix of block_size 1 takes n rows of scalars for
                                     * each point where n is said here. 0 */
} hyperplane_csr;

HYPERPLANE_API hyperplane_status hyperplane_csr_init(hyperplane_csr* csr);

/* --- Matrices on grids from compressed rows ---------------------------------------------------------------------- */

/* Sets all of a matrix; what compressed rows do not have is zero. block_size divides the n of the matrix: 1 for CSR, n
 * for a block for each pair of points; rows are in natural order, row (point * n + c) / block_size. Values of entries
 * that are there several times are added, in the order of the arrays. All three arrays are in `space`. An entry that
 * couples points which are no neighbours is HYPERPLANE_INVALID_ARGUMENT, with a message that names it, unless its
 * values are zeros; then, and with offsets or columns out of range, the matrix stays as it was. Always waits. Of a
 * matrix that hyperplane_csr_matrix_create() made it sets the values: the structure must be what it was. */
HYPERPLANE_API hyperplane_status hyperplane_matrix_set_csr(hyperplane_matrix matrix, const hyperplane_csr* csr,
                                                           hyperplane_memory_space space);

/* --- General matrices in compressed rows: points of unstructured meshes, with any neighbours --------------------- */

/* Points have numbers instead of a grid, at most 2^31 - 1 of them, and n unknowns each: unknown c of point p is in row
 * (p * n + c). The objects are those of grids, and the functions of hyperplane.h and hyperplane_solvers.h take them;
 * objects on grids and these do not work together. Boxes, masks and parts are of grids alone:
 * HYPERPLANE_INVALID_ARGUMENT. Values are stored as double, factors as the storage of the options says. */

/* A matrix of n x n blocks, where n is the block_size of csr, with a row for each point; a library has the sizes that
 * hyperplane_has_block_size() says. Or one of scalars, block_size 1, in blocks of n = unknowns_per_point: the blocks
 * that have an entry, and zeros for the others in them; rows are a multiple of n, at most 2^31 - 1, and no row has a
 * column twice. Copies structure and values; where values is NULL they are zero at first. Of hyperplane_matrix_set()
 * and _get(), count = entries * block_size * block_size, in the order of the entries that were given here. Always
 * waits. */
HYPERPLANE_API hyperplane_status hyperplane_csr_matrix_create(hyperplane_context context, const hyperplane_csr* csr,
                                                              hyperplane_memory_space space, hyperplane_matrix* matrix);
/* Zero at first. */
HYPERPLANE_API hyperplane_status hyperplane_csr_vector_create(hyperplane_context context, int64_t points, int n,
                                                              hyperplane_vector* vector);

typedef enum hyperplane_csr_preconditioner_kind HYPERPLANE_INT_ENUM {
  HYPERPLANE_CSR_IDENTITY = 0,
  HYPERPLANE_CSR_JACOBI = 1, /* block Jacobi */
  HYPERPLANE_CSR_SSOR = 2,   /* block SSOR; with relaxation 1 LU-SGS */
  HYPERPLANE_CSR_DILU = 3,   /* factors whose diagonal alone is computed */
  HYPERPLANE_CSR_BILU0 = 4,  /* block ILU(0) on the pattern of the matrix */
  HYPERPLANE_CSR_ILUK = 5,   /* block ILU(k), with blocks of k levels of fill added */
  HYPERPLANE_CSR_ILUT = 6,   /* block ILUT(tau, p), with the blocks that are large enough */
  HYPERPLANE_CSR_LINES = 7   /* line-implicit iteration along lists of points; without a line block Jacobi */
} hyperplane_csr_preconditioner_kind;

/* In which order a preconditioner takes the rows; matrix, vectors and messages keep their numbers. docs/unstructured.md
 * says what they are for. */
typedef enum hyperplane_row_order HYPERPLANE_INT_ENUM {
  HYPERPLANE_ORDER_NATURAL = 0, /* by their numbers */
  HYPERPLANE_ORDER_RCM = 1,     /* reverse Cuthill-McKee */
  HYPERPLANE_ORDER_COLOURS = 2, /* rows without blocks for one another first, then the next ones of this kind */
  HYPERPLANE_ORDER_GIVEN = 3,   /* that of given_order */
  HYPERPLANE_ORDER_LINES = 4    /* line by line along the strongest couplings of the values that A has on creation */
} hyperplane_row_order;

/* Filled by hyperplane_csr_preconditioner_options_init() first, and then changed. An option that the kind does not have
 * stays as it is, or creating the preconditioner is HYPERPLANE_INVALID_ARGUMENT: fill, drop_tolerance, row_entries,
 * relaxation, line_sweeps, strong_coupling and lists of lines are of the kinds that are named, transposed of all but
 * the identity, pivot_shift and storage of all but the identity and lines, order of these but block Jacobi. */
typedef struct hyperplane_csr_preconditioner_options {
  size_t struct_size;                      /* not for you */
  hyperplane_csr_preconditioner_kind kind; /* HYPERPLANE_CSR_BILU0 */
  int fill;                                /* of ILU(k), 0 or more: 1 */
  double drop_tolerance;                   /* tau of ILUT, of the norm of a row, 0 or more: 0.01 */
  int row_entries;                         /* p of ILUT, blocks on either side of the diagonal, 0 or more: 20 */
  hyperplane_row_order order;              /* HYPERPLANE_ORDER_NATURAL */
  const int* given_order;                  /* each row once, the one that is taken first in front; else NULL */
  int64_t given_count;                     /* rows in it: 0 */
  int transposed;                          /* 1: for hyperplane_preconditioner_transpose(): 0 */
  double relaxation;                       /* of block SSOR, block Jacobi and lines, more than 0 and less than 2: 1 */
  double pivot_shift;                      /* what is added to pivots that cannot be inverted, 0 or more: 0 */
  hyperplane_storage storage;              /* of factors: HYPERPLANE_STORAGE_DOUBLE */
  double storage_fraction;                 /* of HYPERPLANE_STORAGE_AUTOMATIC, as on grids, at least 0: 0.05 */
  int line_sweeps;                         /* of lines, 1 or more: 1 */
  double strong_coupling;                  /* of lines that are found: they follow couplings that are as many times the
                                            * third strongest of both their points, 1 or more: 2 */
  const int64_t* line_offsets;             /* of given lines, line_count + 1; NULL, so that they are found along the
                                            * strongest couplings of the values that A has on creation */
  int64_t line_count;                      /* may be 0, for block Jacobi: 0 */
  const int64_t* line_points;              /* line l is line_points[line_offsets[l]], ..., [line_offsets[l + 1] - 1],
                                            * and a point is on one line at most; else NULL */
  int64_t line_point_count;                /* points in it: 0 */
} hyperplane_csr_preconditioner_options;

HYPERPLANE_API hyperplane_status
hyperplane_csr_preconditioner_options_init(hyperplane_csr_preconditioner_options* options);
/* Allocates what factors of matrices with the structure of A need. Each row of A has a diagonal block and no column
 * twice, or this is HYPERPLANE_INVALID_ARGUMENT with a message that names the row. options may be NULL: BILU(0).
 * DILU and SSOR whose factors are stored as double solve with the values of the matrix that they were factored with:
 * these must not change before the last solve, and the matrix lives as long as is needed, whether it is freed or not.
 * So do lines with several sweeps. Lists are copied.
 * Factored, checked and applied as preconditioners on grids are; right-hand sides go one after another, except in
 * hyperplane_krylov_solve_columns().
 * ILUT is factored on the host whatever the backend: that allocates, and has finished when it returns. */
HYPERPLANE_API hyperplane_status
hyperplane_csr_preconditioner_create(hyperplane_matrix a, const hyperplane_csr_preconditioner_options* options,
                                     hyperplane_preconditioner* preconditioner);
/* The preconditioner of that name, with options such as "fill=2,order=rcm", and storage=half or another of its
 * storages; with storage=automatic also storage_fraction=0.05. options may be NULL. */
HYPERPLANE_API hyperplane_status hyperplane_csr_preconditioner_create_named(hyperplane_matrix a, const char* name,
                                                                            const char* options,
                                                                            hyperplane_preconditioner* preconditioner);
/* With pivot_shift s > 0, a pivot block, or diagonal block of SSOR and block Jacobi, that is singular, or whose inverse
 * cannot be stored, has s times the norm of its row of A added to its diagonal, and the factorization goes on. How many
 * the last one replaced, and the row of the one that was taken first, or -1. Waits. */
HYPERPLANE_API hyperplane_status hyperplane_csr_preconditioner_replaced(hyperplane_preconditioner preconditioner,
                                                                        int64_t* count, int64_t* first);
/* As hyperplane_preconditioners() and hyperplane_preconditioner_describe(): "identity, jacobi, ssor, dilu, bilu0, iluk,
 * ilut, lines". */
HYPERPLANE_API const char* hyperplane_csr_preconditioners(void);
HYPERPLANE_API hyperplane_status hyperplane_csr_preconditioner_describe(
    hyperplane_csr_preconditioner_kind kind, hyperplane_preconditioner_description* description);

/* As hyperplane_krylov_create(). hyperplane_krylov_cause() knows of copies of narrowed matrices alone. */
HYPERPLANE_API hyperplane_status hyperplane_csr_krylov_create(hyperplane_context context, int64_t points, int n,
                                                              const hyperplane_krylov_options* options,
                                                              hyperplane_krylov* krylov);

#endif
