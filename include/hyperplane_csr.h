/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HYPERPLANE_H
#error "include <hyperplane.h>, which has this file"
#endif
#ifndef HYPERPLANE_CSR_H
#define HYPERPLANE_CSR_H

/* --- Matrices from compressed rows ------------------------------------------------------------------------------- */

typedef enum hyperplane_index_type HYPERPLANE_INT_ENUM {
  HYPERPLANE_INDEX_32 = 0, /* int32_t */
  HYPERPLANE_INDEX_64 = 1  /* int64_t */
} hyperplane_index_type;

/* A square matrix in compressed rows: of scalars, CSR, or of small dense blocks, BSR. Blocks are of block_size x
 * block_size values, where block_size divides the n of the hyperplane_matrix: 1 for CSR, n for a block for each pair of
 * points. Everything counts from 0, and rows are in natural order: row (point * n + c) / block_size.
 *
 * The entries of row r are row_offsets[r], ..., row_offsets[r + 1] - 1; entry e is in column columns[e], and has the
 * block_size * block_size values at values + e * block_size * block_size, by rows or by columns. The columns of a row
 * may be in any order. Values of entries that are there several times are added, in the order of the arrays.
 *
 * Filled by hyperplane_csr_init() first, and then changed. */
typedef struct hyperplane_csr {
  size_t struct_size;               /* not for you */
  int64_t rows;                     /* points * n / block_size */
  int64_t entries;                  /* of columns; row_offsets[rows] */
  int block_size;                   /* 1 */
  hyperplane_block_order order;     /* of the values of a block: HYPERPLANE_ROW_MAJOR */
  hyperplane_index_type index_type; /* of row_offsets and columns: HYPERPLANE_INDEX_32 */
  const void* row_offsets;          /* rows + 1 */
  const void* columns;              /* entries; may be NULL where there are none */
  const double* values;             /* entries * block_size * block_size; as columns */
} hyperplane_csr;

HYPERPLANE_API hyperplane_status hyperplane_csr_init(hyperplane_csr* csr);
/* Sets all of a matrix; what compressed rows do not have is zero. All three arrays are in `space`. An entry that
 * couples points which are no neighbours is HYPERPLANE_INVALID_ARGUMENT, with a message that names it, unless its
 * values are zeros; then, and with offsets or columns out of range, the matrix stays as it was. Always waits. */
HYPERPLANE_API hyperplane_status hyperplane_matrix_set_csr(hyperplane_matrix matrix, const hyperplane_csr* csr,
                                                           hyperplane_memory_space space);

#endif
