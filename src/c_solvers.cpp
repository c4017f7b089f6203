// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <utility>

#include "c_library.hpp"

// Preconditioners and Krylov methods of the C interface.
using namespace hyperplane;
using namespace hyperplane::c;

static_assert(HYPERPLANE_PATH_STAGED == static_cast<int>(Path::staged) &&
              HYPERPLANE_PATH_SELF_SCHEDULED == static_cast<int>(Path::self_scheduled));

namespace {

run_time::PreconditionerSettings settings_of(const hyperplane_preconditioner_options& options) {
  require_initialized(options, "hyperplane_preconditioner_options");
  run_time::PreconditionerSettings settings;
  settings.kind = enumerator<run_time::PreconditionerKind>(options.kind, HYPERPLANE_BILU0, "kind");
  settings.storage = enumerator<run_time::StorageKind>(options.storage, 1, "storage");
  settings.relaxation = options.relaxation;
  settings.alpha = options.alpha;
  settings.line_sweeps = options.line_sweeps;
  settings.path = enumerator<Path>(options.path, HYPERPLANE_PATH_STAGED, "path");
  if (options.line_direction_count < 1 || options.line_direction_count > 3) {
    throw Failure(HYPERPLANE_INVALID_ARGUMENT,
                  "line_direction_count is " + std::to_string(options.line_direction_count) + ", expected 1 to 3");
  }
  settings.line_directions.clear();
  for (int d = 0; d < options.line_direction_count; ++d) {
    settings.line_directions.push_back(enumerator<int>(options.line_directions[d], 2, "a line direction"));
  }
  return settings;
}

KrylovOptions options_of(const hyperplane_krylov_options& options) {
  require_initialized(options, "hyperplane_krylov_options");
  KrylovOptions result{.tolerance = options.tolerance,
                       .max_iterations = options.max_iterations,
                       .restart = options.restart,
                       .check_interval = options.check_interval};
  if (options.monitor != nullptr) {
    result.monitor = [monitor = options.monitor, data = options.monitor_data](int iteration, double norm) {
      monitor(iteration, norm, data);
    };
  }
  return result;
}

}  // namespace

hyperplane_status hyperplane_preconditioner_options_init(hyperplane_preconditioner_options* options) {
  return guarded([&] {
    require_pointer(options, "options");
    run_time::PreconditionerSettings const standard;
    *options = {.struct_size = sizeof(*options),
                .kind = static_cast<hyperplane_preconditioner_kind>(standard.kind),
                .storage = static_cast<hyperplane_storage>(standard.storage),
                .relaxation = standard.relaxation,
                .alpha = standard.alpha,
                .line_direction_count = 1,
                .line_directions = {0, 0, 0},
                .line_sweeps = standard.line_sweeps,
                .path = HYPERPLANE_PATH_AUTOMATIC};
  });
}

hyperplane_status hyperplane_preconditioner_create(hyperplane_context context, hyperplane_grid grid, int n,
                                                   const hyperplane_preconditioner_options* options,
                                                   hyperplane_preconditioner* preconditioner) {
  return guarded([&] {
    require_pointer(preconditioner, "preconditioner");
    *preconditioner = nullptr;
    auto& objects = registry();
    auto const where = objects.get(context, "context")->context;
    auto const settings = options == nullptr ? run_time::PreconditionerSettings{} : settings_of(*options);
    auto made = std::make_shared<Held<run_time::Preconditioner>>();
    *made = {where, where->make_preconditioner(shape(grid, n), settings)};
    *preconditioner = objects.add<hyperplane_preconditioner>(std::move(made));
  });
}

hyperplane_status hyperplane_preconditioner_factor(hyperplane_preconditioner preconditioner, hyperplane_matrix a) {
  return guarded([&] {
    auto& objects = registry();
    auto const held = objects.get(preconditioner, "preconditioner");
    held->object->factor(*objects.get(a, "a")->object);
  });
}

hyperplane_status hyperplane_preconditioner_check(hyperplane_preconditioner preconditioner) {
  return guarded([&] {
    auto const message = registry().get(preconditioner, "preconditioner")->object->singular_pivot();
    if (!message.empty()) throw Failure(HYPERPLANE_SINGULAR_PIVOT, message);
  });
}

hyperplane_status hyperplane_preconditioner_solve(hyperplane_preconditioner preconditioner, hyperplane_vector rhs,
                                                  hyperplane_vector x) {
  return guarded([&] {
    auto& objects = registry();
    auto const held = objects.get(preconditioner, "preconditioner");
    held->object->solve(*objects.get(rhs, "rhs")->object, *objects.get(x, "x")->object);
  });
}

hyperplane_status hyperplane_krylov_options_init(hyperplane_krylov_options* options) {
  return guarded([&] {
    require_pointer(options, "options");
    KrylovOptions const standard;
    *options = {.struct_size = sizeof(*options),
                .method = HYPERPLANE_BICGSTAB,
                .tolerance = standard.tolerance,
                .max_iterations = standard.max_iterations,
                .restart = standard.restart,
                .check_interval = standard.check_interval,
                .monitor = nullptr,
                .monitor_data = nullptr};
  });
}

hyperplane_status hyperplane_krylov_create(hyperplane_context context, hyperplane_grid grid, int n,
                                           const hyperplane_krylov_options* options, hyperplane_krylov* krylov) {
  return guarded([&] {
    require_pointer(krylov, "krylov");
    *krylov = nullptr;
    auto& objects = registry();
    auto const where = objects.get(context, "context")->context;
    auto const method = options == nullptr ? run_time::Method::bicgstab
                                           : enumerator<run_time::Method>(options->method, HYPERPLANE_FGMRES, "method");
    auto const krylov_options = options == nullptr ? KrylovOptions{} : options_of(*options);
    auto const size = shape(grid, n);
    auto object = std::make_unique<KrylovObject>();
    object->method = where->make_krylov(size, method, krylov_options);
    object->identity = where->make_preconditioner(size, {.kind = run_time::PreconditionerKind::none});
    auto made = std::make_shared<Held<KrylovObject>>();
    *made = {where, std::move(object)};
    *krylov = objects.add<hyperplane_krylov>(std::move(made));
  });
}

hyperplane_status hyperplane_krylov_solve(hyperplane_krylov krylov, hyperplane_matrix a,
                                          hyperplane_preconditioner preconditioner, hyperplane_vector b,
                                          hyperplane_vector x, hyperplane_krylov_result* result) {
  return guarded([&] {
    auto& objects = registry();
    auto const held = objects.get(krylov, "krylov");
    auto const matrix = objects.get(a, "a");
    auto const m = preconditioner == nullptr ? nullptr : objects.get(preconditioner, "preconditioner");
    auto const rhs = objects.get(b, "b");
    auto const solution = objects.get(x, "x");
    require_pointer(result, "result");
    auto& object = *held->object;
    auto solved =
        object.method->solve(*matrix->object, m ? *m->object : *object.identity, *rhs->object, *solution->object);
    object.history = std::move(solved.history);
    *result = {.outcome = static_cast<hyperplane_outcome>(solved.outcome),
               .iterations = solved.iterations,
               .rhs_norm = solved.rhs_norm,
               .residual_norm = solved.residual_norm};
  });
}

hyperplane_status hyperplane_krylov_history(hyperplane_krylov krylov, double* norms, int64_t capacity, int64_t* count) {
  return guarded([&] {
    auto const held = registry().get(krylov, "krylov");
    require_pointer(count, "count");
    auto const& history = held->object->history;
    if (capacity < 0) {
      throw Failure(HYPERPLANE_INVALID_ARGUMENT, "capacity is " + std::to_string(capacity) + ", expected 0 or more");
    }
    if (capacity > 0) require_pointer(norms, "norms");
    auto const size = static_cast<int64_t>(history.size());
    std::copy_n(history.begin(), std::min(capacity, size), norms);
    *count = size;
  });
}
