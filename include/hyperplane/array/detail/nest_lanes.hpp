// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/divisor.hpp>
#include <hyperplane/array/detail/nest.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/cuda/sector.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Rows of a nest cut into parts for groups of neighbouring threads of a device: a thread of a group has every
/// `lanes`-th element of a part, so that a group accesses neighbours, and each thread several elements at a time.
struct NestLanes {
  static constexpr int lanes = 32;

  std::int64_t m_parts = 0;
  int m_longest = 0;
  Divisor m_parts_of_row;
  Divisor m_rows[2];  ///< of the second and third loop

  NestLanes() = default;
  template <class T, int arrays>
  NestLanes(const Nest<T, arrays>& nest, int elements_of_lane)
      : m_longest(lanes * elements_of_lane), m_rows{Divisor(nest.m_extents[1]), Divisor(nest.m_extents[2])} {
    auto const of_row = (std::int64_t{nest.m_extents[0]} + m_longest - 1) / m_longest;
    m_parts_of_row = Divisor(static_cast<int>(of_row));
    m_parts = of_row * nest.rows();
  }

  /// Rows of neighbours in memory that keep most lanes busy.
  template <class T, int arrays>
  static bool suits(const Nest<T, arrays>& nest) {
    return nest.contiguous() && (nest.rows() == 1 || nest.m_extents[0] >= lanes);
  }

  /// What a lane has of a part.
  struct Share {
    int m_count;  ///< elements of the part from the lane's first one on: none or less where the part is shorter
    bool m_begins_row;

    /// For a row that is about to be written from `first` on, the lane's first element.
    template <class T>
    HYPERPLANE_FUNCTION void prefetch_row_ends(const T* first) const {
      if (m_begins_row) cuda::prefetch_partial_sector(first, first);
      // Where a row goes on behind the part, the last element of the part is the last lane's.
      int const last = m_count - 1;
      if (last >= 0 && last % lanes == 0) cuda::prefetch_partial_sector(first + last + 1, first + last);
    }
  };

  /// Where the elements of a lane in a part begin.
  template <class T, int arrays>
  HYPERPLANE_FUNCTION Share locate(const Nest<T, arrays>& nest, std::int64_t part, int lane,
                                   T* (&elements)[std::size_t{arrays}]) const {
    int digits[4];
    if (m_parts <= Divisor::fast_end) {
      split(static_cast<std::uint32_t>(part), digits);
    } else {
      split(static_cast<std::uint64_t>(part), digits);
    }
    auto const first = std::int64_t{digits[0]} * m_longest + lane;
    HYPERPLANE_UNROLL
    for (int a = 0; a < arrays; ++a) {
      elements[a] = nest.m_data[a] + first + digits[1] * nest.m_strides[a][1] + digits[2] * nest.m_strides[a][2] +
                    digits[3] * nest.m_strides[a][3];
    }
    auto const rest = nest.m_extents[0] - first;
    return {static_cast<int>(rest < m_longest ? rest : m_longest), first == 0};
  }

 private:
  template <class Number>
  HYPERPLANE_FUNCTION void split(Number part, int (&digits)[4]) const {
    digits[0] = m_parts_of_row.take(part);
    digits[1] = m_rows[0].take(part);
    digits[2] = m_rows[1].take(part);
    digits[3] = static_cast<int>(part);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
