// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c_library.hpp"

// Matrices of the C interface from compressed rows.
using namespace hyperplane;
using namespace hyperplane::c;

hyperplane_status hyperplane_csr_init(hyperplane_csr* csr) {
  return guarded(__func__, [&] {
    require_pointer(csr, "csr");
    *csr = {.struct_size = sizeof(*csr),
            .rows = 0,
            .entries = 0,
            .block_size = 1,
            .order = HYPERPLANE_ROW_MAJOR,
            .index_type = HYPERPLANE_INDEX_32,
            .row_offsets = nullptr,
            .columns = nullptr,
            .values = nullptr};
  });
}

hyperplane_status hyperplane_matrix_set_csr(hyperplane_matrix matrix, const hyperplane_csr* csr,
                                            hyperplane_memory_space space) {
  return guarded(__func__, [&] {
    auto const held = registry().get(matrix, "matrix");
    require_pointer(csr, "csr");
    require_initialized(*csr, "hyperplane_csr");
    require_pointer(csr->row_offsets, "row_offsets");
    if (csr->entries > 0) require_pointer(csr->columns, "columns");
    if (csr->entries > 0) require_pointer(csr->values, "values");
    held->object->set({.rows = csr->rows,
                       .entries = csr->entries,
                       .block_size = csr->block_size,
                       .order = block_order(csr->order),
                       .has_wide_indices = enumerator<bool>(csr->index_type, 1, "index_type"),
                       .row_offsets = csr->row_offsets,
                       .columns = csr->columns,
                       .values = csr->values},
                      memory_space(space));
  });
}
