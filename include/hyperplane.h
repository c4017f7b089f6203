/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HYPERPLANE_H
#define HYPERPLANE_H

/* Hyperplane for C: solvers of block systems on the seven-point stencil of a structured grid, and of general block
 * matrices in compressed rows.
 *
 * Every function that can fail returns HYPERPLANE_SUCCESS, or says what is wrong by another status and
 * hyperplane_last_error_message(). Nothing is thrown, nothing is printed, and nothing ends the program. docs/c.md is an
 * introduction.
 *
 * Grids have ni x nj x nk points, i fastest: point = i + ni * (j + nj * k). There are n unknowns at a point, and
 * unknown c of it is row point * n + c, all counted from 0.
 *
 * Calls on different objects may be made from different threads at a time, if the objects are of different contexts.
 * Inside a parallel region of OpenMP, calls that need a context of openmp are HYPERPLANE_NOT_AVAILABLE.
 * Calls leave a thread the CUDA device that it had. In a process that was forked from the one that initialized the
 * library, contexts of serial work on, if the library has not the backend cuda; all others, whose threads and device
 * are not there, are HYPERPLANE_NOT_AVAILABLE.
 */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HYPERPLANE_API __attribute__((visibility("default")))
#else
#define HYPERPLANE_API
#endif

/* Any int is a value of an enumeration, also in C++, so that one out of range is an error and not undefined. */
#ifdef __cplusplus
#define HYPERPLANE_INT_ENUM : int
extern "C" {
#else
#define HYPERPLANE_INT_ENUM
#endif

/* --- Errors ------------------------------------------------------------------------------------------------------ */

typedef enum hyperplane_status HYPERPLANE_INT_ENUM {
  HYPERPLANE_SUCCESS = 0,
  HYPERPLANE_NOT_INITIALIZED = 1,  /* hyperplane_initialize() comes first */
  HYPERPLANE_NULL_POINTER = 2,     /* an argument that is needed is NULL */
  HYPERPLANE_INVALID_HANDLE = 3,   /* freed, of another kind, or never was one */
  HYPERPLANE_INVALID_ARGUMENT = 4, /* a value out of range, or objects that do not belong together */
  HYPERPLANE_SIZE_MISMATCH = 5,    /* grids, block sizes or numbers of values that differ */
  HYPERPLANE_NOT_AVAILABLE = 6,    /* a backend, device or block size that is not there */
  HYPERPLANE_SINGULAR_PIVOT = 7,   /* the message says at which point, in which equation */
  HYPERPLANE_OUT_OF_MEMORY = 8,
  HYPERPLANE_INTERNAL_ERROR = 9,
  HYPERPLANE_NOT_FINITE =
      10,                  /* of a factorization: the matrix has infinities or NaN; the message says in which block */
  HYPERPLANE_OVERFLOW = 11 /* factors, or a copy (narrow), have values too large for the type that they are stored in */
} hyperplane_status;

/* What the last call of this thread that failed had to say; valid until the next one fails. Never NULL. */
HYPERPLANE_API const char* hyperplane_last_error_message(void);
/* For errors that are looked at once, at the end of a section. Keeps status and message of the last call of this thread
 * that failed, unless the thread keeps an error already; HYPERPLANE_SUCCESS is none. */
HYPERPLANE_API void hyperplane_keep_error(hyperplane_status status);
/* The error that the thread keeps, from now on none; HYPERPLANE_SUCCESS if there is none. The message, valid until the
 * next one is kept, is never NULL; message itself may be. */
HYPERPLANE_API hyperplane_status hyperplane_take_error(const char** message);
/* "HYPERPLANE_SUCCESS" and so on. */
HYPERPLANE_API const char* hyperplane_status_name(hyperplane_status status);

/* --- Library ----------------------------------------------------------------------------------------------------- */

/* "0.1.0" */
HYPERPLANE_API const char* hyperplane_version(void);
/* The backends of this library, the default last: "serial, openmp". */
HYPERPLANE_API const char* hyperplane_backends(void);
/* 1 if this library has blocks of n unknowns, 0 if not. */
HYPERPLANE_API int hyperplane_has_block_size(int n);

/* Makes the library ready, and Kokkos with it unless the program has initialized that itself. The environment's
 * HYPERPLANE_DEVICE says which CUDA device to take; a library with the backend cuda needs one, whatever the backend
 * that is used: HYPERPLANE_NOT_AVAILABLE. May be called several times; it takes as many calls of hyperplane_finalize()
 * to end it. */
HYPERPLANE_API hyperplane_status hyperplane_initialize(void);
/* Frees all objects that are left, and finalizes Kokkos if hyperplane_initialize() initialized it; after that it cannot
 * be initialized again in this process. No other call may be in progress, neither in another thread nor as the caller
 * of a monitor. */
HYPERPLANE_API hyperplane_status hyperplane_finalize(void);
HYPERPLANE_API int hyperplane_is_initialized(void);

/* --- Objects ----------------------------------------------------------------------------------------------------- */

/* Handles name objects; they are no addresses of anything. Each has one owner at first. What is freed is recognized for
 * ever: using it is HYPERPLANE_INVALID_HANDLE. */
typedef struct hyperplane_context_s* hyperplane_context;
typedef struct hyperplane_vector_s* hyperplane_vector;
typedef struct hyperplane_matrix_s* hyperplane_matrix;
typedef struct hyperplane_preconditioner_s* hyperplane_preconditioner;
typedef struct hyperplane_krylov_s* hyperplane_krylov;

/* One owner more of any object. */
HYPERPLANE_API hyperplane_status hyperplane_retain(void* handle);
/* One owner less; without any the object is gone. NULL is no object, and no error. */
HYPERPLANE_API hyperplane_status hyperplane_free(void* handle);

/* Where an array is that a function is given. */
typedef enum hyperplane_memory_space HYPERPLANE_INT_ENUM {
  HYPERPLANE_HOST = 0,  /* the function waits until the array may be used again */
  HYPERPLANE_DEVICE = 1 /* of the context's CUDA device; used in the order of the context's stream, without waiting */
} hyperplane_memory_space;

typedef struct hyperplane_grid {
  int ni, nj, nk;
} hyperplane_grid;

/* --- Contexts: where and in which order work is done ------------------------------------------------------------- */

/* backend: "serial", "openmp" or "cuda", as far as hyperplane_backends() has it; NULL, "" or "auto": that of the
 * environment's HYPERPLANE_BACKEND, or the last of hyperplane_backends(). stream: a cudaStream_t, which has to outlive
 * the objects of the context; NULL: one of the context's own, and for other backends. Contexts of openmp share the
 * threads and take turns. Objects of one context alone work together. */
HYPERPLANE_API hyperplane_status hyperplane_context_create(const char* backend, void* stream,
                                                           hyperplane_context* context);
/* The name stays valid while the context does. */
HYPERPLANE_API hyperplane_status hyperplane_context_backend(hyperplane_context context, const char** name);
/* Threads. */
HYPERPLANE_API hyperplane_status hyperplane_context_concurrency(hyperplane_context context, int* concurrency);
/* Waits until all work of the context is done. */
HYPERPLANE_API hyperplane_status hyperplane_context_fence(hyperplane_context context);

/* --- Vectors: n doubles per point -------------------------------------------------------------------------------- */

/* Zero at first. */
HYPERPLANE_API hyperplane_status hyperplane_vector_create(hyperplane_context context, hyperplane_grid grid, int n,
                                                          hyperplane_vector* vector);
/* From and to an array of rows; count = points * n. */
HYPERPLANE_API hyperplane_status hyperplane_vector_set(hyperplane_vector vector, const double* values, int64_t count,
                                                       hyperplane_memory_space space);
HYPERPLANE_API hyperplane_status hyperplane_vector_get(hyperplane_vector vector, double* values, int64_t count,
                                                       hyperplane_memory_space space);
HYPERPLANE_API hyperplane_status hyperplane_vector_fill(hyperplane_vector vector, double value);

/* --- Matrices: seven n x n blocks per point ---------------------------------------------------------------------- */

/* Which neighbour a block multiplies: (i, j, k-1), (i, j-1, k), (i-1, j, k), the point itself, (i+1, j, k), ...
 * The number of the direction to (i + di, j + dj, k + dk) is 3 + di + 2 dj + 3 dk. */
enum {
  HYPERPLANE_BOTTOM = 0,
  HYPERPLANE_SOUTH = 1,
  HYPERPLANE_WEST = 2,
  HYPERPLANE_CENTER = 3,
  HYPERPLANE_EAST = 4,
  HYPERPLANE_NORTH = 5,
  HYPERPLANE_TOP = 6
};

/* Type that values and factors are stored in; arithmetic is double. Matrices and line solvers have the first two. */
typedef enum hyperplane_storage HYPERPLANE_INT_ENUM {
  HYPERPLANE_STORAGE_DOUBLE = 0,
  HYPERPLANE_STORAGE_FLOAT = 1,
  /* binary16, in units of its own: factors of BILU(0), SSOR, SIP, block Jacobi and, of general matrices, of ILU and
   * block Jacobi */
  HYPERPLANE_STORAGE_HALF = 2,
  HYPERPLANE_STORAGE_BFLOAT16 = 3, /* the upper half of a float: the same */
  HYPERPLANE_STORAGE_QUARTER = 4,  /* 8 bits, with scales of rows and columns: BILU(0) and SSOR on grids, without folded
                                    * directions and, as HYPERPLANE_STORAGE_HALF, without couplings of parts; of general
                                    * matrices BILU(0), BILU(k) and ILUT */
  HYPERPLANE_STORAGE_AUTOMATIC = 5 /* the first matrix chooses: factors that can have 16 bits. QUARTER is tried of one
                                    * grid in one part with n >= 4 on hosts, with HYPERPLANE_PATH_AUTOMATIC or _SLAB */
} hyperplane_storage;

/* Entry (r, c) of the block of a point that multiplies the neighbour in direction d is
 *   values[((point * 7 + d) * n + r) * n + c]    HYPERPLANE_ROW_MAJOR,    values[point][d][r][c] in C
 *   values[((point * 7 + d) * n + c) * n + r]    HYPERPLANE_COLUMN_MAJOR, values(r, c, d, point) in Fortran */
typedef enum hyperplane_block_order HYPERPLANE_INT_ENUM {
  HYPERPLANE_ROW_MAJOR = 0,
  HYPERPLANE_COLUMN_MAJOR = 1
} hyperplane_block_order;

/* Zero at first. */
HYPERPLANE_API hyperplane_status hyperplane_matrix_create(hyperplane_context context, hyperplane_grid grid, int n,
                                                          hyperplane_storage storage, hyperplane_matrix* matrix);
/* From and to an array; count = points * 7 * n * n. Blocks that point out of the grid are ignored, but by periodic line
 * solvers (hyperplane_lines.h), and finite. */
HYPERPLANE_API hyperplane_status hyperplane_matrix_set(hyperplane_matrix matrix, const double* values, int64_t count,
                                                       hyperplane_block_order order, hyperplane_memory_space space);
HYPERPLANE_API hyperplane_status hyperplane_matrix_get(hyperplane_matrix matrix, double* values, int64_t count,
                                                       hyperplane_block_order order, hyperplane_memory_space space);
/* y = A x; y is not x. */
HYPERPLANE_API hyperplane_status hyperplane_matrix_apply(hyperplane_matrix a, hyperplane_vector x, hyperplane_vector y);
/* r = b - A x; r is not x. */
HYPERPLANE_API hyperplane_status hyperplane_matrix_residual(hyperplane_matrix a, hyperplane_vector b,
                                                            hyperplane_vector x, hyperplane_vector r);
/* A^T, on a grid or in compressed rows, for products and Krylov methods. It follows the values of A, which are not
 * copied, and is neither set nor got nor factored itself. */
HYPERPLANE_API hyperplane_status hyperplane_matrix_transpose(hyperplane_matrix a, hyperplane_matrix* transpose);
/* A narrowed matrix: A with memory for a copy in HYPERPLANE_STORAGE_FLOAT, or on a grid in _HALF or _BFLOAT16. Products
 * with it read the copy, at half or a quarter of the bytes; residuals, which Krylov methods look at, are computed with
 * A. So solutions are as accurate as those with A (docs/algorithms.md#products-that-read-less). Factors are made of the
 * copy where both are of floats; others are made of A, and those of floats are refused beside a copy of 16 bits. It
 * refers to the values of A, and is neither set nor got itself; its transpose has the same copy. Not over ranks:
 * HYPERPLANE_INVALID_ARGUMENT. */
HYPERPLANE_API hyperplane_status hyperplane_matrix_create_narrowed(hyperplane_matrix a, hyperplane_storage storage,
                                                                   hyperplane_matrix* narrowed);
/* Rounds A to the copy: before the first use, and whenever A has changed. Waits. Where a value does not fit, be it in a
 * block that points out of the grid, it is HYPERPLANE_OVERFLOW, which names the block; A is as it was, and the copy of
 * no use until the next one. (Copies of 16 bits do not read such blocks, and hold values up to 4e40.) Values below
 * 1.2e-38 lose digits, or become zero; in _HALF and _BFLOAT16 a value is kept to about 5e-4 and 4e-3 of the
 * largest one of its row and unknown, so that smaller ones may be lost: the sum of these is not. Factors of "lines"
 * that were made of the copy read it in their solves: factor again. */
HYPERPLANE_API hyperplane_status hyperplane_matrix_narrow(hyperplane_matrix narrowed);
/* How to cut the grid of A into `count` parts along i, j and k so that as little coupling as can be is cut: across the
 * direction of the weakest couplings where cells are stretched. For `parts` of preconditioners and for ranks.
 * HYPERPLANE_PARTS_AUTOMATIC: into as many as pay with BILU(0) or SSOR where the context of A runs, else into one. */
enum { HYPERPLANE_PARTS_AUTOMATIC = -1 };
HYPERPLANE_API hyperplane_status hyperplane_matrix_choose_parts(hyperplane_matrix a, int count, int parts[3]);

/* --- Timers of all kernels --------------------------------------------------------------------------------------- */

/* While they run, kernels wait for one another. The environment's HYPERPLANE_TIMERS starts them in
 * hyperplane_initialize() and reports at the end: "stderr" a table there, anything else JSON in a file of that name, in
 * which %p is the number of the process. They are started and stopped while no other thread is in a call. */
HYPERPLANE_API hyperplane_status hyperplane_timers_start(void);
HYPERPLANE_API hyperplane_status hyperplane_timers_stop(void);
/* Forgets what was measured. */
HYPERPLANE_API hyperplane_status hyperplane_timers_reset(void);

typedef enum hyperplane_timers_format HYPERPLANE_INT_ENUM {
  HYPERPLANE_TIMERS_TABLE = 0,
  HYPERPLANE_TIMERS_JSON = 1
} hyperplane_timers_format;
/* Writes the report, as far as there is room, with a NUL at the end; length is how long it is, without that. */
HYPERPLANE_API hyperplane_status hyperplane_timers_report(hyperplane_timers_format format, char* text, size_t capacity,
                                                          size_t* length);

#include <hyperplane_solvers.h>

/* Refer to the objects of the solvers. */
#include <hyperplane_csr.h>
#include <hyperplane_lines.h>
#include <hyperplane_primitives.h>

/* Refers to the arrays of the primitives. */
#include <hyperplane_arrays.h>

#undef HYPERPLANE_INT_ENUM

#ifdef __cplusplus
}
#endif

#endif
