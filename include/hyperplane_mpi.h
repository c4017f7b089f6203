/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HYPERPLANE_MPI_H
#define HYPERPLANE_MPI_H

/* Hyperplane for C over ranks of MPI: many grid blocks that meet face to face, and one grid that is cut into parts. It
 * is a library of its own beside that of hyperplane.h. docs/c.md is an introduction.
 *
 * Every rank knows all grid blocks, and has the values of some. What is created here is a vector, a matrix, a
 * preconditioner or a Krylov method of hyperplane.h, and its functions take them: arrays then have the points of the
 * grid blocks of this rank, one grid block after the other by their numbers, and may be NULL where it has none. Boxes,
 * compressed rows, packers, line solvers and relaxations are of one grid: hyperplane_mpi_vector_block() and
 * hyperplane_mpi_matrix_block() hand out a grid block as one, of a matrix that is no transpose.
 *
 * All ranks of the grid call together, in the same order: the functions that create, hyperplane_mpi_grid_cut() among
 * them, hyperplane_mpi_grid_set_transport(), hyperplane_matrix_apply(), _residual() and _mask(),
 * hyperplane_preconditioner_factor(), _check() and the functions that solve with it, hyperplane_krylov_solve() and
 * _solve_array(), hyperplane_free() of the last object on a grid, that itself included, and on CUDA of the last one of
 * a matrix and its transposes, or of a preconditioner and its transposes, which devices may share, and
 * hyperplane_finalize() where objects are left. All other functions are of each rank by itself.
 *
 * Where one of those fails on a rank, it fails on all, with that rank in the message. A wrong argument has the status
 * that it has on that rank. What fails in the midst of the work is HYPERPLANE_OUT_OF_MEMORY where there is no memory,
 * and HYPERPLANE_INVALID_ARGUMENT otherwise, also where a device has failed. Four things are an error of that rank
 * alone, for which the others wait: the communicator is none, the handle that a call is of (the grid, matrix,
 * preconditioner or method that comes first) is wrong, any argument of apply, residual and of a preconditioner's
 * solve of vectors, which would otherwise cost a message more, or the launch of a kernel that goes through devices has
 * failed. End the program then (MPI_Abort).
 *
 * MPI is initialized before, and finalized after all objects here are freed. Calls come from one thread of a process at
 * a time: MPI_THREAD_SERIALIZED, or MPI_THREAD_FUNNELED where that is the main thread. */

#include <hyperplane.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Grid blocks over ranks -------------------------------------------------------------------------------------- */

typedef struct hyperplane_mpi_grid_s* hyperplane_mpi_grid;

/* Where two grid blocks meet one to one, as 1-to-1 connectivity of CGNS has it: a layer of points on a face of `block`,
 * each of which has a point of `donor` as its neighbour across the face. A grid block may meet itself. Given from one
 * side or from both. */
typedef struct hyperplane_interface {
  int block;          /* from 0 */
  int donor;          /* from 0 */
  int face;           /* of block: HYPERPLANE_WEST, HYPERPLANE_EAST, ... */
  int begin[3];       /* the layer of points next to the face: begin <= (i, j, k) < end */
  int end[3];         /* */
  int donor_begin[3]; /* the neighbour of point `begin`, in the donor */
  int transform[3];   /* along which axis of the donor i, j and k run: 1, 2 or 3, negative backwards; 1, 2, 3 as here */
} hyperplane_interface;

/* Grid blocks and where they meet. The context is this rank's own; ranks have one of the same backend. owners[b] is the
 * rank that has grid block b; NULL: about as many points for each rank, grid blocks in their order. A rank may have no
 * grid block. comm is duplicated. Ranges that do not fit, faces that are in two interfaces and whatever differs between
 * ranks is an error on all of them. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_grid_create(hyperplane_context context, MPI_Comm comm, int block_count,
                                                            const hyperplane_grid* blocks, int interface_count,
                                                            const hyperplane_interface* interfaces, const int* owners,
                                                            hyperplane_mpi_grid* grid);
/* One grid that is cut into parts[0] x parts[1] x parts[2] grid blocks, as evenly as can be, i fastest. In directions
 * along which periodic is 1, the last points are neighbours of the first; NULL: in none. owners as above. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_grid_cut(hyperplane_context context, MPI_Comm comm,
                                                         hyperplane_grid whole, const int parts[3],
                                                         const int periodic[3], const int* owners,
                                                         hyperplane_mpi_grid* grid);
/* The same with what Fortran has for a communicator. owners has owner_count ranks, which has to be the number of grid
 * blocks; NULL as above. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_grid_create_f(hyperplane_context context, MPI_Fint comm,
                                                              int block_count, const hyperplane_grid* blocks,
                                                              int interface_count,
                                                              const hyperplane_interface* interfaces, const int* owners,
                                                              int owner_count, hyperplane_mpi_grid* grid);
HYPERPLANE_API hyperplane_status hyperplane_mpi_grid_cut_f(hyperplane_context context, MPI_Fint comm,
                                                           hyperplane_grid whole, const int parts[3],
                                                           const int periodic[3], const int* owners, int owner_count,
                                                           hyperplane_mpi_grid* grid);
/* How to cut a grid into `count` parts by its shape alone. Where the matrix is in one process,
 * hyperplane_matrix_choose_parts() also looks at its couplings. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_choose_parts(hyperplane_grid whole, int count, int parts[3]);
/* The numbers of the grid blocks of this rank, rising: as many as there is room for, and how many there are. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_grid_blocks(hyperplane_mpi_grid grid, int* numbers, int capacity,
                                                            int* count);
/* The rank that has a grid block. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_grid_owner(hyperplane_mpi_grid grid, int block, int* rank);
/* The points of a grid block, whichever rank has it. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_grid_size(hyperplane_mpi_grid grid, int block, hyperplane_grid* size);
/* The first point of a grid block in the grid that was cut. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_grid_first(hyperplane_mpi_grid grid, int block, int first[3]);

/* How values come from rank to rank, for what is created on the grid from now on; at first AUTOMATIC. Where one is
 * asked for that cannot be had, the functions that create a matrix, or a preconditioner with a coupling, say why. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_grid_set_transport(hyperplane_mpi_grid grid,
                                                                   hyperplane_transport transport);
/* The one that a matrix over ranks has, never AUTOMATIC. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_matrix_transport(hyperplane_matrix a, hyperplane_transport* transport);
/* The same of a preconditioner, which is HOST where nothing is coupled, and whether its kernels go on from the device
 * of a rank to that of the next one: 1, or 0. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_preconditioner_transport(hyperplane_preconditioner preconditioner,
                                                                         hyperplane_transport* transport,
                                                                         int* through_devices);

/* --- Objects over ranks ------------------------------------------------------------------------------------------ */

/* Zero at first; stored as double. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_vector_create(hyperplane_mpi_grid grid, int n,
                                                              hyperplane_vector* vector);
HYPERPLANE_API hyperplane_status hyperplane_mpi_matrix_create(hyperplane_mpi_grid grid, int n,
                                                              hyperplane_matrix* matrix);
/* The values of a grid block of this rank as a vector, or a matrix, of one grid, for all functions of those: what one
 * writes, the other reads. Each object keeps the values alive. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_vector_block(hyperplane_vector vector, int block,
                                                             hyperplane_vector* part);
HYPERPLANE_API hyperplane_status hyperplane_mpi_matrix_block(hyperplane_matrix matrix, int block,
                                                             hyperplane_matrix* part);
/* Every hyperplane_preconditioner_kind, with the options that it has on one grid, but for right_hand_sides: one vector
 * is solved for after the other. `coupling` is what is coupled across interfaces, HYPERPLANE_COUPLING_NATURAL where
 * grid blocks are parts of one box; lines end at interfaces, and have HYPERPLANE_COUPLING_NONE alone. All ranks have
 * the same kind, coupling and storage, relaxation of SSOR, alpha of SIP, and relaxation, directions and sweeps of
 * lines. parts has to be 1, 1, 1. storage is that of the factors alone, of a matrix of doubles: of BILU(0), SSOR, SIP
 * and block Jacobi any that they have on one grid, but HYPERPLANE_STORAGE_HALF and _QUARTER with
 * HYPERPLANE_COUPLING_NONE alone; AUTOMATIC is chosen by all ranks in the first factor, and never _QUARTER. Of others
 * it is double. options may be NULL: BILU(0) of each grid block.
 *
 * Solves with its transpose are HYPERPLANE_INVALID_ARGUMENT on all ranks where HYPERPLANE_COUPLING_NATURAL gives grid
 * blocks ghost points: with HYPERPLANE_PATH_PORTABLE and on CUDA, unless a direction that is cut is periodic, or its
 * kernels go on from device to device. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_preconditioner_create(hyperplane_mpi_grid grid, int n,
                                                                      const hyperplane_preconditioner_options* options,
                                                                      hyperplane_preconditioner* preconditioner);
/* All ranks have the same options; any rank's monitor ends the iteration of all. */
HYPERPLANE_API hyperplane_status hyperplane_mpi_krylov_create(hyperplane_mpi_grid grid, int n,
                                                              const hyperplane_krylov_options* options,
                                                              hyperplane_krylov* krylov);

#ifdef __cplusplus
}
#endif

#endif
