// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "c_krylov_options.hpp"
#include "c_library.hpp"

// Krylov methods of the C interface.
using namespace hyperplane;
using namespace hyperplane::c;

static_assert(HYPERPLANE_FGCRODR == static_cast<int>(run_time::Method::fgcrodr) &&
              HYPERPLANE_STOPPED == static_cast<int>(KrylovOutcome::stopped) &&
              HYPERPLANE_BREAKDOWN_RECURSION == static_cast<int>(KrylovBreakdown::recursion));

namespace {

/// A matrix, and its preconditioner if there is one.
struct Operator {
  std::shared_ptr<Held<run_time::Matrix>> a;
  std::shared_ptr<Held<run_time::Preconditioner>> m;
};

Operator operator_of(hyperplane_matrix a, hyperplane_preconditioner m) {
  auto& objects = registry();
  return {objects.get(a, "a"), m == nullptr ? nullptr : objects.get(m, "preconditioner")};
}

/// The vectors that arrays are solved in, taken out of the object as long as this lives, so that a monitor which solves
/// with it is refused before it has changed them.
struct TakenVectors {
  explicit TakenVectors(KrylovObject& krylov) : from(krylov), b(std::move(krylov.b)), x(std::move(krylov.x)) {
    if (!b) b = krylov.method->make_vector();
    if (!x) x = krylov.method->make_vector();
  }
  ~TakenVectors() {
    from.b = std::move(b);
    from.x = std::move(x);
  }
  TakenVectors(const TakenVectors&) = delete;
  TakenVectors& operator=(const TakenVectors&) = delete;

  KrylovObject& from;
  std::unique_ptr<run_time::Vector> b, x;
};

const run_time::Preconditioner& preconditioner_of(const KrylovObject& krylov, const Operator& system) {
  return system.m ? *system.m->object : *krylov.identity;
}

/// Keeps of the result what there are other functions for.
hyperplane_krylov_result take_result(KrylovObject& krylov, KrylovResult&& solved) {
  krylov.history = std::move(solved.history);
  krylov.cause = std::move(solved.cause);
  return {.outcome = static_cast<hyperplane_outcome>(solved.outcome),
          .iterations = solved.iterations,
          .rhs_norm = solved.rhs_norm,
          .residual_norm = solved.residual_norm,
          .breakdown = static_cast<hyperplane_breakdown>(solved.breakdown)};
}

hyperplane_krylov_result solve(KrylovObject& krylov, const Operator& system, const run_time::Vector& b,
                               run_time::Vector& x) {
  // A monitor may set other limits, for the next solve.
  KrylovLimits const limits = krylov.limits;
  return take_result(krylov, krylov.method->solve(*system.a->object, preconditioner_of(krylov, system), b, x, limits));
}

}  // namespace

hyperplane_status hyperplane_krylov_options_init(hyperplane_krylov_options* options) {
  return guarded(__func__, [&] {
    require_pointer(options, "options");
    KrylovOptions const standard;
    *options = {.struct_size = sizeof(*options),
                .method = HYPERPLANE_BICGSTAB,
                .tolerance = standard.tolerance,
                .absolute_tolerance = standard.absolute_tolerance,
                .max_iterations = standard.max_iterations,
                .restart = standard.restart,
                .recycled = standard.recycled,
                .check_interval = standard.check_interval,
                .monitor = nullptr,
                .monitor_data = nullptr};
  });
}

hyperplane_status hyperplane_krylov_create(hyperplane_context context, hyperplane_grid grid, int n,
                                           const hyperplane_krylov_options* options, hyperplane_krylov* krylov) {
  return guarded(__func__, [&] {
    require_pointer(krylov, "krylov");
    *krylov = nullptr;
    auto& objects = registry();
    auto const where = objects.get(context, "context")->context;
    auto const method = method_of(options);
    auto const krylov_options = krylov_options_of(options);
    auto const size = shape(grid, n);
    auto object = std::make_unique<KrylovObject>();
    object->method = where->make_krylov(size, method, krylov_options);
    object->limits = krylov_options.limits();
    object->identity = where->make_preconditioner(size, {.kind = run_time::identity});
    auto made = std::make_shared<Held<KrylovObject>>();
    *made = {where, std::move(object)};
    *krylov = objects.add<hyperplane_krylov>(std::move(made));
  });
}

hyperplane_status hyperplane_krylov_solve(hyperplane_krylov krylov, hyperplane_matrix a,
                                          hyperplane_preconditioner preconditioner, hyperplane_vector b,
                                          hyperplane_vector x, hyperplane_krylov_result* result) {
  return guarded(__func__, [&] {
    auto& objects = registry();
    auto const held = objects.get(krylov, "krylov");
    Operator system;
    std::shared_ptr<Held<run_time::Vector>> rhs, solution;
    held->object->method->agree([&] {
      system = operator_of(a, preconditioner);
      rhs = objects.get(b, "b");
      solution = objects.get(x, "x");
      require_pointer(result, "result");
    });
    *result = solve(*held->object, system, *rhs->object, *solution->object);
  });
}

hyperplane_status hyperplane_krylov_solve_array(hyperplane_krylov krylov, hyperplane_matrix a,
                                                hyperplane_preconditioner preconditioner, const double* b, double* x,
                                                int64_t count, hyperplane_memory_space space,
                                                hyperplane_krylov_result* result) {
  return guarded(__func__, [&] {
    auto const held = registry().get(krylov, "krylov");
    auto& object = *held->object;
    Operator system;
    auto where = run_time::MemorySpace::host;
    object.method->agree([&] {
      system = operator_of(a, preconditioner);
      require_pointer(result, "result");
      where = memory_space(space);
      require_array(b, "b", count, object.identity->rows());
      require_array(x, "x", count, object.identity->rows());
    });
    TakenVectors const taken(object);
    // Whether memory is where it is said to be is found here.
    object.method->agree([&] {
      taken.b->set(b, where);
      taken.x->set(x, where);
    });
    *result = solve(object, system, *taken.b, *taken.x);
    taken.x->get(x, where);
  });
}

hyperplane_status hyperplane_krylov_solve_columns(hyperplane_krylov krylov, hyperplane_matrix a,
                                                  hyperplane_preconditioner preconditioner, int columns,
                                                  const double* b, double* x, int64_t count,
                                                  hyperplane_memory_space space, hyperplane_krylov_result* results) {
  return guarded(__func__, [&] {
    auto const held = registry().get(krylov, "krylov");
    auto& object = *held->object;
    Operator system;
    auto where = run_time::MemorySpace::host;
    object.method->agree([&] {
      system = operator_of(a, preconditioner);
      require_pointer(results, "results");
      where = memory_space(space);
      require_at_least(columns, 1, "columns");
      auto const rows = object.identity->rows() * columns;
      require_array(b, "b", count, rows);
      require_array(x, "x", count, rows);
    });
    auto all =
        object.method->solve(*system.a->object, preconditioner_of(object, system), columns, b, x, where, object.limits);
    for (int v = 0; v < columns; ++v) results[v] = take_result(object, std::move(all[static_cast<std::size_t>(v)]));
  });
}

const char* hyperplane_breakdown_message(hyperplane_breakdown breakdown) {
  return message(static_cast<KrylovBreakdown>(breakdown));
}

hyperplane_status hyperplane_krylov_get_limits(hyperplane_krylov krylov, hyperplane_krylov_limits* limits) {
  return guarded(__func__, [&] {
    auto const held = registry().get(krylov, "krylov");
    require_pointer(limits, "limits");
    auto const& from = held->object->limits;
    *limits = {.struct_size = sizeof(*limits),
               .tolerance = from.tolerance,
               .absolute_tolerance = from.absolute_tolerance,
               .max_iterations = from.max_iterations};
  });
}

hyperplane_status hyperplane_krylov_set_limits(hyperplane_krylov krylov, const hyperplane_krylov_limits* limits) {
  return guarded(__func__, [&] {
    auto const held = registry().get(krylov, "krylov");
    require_pointer(limits, "limits");
    if (limits->struct_size != sizeof(*limits)) {
      throw Failure(HYPERPLANE_INVALID_ARGUMENT, "limits were not filled by hyperplane_krylov_get_limits()");
    }
    KrylovLimits const to{.tolerance = limits->tolerance,
                          .absolute_tolerance = limits->absolute_tolerance,
                          .max_iterations = limits->max_iterations};
    detail::check_limits("hyperplane_krylov_set_limits", to);
    held->object->limits = to;
  });
}

hyperplane_status hyperplane_krylov_forget(hyperplane_krylov krylov) {
  return guarded(__func__, [&] { registry().get(krylov, "krylov")->object->method->forget(); });
}

hyperplane_status hyperplane_krylov_cause(hyperplane_krylov krylov, const char** cause) {
  return guarded(__func__, [&] {
    auto const held = registry().get(krylov, "krylov");
    require_pointer(cause, "cause");
    *cause = held->object->cause.c_str();
  });
}

hyperplane_status hyperplane_krylov_history(hyperplane_krylov krylov, double* norms, int64_t capacity, int64_t* count) {
  return guarded(__func__, [&] {
    auto const held = registry().get(krylov, "krylov");
    require_pointer(count, "count");
    copy_doubles(held->object->history, "norms", norms, capacity, *count);
  });
}
