// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "c_krylov_options.hpp"
#include "c_library.hpp"
#include "c_option_texts.hpp"
#include "c_storage_options.hpp"
#include "csr_solvers.hpp"

// Compressed rows in the C interface: of matrices on grids, and general matrices with their solvers.
using namespace hyperplane;
using namespace hyperplane::c;

namespace {

/// Values may be NULL.
run_time::Csr compressed_rows(const hyperplane_csr* csr) {
  require_pointer(csr, "csr");
  require_initialized(*csr, "hyperplane_csr");
  require_pointer(csr->row_offsets, "row_offsets");
  if (csr->entries > 0) require_pointer(csr->columns, "columns");
  return {.rows = csr->rows,
          .entries = csr->entries,
          .block_size = csr->block_size,
          .order = block_order(csr->order),
          .has_wide_indices = enumerator<bool>(csr->index_type, 1, "index_type"),
          .row_offsets = csr->row_offsets,
          .columns = csr->columns,
          .values = csr->values,
          .value_count = csr->value_count,
          .unknowns_per_point = csr->unknowns_per_point};
}

bool has_lines(const hyperplane_csr_preconditioner_options& options) {
  return options.line_offsets != nullptr || options.line_count != 0 || options.line_points != nullptr ||
         options.line_point_count != 0;
}

LineSet given_lines(const hyperplane_csr_preconditioner_options& options, std::int64_t points) {
  if (options.kind != HYPERPLANE_CSR_LINES) {
    throw Failure(HYPERPLANE_INVALID_ARGUMENT,
                  "lines are given, but kind is " + std::to_string(options.kind) + ", not HYPERPLANE_CSR_LINES");
  }
  require_pointer(options.line_offsets, "line_offsets");
  auto const strong = options.strong_coupling;
  if (strong != run_time::CsrPreconditionerSettings{}.strong_coupling) {
    throw Failure(HYPERPLANE_INVALID_ARGUMENT, "strong_coupling is " + run_time::OptionText<double>::write(strong) +
                                                   ", but line_offsets is set, so that no lines are found");
  }
  require_at_least(options.line_count, 0, "line_count");
  auto const listed = options.line_point_count;
  if (listed < 0 || listed > points) {
    throw Failure(HYPERPLANE_SIZE_MISMATCH,
                  "line_point_count is " + std::to_string(listed) + ", expected 0 to " + std::to_string(points));
  }
  // No line is empty.
  if (options.line_count > listed) {
    throw Failure(HYPERPLANE_SIZE_MISMATCH, "line_count is " + std::to_string(options.line_count) +
                                                ", expected 0 to line_point_count, which is " + std::to_string(listed));
  }
  if (listed > 0) require_pointer(options.line_points, "line_points");
  return LineSet::lists(points, {options.line_offsets, options.line_offsets + options.line_count + 1},
                        {options.line_points, options.line_points + listed});
}

run_time::CsrPreconditionerSettings settings_of(const hyperplane_csr_preconditioner_options& options,
                                                std::int64_t points) {
  require_initialized(options, "hyperplane_csr_preconditioner_options");
  run_time::CsrPreconditionerSettings settings{
      .kind = enumerator<int>(options.kind, HYPERPLANE_CSR_LINES, "kind"),
      .relaxation = options.relaxation,
      .fill = options.fill,
      .drop_tolerance = options.drop_tolerance,
      .row_entries = options.row_entries,
      .order = enumerator<RowOrder>(options.order, HYPERPLANE_ORDER_LINES, "order"),
      .transposed = enumerator<int>(options.transposed, 1, "transposed"),
      .pivot_shift = options.pivot_shift,
      .line_sweeps = options.line_sweeps,
      .strong_coupling = options.strong_coupling};
  set_storage(settings, options);
  if (has_lines(options)) settings.given_lines = given_lines(options, points);
  if (settings.order != RowOrder::given && options.given_order != nullptr) {
    throw Failure(HYPERPLANE_INVALID_ARGUMENT,
                  "given_order is set, but order is " + std::to_string(options.order) + ", not HYPERPLANE_ORDER_GIVEN");
  }
  if (settings.order == RowOrder::given) {
    require_pointer(options.given_order, "given_order");
    if (options.given_count != points) {
      throw Failure(HYPERPLANE_SIZE_MISMATCH,
                    "given_count is " + std::to_string(options.given_count) + ", expected " + std::to_string(points));
    }
    settings.given_order.assign(options.given_order, options.given_order + points);
  }
  return settings;
}

/// Of the settings that `get(points)` returns.
template <class Get>
void make_for_rows(hyperplane_matrix a, hyperplane_preconditioner* preconditioner, const Get& get) {
  require_pointer(preconditioner, "preconditioner");
  *preconditioner = nullptr;
  auto& objects = registry();
  auto const matrix = objects.get(a, "a");
  auto made = std::make_shared<Held<run_time::Preconditioner>>();
  auto const settings = get(matrix->object->points());
  *made = {matrix->context, matrix->context->csr().make_preconditioner(*matrix->object, settings)};
  *preconditioner = objects.add<hyperplane_preconditioner>(std::move(made));
}

}  // namespace

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
            .values = nullptr,
            .value_count = -1,
            .unknowns_per_point = 0};
  });
}

hyperplane_status hyperplane_matrix_set_csr(hyperplane_matrix matrix, const hyperplane_csr* csr,
                                            hyperplane_memory_space space) {
  return guarded(__func__, [&] {
    auto const held = registry().get(matrix, "matrix");
    auto const rows = compressed_rows(csr);
    if (rows.entries > 0) require_pointer(rows.values, "values");
    held->object->set(rows, memory_space(space));
  });
}

hyperplane_status hyperplane_csr_matrix_create(hyperplane_context context, const hyperplane_csr* csr,
                                               hyperplane_memory_space space, hyperplane_matrix* matrix) {
  return guarded(__func__, [&] {
    require_pointer(matrix, "matrix");
    *matrix = nullptr;
    auto& objects = registry();
    auto const where = objects.get(context, "context")->context;
    auto made = std::make_shared<Held<run_time::Matrix>>();
    *made = {where, where->csr().make_matrix(compressed_rows(csr), memory_space(space))};
    *matrix = objects.add<hyperplane_matrix>(std::move(made));
  });
}

hyperplane_status hyperplane_csr_vector_create(hyperplane_context context, int64_t points, int n,
                                               hyperplane_vector* vector) {
  return guarded(__func__, [&] {
    require_pointer(vector, "vector");
    *vector = nullptr;
    auto& objects = registry();
    auto const where = objects.get(context, "context")->context;
    auto made = std::make_shared<Held<run_time::Vector>>();
    *made = {where, where->csr().make_vector({points, n})};
    *vector = objects.add<hyperplane_vector>(std::move(made));
  });
}

hyperplane_status hyperplane_csr_preconditioner_options_init(hyperplane_csr_preconditioner_options* options) {
  return guarded(__func__, [&] {
    require_pointer(options, "options");
    run_time::CsrPreconditionerSettings const standard;
    *options = {.struct_size = sizeof(*options),
                .kind = static_cast<hyperplane_csr_preconditioner_kind>(standard.kind),
                .fill = standard.fill,
                .drop_tolerance = standard.drop_tolerance,
                .row_entries = standard.row_entries,
                .order = static_cast<hyperplane_row_order>(standard.order),
                .given_order = nullptr,
                .given_count = 0,
                .transposed = standard.transposed,
                .relaxation = standard.relaxation,
                .pivot_shift = standard.pivot_shift,
                .storage = static_cast<hyperplane_storage>(standard.storage),
                .storage_fraction = ChooseStorageOptions{}.fraction,
                .line_sweeps = standard.line_sweeps,
                .strong_coupling = standard.strong_coupling,
                .line_offsets = nullptr,
                .line_count = 0,
                .line_points = nullptr,
                .line_point_count = 0};
  });
}

hyperplane_status hyperplane_csr_preconditioner_create(hyperplane_matrix a,
                                                       const hyperplane_csr_preconditioner_options* options,
                                                       hyperplane_preconditioner* preconditioner) {
  return guarded(__func__, [&] {
    make_for_rows(a, preconditioner, [&](std::int64_t points) {
      return options == nullptr ? run_time::CsrPreconditionerSettings{} : settings_of(*options, points);
    });
  });
}

hyperplane_status hyperplane_csr_preconditioner_create_named(hyperplane_matrix a, const char* name, const char* options,
                                                             hyperplane_preconditioner* preconditioner) {
  return guarded(__func__, [&] {
    make_for_rows(a, preconditioner, [&](std::int64_t) {
      require_pointer(name, "name");
      auto texts = option_texts(options == nullptr ? "" : options);
      run_time::CsrPreconditionerSettings stored;
      take_storage(texts, stored);
      auto settings = run_time::csr_preconditioner_settings(name, texts);
      settings.storage = stored.storage;
      settings.storage_fraction = stored.storage_fraction;
      return settings;
    });
  });
}

hyperplane_status hyperplane_csr_preconditioner_replaced(hyperplane_preconditioner preconditioner, int64_t* count,
                                                         int64_t* first) {
  return guarded(__func__, [&] {
    auto const held = registry().get(preconditioner, "preconditioner");
    require_pointer(count, "count");
    require_pointer(first, "first");
    auto const problem = held->object->problem();
    *count = problem.replaced;
    *first = problem.first_replaced;
  });
}

hyperplane_status hyperplane_csr_krylov_create(hyperplane_context context, int64_t points, int n,
                                               const hyperplane_krylov_options* options, hyperplane_krylov* krylov) {
  return guarded(__func__, [&] {
    require_pointer(krylov, "krylov");
    *krylov = nullptr;
    auto& objects = registry();
    auto const where = objects.get(context, "context")->context;
    auto const krylov_options = krylov_options_of(options);
    auto object = std::make_unique<KrylovObject>();
    object->method = where->csr().make_krylov({points, n}, method_of(options), krylov_options);
    object->limits = krylov_options.limits();
    object->identity = where->csr().make_identity({points, n});
    auto made = std::make_shared<Held<KrylovObject>>();
    *made = {where, std::move(object)};
    *krylov = objects.add<hyperplane_krylov>(std::move(made));
  });
}
