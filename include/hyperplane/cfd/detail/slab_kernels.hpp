// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cfd/detail/nest.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace hyperplane::detail {

/// Neighbouring threads of a device have neighbouring values of the buffer, and each slab_group / slab_threads of them.
inline constexpr int slab_threads = 256;
inline constexpr int slab_group = 1024;

/// A slab: loops over an array and over what it is in the buffer, whose strides are those of the element's number.
template <class T>
struct SlabEntry {
  Nest<T, 2> m_nest{};
  NestParts m_parts{};
  NestDigits m_step{};
  std::int64_t m_offset = 0;       ///< of the buffer
  std::int64_t m_first_chunk = 0;  ///< of all slabs

  SlabEntry() = default;
  SlabEntry(const Nest<T, 2>& nest, std::int64_t offset, std::int64_t first_chunk)
      : m_nest(nest), m_offset(offset), m_first_chunk(first_chunk) {
    if (nest.size() == 0) return;
    m_parts = NestParts(nest);
    m_step = NestDigits(slab_threads, nest.m_extents);
  }

  std::int64_t chunks() const {
    if (m_parts.m_parts == 0) return 0;
    auto const chunk = m_parts.parts_of_chunk();
    return (m_parts.m_parts + chunk - 1) / chunk;
  }
};

/// The last slab that begins at or before a number: slabs without values never are.
template <class T>
KOKKOS_FUNCTION int find_slab(const SlabEntry<T>* table, int slabs, std::int64_t SlabEntry<T>::* begin,
                              std::int64_t number) {
  int low = 0;
  int high = slabs - 1;
  while (low < high) {
    int const middle = (low + high + 1) / 2;
    if (table[middle].*begin <= number) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

template <class T, bool pack>
struct SlabChunk {
  const SlabEntry<T>* m_table;
  int m_slabs;
  T* m_buffer;

  void operator()(std::int64_t index) const {
    auto const& slab = m_table[find_slab(m_table, m_slabs, &SlabEntry<T>::m_first_chunk, index)];
    auto nest = slab.m_nest;
    nest.m_data[1] = m_buffer + slab.m_offset;
    auto const chunk = slab.m_parts.parts_of_chunk();
    auto const begin = (index - slab.m_first_chunk) * chunk;
    auto const stride = nest.m_strides[0][0];
    slab.m_parts.run(nest, begin, std::min(begin + chunk, slab.m_parts.m_parts),
                     [&](T* const(&elements)[2], int length) {
                       if (stride == 1) {
                         move(elements[0], std::integral_constant<int, 1>{}, elements[1], length);
                       } else {
                         move(elements[0], stride, elements[1], length);
                       }
                     });
  }

  /// Values of the buffer are neighbours.
  template <class Stride>
  static void move(T* field, Stride stride, T* buffer, int length) {
    HYPERPLANE_INDEPENDENT
    for (int i = 0; i < length; ++i) {
      if constexpr (pack) {
        buffer[i] = field[i * stride];
      } else {
        field[i * stride] = buffer[i];
      }
    }
  }
};

template <class T, bool pack>
struct SlabLane {
  const SlabEntry<T>* m_table;
  int m_slabs;
  T* m_buffer;
  std::int64_t m_size;

  static std::int64_t lanes(std::int64_t size) { return (size + slab_group - 1) / slab_group * slab_threads; }

  KOKKOS_FUNCTION void operator()(std::int64_t lane) const {
    constexpr int values = slab_group / slab_threads;
    auto const first = lane / slab_threads * slab_group + lane % slab_threads;
    if (first >= m_size) return;
    T* places[values];
    int number = find_slab(m_table, m_slabs, &SlabEntry<T>::m_offset, first);
    NestDigits digits(first - m_table[number].m_offset, m_table[number].m_nest.m_extents);
    HYPERPLANE_UNROLL
    for (int v = 0; v < values; ++v) {
      auto const e = first + v * slab_threads;
      if (v > 0 && e < m_size) {
        int next = number;
        while (next + 1 < m_slabs && m_table[next + 1].m_offset <= e) ++next;
        if (next == number) {
          digits.advance(m_table[number].m_step, m_table[number].m_nest.m_extents);
        } else {
          number = next;
          digits = NestDigits(e - m_table[number].m_offset, m_table[number].m_nest.m_extents);
        }
      }
      auto const& nest = m_table[number].m_nest;
      places[v] = nest.m_data[0] + digits.m_digits[0] * nest.m_strides[0][0] +
                  digits.m_digits[1] * nest.m_strides[0][1] + digits.m_digits[2] * nest.m_strides[0][2] +
                  digits.m_digits[3] * nest.m_strides[0][3];
    }
    HYPERPLANE_UNROLL
    for (int v = 0; v < values; ++v) {
      auto const e = first + v * slab_threads;
      if (e >= m_size) continue;
      if constexpr (pack) {
        m_buffer[e] = *places[v];
      } else {
        *places[v] = m_buffer[e];
      }
    }
  }
};

}  // namespace hyperplane::detail
