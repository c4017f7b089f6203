// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/nest.hpp>
#include <hyperplane/array/run_range.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A packed box: loops over an array and, from m_offset on, a buffer.
template <class T>
struct BoxElements {
  Nest<T, 2> m_nest{};
  std::int64_t m_offset = 0;
};

/// An element of all packed boxes: neighbouring threads have neighbours in the buffer.
template <class T, bool pack>
struct BoxElement {
  const BoxElements<T>* m_table;
  int m_packed_boxes;
  T* m_buffer;

  HYPERPLANE_FUNCTION void operator()(std::int64_t index) const {
    // The last packed box that begins at or before the element: packed boxes without values never are.
    int found = 0;
    for (int behind = m_packed_boxes; behind - found > 1;) {
      int const middle = found + (behind - found) / 2;
      if (m_table[middle].m_offset <= index) {
        found = middle;
      } else {
        behind = middle;
      }
    }
    auto const& packed_box = m_table[found];
    auto nest = packed_box.m_nest;
    nest.m_data[1] = m_buffer + packed_box.m_offset;
    T* elements[2];
    NestDigits(index - packed_box.m_offset, nest.m_extents).locate(nest, elements);
    if constexpr (pack) {
      *elements[1] = *elements[0];
    } else {
      *elements[0] = *elements[1];
    }
  }
};

/// What moves packed boxes to and from a buffer, in one launch, a thread for each value. Of a nest, array 0 is the
/// field, and the second array, whose strides alone count, the buffer.
template <class T, ExecutionSpace Exec>
class PortableBoxCopy {
 public:
  PortableBoxCopy(const Exec& exec, const std::vector<Nest<T, 2>>& nests)
      : m_table(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::BoxPacker::table"), nests.size()) {
    std::vector<BoxElements<T>> table;
    for (auto const& nest : nests) {
      table.push_back({nest, m_size});
      m_size += nest.size();
    }
    using Source = Kokkos::View<const BoxElements<T>*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec, m_table, Source(table.data(), table.size()));
    // The source of the copy goes.
    exec.fence("Hyperplane::BoxPacker");
  }

  template <bool pack>
  void run(const Exec& exec, const std::string& label, T* buffer) const {
    run_range(exec, label, m_size, 2.0 * sizeof(T) * static_cast<double>(m_size),
              BoxElement<T, pack>{m_table.data(), static_cast<int>(m_table.size()), buffer});
  }

 private:
  // Copies of a packer share it.
  Kokkos::View<BoxElements<T>*, typename Exec::memory_space> m_table;
  std::int64_t m_size = 0;
};

/// How an execution space moves packed boxes: the portable way where it has no other.
template <class T, ExecutionSpace Exec>
class BoxCopy : public PortableBoxCopy<T, Exec> {
 public:
  using PortableBoxCopy<T, Exec>::PortableBoxCopy;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
