// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/array/box_packer.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "c_arrays.hpp"
#include "c_library.hpp"
#include "primitives.hpp"

// Primitives of the C interface.
using namespace hyperplane;
using namespace hyperplane::c;

namespace {

hyperplane_box c_box(const Box& box) {
  return {{box.begin.i, box.begin.j, box.begin.k}, {box.end.i, box.end.j, box.end.k}};
}

run_time::Stencil stencil_of(const hyperplane_stencil* a) {
  require_pointer(a, "a");
  run_time::Stencil stencil;
  std::copy_n(a->values, stencil7_size, stencil.values.begin());
  for (int d = 0; a->arrays != nullptr && d < stencil7_size; ++d) {
    stencil.arrays.push_back(array_of(&a->arrays[d], "an array of the stencil"));
  }
  return stencil;
}

/// `f(primitives)` of a context.
template <class F>
hyperplane_status with_primitives(const char* function, hyperplane_context context, const F& f) {
  return guarded(function, [&] { f(registry().get(context, "context")->context->primitives()); });
}

}  // namespace

hyperplane_status hyperplane_array_init(hyperplane_array* array, void* data, hyperplane_scalar scalar,
                                        hyperplane_memory_space space, hyperplane_grid grid, int components) {
  return guarded(__func__, [&] {
    require_pointer(array, "array");
    int const extents[3] = {grid.ni, grid.nj, grid.nk};
    for (int d = 0; d < 3; ++d) require_at_least(extents[d], 0, ("extent " + std::to_string(d)).c_str());
    require_at_least(components, 1, "components");
    static_cast<void>(enumerator<run_time::ScalarKind>(scalar, HYPERPLANE_DOUBLE, "scalar"));
    static_cast<void>(memory_space(space));
    std::int64_t const row = grid.ni, layer = row * grid.nj;
    if (layer > most_values / std::max(1, grid.nk) / components) {
      throw Failure(HYPERPLANE_INVALID_ARGUMENT, "an array of " + std::to_string(grid.ni) + "x" +
                                                     std::to_string(grid.nj) + "x" + std::to_string(grid.nk) +
                                                     " points is too large");
    }
    *array = {.data = data,
              .scalar = scalar,
              .space = space,
              .extents = {grid.ni, grid.nj, grid.nk},
              .components = components,
              .strides = {1, row, layer},
              .component_stride = layer * grid.nk};
  });
}

hyperplane_status hyperplane_array_component(const hyperplane_array* array, int c, hyperplane_array* component) {
  return guarded(__func__, [&] {
    auto const checked = array_of(array, "array");
    require_pointer(component, "component");
    if (c < 0 || c >= checked.components) {
      throw Failure(HYPERPLANE_INVALID_ARGUMENT, "c is " + std::to_string(c) + ", the array has " +
                                                     std::to_string(checked.components) + " components");
    }
    std::size_t const size = checked.scalar == run_time::ScalarKind::double_precision ? sizeof(double) : sizeof(float);
    hyperplane_array result = *array;
    if (result.data != nullptr) {
      result.data = static_cast<char*>(array->data) + c * array->component_stride * static_cast<std::int64_t>(size);
    }
    result.components = 1;
    result.component_stride = 0;
    *component = result;
  });
}

hyperplane_status hyperplane_box_of(const hyperplane_array* array, hyperplane_box* box) {
  return guarded(__func__, [&] {
    require_pointer(array, "array");
    require_pointer(box, "box");
    *box = {{0, 0, 0}, {array->extents[0], array->extents[1], array->extents[2]}};
  });
}

hyperplane_status hyperplane_box_face(hyperplane_box box, int face, int width, int from, hyperplane_box* layers) {
  return guarded(__func__, [&] {
    require_pointer(layers, "layers");
    *layers = c_box(face_box(box_of(box), enumerator<Direction>(face, HYPERPLANE_TOP, "face"), width, from));
  });
}

hyperplane_status hyperplane_reduce(hyperplane_context context, hyperplane_reduction reduction, hyperplane_box box,
                                    const hyperplane_array* x, double* result) {
  return with_primitives(__func__, context, [&](const run_time::Primitives& primitives) {
    require_pointer(result, "result");
    auto const kind = enumerator<run_time::Reduction>(reduction, HYPERPLANE_REDUCTION_NORM_INF, "reduction");
    *result = primitives.reduce(kind, box_of(box), array_of(x, "x"));
  });
}

hyperplane_status hyperplane_dot(hyperplane_context context, hyperplane_box box, const hyperplane_array* x,
                                 const hyperplane_array* y, double* result) {
  return with_primitives(__func__, context, [&](const run_time::Primitives& primitives) {
    require_pointer(result, "result");
    *result = primitives.dot(box_of(box), array_of(x, "x"), array_of(y, "y"));
  });
}

hyperplane_status hyperplane_dots(hyperplane_context context, hyperplane_box box, int count, const hyperplane_array* x,
                                  const hyperplane_array* y, double* results) {
  return with_primitives(__func__, context, [&](const run_time::Primitives& primitives) {
    if (count < 1 || count > 4) {
      throw Failure(HYPERPLANE_INVALID_ARGUMENT, "count is " + std::to_string(count) + ", expected 1 to 4");
    }
    require_pointer(results, "results");
    std::vector<run_time::Array> xs, ys;
    for (int p = 0; p < count; ++p) {
      xs.push_back(array_of(x == nullptr ? x : x + p, "x"));
      ys.push_back(array_of(y == nullptr ? y : y + p, "y"));
    }
    primitives.dots(box_of(box), xs, ys, results);
  });
}

hyperplane_status hyperplane_axpy_dot(hyperplane_context context, hyperplane_box box, double alpha,
                                      const hyperplane_array* x, const hyperplane_array* y, const hyperplane_array* z,
                                      double* result) {
  return with_primitives(__func__, context, [&](const run_time::Primitives& primitives) {
    require_pointer(result, "result");
    *result = primitives.axpy_dot(box_of(box), alpha, array_of(x, "x"), array_of(y, "y"), array_of(z, "z"));
  });
}

hyperplane_status hyperplane_update_dot(hyperplane_context context, hyperplane_box box, double alpha,
                                        const hyperplane_array* p, const hyperplane_array* q, const hyperplane_array* x,
                                        const hyperplane_array* r, double* result) {
  return with_primitives(__func__, context, [&](const run_time::Primitives& primitives) {
    require_pointer(result, "result");
    *result = primitives.update_dot(box_of(box), alpha, array_of(p, "p"), array_of(q, "q"), array_of(x, "x"),
                                    array_of(r, "r"));
  });
}

hyperplane_status hyperplane_stencil_apply(hyperplane_context context, hyperplane_box box, const hyperplane_stencil* a,
                                           const hyperplane_array* x, const hyperplane_array* y) {
  return with_primitives(__func__, context, [&](const run_time::Primitives& primitives) {
    primitives.apply(box_of(box), stencil_of(a), array_of(x, "x"), array_of(y, "y"));
  });
}

hyperplane_status hyperplane_relaxation_options_init(hyperplane_relaxation_options* options) {
  return guarded(__func__, [&] {
    require_pointer(options, "options");
    *options = {.struct_size = sizeof(*options),
                .kind = HYPERPLANE_RELAXATION_RED_BLACK,
                .scalar = HYPERPLANE_DOUBLE,
                .relaxation = 1.0,
                .sweeps = 1};
  });
}

hyperplane_status hyperplane_relaxation_create(hyperplane_context context, hyperplane_grid grid,
                                               const hyperplane_stencil* a,
                                               const hyperplane_relaxation_options* options,
                                               hyperplane_relaxation* relaxation) {
  return guarded(__func__, [&] {
    require_pointer(relaxation, "relaxation");
    *relaxation = nullptr;
    auto& objects = registry();
    auto const where = objects.get(context, "context")->context;
    run_time::RelaxationSettings settings;
    if (options != nullptr) {
      require_initialized(*options, "hyperplane_relaxation_options");
      settings = {.kind = enumerator<run_time::RelaxationKind>(options->kind, HYPERPLANE_RELAXATION_HYPERPLANE, "kind"),
                  .scalar = enumerator<run_time::ScalarKind>(options->scalar, HYPERPLANE_DOUBLE, "scalar"),
                  .relaxation = options->relaxation,
                  .sweeps = options->sweeps};
    }
    auto made = std::make_shared<Held<run_time::Relaxation>>();
    *made = {where, where->primitives().make_relaxation(shape(grid, 1).grid, stencil_of(a), settings)};
    *relaxation = objects.add<hyperplane_relaxation>(std::move(made));
  });
}

hyperplane_status hyperplane_relaxation_factor(hyperplane_relaxation relaxation) {
  return guarded(__func__, [&] { registry().get(relaxation, "relaxation")->object->factor(); });
}

hyperplane_status hyperplane_relaxation_check(hyperplane_relaxation relaxation) {
  return guarded(__func__, [&] { require_factors(registry().get(relaxation, "relaxation")->object->problem()); });
}

hyperplane_status hyperplane_relaxation_solve(hyperplane_relaxation relaxation, const hyperplane_array* r,
                                              const hyperplane_array* z) {
  return guarded(__func__,
                 [&] { registry().get(relaxation, "relaxation")->object->solve(array_of(r, "r"), array_of(z, "z")); });
}

hyperplane_status hyperplane_fill(hyperplane_context context, hyperplane_box box, double value,
                                  const hyperplane_array* x) {
  return with_primitives(__func__, context, [&](const run_time::Primitives& primitives) {
    primitives.fill(box_of(box), value, array_of(x, "x"));
  });
}

hyperplane_status hyperplane_scale(hyperplane_context context, hyperplane_box box, double alpha,
                                   const hyperplane_array* x) {
  return with_primitives(__func__, context, [&](const run_time::Primitives& primitives) {
    primitives.scale(box_of(box), alpha, array_of(x, "x"));
  });
}

hyperplane_status hyperplane_copy(hyperplane_context context, hyperplane_box box, const hyperplane_array* x,
                                  const hyperplane_array* y) {
  return with_primitives(__func__, context, [&](const run_time::Primitives& primitives) {
    primitives.copy(box_of(box), array_of(x, "x"), array_of(y, "y"));
  });
}

hyperplane_status hyperplane_transposed_copy(hyperplane_context context, hyperplane_box box, const hyperplane_array* x,
                                             const int order[3], const int begin[3], const hyperplane_array* y) {
  return with_primitives(__func__, context, [&](const run_time::Primitives& primitives) {
    require_pointer(order, "order");
    require_pointer(begin, "begin");
    primitives.transposed_copy(box_of(box), array_of(x, "x"), {order[0], order[1], order[2]},
                               {begin[0], begin[1], begin[2]}, array_of(y, "y"));
  });
}

hyperplane_status hyperplane_axpy(hyperplane_context context, hyperplane_box box, double alpha,
                                  const hyperplane_array* x, const hyperplane_array* y) {
  return hyperplane_axpby(context, box, alpha, x, 1.0, y);
}

hyperplane_status hyperplane_axpby(hyperplane_context context, hyperplane_box box, double alpha,
                                   const hyperplane_array* x, double beta, const hyperplane_array* y) {
  return with_primitives(__func__, context, [&](const run_time::Primitives& primitives) {
    primitives.axpby(box_of(box), alpha, array_of(x, "x"), beta, array_of(y, "y"));
  });
}
