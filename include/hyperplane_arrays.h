/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HYPERPLANE_H
#error "include <hyperplane.h>, which has this file"
#endif
#ifndef HYPERPLANE_ARRAYS_H
#define HYPERPLANE_ARRAYS_H

/* --- Vectors and matrices from and to boxes of arrays ------------------------------------------------------------ */

/* The points of a box of the grid, from and to an array of float or double, with any strides and layers of halo: the
 * first point of the box is (begin[0], begin[1], begin[2]) of the array, or (0, 0, 0) where begin is NULL. Arrays may
 * be in host memory, where the call waits, or in that of the context's device. Other points stay as they are.
 *
 * Of a vector: component c of the array is unknown c. */
HYPERPLANE_API hyperplane_status hyperplane_vector_set_box(hyperplane_vector vector, hyperplane_box box,
                                                           const hyperplane_array* values, const int begin[3]);
HYPERPLANE_API hyperplane_status hyperplane_vector_get_box(hyperplane_vector vector, hyperplane_box box,
                                                           const hyperplane_array* values, const int begin[3]);
/* Of a matrix: seven arrays in the order HYPERPLANE_BOTTOM to HYPERPLANE_TOP, each of n * n components. Component
 * r * n + c is entry (r, c) of the block with HYPERPLANE_ROW_MAJOR, entry (c, r) with HYPERPLANE_COLUMN_MAJOR. Where
 * the data of an array is NULL, its direction is left out. Where one of the others is refused, none is copied. */
HYPERPLANE_API hyperplane_status hyperplane_matrix_set_box(hyperplane_matrix matrix, hyperplane_box box,
                                                           const hyperplane_array blocks[7], const int begin[3],
                                                           hyperplane_block_order order);
HYPERPLANE_API hyperplane_status hyperplane_matrix_get_box(hyperplane_matrix matrix, hyperplane_box box,
                                                           const hyperplane_array blocks[7], const int begin[3],
                                                           hyperplane_block_order order);

/* --- Solving for several right-hand sides, and for arrays -------------------------------------------------------- */

/* x[v] = M^-1 rhs[v] for v = 0, ..., count - 1; x[v] may be rhs[v], and is none of the other vectors. BILU(0), SIP and
 * SSOR take as many of them together as their options' right_hand_sides; the rest goes one after another. */
HYPERPLANE_API hyperplane_status hyperplane_preconditioner_solve_many(hyperplane_preconditioner preconditioner,
                                                                      int count, const hyperplane_vector* rhs,
                                                                      const hyperplane_vector* x);
/* The same for arrays of rows in natural order, one right-hand side after another: unknown c of a point in column v is
 * rhs[(v * points + point) * n + c]. count = columns * points * n. x may be rhs. The first call with so many columns
 * allocates a vector for each. */
HYPERPLANE_API hyperplane_status hyperplane_preconditioner_solve_array(hyperplane_preconditioner preconditioner,
                                                                       int columns, const double* rhs, double* x,
                                                                       int64_t count, hyperplane_memory_space space);
/* hyperplane_krylov_solve() for arrays of rows in natural order; count = points * n. The first call allocates two
 * vectors. */
HYPERPLANE_API hyperplane_status hyperplane_krylov_solve_array(hyperplane_krylov krylov, hyperplane_matrix a,
                                                               hyperplane_preconditioner preconditioner,
                                                               const double* b, double* x, int64_t count,
                                                               hyperplane_memory_space space,
                                                               hyperplane_krylov_result* result);
/* The same for several right-hand sides, one column after another, with a result for each: unknown c of a point in
 * column v is b[(v * points + point) * n + c], count = columns * points * n. BiCGStab and FGMRES solve for some at a
 * time, each with its own iterations, and read the matrix once for these: for three on grids, for four of general
 * matrices of compressed rows. Factors are read once for these, too, of general matrices and, on grids and hosts, of
 * BILU(0), SIP and SSOR in the natural order by HYPERPLANE_PATH_SLAB, which M^T has for n > 1; on devices as options'
 * right_hand_sides say, where that is done at all; other preconditioners solve for one after another. Fewer columns
 * than are taken together cost as much as these, but one, or one that is left, what it costs in
 * hyperplane_krylov_solve_array(), with the same bits. With another method, with a monitor or over ranks this is
 * HYPERPLANE_INVALID_ARGUMENT. History and cause are those of the last column. The first call allocates: for several
 * columns the vectors of the method, b and x once more, for as many as are solved for at a time; for one b and x; with
 * arrays of the host and a device each call allocates there. */
HYPERPLANE_API hyperplane_status hyperplane_krylov_solve_columns(hyperplane_krylov krylov, hyperplane_matrix a,
                                                                 hyperplane_preconditioner preconditioner, int columns,
                                                                 const double* b, double* x, int64_t count,
                                                                 hyperplane_memory_space space,
                                                                 hyperplane_krylov_result* results);

/* --- Masks ------------------------------------------------------------------------------------------------------- */

/* A mask has a value for each point of the grid, in natural order, which is zero where the point is left out, as solid
 * points are. count = points. Masks may be in host memory, where the call waits, or in that of the context's device.
 *
 * Leaves masked points out of a matrix: their block rows become those of the unit matrix, and the blocks of their
 * neighbours that multiply them become zero, whatever was there; blocks that point out of the grid too, where the point
 * at the other end, which they multiply along periodic lines, is masked. All solvers and products then see the system
 * of the other points. To be called whenever the matrix has been set. */
HYPERPLANE_API hyperplane_status hyperplane_matrix_mask(hyperplane_matrix matrix, const int8_t* mask, int64_t count,
                                                        hyperplane_memory_space space);
/* Sets a vector to zero at masked points, whatever was there: right-hand sides, so that x is zero there too, and an x
 * to begin with. */
HYPERPLANE_API hyperplane_status hyperplane_vector_mask(hyperplane_vector vector, const int8_t* mask, int64_t count,
                                                        hyperplane_memory_space space);
/* hyperplane_preconditioner_factor() of SIP on a part of the points: those with a zero in the mask, which has a value
 * for each point, are left out. Their rows of A, and what other rows have for them, are ignored whatever they are, and
 * solves give zero there. count = points. */
HYPERPLANE_API hyperplane_status hyperplane_preconditioner_factor_masked(hyperplane_preconditioner preconditioner,
                                                                         hyperplane_matrix a, const int8_t* mask,
                                                                         int64_t count, hyperplane_memory_space space);

#endif
