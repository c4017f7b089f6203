// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "backends.hpp"
#include "c_library.hpp"

// Contexts, vectors and matrices of the C interface.
using namespace hyperplane;
using namespace hyperplane::c;

static_assert(HYPERPLANE_TOP == static_cast<int>(Direction::top) &&
              HYPERPLANE_WEST == static_cast<int>(Direction::west));

hyperplane_status hyperplane_context_create(const char* backend, void* stream, hyperplane_context* context) {
  return guarded(__func__, [&] {
    require_pointer(context, "context");
    *context = nullptr;
    auto& objects = registry();
    auto const name = run_time::choose_backend(backend == nullptr ? "" : backend, "the argument backend");
    objects.require_usable(name);
    auto made = std::make_shared<ContextHolder>(ContextHolder{run_time::make_context(name, stream)});
    *context = objects.add<hyperplane_context>(std::move(made));
  });
}

hyperplane_status hyperplane_context_backend(hyperplane_context context, const char** name) {
  return guarded(__func__, [&] {
    require_pointer(name, "name");
    *name = registry().get(context, "context")->context->backend();
  });
}

hyperplane_status hyperplane_context_concurrency(hyperplane_context context, int* concurrency) {
  return guarded(__func__, [&] {
    require_pointer(concurrency, "concurrency");
    *concurrency = registry().get(context, "context")->context->concurrency();
  });
}

hyperplane_status hyperplane_context_fence(hyperplane_context context) {
  return guarded(__func__, [&] { registry().get(context, "context")->context->fence(); });
}

hyperplane_status hyperplane_vector_create(hyperplane_context context, hyperplane_grid grid, int n,
                                           hyperplane_vector* vector) {
  return guarded(__func__, [&] {
    require_pointer(vector, "vector");
    *vector = nullptr;
    auto& objects = registry();
    auto const where = objects.get(context, "context")->context;
    auto made = std::make_shared<Held<run_time::Vector>>();
    *made = {where, where->make_vector(shape(grid, n))};
    *vector = objects.add<hyperplane_vector>(std::move(made));
  });
}

hyperplane_status hyperplane_vector_set(hyperplane_vector vector, const double* values, int64_t count,
                                        hyperplane_memory_space space) {
  return guarded(__func__, [&] {
    auto const held = registry().get(vector, "vector");
    require_array(values, "values", count, held->object->rows());
    held->object->set(values, memory_space(space));
  });
}

hyperplane_status hyperplane_vector_get(hyperplane_vector vector, double* values, int64_t count,
                                        hyperplane_memory_space space) {
  return guarded(__func__, [&] {
    auto const held = registry().get(vector, "vector");
    require_array(values, "values", count, held->object->rows());
    held->object->get(values, memory_space(space));
  });
}

hyperplane_status hyperplane_vector_fill(hyperplane_vector vector, double value) {
  return guarded(__func__, [&] { registry().get(vector, "vector")->object->fill(value); });
}

hyperplane_status hyperplane_matrix_create(hyperplane_context context, hyperplane_grid grid, int n,
                                           hyperplane_storage storage, hyperplane_matrix* matrix) {
  return guarded(__func__, [&] {
    require_pointer(matrix, "matrix");
    *matrix = nullptr;
    auto& objects = registry();
    auto const where = objects.get(context, "context")->context;
    auto const kind = enumerator<run_time::StorageKind>(storage, 1, "storage");
    auto made = std::make_shared<Held<run_time::Matrix>>();
    *made = {where, where->make_matrix(shape(grid, n), kind)};
    *matrix = objects.add<hyperplane_matrix>(std::move(made));
  });
}

hyperplane_status hyperplane_matrix_set(hyperplane_matrix matrix, const double* values, int64_t count,
                                        hyperplane_block_order order, hyperplane_memory_space space) {
  return guarded(__func__, [&] {
    auto const held = registry().get(matrix, "matrix");
    require_array(values, "values", count, held->object->value_count());
    held->object->set(values, block_order(order), memory_space(space));
  });
}

hyperplane_status hyperplane_matrix_get(hyperplane_matrix matrix, double* values, int64_t count,
                                        hyperplane_block_order order, hyperplane_memory_space space) {
  return guarded(__func__, [&] {
    auto const held = registry().get(matrix, "matrix");
    require_array(values, "values", count, held->object->value_count());
    held->object->get(values, block_order(order), memory_space(space));
  });
}

hyperplane_status hyperplane_matrix_apply(hyperplane_matrix a, hyperplane_vector x, hyperplane_vector y) {
  return guarded(__func__, [&] {
    auto& objects = registry();
    objects.get(a, "a")->object->apply(*objects.get(x, "x")->object, *objects.get(y, "y")->object);
  });
}

hyperplane_status hyperplane_matrix_residual(hyperplane_matrix a, hyperplane_vector b, hyperplane_vector x,
                                             hyperplane_vector r) {
  return guarded(__func__, [&] {
    auto& objects = registry();
    objects.get(a, "a")->object->residual(*objects.get(b, "b")->object, *objects.get(x, "x")->object,
                                          *objects.get(r, "r")->object);
  });
}

hyperplane_status hyperplane_matrix_transpose(hyperplane_matrix a, hyperplane_matrix* transpose) {
  return guarded(__func__, [&] { make_transpose(a, "a", transpose); });
}

hyperplane_status hyperplane_matrix_create_narrowed(hyperplane_matrix a, hyperplane_storage storage,
                                                    hyperplane_matrix* narrowed) {
  return guarded(__func__, [&] {
    require_pointer(narrowed, "narrowed");
    *narrowed = nullptr;
    auto& objects = registry();
    auto const held = objects.get(a, "a");
    if (storage < HYPERPLANE_STORAGE_FLOAT || storage > HYPERPLANE_STORAGE_BFLOAT16) {
      throw Failure(HYPERPLANE_INVALID_ARGUMENT, "storage is " + std::to_string(storage) +
                                                     ", expected 1 to 3: HYPERPLANE_STORAGE_FLOAT, _HALF or _BFLOAT16");
    }
    auto made = std::make_shared<Held<run_time::Matrix>>();
    *made = {held->context, held->object->narrowed(static_cast<run_time::StorageKind>(storage))};
    *narrowed = objects.add<hyperplane_matrix>(std::move(made));
  });
}

hyperplane_status hyperplane_matrix_narrow(hyperplane_matrix narrowed) {
  return guarded(__func__, [&] { registry().get(narrowed, "narrowed")->object->narrow(); });
}

static_assert(HYPERPLANE_PARTS_AUTOMATIC == run_time::parts_that_pay);

hyperplane_status hyperplane_matrix_choose_parts(hyperplane_matrix a, int count, int parts[3]) {
  return guarded(__func__, [&] {
    auto const held = registry().get(a, "a");
    require_pointer(parts, "parts");
    std::ranges::copy(held->object->choose_parts(count), parts);
  });
}
