// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cfd/detail/nest.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>

namespace hyperplane::detail {

/// Rows of a nest cut into parts for groups of neighbouring threads of a device: a thread of a group has every
/// `lanes`-th element of a part, so that a group accesses neighbours, and each thread several elements at a time.
struct NestLanes {
  static constexpr int lanes = 32;

  std::int64_t m_parts_of_row;
  std::int64_t m_parts;
  int m_longest;

  NestLanes() = default;
  template <class T, int arrays>
  NestLanes(const Nest<T, arrays>& nest, int elements_of_lane)
      : m_parts_of_row((std::int64_t{nest.m_extents[0]} + lanes * elements_of_lane - 1) / (lanes * elements_of_lane)),
        m_parts(m_parts_of_row * nest.rows()),
        m_longest(lanes * elements_of_lane) {}

  /// Rows of neighbours in memory that keep most lanes busy.
  template <class T, int arrays>
  static bool suits(const Nest<T, arrays>& nest) {
    return nest.contiguous() && (nest.rows() == 1 || nest.m_extents[0] >= lanes);
  }

  /// Where the elements of a lane in a part begin, and how many elements of the row there are from there on (none or
  /// less where the part is shorter).
  template <class T, int arrays>
  HYPERPLANE_FUNCTION int locate(const Nest<T, arrays>& nest, std::int64_t part, int lane,
                                 T* (&elements)[arrays]) const {
    std::int64_t row[3] = {0, 0, 0};
    if (m_parts_of_row != m_parts) {
      auto const of_row = split(part, m_parts_of_row, part);
      row[1] = split(of_row, nest.m_extents[1], row[0]);
      if (nest.m_extents[3] != 1) row[2] = split(row[1], nest.m_extents[2], row[1]);
    }
    auto const first = part * m_longest + lane;
    HYPERPLANE_UNROLL
    for (int a = 0; a < arrays; ++a) {
      elements[a] = nest.m_data[a] + first * nest.m_strides[a][0] + row[0] * nest.m_strides[a][1] +
                    row[1] * nest.m_strides[a][2] + row[2] * nest.m_strides[a][3];
    }
    auto const rest = nest.m_extents[0] - first;
    return static_cast<int>(rest < m_longest ? rest : m_longest);
  }

 private:
  /// The quotient, and the remainder: in 32 bits where they suffice, which is far faster on a device.
  HYPERPLANE_FUNCTION static std::int64_t split(std::int64_t number, std::int64_t divisor, std::int64_t& remainder) {
    if (((number | divisor) >> 32) == 0) {
      auto const quotient = static_cast<std::uint32_t>(number) / static_cast<std::uint32_t>(divisor);
      remainder = static_cast<std::uint32_t>(number) - quotient * static_cast<std::uint32_t>(divisor);
      return quotient;
    }
    auto const quotient = number / divisor;
    remainder = number - quotient * divisor;
    return quotient;
  }
};

}  // namespace hyperplane::detail
