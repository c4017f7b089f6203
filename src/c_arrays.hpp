// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

#include "c_library.hpp"
#include "primitives.hpp"

/// Arrays and boxes of the C interface.
namespace hyperplane::c {

/// No memory has more, and indices beyond it would overflow.
inline constexpr std::int64_t most_values = std::int64_t{1} << 60;

inline run_time::Array array_of(const hyperplane_array* array, const char* argument) {
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

inline Box box_of(const hyperplane_box& box) {
  return {{box.begin[0], box.begin[1], box.begin[2]}, {box.end[0], box.end[1], box.end[2]}};
}

}  // namespace hyperplane::c
