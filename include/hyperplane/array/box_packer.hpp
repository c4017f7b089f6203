// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/array_ref.hpp>
#include <hyperplane/array/detail/box_copy.hpp>
#include <hyperplane/array/detail/checks.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The `width` layers of points of `box` at a face, beginning `from` layers inside it: with from = 0 and ghost layers
/// of that width, these; with from = width what the neighbour's ghost layers get. Throws Error where the box has not as
/// many layers, or the direction is center.
inline Box face_box(const Box& box, Direction face, int width, int from = 0) {
  if (face == Direction::center) fail("face_box: center is no face");
  Point const o = offset(face);
  int const axis = o.i != 0 ? 0 : o.j != 0 ? 1 : 2;
  int begin[3] = {box.begin.i, box.begin.j, box.begin.k};
  int end[3] = {box.end.i, box.end.j, box.end.k};
  auto const layers = std::int64_t{end[axis]} - begin[axis];
  if (width < 0 || from < 0 || std::int64_t{width} + from > layers) {
    fail(std::string("face_box: ") + std::to_string(width) + " layers from layer " + std::to_string(from) +
         " on at face " + name(face) + ", but the box " + to_string(box) + " has " + std::to_string(layers));
  }
  if (o.i + o.j + o.k < 0) {
    begin[axis] += from;
    end[axis] = begin[axis] + width;
  } else {
    end[axis] -= from;
    begin[axis] = end[axis] - width;
  }
  return {{begin[0], begin[1], begin[2]}, {end[0], end[1], end[2]}};
}

/// A packed box: a box of an array, all of its components, that goes into a buffer or comes from one.
template <class T>
struct PackedBox {
  ArrayRef<T> array;
  Box box;
  /// Which direction runs fastest in the buffer, which next, which last: 0 is i, 1 is j, 2 is k. So a neighbour whose
  /// axes are others gets points in the order that it needs. Components follow one another, whatever the order.
  std::array<int, 3> order = {0, 1, 2};
};

/// Boxes of many arrays (fields, faces, any width) packed into one contiguous buffer and unpacked from it, for the
/// exchange of data between ranks or blocks: one launch each, however many packed boxes. After
/// P. Sathre et al., "Towards a Library of Accelerated CFD Primitives" (AFOSR BRI).
///
/// A plan: the constructor checks, and allocates a table of some hundred bytes per packed box, on CUDA of more than
/// four packed boxes also 4 bytes for each thread block (2 to 8 kB of values). pack() and unpack() allocate nothing,
/// fence nothing and are asynchronous on the instance. Packed box s begins at offset(s) of the buffer, in the order in
/// which they are given. The plan refers to the memory of the arrays. Boxes that are unpacked must not overlap.
///
/// Cost: every value is read and written once; faces whose points are not neighbours in memory cost the lines of
/// memory they are in.
template <PrimitiveScalar T, ExecutionSpace Exec>
class BoxPacker {
 public:
  using scalar_type = T;
  using execution_space = Exec;

  /// Throws Error, naming the packed box by its number, where a box is not in its array or an order is no permutation
  /// of 0, 1, 2.
  BoxPacker(const Exec& exec, const std::vector<PackedBox<T>>& packed_boxes)
      : m_copy(exec, nests(packed_boxes)), m_offsets{0} {
    for (auto const& packed_box : packed_boxes)
      m_offsets.push_back(m_offsets.back() + packed_box.box.size() * packed_box.array.components());
  }

  /// Values in the buffer.
  std::int64_t size() const { return m_offsets.back(); }
  int boxes() const { return static_cast<int>(m_offsets.size()) - 1; }
  /// Where the values of a packed box begin; offset(boxes()) is size().
  std::int64_t offset(int packed_box) const {
    if (packed_box < 0 || packed_box > boxes())
      fail("BoxPacker: packed box " + std::to_string(packed_box) + " of " + std::to_string(boxes()));
    return m_offsets[static_cast<std::size_t>(packed_box)];
  }

  /// buffer <- packed boxes. The buffer has size() values in memory that the execution space reads.
  void pack(const Exec& exec, T* buffer) const { run<true>(exec, "Hyperplane::BoxPacker::pack", buffer); }
  /// packed boxes <- buffer.
  void unpack(const Exec& exec, const T* buffer) const {
    run<false>(exec, "Hyperplane::BoxPacker::unpack", const_cast<T*>(buffer));
  }

  /// The same with a contiguous view of at least size() values; Error where it has less.
  template <class View>
    requires Kokkos::is_view_v<View>
  void pack(const Exec& exec, const View& buffer) const {
    check_buffer("BoxPacker::pack", buffer);
    pack(exec, static_cast<T*>(buffer.data()));
  }
  template <class View>
    requires Kokkos::is_view_v<View>
  void unpack(const Exec& exec, const View& buffer) const {
    check_buffer("BoxPacker::unpack", buffer);
    unpack(exec, static_cast<const T*>(buffer.data()));
  }

 private:
  template <class View>
  void check_buffer(const char* function, const View& buffer) const {
    if (!buffer.span_is_contiguous() || static_cast<std::int64_t>(buffer.size()) < size()) {
      fail(std::string(function) + ": buffer '" + buffer.label() + "' has " + std::to_string(buffer.size()) +
           " values, expected " + std::to_string(size()) + ", contiguous");
    }
  }

  static std::vector<detail::Nest<T, 2>> nests(const std::vector<PackedBox<T>>& packed_boxes) {
    std::vector<detail::Nest<T, 2>> result;
    result.reserve(packed_boxes.size());
    for (std::size_t s = 0; s < packed_boxes.size(); ++s) result.push_back(nest(packed_boxes[s], s));
    return result;
  }

  /// From the array, at first, to the buffer.
  static detail::Nest<T, 2> nest(const PackedBox<T>& packed_box, std::size_t number) {
    auto const name = "BoxPacker: packed box " + std::to_string(number);
    detail::check_order(name, packed_box.order);
    auto const field = detail::nest_of(name.c_str(), packed_box.box, packed_box.array);
    detail::Nest<T, 2> result{};
    std::int64_t stride = 1;
    for (int d = 0; d < 4; ++d) {
      int const loop = d < 3 ? packed_box.order[detail::as_size(d)] : 3;
      result.m_extents[d] = field.m_extents[loop];
      result.m_strides[0][d] = field.m_strides[0][loop];
      result.m_strides[1][d] = stride;
      stride *= result.m_extents[d];
    }
    result.m_data[0] = field.m_data[0];
    if (result.size() > 0) result.normalize();
    return result;
  }

  template <bool pack>
  void run(const Exec& exec, const char* label, T* buffer) const {
    if (size() == 0) return;
    require(buffer != nullptr, std::string(label) + ": the buffer is a null pointer");
    detail::count_bytes(label, 2.0 * sizeof(T) * static_cast<double>(size()));
    m_copy.template run<pack>(exec, label, buffer);
  }

  detail::BoxCopy<T, Exec> m_copy;
  std::vector<std::int64_t> m_offsets;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
