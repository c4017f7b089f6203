/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HYPERPLANE_H
#error "include <hyperplane.h>, which has this file"
#endif
#ifndef HYPERPLANE_PRIMITIVES_H
#define HYPERPLANE_PRIMITIVES_H

/* --- Primitives: boxes of three-dimensional arrays --------------------------------------------------------------- */

typedef enum hyperplane_scalar HYPERPLANE_INT_ENUM {
  HYPERPLANE_INT = 0,
  HYPERPLANE_FLOAT = 1,
  HYPERPLANE_DOUBLE = 2
} hyperplane_scalar;

/* An array of yours: component c of point (i, j, k) is element
 *   i * strides[0] + j * strides[1] + k * strides[2] + c * component_stride
 * of data. Contexts of host backends work on arrays in host memory, and return when they have; those of cuda on arrays
 * in device memory, in the order of the stream. Arrays of a call have one scalar type. */
typedef struct hyperplane_array {
  void* data;
  hyperplane_scalar scalar;
  hyperplane_memory_space space;
  int extents[3];
  int components;
  int64_t strides[3];
  int64_t component_stride;
} hyperplane_array;

/* begin[d] <= index < end[d] */
typedef struct hyperplane_box {
  int begin[3];
  int end[3];
} hyperplane_box;

/* Fills in a contiguous array: i fastest, then j, k and the component. data may be NULL where boxes are empty. */
HYPERPLANE_API hyperplane_status hyperplane_array_init(hyperplane_array* array, void* data, hyperplane_scalar scalar,
                                                       hyperplane_memory_space space, hyperplane_grid grid,
                                                       int components);
/* Component c of an array, as an array of one. */
HYPERPLANE_API hyperplane_status hyperplane_array_component(const hyperplane_array* array, int c,
                                                            hyperplane_array* component);
/* All points of an array. */
HYPERPLANE_API hyperplane_status hyperplane_box_of(const hyperplane_array* array, hyperplane_box* box);
/* The `width` layers of a box at a face (HYPERPLANE_BOTTOM to HYPERPLANE_TOP), beginning `from` layers inside it. */
HYPERPLANE_API hyperplane_status hyperplane_box_face(hyperplane_box box, int face, int width, int from,
                                                     hyperplane_box* layers);

typedef enum hyperplane_reduction HYPERPLANE_INT_ENUM {
  HYPERPLANE_REDUCTION_SUM = 0,
  HYPERPLANE_REDUCTION_MIN = 1,
  HYPERPLANE_REDUCTION_MAX = 2,
  HYPERPLANE_REDUCTION_NORM_1 = 3,
  HYPERPLANE_REDUCTION_NORM_2 = 4, /* of float and double */
  HYPERPLANE_REDUCTION_NORM_INF = 5
} hyperplane_reduction;

/* Over all components; the same bits whatever the number of threads. Waits for the result. Of int arrays, results are
 * exact up to 2^53 and rounded beyond. Of an empty box sums and norms are 0, the minimum is infinity and the maximum
 * -infinity (of int: INT_MAX and INT_MIN). */
HYPERPLANE_API hyperplane_status hyperplane_reduce(hyperplane_context context, hyperplane_reduction reduction,
                                                   hyperplane_box box, const hyperplane_array* x, double* result);
HYPERPLANE_API hyperplane_status hyperplane_dot(hyperplane_context context, hyperplane_box box,
                                                const hyperplane_array* x, const hyperplane_array* y, double* result);
/* results[p] = (x[p], y[p]) for `count` pairs of arrays, 1 to 4, in one pass: what several pairs have is read once. */
HYPERPLANE_API hyperplane_status hyperplane_dots(hyperplane_context context, hyperplane_box box, int count,
                                                 const hyperplane_array* x, const hyperplane_array* y, double* results);
/* y = alpha x + y and result = (y, z), of the new y, in one pass. z may be y. Of float and double. */
HYPERPLANE_API hyperplane_status hyperplane_axpy_dot(hyperplane_context context, hyperplane_box box, double alpha,
                                                     const hyperplane_array* x, const hyperplane_array* y,
                                                     const hyperplane_array* z, double* result);
/* x = x + alpha p, r = r - alpha q and result = (r, r), in one pass. Of float and double. */
HYPERPLANE_API hyperplane_status hyperplane_update_dot(hyperplane_context context, hyperplane_box box, double alpha,
                                                       const hyperplane_array* p, const hyperplane_array* q,
                                                       const hyperplane_array* x, const hyperplane_array* r,
                                                       double* result);
/* x = value */
HYPERPLANE_API hyperplane_status hyperplane_fill(hyperplane_context context, hyperplane_box box, double value,
                                                 const hyperplane_array* x);
/* x = alpha x */
HYPERPLANE_API hyperplane_status hyperplane_scale(hyperplane_context context, hyperplane_box box, double alpha,
                                                  const hyperplane_array* x);
/* y = x */
HYPERPLANE_API hyperplane_status hyperplane_copy(hyperplane_context context, hyperplane_box box,
                                                 const hyperplane_array* x, const hyperplane_array* y);
/* y(begin + q) = x(box.begin + p), q[d] = p[order[d]] */
HYPERPLANE_API hyperplane_status hyperplane_transposed_copy(hyperplane_context context, hyperplane_box box,
                                                            const hyperplane_array* x, const int order[3],
                                                            const int begin[3], const hyperplane_array* y);
/* y = alpha x + y */
HYPERPLANE_API hyperplane_status hyperplane_axpy(hyperplane_context context, hyperplane_box box, double alpha,
                                                 const hyperplane_array* x, const hyperplane_array* y);
/* y = alpha x + beta y */
HYPERPLANE_API hyperplane_status hyperplane_axpby(hyperplane_context context, hyperplane_box box, double alpha,
                                                  const hyperplane_array* x, double beta, const hyperplane_array* y);

/* Coefficients of the seven-point stencil, in the order HYPERPLANE_BOTTOM to HYPERPLANE_TOP. */
typedef struct hyperplane_stencil {
  double values[7];               /* the same at all points, where arrays is NULL */
  const hyperplane_array* arrays; /* or seven arrays of one component, with the same extents and strides */
} hyperplane_stencil;

/* y = A x in a box, of float and double. Neighbours are taken where the array x has them, also outside the box;
 * outside the array they are zero. Components have the same coefficients. x and y must not overlap. */
HYPERPLANE_API hyperplane_status hyperplane_stencil_apply(hyperplane_context context, hyperplane_box box,
                                                          const hyperplane_stencil* a, const hyperplane_array* x,
                                                          const hyperplane_array* y);

typedef enum hyperplane_relaxation_kind HYPERPLANE_INT_ENUM {
  HYPERPLANE_RELAXATION_JACOBI = 0,
  HYPERPLANE_RELAXATION_RED_BLACK = 1, /* SSOR over points with even i + j + k, then those with odd */
  HYPERPLANE_RELAXATION_HYPERPLANE = 2 /* SSOR in natural order */
} hyperplane_relaxation_kind;

/* Filled by hyperplane_relaxation_options_init() first, and then changed. */
typedef struct hyperplane_relaxation_options {
  size_t struct_size;              /* not for you */
  hyperplane_relaxation_kind kind; /* HYPERPLANE_RELAXATION_RED_BLACK */
  hyperplane_scalar scalar;        /* HYPERPLANE_DOUBLE, or HYPERPLANE_FLOAT */
  double relaxation;               /* more than 0 and less than 2: 1 */
  int sweeps;                      /* of Jacobi: 1 */
} hyperplane_relaxation_options;

/* Jacobi and SSOR on a stencil, as preconditioners of your own iterations. It refers to the stencil's arrays. */
typedef struct hyperplane_relaxation_s* hyperplane_relaxation;
HYPERPLANE_API hyperplane_status hyperplane_relaxation_options_init(hyperplane_relaxation_options* options);
/* Allocates what is needed. options may be NULL. */
HYPERPLANE_API hyperplane_status hyperplane_relaxation_create(hyperplane_context context, hyperplane_grid grid,
                                                              const hyperplane_stencil* a,
                                                              const hyperplane_relaxation_options* options,
                                                              hyperplane_relaxation* relaxation);
/* Comes before the first solve, and again where coefficients have changed. */
HYPERPLANE_API hyperplane_status hyperplane_relaxation_factor(hyperplane_relaxation relaxation);
/* Waits, and is HYPERPLANE_SINGULAR_PIVOT if a center was zero, HYPERPLANE_NOT_FINITE or HYPERPLANE_OVERFLOW;
 * HYPERPLANE_RELAXATION_HYPERPLANE alone looks. */
HYPERPLANE_API hyperplane_status hyperplane_relaxation_check(hyperplane_relaxation relaxation);
/* z = M^-1 r; z is not r. Contiguous arrays of one component, of the grid's extents. */
HYPERPLANE_API hyperplane_status hyperplane_relaxation_solve(hyperplane_relaxation relaxation,
                                                             const hyperplane_array* r, const hyperplane_array* z);

/* A box of an array that goes into a buffer: direction order[0] fastest, then order[1], order[2] and components. */
typedef struct hyperplane_packed_box {
  hyperplane_array array;
  hyperplane_box box;
  int order[3];
} hyperplane_packed_box;

/* Packs many packed boxes into one buffer, and unpacks it, in one launch. It refers to the arrays. The buffer has their
 * scalar type and is where they are. */
typedef struct hyperplane_packer_s* hyperplane_packer;
HYPERPLANE_API hyperplane_status hyperplane_packer_create(hyperplane_context context,
                                                          const hyperplane_packed_box* packed_boxes, int count,
                                                          hyperplane_packer* packer);
/* Values that the buffer has. */
HYPERPLANE_API hyperplane_status hyperplane_packer_size(hyperplane_packer packer, int64_t* size);
/* Their type. */
HYPERPLANE_API hyperplane_status hyperplane_packer_scalar(hyperplane_packer packer, hyperplane_scalar* scalar);
HYPERPLANE_API hyperplane_status hyperplane_packer_pack(hyperplane_packer packer, void* buffer, int64_t count);
HYPERPLANE_API hyperplane_status hyperplane_packer_unpack(hyperplane_packer packer, const void* buffer, int64_t count);

#endif
