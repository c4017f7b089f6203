// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Blocks of a block row of a block tridiagonal matrix, in storage order.
enum class LineBlock : int { lower, diagonal, upper };
inline constexpr int line_blocks = 3;

/// Trivially copyable index tables of a LineLayout.
///
/// A group of lines, in the names here a pack, is `vector_length` lines, one per lane. It is worked on in steps 0, 1,
/// ..., length(pack) - 1; what belongs to step s of group p is item first_item(p) + s. Lane l has points in the steps
/// begin(p, l) to end(p, l) - 1 alone: lines of different lengths, and lines that are skewed against one another, share
/// a group.
template <int vector_length_>
struct LineLayoutRef {
  static constexpr int vector_length = vector_length_;

  std::int64_t m_packs;
  const std::int64_t* m_first_items;  ///< of each pack, and the number of items
  const int* m_begins;                ///< of each lane of each pack, as all that follow but the last
  const int* m_ends;
  const std::int64_t* m_ordinals;  ///< of the first point of the line; -1 where there is no line
  const std::int64_t* m_slots;     ///< of each line: pack * vector_length + lane

  HYPERPLANE_FUNCTION std::int64_t packs() const { return m_packs; }
  HYPERPLANE_FUNCTION std::int64_t first_item(std::int64_t pack) const { return m_first_items[pack]; }
  HYPERPLANE_FUNCTION int length(std::int64_t pack) const {
    return static_cast<int>(m_first_items[pack + 1] - m_first_items[pack]);
  }
  HYPERPLANE_FUNCTION int begin(std::int64_t pack, int lane) const { return m_begins[pack * vector_length + lane]; }
  HYPERPLANE_FUNCTION int end(std::int64_t pack, int lane) const { return m_ends[pack * vector_length + lane]; }
  /// Ordinal of the first point of the lane's line, -1 where there is none.
  HYPERPLANE_FUNCTION std::int64_t ordinal(std::int64_t pack, int lane) const {
    return m_ordinals[pack * vector_length + lane];
  }

  /// Item of a position of a line.
  HYPERPLANE_FUNCTION std::int64_t item(std::int64_t line, int position) const {
    auto const slot = m_slots[line];
    return m_first_items[slot / vector_length] + m_begins[slot] + position;
  }
  HYPERPLANE_FUNCTION int lane(std::int64_t line) const { return static_cast<int>(m_slots[line] % vector_length); }
};

/// Trivially copyable access to a LineVector.
template <class Scalar, int n, int vector_length>
class LineVectorRef {
 public:
  HYPERPLANE_FUNCTION LineVectorRef(const LineLayoutRef<vector_length>& layout, Scalar* data, int columns)
      : m_layout(layout), m_data(data), m_columns(columns) {}

  HYPERPLANE_FUNCTION int columns() const { return m_columns; }
  HYPERPLANE_FUNCTION Scalar* data() const { return m_data; }
  /// Unknown c at a position of a line, in one of the columns.
  HYPERPLANE_FUNCTION Scalar& operator()(std::int64_t line, int position, int c, int column = 0) const {
    auto const item = m_layout.item(line, position);
    return m_data[((item * m_columns + column) * n + c) * vector_length + m_layout.lane(line)];
  }

 private:
  LineLayoutRef<vector_length> m_layout;
  Scalar* m_data;
  int m_columns;
};

/// Trivially copyable access to a BlockTridiagonalMatrix.
template <class Storage, int n, int vector_length>
class BlockTridiagonalMatrixRef {
 public:
  HYPERPLANE_FUNCTION BlockTridiagonalMatrixRef(const LineLayoutRef<vector_length>& layout, Storage* data)
      : m_layout(layout), m_data(data) {}

  HYPERPLANE_FUNCTION Storage* data() const { return m_data; }
  /// Entry (r, c) of a block at a position of a line.
  HYPERPLANE_FUNCTION Storage& operator()(std::int64_t line, int position, LineBlock block, int r, int c) const {
    auto const item = m_layout.item(line, position);
    return m_data[(((item * line_blocks + static_cast<int>(block)) * n + c) * n + r) * vector_length +
                  m_layout.lane(line)];
  }

 private:
  LineLayoutRef<vector_length> m_layout;
  Storage* m_data;
};

namespace detail {

/// Where the values of a group of lines are, in SIMD groups of W lanes that follow one another at a fixed distance: in
/// line storage, and in skewed slabs for lines along i and k. The lanes of a group of lines are those of
/// vector_length / W such SIMD groups.
///
/// Entry e of `entries` of lane l at step s is at ((base + s * stride) * entries + e) * W + l mod W. From step
/// full_begin to full_end - 1 all W lanes may be accessed together, outside only those that have a point.
template <int W_>
struct StridedPlaces {
  static constexpr int W = W_;
  static constexpr bool may_be_strided = true, may_be_gathered = false;
  const std::int64_t* m_bases;
  const int* m_full_begins;
  const int* m_full_ends;
  std::int64_t m_stride;

  HYPERPLANE_FUNCTION const StridedPlaces& strided() const { return *this; }
};

/// Where they are anywhere: slot `slots[item * vector_length + lane]`, -1 where there is no point. Entry e of `entries`
/// of a slot is at ((slot >> shift) * entries + e) * (1 << shift) + slot mod (1 << shift).
struct GatheredPlaces {
  static constexpr int W = 1;  ///< values that may be accessed together
  static constexpr bool may_be_strided = false, may_be_gathered = true;
  const int* m_slots;
  int m_shift;

  HYPERPLANE_FUNCTION const GatheredPlaces& gathered() const { return *this; }
};

/// One or the other, chosen at run time: for hosts, where that costs nothing and kernels are compiled once.
template <int W_>
class EitherPlaces {
 public:
  static constexpr int W = W_;
  static constexpr bool may_be_strided = true, may_be_gathered = true;

  explicit EitherPlaces(const StridedPlaces<W>& places) : m_strided(places) {}
  explicit EitherPlaces(const GatheredPlaces& places) : m_gathered(places) {}

  HYPERPLANE_FUNCTION const StridedPlaces<W>& strided() const { return m_strided; }
  /// The places, where it has slots.
  HYPERPLANE_FUNCTION const GatheredPlaces& gathered() const { return m_gathered; }

 private:
  StridedPlaces<W> m_strided{};
  GatheredPlaces m_gathered{};
};

}  // namespace detail
}  // namespace hyperplane::inline HYPERPLANE_ABI
