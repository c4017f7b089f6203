// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/line/line_path.hpp>
#include <hyperplane/line/line_set.hpp>

#include <string>
#include <utility>
#include <vector>

#include "c_library.hpp"

// Line solvers of the C interface.
using namespace hyperplane;
using namespace hyperplane::c;

namespace {

LineSet line_set(const hyperplane_line_set* lines) {
  require_pointer(lines, "lines");
  auto const ends = enumerator<LineEnds>(lines->ends, HYPERPLANE_ENDS_PERIODIC, "ends");
  switch (enumerator<hyperplane_line_kind>(lines->kind, HYPERPLANE_LINES_OF_LISTS, "kind")) {
    case HYPERPLANE_LINES_OF_GRID:
      return LineSet::along(shape(lines->grid, 1).grid, enumerator<LineDirection>(lines->direction, 2, "direction"),
                            ends);
    case HYPERPLANE_LINES_OF_LENGTH: return LineSet::uniform(lines->line_count, lines->length, ends);
    case HYPERPLANE_LINES_OF_LISTS: break;
  }
  require_at_least(lines->line_count, 1, "line_count");
  require_pointer(lines->offsets, "offsets");
  std::vector<std::int64_t> offsets(lines->offsets, lines->offsets + lines->line_count + 1);
  auto const listed = offsets.back();
  if (listed < 0 || listed > lines->point_count) {
    throw Failure(HYPERPLANE_INVALID_ARGUMENT, "the last offset is " + std::to_string(listed) + ", but there are " +
                                                   std::to_string(lines->point_count) + " points");
  }
  require_pointer(lines->points, "points");
  return LineSet::lists(lines->point_count, std::move(offsets),
                        std::vector<std::int64_t>(lines->points, lines->points + listed), ends);
}

LinePath line_path(int path) {
  switch (path) {
    case HYPERPLANE_PATH_AUTOMATIC: return LinePath::automatic;
    case HYPERPLANE_PATH_PORTABLE: return LinePath::portable;
    case HYPERPLANE_PATH_STAGED: return LinePath::staged;
    default: break;
  }
  throw Failure(HYPERPLANE_INVALID_ARGUMENT,
                "path is " + std::to_string(path) + ", lines have HYPERPLANE_PATH_AUTOMATIC, _PORTABLE and _STAGED");
}

run_time::LineSolverSettings settings_of(const hyperplane_line_options& options) {
  require_initialized(options, "hyperplane_line_options");
  require_at_least(options.columns, 1, "columns");
  run_time::LineSolverSettings settings;
  settings.storage = enumerator<run_time::StorageKind>(options.storage, 1, "storage");
  settings.options.path = line_path(options.path);
  if (options.load_bits != 0) settings.options.load_bits = options.load_bits;
  settings.options.partitions = options.partitions;
  settings.columns = options.columns;
  return settings;
}

}  // namespace

hyperplane_status hyperplane_line_options_init(hyperplane_line_options* options) {
  return guarded(__func__, [&] {
    require_pointer(options, "options");
    *options = {.struct_size = sizeof(*options),
                .storage = HYPERPLANE_STORAGE_DOUBLE,
                .path = HYPERPLANE_PATH_AUTOMATIC,
                .load_bits = 0,
                .partitions = 0,
                .columns = 1};
  });
}

hyperplane_status hyperplane_line_solver_create(hyperplane_context context, const hyperplane_line_set* lines, int n,
                                                const hyperplane_line_options* options,
                                                hyperplane_line_solver* solver) {
  return guarded(__func__, [&] {
    require_pointer(solver, "solver");
    *solver = nullptr;
    auto& objects = registry();
    auto const where = objects.get(context, "context")->context;
    auto const settings = options == nullptr ? run_time::LineSolverSettings{} : settings_of(*options);
    auto made = std::make_shared<Held<run_time::LineSolver>>();
    *made = {where, where->make_line_solver(line_set(lines), n, settings)};
    *solver = objects.add<hyperplane_line_solver>(std::move(made));
  });
}

hyperplane_status hyperplane_line_solver_factor(hyperplane_line_solver solver, const double* values, int64_t count,
                                                hyperplane_block_order order, hyperplane_memory_space space) {
  return guarded(__func__, [&] {
    auto const held = registry().get(solver, "solver");
    auto& object = *held->object;
    require_pointer(values, "values");
    require_count(count, object.points() * line_blocks * object.block_size() * object.block_size());
    object.factor(values, block_order(order), memory_space(space));
  });
}

hyperplane_status hyperplane_line_solver_factor_matrix(hyperplane_line_solver solver, hyperplane_matrix a) {
  return guarded(__func__, [&] {
    auto& objects = registry();
    auto const held = objects.get(solver, "solver");
    held->object->factor(*objects.get(a, "a")->object);
  });
}

hyperplane_status hyperplane_line_solver_check(hyperplane_line_solver solver) {
  return guarded(__func__, [&] { require_factors(registry().get(solver, "solver")->object->problem()); });
}

hyperplane_status hyperplane_line_solver_solve(hyperplane_line_solver solver, const double* rhs, double* x,
                                               int64_t count, hyperplane_memory_space space) {
  return guarded(__func__, [&] {
    auto const held = registry().get(solver, "solver");
    auto const& object = *held->object;
    require_pointer(rhs, "rhs");
    require_pointer(x, "x");
    require_count(count, object.points() * object.block_size() * object.columns());
    object.solve(rhs, x, memory_space(space));
  });
}

hyperplane_status hyperplane_line_solver_solve_vector(hyperplane_line_solver solver, hyperplane_vector rhs,
                                                      hyperplane_vector x) {
  return guarded(__func__, [&] {
    auto& objects = registry();
    auto const held = objects.get(solver, "solver");
    held->object->solve(*objects.get(rhs, "rhs")->object, *objects.get(x, "x")->object);
  });
}

hyperplane_status hyperplane_line_solver_transpose(hyperplane_line_solver solver, hyperplane_line_solver* transpose) {
  return guarded(__func__, [&] { make_transpose(solver, "solver", transpose); });
}
