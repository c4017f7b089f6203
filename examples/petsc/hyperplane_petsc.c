/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hyperplane's preconditioners as a type of PETSc, in a shared library that any PETSc program loads:
 *   -dll_append /path/to/libhyperplane_petsc.so -pc_type hyperplane -pc_hyperplane_type bilu0
 * README.md has the other options. The matrix is copied at every set-up into Hyperplane's layout. */
#include <hyperplane.h>
#include <petsc/private/pcimpl.h>
#include <petscdmda.h>
#include <stdio.h>
#include <string.h>

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "Hyperplane computes with real numbers in double precision, and this PETSc does not"
#endif

/* In the order of their numbers. */
static const char* const kinds[] = {"identity", "jacobi", "ssor", "sip", "lines", "bilu0"};
static const char* const paths[] = {"automatic", "portable", "slab", "cuda_graph"};

typedef struct plan {
  hyperplane_preconditioner_options options;
  char backend[32]; /* "": the environment's HYPERPLANE_BACKEND, or the library's default */
  char extents[64]; /* of the grid, "32x16x8"; "": those of the DMDA */
  /* Since the set-up: */
  hyperplane_grid grid;
  int n;
  hyperplane_context context;
  hyperplane_matrix matrix;
  hyperplane_preconditioner preconditioner; /* NULL: not set up */
} plan;

#define CALL_HYPERPLANE(call)                                                           \
  do {                                                                                  \
    hyperplane_status const status_ = (call);                                           \
    PetscCheck(status_ == HYPERPLANE_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s: %s", \
               hyperplane_status_name(status_), hyperplane_last_error_message());       \
  } while (0)

static PetscBool is_started = PETSC_FALSE;

static PetscErrorCode end_hyperplane(void) {
  PetscFunctionBegin;
  is_started = PETSC_FALSE;
  CALL_HYPERPLANE(hyperplane_finalize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Once for the process: Kokkos cannot be initialized again after its end, which is that of PETSc. */
static PetscErrorCode start_hyperplane(void) {
  PetscFunctionBegin;
  if (is_started) PetscFunctionReturn(PETSC_SUCCESS);
  CALL_HYPERPLANE(hyperplane_initialize());
  is_started = PETSC_TRUE;
  PetscCall(PetscRegisterFinalize(end_hyperplane));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode reset(PC pc) {
  plan* const p = (plan*)pc->data;
  PetscFunctionBegin;
  CALL_HYPERPLANE(hyperplane_free(p->preconditioner));
  CALL_HYPERPLANE(hyperplane_free(p->matrix));
  CALL_HYPERPLANE(hyperplane_free(p->context));
  p->preconditioner = NULL;
  p->matrix = NULL;
  p->context = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(PC pc) {
  PetscFunctionBegin;
  PetscCall(reset(pc));
  PetscCall(PetscFree(pc->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The grid is that of the option; without one that of the DMDA that the preconditioner or the matrix has. On one rank
 * PETSc numbers the points of a DMDA as Hyperplane does. */
static PetscErrorCode find_grid(PC pc, hyperplane_grid* grid) {
  const plan* const p = (const plan*)pc->data;
  DM dm = NULL;
  PetscBool is_dmda = PETSC_FALSE;
  const char* prefix = NULL;
  PetscFunctionBegin;
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  if (!prefix) prefix = "";
  if (p->extents[0]) {
    char rest;
    int const read = sscanf(p->extents, "%dx%dx%d%c", &grid->ni, &grid->nj, &grid->nk, &rest);
    PetscCheck(read == 3 && grid->ni > 0 && grid->nj > 0 && grid->nk > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "-%spc_hyperplane_grid: '%s' is not of the form IxJxK with extents of at least 1", prefix, p->extents);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PCGetDM(pc, &dm));
  if (!dm) PetscCall(MatGetDM(pc->pmat, &dm));
  if (dm) PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMDA, &is_dmda));
  PetscCheck(is_dmda, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "The grid is not known, as there is no DMDA: give its extents by -%spc_hyperplane_grid IxJxK", prefix);
  PetscInt ni, nj, nk;
  PetscCall(DMDAGetInfo(dm, NULL, &ni, &nj, &nk, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  *grid = (hyperplane_grid){(int)ni, (int)nj, (int)nk};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Grid and unknowns per point of the operator. */
static PetscErrorCode find_shape(PC pc, hyperplane_grid* grid, int* n) {
  PetscMPIInt ranks;
  PetscInt rows, columns;
  const char* prefix = NULL;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc), &ranks));
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  if (!prefix) prefix = "";
  PetscCheck(ranks == 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "hyperplane works on one rank, and here are %d. Have each rank work on its own part: "
             "-%spc_type bjacobi -%ssub_pc_type hyperplane -%ssub_pc_hyperplane_grid IxJxK",
             ranks, prefix, prefix, prefix);
  PetscCall(find_grid(pc, grid));
  PetscCall(MatGetSize(pc->pmat, &rows, &columns));
  PetscInt64 const points = (PetscInt64)grid->ni * grid->nj * grid->nk;
  PetscCheck(rows == columns && rows > 0 && rows % points == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "A matrix of %" PetscInt_FMT " x %" PetscInt_FMT
             " values is none of the grid %d x %d x %d, which has %" PetscInt64_FMT " points",
             rows, columns, grid->ni, grid->nj, grid->nk, points);
  *n = (int)(rows / points);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays of a sequential AIJ or BAIJ matrix, without a copy between PETSc and Hyperplane. */
static PetscErrorCode set_matrix(hyperplane_matrix matrix, Mat a) {
  PetscBool is_aij, is_baij, done;
  MatType type;
  PetscInt rows, block_size = 1;
  const PetscInt *offsets, *columns;
  PetscScalar* values;
  hyperplane_csr csr;
  PetscFunctionBegin;
  PetscCall(MatGetType(a, &type));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)a, MATSEQAIJ, &is_aij));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)a, MATSEQBAIJ, &is_baij));
  PetscCheck(is_aij || is_baij, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "hyperplane takes matrices of the types seqaij and seqbaij, not %s", type);
  if (is_baij) PetscCall(MatGetBlockSize(a, &block_size));

  CALL_HYPERPLANE(hyperplane_csr_init(&csr));
  PetscCall(MatGetRowIJ(a, 0, PETSC_FALSE, is_baij, &rows, &offsets, &columns, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of the type %s does not show its rows", type);
  if (is_aij) {
    PetscCall(MatSeqAIJGetArrayRead(a, (const PetscScalar**)&values));
  } else {
    PetscCall(MatSeqBAIJGetArray(a, &values));
  }
  csr.rows = rows;
  csr.entries = offsets[rows];
  csr.block_size = (int)block_size;
  csr.order = HYPERPLANE_COLUMN_MAJOR;
  csr.index_type = sizeof(PetscInt) == 8 ? HYPERPLANE_INDEX_64 : HYPERPLANE_INDEX_32;
  csr.row_offsets = offsets;
  csr.columns = columns;
  csr.values = values;
  hyperplane_status const status = hyperplane_matrix_set_csr(matrix, &csr, HYPERPLANE_HOST);
  /* The matrix has its arrays again, whatever is wrong with them. */
  if (is_aij) {
    PetscCall(MatSeqAIJRestoreArrayRead(a, (const PetscScalar**)&values));
  } else {
    PetscCall(MatSeqBAIJRestoreArray(a, &values));
  }
  PetscCall(MatRestoreRowIJ(a, 0, PETSC_FALSE, is_baij, &rows, &offsets, &columns, &done));
  CALL_HYPERPLANE(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(PC pc) {
  plan* const p = (plan*)pc->data;
  hyperplane_grid grid = {0, 0, 0};
  int n = 0;
  PetscFunctionBegin;
  PetscCall(find_shape(pc, &grid, &n));
  if (n != p->n || grid.ni != p->grid.ni || grid.nj != p->grid.nj || grid.nk != p->grid.nk) PetscCall(reset(pc));
  if (!p->preconditioner) {
    PetscCall(reset(pc));
    PetscCall(start_hyperplane());
    CALL_HYPERPLANE(hyperplane_context_create(p->backend, NULL, &p->context));
    CALL_HYPERPLANE(hyperplane_matrix_create(p->context, grid, n, HYPERPLANE_STORAGE_DOUBLE, &p->matrix));
    CALL_HYPERPLANE(hyperplane_preconditioner_create(p->context, grid, n, &p->options, &p->preconditioner));
    p->grid = grid;
    p->n = n;
  }
  PetscCall(set_matrix(p->matrix, pc->pmat));
  CALL_HYPERPLANE(hyperplane_preconditioner_factor(p->preconditioner, p->matrix));

  hyperplane_status const status = hyperplane_preconditioner_check(p->preconditioner);
  PetscBool const is_of_values =
      status == HYPERPLANE_SINGULAR_PIVOT || status == HYPERPLANE_NOT_FINITE || status == HYPERPLANE_OVERFLOW;
  if (is_of_values && !pc->erroriffailure) {
    /* As other factorizations: the solver ends with KSP_DIVERGED_PC_FAILED. */
    PetscCall(PetscInfo(pc, "%s\n", hyperplane_last_error_message()));
    pc->failedreason = status == HYPERPLANE_SINGULAR_PIVOT ? PC_FACTOR_NUMERIC_ZEROPIVOT : PC_FACTOR_OTHER;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  CALL_HYPERPLANE(status);
  pc->failedreason = PC_NOERROR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply(PC pc, Vec rhs, Vec x) {
  const plan* const p = (const plan*)pc->data;
  const PetscScalar* rhs_values;
  PetscScalar* x_values;
  PetscInt count;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(rhs, &count));
  PetscCall(VecGetArrayRead(rhs, &rhs_values));
  PetscCall(VecGetArrayWrite(x, &x_values));
  CALL_HYPERPLANE(
      hyperplane_preconditioner_solve_array(p->preconditioner, 1, rhs_values, x_values, count, HYPERPLANE_HOST));
  PetscCall(VecRestoreArrayWrite(x, &x_values));
  PetscCall(VecRestoreArrayRead(rhs, &rhs_values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(PC pc, PetscViewer viewer) {
  const plan* const p = (const plan*)pc->data;
  PetscBool is_ascii;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &is_ascii));
  if (!is_ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s, path %s, Hyperplane %s\n", kinds[p->options.kind],
                                   paths[p->options.path], hyperplane_version()));
  if (p->preconditioner) {
    const char* backend;
    CALL_HYPERPLANE(hyperplane_context_backend(p->context, &backend));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  grid %d x %d x %d, %d unknowns per point, backend %s\n", p->grid.ni,
                                     p->grid.nj, p->grid.nk, p->n, backend));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "i,k": lines along i, and then along k. */
static PetscErrorCode read_directions(const char* text, hyperplane_preconditioner_options* options) {
  size_t const length = strlen(text);
  PetscFunctionBegin;
  PetscCheck(length == 1 || length == 3 || length == 5, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "-pc_hyperplane_line_directions: '%s' is not a list such as 'i,k'", text);
  for (size_t at = 0; at < length; ++at) {
    PetscCheck(at % 2 ? text[at] == ',' : text[at] >= 'i' && text[at] <= 'k', PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "-pc_hyperplane_line_directions: '%s' is not a list such as 'i,k'", text);
    if (at % 2 == 0) options->line_directions[at / 2] = text[at] - 'i';
  }
  options->line_direction_count = (int)(length + 1) / 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_from_options(PC pc, PetscOptionItems PetscOptionsObject) {
  plan* const p = (plan*)pc->data;
  hyperplane_preconditioner_options* const options = &p->options;
  PetscInt kind = (PetscInt)options->kind, path = (PetscInt)options->path, sweeps = options->line_sweeps;
  char directions[8] = "";
  PetscBool given = PETSC_FALSE;
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Hyperplane options");
  PetscCall(PetscOptionsEList("-pc_hyperplane_type", "Preconditioner", NULL, kinds, PETSC_STATIC_ARRAY_LENGTH(kinds),
                              kinds[kind], &kind, NULL));
  PetscCall(PetscOptionsEList("-pc_hyperplane_path", "How bilu0, sip and ssor run", NULL, paths,
                              PETSC_STATIC_ARRAY_LENGTH(paths), paths[path], &path, NULL));
  PetscCall(PetscOptionsString("-pc_hyperplane_backend", "serial, openmp or cuda", NULL, p->backend, p->backend,
                               sizeof(p->backend), NULL));
  PetscCall(PetscOptionsString("-pc_hyperplane_grid", "IxJxK; without it that of the DMDA", NULL, p->extents,
                               p->extents, sizeof(p->extents), NULL));
  PetscCall(PetscOptionsReal("-pc_hyperplane_relaxation", "Of ssor and lines, more than 0 and less than 2", NULL,
                             options->relaxation, &options->relaxation, NULL));
  PetscCall(PetscOptionsReal("-pc_hyperplane_alpha", "Of sip, at least 0 and less than 1", NULL, options->alpha,
                             &options->alpha, NULL));
  PetscCall(PetscOptionsString("-pc_hyperplane_line_directions", "They take turns: i,j,k", NULL, directions, directions,
                               sizeof(directions), &given));
  PetscCall(
      PetscOptionsInt("-pc_hyperplane_line_sweeps", "Sweeps through these directions", NULL, sweeps, &sweeps, NULL));
  PetscOptionsHeadEnd();
  if (given) PetscCall(read_directions(directions, options));
  options->kind = (hyperplane_preconditioner_kind)kind;
  options->path = (hyperplane_path)path;
  options->line_sweeps = (int)sweeps;
  /* Options that come after a set-up ask for another one. */
  PetscCall(reset(pc));
  pc->setupcalled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(PC pc) {
  plan* p;
  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  CALL_HYPERPLANE(hyperplane_preconditioner_options_init(&p->options));
  pc->data = p;
  pc->ops->setup = set_up;
  pc->ops->apply = apply;
  pc->ops->view = view;
  pc->ops->setfromoptions = set_from_options;
  pc->ops->reset = reset;
  pc->ops->destroy = destroy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc calls the function of this name when it loads libhyperplane_petsc.so. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_hyperplane_petsc(void);
PetscErrorCode PetscDLLibraryRegister_hyperplane_petsc(void) {
  PetscFunctionBegin;
  PetscCall(PCRegister("hyperplane", create));
  PetscFunctionReturn(PETSC_SUCCESS);
}
