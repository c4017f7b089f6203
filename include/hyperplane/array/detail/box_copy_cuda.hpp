// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/box_copy_cuda_kernel.hpp>
#include <hyperplane/array/detail/box_copy_portable.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/labelled.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class T, CudaExecutionSpace Exec>
class BoxCopy<T, Exec> {
 public:
  BoxCopy(const Exec& exec, const std::vector<Nest<T, 2>>& nests) {
    std::int64_t offset = 0;
    std::int64_t blocks = 0;
    for (auto const& nest : nests) {
      m_packed_boxes.push_back({nest, NestBlocks(nest), offset, static_cast<int>(blocks)});
      blocks += m_packed_boxes.back().m_blocks.m_count;
      offset += nest.size();
      if (blocks > std::numeric_limits<int>::max()) {
        fail("BoxPacker: " + std::to_string(offset) + " values are too many for one launch");
      }
    }
    m_blocks = static_cast<int>(blocks);
    if (are_parameters()) return;
    std::vector<int> box_of_block;
    for (std::size_t s = 0; s < m_packed_boxes.size(); ++s) {
      box_of_block.insert(box_of_block.end(), static_cast<std::size_t>(m_packed_boxes[s].m_blocks.m_count),
                          static_cast<int>(s));
    }
    m_table = on_device("Hyperplane::BoxPacker::table", exec, m_packed_boxes);
    m_box_of_block = on_device("Hyperplane::BoxPacker::box_of_block", exec, box_of_block);
    // The sources of the copies go.
    exec.fence("Hyperplane::BoxPacker");
  }

  template <bool pack>
  void run(const Exec& exec, const std::string& label, T* buffer) const {
    cuda::labelled(exec, label, [&] {
      if (!are_parameters()) {
        copy_boxes<pack>(exec.cuda_stream(), m_table.data(), m_box_of_block.data(), m_blocks, buffer);
        return;
      }
      BoxParameters<T> parameters{};
      parameters.m_packed_boxes = static_cast<int>(m_packed_boxes.size());
      for (std::size_t s = 0; s < m_packed_boxes.size(); ++s) {
        parameters.m_table[s] = m_packed_boxes[s];
        parameters.m_table[s].m_nest.m_data[1] = buffer + m_packed_boxes[s].m_offset;
      }
      copy_boxes<pack>(exec.cuda_stream(), parameters, m_blocks);
    });
  }

 private:
  bool are_parameters() const { return m_packed_boxes.size() <= BoxParameters<T>::most_boxes; }

  template <class Value>
  using Values = Kokkos::View<Value*, typename Exec::memory_space>;

  template <class Value>
  static Values<Value> on_device(const std::string& label, const Exec& exec, const std::vector<Value>& values) {
    using Source = Kokkos::View<const Value*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Values<Value> const result(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), values.size());
    Kokkos::deep_copy(exec, result, Source(values.data(), values.size()));
    return result;
  }

  std::vector<BoxBlocks<T>> m_packed_boxes;
  int m_blocks = 0;
  // Of more packed boxes than may be parameters. Copies of a packer share them.
  Values<BoxBlocks<T>> m_table;
  Values<int> m_box_of_block;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
