// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/box_copy_portable.hpp>
#include <hyperplane/array/detail/nest.hpp>
#include <hyperplane/array/detail/transposed_bands.hpp>
#include <hyperplane/array/run_range.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A packed box: loops over an array and, from m_offset on, a buffer.
template <class T>
struct BoxChunks {
  Nest<T, 2> m_nest{};
  NestParts m_parts{};
  TransposedBands<T> m_bands{};
  std::int64_t m_offset = 0;
  std::int64_t m_first_chunk = 0;
};

/// A chunk of parts of rows, or a part of a band.
template <class T, bool pack>
struct BoxChunk {
  const BoxChunks<T>* m_table;
  int m_packed_boxes;
  T* m_buffer;

  void operator()(std::int64_t index) const {
    // The last packed box that begins at or before the chunk: packed boxes without values never are.
    auto const& packed_box = *std::prev(
        std::upper_bound(m_table, m_table + m_packed_boxes, index,
                         [](std::int64_t number, const auto& entry) { return number < entry.m_first_chunk; }));
    auto nest = packed_box.m_nest;
    nest.m_data[1] = m_buffer + packed_box.m_offset;
    if (packed_box.m_bands.m_bands > 0)
      return packed_box.m_bands.template run<pack>(nest, index - packed_box.m_first_chunk);
    auto const chunk = packed_box.m_parts.parts_of_chunk();
    auto const begin = (index - packed_box.m_first_chunk) * chunk;
    auto const stride = nest.m_strides[0][0];
    packed_box.m_parts.run(nest, begin, std::min(begin + chunk, packed_box.m_parts.m_parts),
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

/// On hosts a thread takes chunks of rows, or parts of bands.
template <class T, HostExecutionSpace Exec>
class BoxCopy<T, Exec> {
 public:
  BoxCopy(const Exec&, const std::vector<Nest<T, 2>>& nests) : m_table("Hyperplane::BoxPacker::table", nests.size()) {
    std::int64_t offset = 0;
    for (std::size_t s = 0; s < nests.size(); ++s) {
      auto nest = nests[s];
      auto const size = nest.size();
      TransposedBands<T> const bands(nest);
      NestParts const parts = size > 0 ? NestParts(nest) : NestParts{};
      m_table(s) = {nest, parts, bands, offset, m_chunks};
      offset += size;
      if (size == 0) continue;
      auto const chunk = parts.parts_of_chunk();
      m_chunks += bands.m_bands > 0 ? bands.count(nest) : (parts.m_parts + chunk - 1) / chunk;
    }
    m_size = offset;
  }

  template <bool pack>
  void run(const Exec& exec, const std::string& label, T* buffer) const {
    run_range(exec, label, m_chunks, 2.0 * sizeof(T) * static_cast<double>(m_size),
              BoxChunk<T, pack>{m_table.data(), static_cast<int>(m_table.size()), buffer});
  }

 private:
  // Copies of a packer share it.
  Kokkos::View<BoxChunks<T>*, typename Exec::memory_space> m_table;
  std::int64_t m_chunks = 0;
  std::int64_t m_size = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
