// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>
#include <limits>
#include <utility>

/// Loops over boxes of several arrays at a time. Nothing here needs Kokkos.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

HYPERPLANE_FUNCTION constexpr std::int64_t magnitude(std::int64_t value) { return value < 0 ? -value : value; }

/// Four nested loops, the first innermost, over as many elements of each array.
template <class T, int arrays>
struct Nest {
  static constexpr int dimensions = 4;
  using scalar_type = T;
  static constexpr int count = arrays;

  int m_extents[dimensions];
  T* m_data[std::size_t{arrays}];
  std::int64_t m_strides[std::size_t{arrays}][std::size_t{dimensions}];

  HYPERPLANE_FUNCTION std::int64_t size() const {
    return std::int64_t{m_extents[0]} * m_extents[1] * m_extents[2] * m_extents[3];
  }
  HYPERPLANE_FUNCTION std::int64_t rows() const { return std::int64_t{m_extents[1]} * m_extents[2] * m_extents[3]; }

  /// Whether neighbours in the innermost loop are neighbours in memory.
  HYPERPLANE_FUNCTION bool contiguous() const {
    for (int a = 0; a < arrays; ++a) {
      if (m_strides[a][0] != 1) return false;
    }
    return true;
  }

  /// The loops in the order of the last array's strides, loops of one element outermost, and loops that one loop can
  /// be put together. What is computed for each element does not depend on it.
  void normalize() {
    int const last = arrays - 1;
    auto const before = [&](int a, int b) {
      if ((m_extents[a] == 1) != (m_extents[b] == 1)) return m_extents[b] == 1;
      return magnitude(m_strides[last][a]) < magnitude(m_strides[last][b]);
    };
    for (int d = 1; d < dimensions; ++d) {
      for (int e = d; e > 0 && before(e, e - 1); --e) swap(e, e - 1);
    }
    for (int d = 0; d + 1 < dimensions;) {
      if (m_extents[d + 1] == 1 || !mergeable(d)) {
        ++d;
        continue;
      }
      m_extents[d] *= m_extents[d + 1];
      m_extents[d + 1] = 1;
      for (int e = d + 1; e + 1 < dimensions; ++e) swap(e, e + 1);
    }
  }

  void swap(int d, int e) {
    std::swap(m_extents[d], m_extents[e]);
    for (int a = 0; a < arrays; ++a) std::swap(m_strides[a][d], m_strides[a][e]);
  }

 private:
  bool mergeable(int d) const {
    if (std::int64_t{m_extents[d]} * m_extents[d + 1] > std::numeric_limits<int>::max() / 2) return false;
    for (int a = 0; a < arrays; ++a) {
      if (m_strides[a][d + 1] != m_strides[a][d] * m_extents[d]) return false;
    }
    return true;
  }
};

/// The operation with the coefficients that it multiplies with read from memory, once for a loop.
template <class Op>
HYPERPLANE_FORCEINLINE_FUNCTION Op resolved(const Op& op) {
  if constexpr (requires { op.resolved(); }) {
    return op.resolved();
  } else {
    return op;
  }
}

/// Calls op with an element of each array.
template <class T, std::size_t arrays, class Op, std::size_t... a>
HYPERPLANE_FORCEINLINE_FUNCTION decltype(auto) call_with_elements(const Op& op, T* const (&elements)[arrays],
                                                                  std::int64_t i, std::index_sequence<a...>) {
  return op(elements[a][i]...);
}
template <class T, std::size_t arrays, class Op>
HYPERPLANE_FORCEINLINE_FUNCTION decltype(auto) call_with_elements(const Op& op, T* const (&elements)[arrays],
                                                                  std::int64_t i = 0) {
  return call_with_elements(op, elements, i, std::make_index_sequence<arrays>{});
}

/// Where a loop over a nest is, as digits of the element's number.
struct NestDigits {
  int m_digits[4];

  NestDigits() = default;
  HYPERPLANE_FUNCTION NestDigits(std::int64_t number, const int (&extents)[4]) {
    // Divisions of 32 bits are far faster on a device.
    if (number >> 32 == 0) {
      split(static_cast<std::uint32_t>(number), extents);
    } else {
      split(static_cast<std::uint64_t>(number), extents);
    }
  }

  /// Goes on by as many elements as `step` says, in additions alone.
  HYPERPLANE_FUNCTION void advance(const NestDigits& step, const int (&extents)[4]) {
    int carry = 0;
    HYPERPLANE_UNROLL
    for (int d = 0; d < 3; ++d) {
      // Both digits are below the extent, which is below half of what an int holds, or a loop of its own.
      auto const sum = static_cast<unsigned int>(m_digits[d]) + static_cast<unsigned int>(step.m_digits[d]) +
                       static_cast<unsigned int>(carry);
      carry = sum >= static_cast<unsigned int>(extents[d]) ? 1 : 0;
      m_digits[d] = static_cast<int>(sum - (carry != 0 ? static_cast<unsigned int>(extents[d]) : 0u));
    }
    m_digits[3] += step.m_digits[3] + carry;
  }

  template <class T, int arrays>
  HYPERPLANE_FUNCTION void locate(const Nest<T, arrays>& nest, T* (&elements)[std::size_t{arrays}]) const {
    HYPERPLANE_UNROLL
    for (int a = 0; a < arrays; ++a) {
      elements[a] = nest.m_data[a] + m_digits[0] * nest.m_strides[a][0] + m_digits[1] * nest.m_strides[a][1] +
                    m_digits[2] * nest.m_strides[a][2] + m_digits[3] * nest.m_strides[a][3];
    }
  }

 private:
  template <class Number>
  HYPERPLANE_FUNCTION void split(Number number, const int (&extents)[4]) {
    HYPERPLANE_UNROLL
    for (int d = 0; d < 3; ++d) {
      auto const extent = static_cast<Number>(extents[d]);
      auto const rest = number / extent;
      m_digits[d] = static_cast<int>(number - rest * extent);
      number = rest;
    }
    m_digits[3] = static_cast<int>(number);
  }
};

/// Rows of a nest one after the other, cut into parts of at most `longest_part` elements.
struct NestParts {
  static constexpr int longest_part = 4096;

  std::int64_t m_parts_of_row;
  std::int64_t m_parts;
  int m_row;

  NestParts() = default;
  template <class T, int arrays>
  explicit NestParts(const Nest<T, arrays>& nest)
      : m_parts_of_row((std::int64_t{nest.m_extents[0]} + longest_part - 1) / longest_part),
        m_parts(m_parts_of_row * nest.rows()),
        m_row(nest.m_extents[0]) {}

  /// Parts that together have about as many elements as the longest.
  std::int64_t parts_of_chunk() const { return m_row >= longest_part ? 1 : longest_part / m_row; }

  /// Calls `work(elements, length)` for parts begin to end.
  template <class T, int arrays, class Work>
  void run(const Nest<T, arrays>& nest, std::int64_t begin, std::int64_t end, const Work& work) const {
    auto const row = begin / m_parts_of_row;
    int const rows_extents[4] = {nest.m_extents[1], nest.m_extents[2], nest.m_extents[3], 1};
    NestDigits const next(1, rows_extents);
    NestDigits digits(row, rows_extents);
    auto part = begin - row * m_parts_of_row;
    for (std::int64_t p = begin; p < end; ++p) {
      auto const first = part * longest_part;
      T* elements[std::size_t{arrays}];
      for (int a = 0; a < arrays; ++a) {
        elements[a] = nest.m_data[a] + first * nest.m_strides[a][0] + digits.m_digits[0] * nest.m_strides[a][1] +
                      digits.m_digits[1] * nest.m_strides[a][2] + digits.m_digits[2] * nest.m_strides[a][3];
      }
      auto const rest = m_row - first;
      work(elements, static_cast<int>(rest < longest_part ? rest : longest_part));
      if (++part == m_parts_of_row) {
        part = 0;
        digits.advance(next, rows_extents);
      }
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
