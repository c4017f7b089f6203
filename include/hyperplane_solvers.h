/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HYPERPLANE_H
#error "include <hyperplane.h>, which has this file"
#endif
#ifndef HYPERPLANE_SOLVERS_H
#define HYPERPLANE_SOLVERS_H

/* --- Preconditioners --------------------------------------------------------------------------------------------- */

/* How a solver runs; what the backend cannot run is an error. docs/design.md says more. */
typedef enum hyperplane_path HYPERPLANE_INT_ENUM {
  HYPERPLANE_PATH_AUTOMATIC = 0,  /* the fastest of the backend */
  HYPERPLANE_PATH_PORTABLE = 1,   /* by hyperplanes; every backend */
  HYPERPLANE_PATH_SLAB = 2,       /* of sweeps: point to point along slabs; every backend */
  HYPERPLANE_PATH_CUDA_GRAPH = 3, /* of sweeps: cuda */
  HYPERPLANE_PATH_STAGED = 7      /* of line solvers: cuda, for n > 1 from 9.0 on */
} hyperplane_path;

typedef enum hyperplane_preconditioner_kind HYPERPLANE_INT_ENUM {
  HYPERPLANE_IDENTITY = 0,
  HYPERPLANE_JACOBI = 1, /* block Jacobi */
  HYPERPLANE_SSOR = 2,   /* block SSOR */
  HYPERPLANE_SIP = 3,    /* Stone's strongly implicit procedure, n = 1 */
  HYPERPLANE_LINES = 4,  /* line-implicit iteration; one sweep in one direction solves the block tridiagonal systems */
  HYPERPLANE_BILU0 = 5   /* block ILU(0) */
} hyperplane_preconditioner_kind;

/* What is coupled where a grid is cut into parts; docs/blocks.md says more. */
typedef enum hyperplane_coupling HYPERPLANE_INT_ENUM {
  HYPERPLANE_COUPLING_NONE = 0,     /* each part by itself */
  HYPERPLANE_COUPLING_COLOURED = 1, /* in the order of colours of the parts */
  HYPERPLANE_COUPLING_NATURAL =
      2 /* in the order of the points of the grid: that of the whole; over ranks of hosts, too, bit by bit */
} hyperplane_coupling;

/* How values come from rank to rank, with the same bits: see hyperplane_mpi.h. */
typedef enum hyperplane_transport HYPERPLANE_INT_ENUM {
  HYPERPLANE_TRANSPORT_AUTOMATIC = 0, /* the first of PEER, GPU_AWARE and HOST that can be had */
  HYPERPLANE_TRANSPORT_HOST = 1,      /* messages of MPI from and to memory of the host */
  HYPERPLANE_TRANSPORT_GPU_AWARE = 2, /* messages of MPI from and to memory of CUDA devices */
  HYPERPLANE_TRANSPORT_PEER = 3       /* kernels store into the memory of the other rank's CUDA device */
} hyperplane_transport;

/* Filled by hyperplane_preconditioner_options_init() first, and then changed. */
typedef struct hyperplane_preconditioner_options {
  size_t struct_size;                  /* not for you */
  hyperplane_preconditioner_kind kind; /* HYPERPLANE_BILU0 */
  hyperplane_storage storage;          /* of the factors: HYPERPLANE_STORAGE_DOUBLE. The matrix has the same; where it
                                        * is at most 16 bits or automatic, of all but lines, it is double */
  double storage_fraction;             /* of HYPERPLANE_STORAGE_AUTOMATIC: by how much M^-1 of random vectors may differ
                                        * from that of factors of double, at least 0: 0.05 */
  double relaxation;                   /* of SSOR and lines, more than 0 and less than 2: 1 */
  double alpha;                        /* of SIP, at least 0 and less than 1: 0.9 */
  int line_direction_count;            /* 1 to 3: 1 */
  int line_directions[3];              /* 0, 1, 2: along i, j, k; they take turns: 0 */
  int line_sweeps;                     /* through these directions: 1 */
  hyperplane_path path;                /* of BILU(0), SIP and SSOR: HYPERPLANE_PATH_AUTOMATIC */
  int right_hand_sides;                /* that these solve for together at most, 1 to 3: 1 */
  int parts[3];                        /* that the grid is cut into along i, j, k, of all but lines: 1, 1, 1 */
  hyperplane_coupling coupling;        /* of parts: HYPERPLANE_COUPLING_NONE, which alone block Jacobi has;
                                        * SIP has not HYPERPLANE_COUPLING_NATURAL */
  int folded[3];                       /* 1: BILU(0) and SSOR take the points along i, j, k from both ends to the
                                        * middle, without couplings of parts: 0, 0, 0 */
} hyperplane_preconditioner_options;

HYPERPLANE_API hyperplane_status hyperplane_preconditioner_options_init(hyperplane_preconditioner_options* options);
/* Allocates what factors need. options may be NULL: BILU(0). */
HYPERPLANE_API hyperplane_status hyperplane_preconditioner_create(hyperplane_context context, hyperplane_grid grid,
                                                                  int n,
                                                                  const hyperplane_preconditioner_options* options,
                                                                  hyperplane_preconditioner* preconditioner);
/* The preconditioner of that name, with options such as "relaxation=1.2,path=portable": those of its description, and
 * storage=double, or another of its storages; with storage=automatic also storage_fraction=0.05. What is not said is as
 * it is by itself; options may be NULL. */
HYPERPLANE_API hyperplane_status hyperplane_preconditioner_create_named(hyperplane_context context,
                                                                        hyperplane_grid grid, int n, const char* name,
                                                                        const char* options,
                                                                        hyperplane_preconditioner* preconditioner);
/* Factors A, as often as wanted. Lines keep A itself, which must not change while it is used. */
HYPERPLANE_API hyperplane_status hyperplane_preconditioner_factor(hyperplane_preconditioner preconditioner,
                                                                  hyperplane_matrix a);
/* After factor: waits, and is HYPERPLANE_SINGULAR_PIVOT, HYPERPLANE_NOT_FINITE or HYPERPLANE_OVERFLOW if the last
 * factorization failed: its factors are of no use. */
HYPERPLANE_API hyperplane_status hyperplane_preconditioner_check(hyperplane_preconditioner preconditioner);
/* x = M^-1 rhs; x may be rhs. */
HYPERPLANE_API hyperplane_status hyperplane_preconditioner_solve(hyperplane_preconditioner preconditioner,
                                                                 hyperplane_vector rhs, hyperplane_vector x);
/* M^T, for Krylov methods on A^T x = b and for solves. It has the factors of M, those of later factorizations too, and
 * is not factored itself. Of compressed rows M has been made with the option transposed. Of a preconditioner of one's
 * own that has no solve with it: HYPERPLANE_INVALID_ARGUMENT. Over ranks see hyperplane_mpi_preconditioner_create(). */
HYPERPLANE_API hyperplane_status hyperplane_preconditioner_transpose(hyperplane_preconditioner preconditioner,
                                                                     hyperplane_preconditioner* transpose);

/* What factors are stored in: of HYPERPLANE_STORAGE_AUTOMATIC, after the first factor, what that has chosen, the
 * narrowest type that is near enough. It factors, and allocates, more than later ones. */
HYPERPLANE_API hyperplane_status hyperplane_preconditioner_storage(hyperplane_preconditioner preconditioner,
                                                                   hyperplane_storage* storage);

/* Measures every solve of a Krylov method with it from now on, and waits for each; one for the columns that
 * hyperplane_krylov_solve_columns() takes together is one solve. */
HYPERPLANE_API hyperplane_status hyperplane_preconditioner_measure(hyperplane_preconditioner preconditioner);
/* Seconds of the solves that were measured; at most capacity of them are written, count is how many there are. */
HYPERPLANE_API hyperplane_status hyperplane_preconditioner_seconds(hyperplane_preconditioner preconditioner,
                                                                   double* seconds, int64_t capacity, int64_t* count);

/* What preconditioners there are, for programs that let their users choose. A library may have been built with more
 * than the constants name (docs/c.md says how): they have the numbers behind HYPERPLANE_BILU0, and take options
 * by hyperplane_preconditioner_create_named() alone. Nothing here needs hyperplane_initialize(), and all texts stay
 * valid. */

/* Their names, in the order of their numbers: "identity, jacobi, ssor, sip, lines, bilu0". */
HYPERPLANE_API const char* hyperplane_preconditioners(void);

typedef enum hyperplane_option_type HYPERPLANE_INT_ENUM {
  HYPERPLANE_OPTION_REAL = 0,
  HYPERPLANE_OPTION_INTEGER = 1,
  HYPERPLANE_OPTION_CHOICE = 2,  /* one of several words */
  HYPERPLANE_OPTION_CHOICES = 3, /* one or more of several letters: "ik" */
  HYPERPLANE_OPTION_COUNTS = 4   /* whole numbers of at least 1 along i, j and k: "1x1x4" */
} hyperplane_option_type;

typedef struct hyperplane_option_description {
  const char* name;    /* "alpha" */
  const char* summary; /* "share of the extrapolation" */
  hyperplane_option_type type;
  const char* standard; /* what it is by itself: "0.9" */
  const char* choices;  /* "automatic|portable|slab"; of numbers "" */
  double least, most;   /* of numbers; infinite where there is no limit */
  int above_least;      /* 1: more than least, not least itself */
  int below_most;       /* 1: less than most, not most itself */
  const char* needs;    /* another option, without which this one says nothing: "parts"; none: "" */
} hyperplane_option_description;

typedef struct hyperplane_preconditioner_description {
  const char* name;                             /* "sip" */
  const char* summary;                          /* "SIP for one unknown per point" */
  int largest_block_size;                       /* of those that hyperplane_has_block_size() has */
  const char* storages;                         /* of its factors: "double|float" */
  int option_count;                             /* how many options there are */
  const hyperplane_option_description* options; /* beside storage */
} hyperplane_preconditioner_description;

HYPERPLANE_API hyperplane_status hyperplane_preconditioner_describe(hyperplane_preconditioner_kind kind,
                                                                    hyperplane_preconditioner_description* description);

/* --- Krylov methods ---------------------------------------------------------------------------------------------- */

typedef enum hyperplane_method HYPERPLANE_INT_ENUM {
  HYPERPLANE_RICHARDSON = 0, /* x += M^-1 (b - A x) */
  HYPERPLANE_BICGSTAB = 1,
  HYPERPLANE_FGMRES = 2,
  HYPERPLANE_FGCRODR = 3 /* FGMRES that keeps a subspace from one solve of the object to the next */
} hyperplane_method;

/* Called with each iteration and its residual norm when the host looks at them: 0 goes on, anything else stops the
 * iteration. It must not solve with the object that calls it: that is HYPERPLANE_INVALID_ARGUMENT. */
typedef int (*hyperplane_monitor)(int iteration, double residual_norm, void* data);

/* Filled by hyperplane_krylov_options_init() first, and then changed. */
typedef struct hyperplane_krylov_options {
  size_t struct_size;         /* not for you */
  hyperplane_method method;   /* HYPERPLANE_BICGSTAB */
  double tolerance;           /* converged at ||b - A x|| <= max(tolerance * ||b||, absolute_tolerance): 1e-8 */
  double absolute_tolerance;  /* 0 */
  int max_iterations;         /* 200 */
  int restart;                /* directions that FGMRES and FGCRO-DR keep: 30 */
  int recycled;               /* of those, what FGCRO-DR keeps for the next cycle and the next solve: 10 */
  int check_interval;         /* iterations between two looks at the residual norm; 0, the default: on a device where
                               * the solve may have ended, on a host or with a monitor after each */
  hyperplane_monitor monitor; /* NULL */
  void* monitor_data;
} hyperplane_krylov_options;

typedef enum hyperplane_outcome HYPERPLANE_INT_ENUM {
  HYPERPLANE_CONVERGED = 0,
  HYPERPLANE_MAX_ITERATIONS = 1,
  HYPERPLANE_BREAKDOWN = 2,
  HYPERPLANE_STOPPED = 3 /* by the monitor */
} hyperplane_outcome;

/* What is zero or not finite in a breakdown. */
typedef enum hyperplane_breakdown HYPERPLANE_INT_ENUM {
  HYPERPLANE_NO_BREAKDOWN = 0,
  HYPERPLANE_BREAKDOWN_RIGHT_HAND_SIDE = 1,
  HYPERPLANE_BREAKDOWN_INITIAL_GUESS = 2,
  HYPERPLANE_BREAKDOWN_INITIAL_RESIDUAL = 3, /* though right-hand side and guess are finite */
  HYPERPLANE_BREAKDOWN_PRECONDITIONER = 4,   /* what it returned */
  HYPERPLANE_BREAKDOWN_PRODUCT = 5,          /* A times that */
  HYPERPLANE_BREAKDOWN_RESIDUAL = 6,         /* the iteration diverges */
  HYPERPLANE_BREAKDOWN_RECURSION = 7         /* a coefficient of the method */
} hyperplane_breakdown;
/* In words. The text stays valid. */
HYPERPLANE_API const char* hyperplane_breakdown_message(hyperplane_breakdown breakdown);

typedef struct hyperplane_krylov_result {
  hyperplane_outcome outcome;
  int iterations;
  double rhs_norm;
  double residual_norm; /* ||b - A x|| of the x that is returned */
  hyperplane_breakdown breakdown;
} hyperplane_krylov_result;

/* Filled by hyperplane_krylov_get_limits() first, and then changed. */
typedef struct hyperplane_krylov_limits {
  size_t struct_size; /* not for you */
  double tolerance;   /* as in the options */
  double absolute_tolerance;
  int max_iterations;
} hyperplane_krylov_limits;

HYPERPLANE_API hyperplane_status hyperplane_krylov_options_init(hyperplane_krylov_options* options);
/* Allocates the vectors of the method. options may be NULL: BiCGStab. */
HYPERPLANE_API hyperplane_status hyperplane_krylov_create(hyperplane_context context, hyperplane_grid grid, int n,
                                                          const hyperplane_krylov_options* options,
                                                          hyperplane_krylov* krylov);
/* The limits of the solves that follow: at first those of the options. Nothing is allocated for other ones, so that
 * FGMRES and FGCRO-DR restart after no more iterations than the max_iterations of its options. */
HYPERPLANE_API hyperplane_status hyperplane_krylov_get_limits(hyperplane_krylov krylov,
                                                              hyperplane_krylov_limits* limits);
HYPERPLANE_API hyperplane_status hyperplane_krylov_set_limits(hyperplane_krylov krylov,
                                                              const hyperplane_krylov_limits* limits);
/* Solves A x = b from the x that is given. Not to converge is an outcome, not an error. preconditioner may be NULL.
 * x must not be b. */
HYPERPLANE_API hyperplane_status hyperplane_krylov_solve(hyperplane_krylov krylov, hyperplane_matrix a,
                                                         hyperplane_preconditioner preconditioner, hyperplane_vector b,
                                                         hyperplane_vector x, hyperplane_krylov_result* result);
/* The next solve with FGCRO-DR begins without the subspace that the ones before it left; other methods have none. Over
 * ranks all of them call it. Not from a monitor of the object, if that is FGCRO-DR: HYPERPLANE_INVALID_ARGUMENT. */
HYPERPLANE_API hyperplane_status hyperplane_krylov_forget(hyperplane_krylov krylov);
/* What of A is not finite, in words, where the last solve broke down on that and it was found: "block west of point
 * (0, 3, 1) is not finite". Or, where one with a narrowed matrix broke down, or took all its iterations and its
 * recursion had another residual than x, which block of the copy is not that of A, as after hyperplane_matrix_set()
 * without hyperplane_matrix_narrow(). Else "". Valid until the next solve, or the end of the object. */
HYPERPLANE_API hyperplane_status hyperplane_krylov_cause(hyperplane_krylov krylov, const char** cause);
/* Residual norms of the last solve, of iterations 0, 1, ...; at most capacity of them are written, count is how many
 * there are. */
HYPERPLANE_API hyperplane_status hyperplane_krylov_history(hyperplane_krylov krylov, double* norms, int64_t capacity,
                                                           int64_t* count);

#endif
