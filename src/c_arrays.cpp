// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c_arrays.hpp"

#include <hyperplane/grid/stencil7.hpp>

#include <string>
#include <utility>
#include <vector>

// Boxes of vectors and matrices, and preconditioners for several vectors, arrays and masks.
using namespace hyperplane;
using namespace hyperplane::c;

namespace {

Point begin_of(const int begin[3]) { return begin == nullptr ? Point{} : Point{begin[0], begin[1], begin[2]}; }

[[noreturn]] void refuse_column(const std::string& index, int other) {
  throw Failure(HYPERPLANE_INVALID_ARGUMENT,
                "x" + index + " or rhs" + index + " is the x or rhs of column " + std::to_string(other));
}

/// `copy(matrix, box, direction, array, begin, order)` for every array that is there, after all of them are known to
/// hold the box: all are copied, or none.
template <class Copy>
void copy_directions(hyperplane_matrix handle, const hyperplane_box& c_box, const hyperplane_array* blocks,
                     const int c_begin[3], hyperplane_block_order c_order, const Copy& copy) {
  auto const held = registry().get(handle, "matrix");
  auto const order = block_order(c_order);
  auto const box = box_of(c_box);
  auto const begin = begin_of(c_begin);
  require_pointer(blocks, "blocks");
  std::vector<std::pair<Direction, run_time::Array>> arrays;
  for (auto const direction : stencil7_directions) {
    auto const& array = blocks[static_cast<int>(direction)];
    if (array.data == nullptr) continue;
    arrays.emplace_back(direction, array_of(&array, (std::string("blocks of ") + name(direction)).c_str()));
  }
  for (auto const& [direction, array] : arrays) held->object->check_box(box, array, begin);
  for (auto const& [direction, array] : arrays) copy(*held->object, box, direction, array, begin, order);
}

}  // namespace

hyperplane_status hyperplane_vector_set_box(hyperplane_vector vector, hyperplane_box box,
                                            const hyperplane_array* values, const int begin[3]) {
  return guarded(__func__, [&] {
    registry().get(vector, "vector")->object->set_box(box_of(box), array_of(values, "values"), begin_of(begin));
  });
}

hyperplane_status hyperplane_vector_get_box(hyperplane_vector vector, hyperplane_box box,
                                            const hyperplane_array* values, const int begin[3]) {
  return guarded(__func__, [&] {
    registry().get(vector, "vector")->object->get_box(box_of(box), array_of(values, "values"), begin_of(begin));
  });
}

hyperplane_status hyperplane_matrix_set_box(hyperplane_matrix matrix, hyperplane_box box,
                                            const hyperplane_array blocks[7], const int begin[3],
                                            hyperplane_block_order order) {
  return guarded(__func__, [&] {
    copy_directions(matrix, box, blocks, begin, order,
                    [](run_time::Matrix& a, const auto&... arguments) { a.set_box(arguments...); });
  });
}

hyperplane_status hyperplane_matrix_get_box(hyperplane_matrix matrix, hyperplane_box box,
                                            const hyperplane_array blocks[7], const int begin[3],
                                            hyperplane_block_order order) {
  return guarded(__func__, [&] {
    copy_directions(matrix, box, blocks, begin, order,
                    [](run_time::Matrix& a, const auto&... arguments) { a.get_box(arguments...); });
  });
}

hyperplane_status hyperplane_preconditioner_solve_many(hyperplane_preconditioner preconditioner, int count,
                                                       const hyperplane_vector* rhs, const hyperplane_vector* x) {
  return guarded(__func__, [&] {
    auto& objects = registry();
    auto const held = objects.get(preconditioner, "preconditioner");
    require_at_least(count, 0, "count");
    if (count > 0) require_pointer(rhs, "rhs");
    if (count > 0) require_pointer(x, "x");
    std::vector<std::shared_ptr<Held<run_time::Vector>>> vectors;
    std::vector<const run_time::Vector*> from;
    std::vector<run_time::Vector*> to;
    for (int v = 0; v < count; ++v) {
      auto const index = "[" + std::to_string(v) + "]";
      from.push_back(vectors.emplace_back(objects.get(rhs[v], ("rhs" + index).c_str()))->object.get());
      to.push_back(vectors.emplace_back(objects.get(x[v], ("x" + index).c_str()))->object.get());
      for (int other = 0; other < v; ++other) {
        if (x[other] == x[v] || x[other] == rhs[v] || rhs[other] == x[v]) {
          refuse_column(index, other);
        }
      }
    }
    held->object->solve(from, to);
  });
}

hyperplane_status hyperplane_preconditioner_solve_array(hyperplane_preconditioner preconditioner, int columns,
                                                        const double* rhs, double* x, int64_t count,
                                                        hyperplane_memory_space space) {
  return guarded(__func__, [&] {
    auto const held = registry().get(preconditioner, "preconditioner");
    auto where = run_time::MemorySpace::host;
    held->object->agree([&] {
      require_at_least(columns, 1, "columns");
      auto const rows = held->object->rows() * columns;
      require_array(rhs, "rhs", count, rows);
      require_array(x, "x", count, rows);
      where = memory_space(space);
    });
    held->object->solve(columns, rhs, x, where);
  });
}

hyperplane_status hyperplane_matrix_mask(hyperplane_matrix matrix, const int8_t* mask, int64_t count,
                                         hyperplane_memory_space space) {
  return guarded(__func__, [&] {
    auto const held = registry().get(matrix, "matrix");
    auto where = run_time::MemorySpace::host;
    held->object->agree([&] {
      require_array(mask, "mask", count, held->object->points());
      where = memory_space(space);
    });
    held->object->mask(mask, where);
  });
}

hyperplane_status hyperplane_vector_mask(hyperplane_vector vector, const int8_t* mask, int64_t count,
                                         hyperplane_memory_space space) {
  return guarded(__func__, [&] {
    auto const held = registry().get(vector, "vector");
    require_array(mask, "mask", count, held->object->points());
    held->object->mask(mask, memory_space(space));
  });
}

hyperplane_status hyperplane_preconditioner_factor_masked(hyperplane_preconditioner preconditioner, hyperplane_matrix a,
                                                          const int8_t* mask, int64_t count,
                                                          hyperplane_memory_space space) {
  return guarded(__func__, [&] {
    auto& objects = registry();
    auto const held = objects.get(preconditioner, "preconditioner");
    auto const matrix = objects.get(a, "a");
    require_array(mask, "mask", count, held->object->points());
    held->object->factor(*matrix->object, mask, memory_space(space));
  });
}
