// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/slab_map.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include "errors.hpp"
#include "objects.hpp"
#include "primitives.hpp"

/// Boxes of vectors and matrices, from and to arrays with strides.
namespace hyperplane::run_time {

/// Values of the compact layout: `entries` of them for each point, of which those from `first` on are meant. For
/// blocks whose array is by rows, `transposed` is their size; else it is 0.
template <class Stored, int vector_length>
struct PackedEntries {
  SlabMap<vector_length> map;
  Stored* data;
  int entries;
  int first;
  int transposed;

  KOKKOS_FUNCTION Stored& operator()(const Point& p, int c) const {
    int const entry = first + (transposed == 0 ? c : c % transposed * transposed + c / transposed);
    return data[(map.pack(p.i, p.j, p.k) * entries + entry) * vector_length + map.lane(p.j)];
  }
};

/// Throws Error where copy_box() would. Defined in boxes.cpp.
template <class Exec>
void check_box(const Exec& exec, const Grid& grid, const Box& box, const Array& array, const Point& begin,
               int components);

enum class Way { from_array, to_array };

/// Copies the components of a box of `array`, which begins at point `begin` there. Of arrays in host memory it waits.
/// Throws Error where a box is outside of the grid or of the array. Defined in boxes.cpp.
template <class Exec, class Stored, int vector_length>
void copy_box(const Exec& exec, Way way, const PackedEntries<Stored, vector_length>& packed, const Box& box,
              const Array& array, const Point& begin, int components);

}  // namespace hyperplane::run_time
