// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/array/box_packer.hpp>

#include <string>
#include <utility>
#include <vector>

#include "c_arrays.hpp"
#include "c_library.hpp"
#include "primitives.hpp"

// Packers of the C interface.
using namespace hyperplane;
using namespace hyperplane::c;

hyperplane_status hyperplane_packer_create(hyperplane_context context, const hyperplane_packed_box* packed_boxes,
                                           int count, hyperplane_packer* packer) {
  return guarded(__func__, [&] {
    require_pointer(packer, "packer");
    *packer = nullptr;
    auto& objects = registry();
    auto const where = objects.get(context, "context")->context;
    require_at_least(count, 1, "count");
    require_pointer(packed_boxes, "packed_boxes");
    std::vector<run_time::PackedArrayBox> all;
    for (int s = 0; s < count; ++s) {
      auto const& packed_box = packed_boxes[s];
      all.push_back({array_of(&packed_box.array, "array"),
                     box_of(packed_box.box),
                     {packed_box.order[0], packed_box.order[1], packed_box.order[2]}});
    }
    auto made = std::make_shared<Held<run_time::Packer>>();
    *made = {where, where->primitives().make_packer(all)};
    *packer = objects.add<hyperplane_packer>(std::move(made));
  });
}

hyperplane_status hyperplane_packer_size(hyperplane_packer packer, int64_t* size) {
  return guarded(__func__, [&] {
    auto const held = registry().get(packer, "packer");
    require_pointer(size, "size");
    *size = held->object->size();
  });
}

hyperplane_status hyperplane_packer_scalar(hyperplane_packer packer, hyperplane_scalar* scalar) {
  return guarded(__func__, [&] {
    auto const held = registry().get(packer, "packer");
    require_pointer(scalar, "scalar");
    *scalar = static_cast<hyperplane_scalar>(held->object->scalar());
  });
}

hyperplane_status hyperplane_packer_pack(hyperplane_packer packer, void* buffer, int64_t count) {
  return guarded(__func__, [&] {
    auto const held = registry().get(packer, "packer");
    if (held->object->size() > 0) require_pointer(buffer, "buffer");
    require_count(count, held->object->size());
    held->object->pack(buffer);
  });
}

hyperplane_status hyperplane_packer_unpack(hyperplane_packer packer, const void* buffer, int64_t count) {
  return guarded(__func__, [&] {
    auto const held = registry().get(packer, "packer");
    if (held->object->size() > 0) require_pointer(buffer, "buffer");
    require_count(count, held->object->size());
    held->object->unpack(buffer);
  });
}
