// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/cfd/slab_packer.hpp>

#include <algorithm>
#include <utility>

#include "c_library.hpp"
#include "primitives.hpp"

// Primitives of the C interface.
using namespace hyperplane;
using namespace hyperplane::c;

namespace {

/// No memory has more, and indices beyond it would overflow.
constexpr std::int64_t most_values = std::int64_t{1} << 60;

run_time::Array array_of(const hyperplane_array* array, const char* argument) {
  require_pointer(array, argument);
  auto const check_stride = [&](std::int64_t stride, int count) {
    std::int64_t const most = most_values / std::max(1, count);
    if (stride >= -most && stride <= most) return;
    throw Failure(HYPERPLANE_INVALID_ARGUMENT,
                  std::string(argument) + " has a stride of " + std::to_string(stride) + ", which is too large");
  };
  for (int d = 0; d < 3; ++d) check_stride(array->strides[d], array->extents[d]);
  check_stride(array->component_stride, array->components);
  return {.data = array->data,
          .scalar = enumerator<run_time::ScalarKind>(array->scalar, HYPERPLANE_DOUBLE, "scalar"),
          .space = memory_space(array->space),
          .extents = {array->extents[0], array->extents[1], array->extents[2]},
          .strides = {array->strides[0], array->strides[1], array->strides[2]},
          .components = array->components,
          .component_stride = array->component_stride};
}

Box box_of(const hyperplane_box& box) {
  return {{box.begin[0], box.begin[1], box.begin[2]}, {box.end[0], box.end[1], box.end[2]}};
}

hyperplane_box c_box(const Box& box) {
  return {{box.begin.i, box.begin.j, box.begin.k}, {box.end.i, box.end.j, box.end.k}};
}

/// `f(primitives)` of a context.
template <class F>
hyperplane_status with_primitives(hyperplane_context context, const F& f) {
  return guarded([&] { f(registry().get(context, "context")->context->primitives()); });
}

}  // namespace

hyperplane_status hyperplane_array_init(hyperplane_array* array, void* data, hyperplane_scalar scalar,
                                        hyperplane_memory_space space, hyperplane_grid grid, int components) {
  return guarded([&] {
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

hyperplane_status hyperplane_box_of(const hyperplane_array* array, hyperplane_box* box) {
  return guarded([&] {
    require_pointer(array, "array");
    require_pointer(box, "box");
    *box = {{0, 0, 0}, {array->extents[0], array->extents[1], array->extents[2]}};
  });
}

hyperplane_status hyperplane_box_face(hyperplane_box box, int face, int width, int from, hyperplane_box* layers) {
  return guarded([&] {
    require_pointer(layers, "layers");
    *layers = c_box(face_box(box_of(box), enumerator<Direction>(face, HYPERPLANE_TOP, "face"), width, from));
  });
}

hyperplane_status hyperplane_reduce(hyperplane_context context, hyperplane_reduction reduction, hyperplane_box box,
                                    const hyperplane_array* x, double* result) {
  return with_primitives(context, [&](const run_time::Primitives& primitives) {
    require_pointer(result, "result");
    auto const kind = enumerator<run_time::Reduction>(reduction, HYPERPLANE_NORM_INF, "reduction");
    *result = primitives.reduce(kind, box_of(box), array_of(x, "x"));
  });
}

hyperplane_status hyperplane_dot(hyperplane_context context, hyperplane_box box, const hyperplane_array* x,
                                 const hyperplane_array* y, double* result) {
  return with_primitives(context, [&](const run_time::Primitives& primitives) {
    require_pointer(result, "result");
    *result = primitives.dot(box_of(box), array_of(x, "x"), array_of(y, "y"));
  });
}

hyperplane_status hyperplane_fill(hyperplane_context context, hyperplane_box box, double value,
                                  const hyperplane_array* x) {
  return with_primitives(
      context, [&](const run_time::Primitives& primitives) { primitives.fill(box_of(box), value, array_of(x, "x")); });
}

hyperplane_status hyperplane_scale(hyperplane_context context, hyperplane_box box, double alpha,
                                   const hyperplane_array* x) {
  return with_primitives(
      context, [&](const run_time::Primitives& primitives) { primitives.scale(box_of(box), alpha, array_of(x, "x")); });
}

hyperplane_status hyperplane_copy(hyperplane_context context, hyperplane_box box, const hyperplane_array* x,
                                  const hyperplane_array* y) {
  return with_primitives(context, [&](const run_time::Primitives& primitives) {
    primitives.copy(box_of(box), array_of(x, "x"), array_of(y, "y"));
  });
}

hyperplane_status hyperplane_transposed_copy(hyperplane_context context, hyperplane_box box, const hyperplane_array* x,
                                             const int order[3], const int begin[3], const hyperplane_array* y) {
  return with_primitives(context, [&](const run_time::Primitives& primitives) {
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
  return with_primitives(context, [&](const run_time::Primitives& primitives) {
    primitives.axpby(box_of(box), alpha, array_of(x, "x"), beta, array_of(y, "y"));
  });
}

hyperplane_status hyperplane_packer_create(hyperplane_context context, const hyperplane_slab* slabs, int count,
                                           hyperplane_packer* packer) {
  return guarded([&] {
    require_pointer(packer, "packer");
    *packer = nullptr;
    auto& objects = registry();
    auto const where = objects.get(context, "context")->context;
    require_at_least(count, 1, "count");
    require_pointer(slabs, "slabs");
    std::vector<run_time::ArraySlab> all;
    for (int s = 0; s < count; ++s) {
      auto const& slab = slabs[s];
      all.push_back({array_of(&slab.array, "array"), box_of(slab.box), {slab.order[0], slab.order[1], slab.order[2]}});
    }
    auto made = std::make_shared<Held<run_time::Packer>>();
    *made = {where, where->primitives().make_packer(all)};
    *packer = objects.add<hyperplane_packer>(std::move(made));
  });
}

hyperplane_status hyperplane_packer_size(hyperplane_packer packer, int64_t* size) {
  return guarded([&] {
    auto const held = registry().get(packer, "packer");
    require_pointer(size, "size");
    *size = held->object->size();
  });
}

hyperplane_status hyperplane_packer_pack(hyperplane_packer packer, void* buffer, int64_t count) {
  return guarded([&] {
    auto const held = registry().get(packer, "packer");
    if (held->object->size() > 0) require_pointer(buffer, "buffer");
    require_count(count, held->object->size());
    held->object->pack(buffer);
  });
}

hyperplane_status hyperplane_packer_unpack(hyperplane_packer packer, const void* buffer, int64_t count) {
  return guarded([&] {
    auto const held = registry().get(packer, "packer");
    if (held->object->size() > 0) require_pointer(buffer, "buffer");
    require_count(count, held->object->size());
    held->object->unpack(buffer);
  });
}
